"""Whether a fit has converged: the objective and the error after every iteration."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard.components.common import display
from dashboard.compute.current import View
from dashboard.figures.accuracy import errors_figure, objective_figure
from dashboard.wording import a, number, plain, unit_for
from nnm_core.evaluation import Evaluation
from nnm_core.evaluation.cross_validation import Measure
from nnm_core.model import STEADY_SWEEPS, Model
from nnm_core.phrases import listed


def describe_convergence(view: View) -> str:
    """Say whether the fit has converged, as Markdown; empty where the model carries no record of it."""
    model = view.model
    if not model.traces:
        return ""
    last = model.traces[-1]
    n_iterations = len(last.training_errors)
    moved = f"The last iteration moved the stereotypes by {100 * last.movement:.2g} points on average."
    if model.ending == "converged":
        return f"**Yes**, after {n_iterations:,} iterations. {moved}"
    if model.ending == "fixed":
        whose = "the paper’s method" if model.options.method == "alternating" else "this method"
        return (
            f"**No: {whose} stops early**, after {n_iterations:,} iterations, whether or not it has converged. {moved}"
        )
    return f"**Not yet**, after {n_iterations:,} iterations: allow more under **More options** in the sidebar. {moved}"


def draw_convergence(view: View, held_out: Evaluation | None, measure: Measure) -> dict[str, go.Figure]:
    """Return the pictures by name: the objective of the last stage, and the error where people rated.

    A fit records the root mean squared error alone: without held-out ratings there is no picture of the other one.
    """
    model = view.model
    if not model.traces:
        return {}
    last = model.traces[-1]
    shown = [trace for trace in model.traces if trace.stage == last.stage]  # those of other stages do not compare
    what = "Squared distance" if last.stage == "projection" else "Sum of squared errors"
    figures = {what: objective_figure(shown, view.look, what=what.lower())}
    if view.dataset.implicit or _is_unknown(held_out, measure):
        return figures
    training, errors = last.training_errors, None
    if held_out is not None:
        fold = held_out.folds[0]
        training = fold.training_maes if measure == "mae" else fold.training_errors
        errors = np.array([getattr(scores, measure) for scores in fold.sweeps])
    unit, skipped = unit_for(view.dataset), last.shown_from // 2
    figures["Error"] = errors_figure(training, view.look, held_out=errors, unit=unit, measure=measure, skipped=skipped)
    return figures


def about_convergence(view: View, held_out: Evaluation | None) -> str:
    """Say what the pictures show."""
    text = _about_stages(view)
    if held_out is not None:
        text += (
            " The error is that of another fit: from one random start, and without the held-out ratings (of the first "
            "part). So it may take more or fewer iterations."
        )
        if len({trace.stage for trace in view.model.traces}) > 1:
            text += " It has both parts of the fit one after the other: the step is where the second begins."
    elif not view.dataset.implicit:
        text += " Until ratings are held out, only the RMSE is known, on the ratings that the model was fitted to."
    text += _about_steps(view.model)
    skipped = view.model.traces[-1].shown_from // 2
    if skipped:
        text += (
            f" The pictures leave out the first {'iteration' if skipped == 1 else f'{number(skipped)} iterations'}: "
            "there the fit counts unknown ratings as zero, so the errors do not compare with later ones."
        )
    return text


def _about_stages(view: View) -> str:
    """Say what an iteration does, and what came before the stage that is shown."""
    iteration = (
        f"An iteration finds the best answers for every {view.words.item}, then the best mixture for every person."
    )
    stage = view.model.traces[-1].stage
    if stage == "projection":
        return (
            "The fit first draws many models that may have negative numbers in them, and averages what they predict. "
            "The picture shows how it then comes as near to these predictions as stereotypes can: the squared "
            f"distance counts all pairs of a person and {a(view.words.item)}, and the more the better both are known. "
            + iteration
        )
    before = " The picture begins with the mixtures of a fit that predicts one number." if stage == "stars" else ""
    return (
        f"{iteration} It lowers the sum of all squared errors plus a penalty that keeps rarely rated rows near the "
        f"average.{before}"
    )


def _is_unknown(held_out: Evaluation | None, measure: Measure) -> bool:
    """Whether nobody knows this error after every iteration: a fit records the root mean squared one alone."""
    return held_out is None and measure == "mae"


def _about_steps(model: Model) -> str:
    """Say why the curve steps down late, if it does: the best of several starts goes on from better places."""
    found = [f"{number:,}" for number in iterations_gone_on_from(model)]
    if not found:
        return ""
    once = len(found) == 1
    return (
        f" After iteration{'' if once else 's'} {listed(found)} the fit had come to rest. It then tried other "
        "stereotypes for the few people who rated most, found a lower sum and went on from there: "
        f"{'that is the step' if once else 'those are the steps'} in its curve."
    )


def iterations_gone_on_from(model: Model) -> list[int]:
    """Return after which iterations, counted from 1, the fit had come to rest and yet went on."""
    last = model.traces[-1]
    is_still = last.movements < model.options.tol
    is_still[: last.shown_from // 2] = False
    in_a_row = 0
    found = []
    for k, still in enumerate(is_still[:-1].tolist()):
        in_a_row = in_a_row + 1 if still else 0
        if in_a_row == STEADY_SWEEPS:
            found.append(k + 1)
            in_a_row = 0
    return found


def show_convergence(view: View, held_out: Evaluation | None, measure: Measure) -> dict[str, go.Figure]:
    """Show whether the fit has converged; return the figures for downloads."""
    st.header("Has it converged?", anchor=False)
    words = describe_convergence(view)
    if not words:
        st.caption("This model carries no record of its fit.")
        return {}
    st.markdown(words)
    figures = draw_convergence(view, held_out, measure)
    left, right = st.columns(2, gap="large")
    for column, (name, figure) in zip((left, right), figures.items(), strict=False):
        with column:
            st.markdown(f"**{name}**")
            display.show_figure(figure, name.lower().replace(" ", "-"), f"{name} by iteration. {plain(words)}")
    if not view.dataset.implicit and _is_unknown(held_out, measure):
        with right:
            st.markdown("**Error**")
            st.caption(
                "The mean absolute error after every iteration is known once ratings are held out. Until then, "
                "**RMSE** above shows the other error."
            )
    with st.expander("How to read these", icon=":material/help:"):
        st.markdown(about_convergence(view, held_out))
    return figures
