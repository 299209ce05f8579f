"""How good a model is: the error on held-out ratings, for each number of stereotypes, and whether its fit converged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components import display, job_panel, sidebar
from dashboard.compute import evaluations, jobs, store
from dashboard.compute.current import View
from dashboard.compute.jobs import Job
from dashboard.figures.accuracy import error_curve_figure, errors_figure, objective_figure
from dashboard.wording import counted, duration, error_in_words, number, stereotypes, unit_for
from nnm_core import FitOptions
from nnm_core.datasets import Dataset
from nnm_core.evaluation import Curve, Evaluation
from nnm_core.evaluation.cross_validation import Measure
from nnm_core.evaluation.peers import MEANS, Peer
from nnm_core.phrases import percent
from nnm_core.scale import written

T = TypeVar("T")
_HELD_OUT = "held out"
_ERRORS = ("mae", "rmse", "mae_rounded", "rmse_rounded")
_RANGES = {"6": (1, 2, 3, 4, 5, 6), "10": (1, 2, 3, 4, 5, 6, 8, 10), "32": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)}
_FOLDS = {"5": "each fifth in turn", "3": "each third in turn", "1": "one fifth, once"}
ABOUT_ERRORS = (
    "The average miss is the mean distance between what the model says and what people gave (mean absolute error, "
    "MAE). The typical miss weighs large misses more (root mean squared error, RMSE). Rounding what a method says to "
    "ratings that people can give changes both, so misses with and without it do not compare; all four are given."
)
_HARDLY = 0.02  # a share of the error: what more stereotypes gain below it hardly helps anybody


def show_held_out(view: View) -> evaluations.HeldOut | None:
    """Show how far off the model is on ratings it has not seen, beside the best simple guess."""
    found = _run(view, _HELD_OUT, "Hold a fifth of the ratings out and see", evaluations.evaluate_held_out)
    if found is None:
        return None
    scale = view.model.scale
    st.markdown(_verdict(view, found))
    st.caption(
        "One rating in five was hidden, the model was fitted to the others, and asked for the hidden ones. Ratings "
        f"go from {written(scale.lowest)} to {written(scale.highest)}. “Off by” is the mean distance between what "
        "it said and what people gave (mean absolute error, MAE)."
    )
    return found


def show_lists(view: View) -> None:
    """Show, where nobody rated, how many choices the model has not seen are among its first recommendations."""
    found = _run(view, "lists", "Hold a fifth of the choices out and see", evaluations.evaluate_lists)
    if found is None:
        return
    st.markdown(
        f"**Ten recommendations of the model bring back {percent(found.own.recall)} of what people chose and the model "
        f"had not seen.** The ten most popular {view.words.items} bring back {percent(found.popular.recall)}: "
        f"{compare_with_popular(round(100 * found.own.recall), round(100 * found.popular.recall))}"
    )
    st.caption(
        "One choice in five was hidden, the model was fitted to the others, and everybody got a list of ten. Nobody "
        "rated anything here, so there are no ratings to be off by."
    )


def known_verdict(view: View) -> str:
    """Return how far off the model is, if that was computed; empty else."""
    job = jobs.find((_HELD_OUT, view.key))
    return _verdict(view, job.result) if job is not None and job.state == "done" else ""


def name_of(peer: Peer, view: View) -> str:
    """Return what another method is called."""
    simple = {
        "global mean": "the mean of all ratings",
        "user means": "each person's mean",
        "item means": f"each {view.words.item}'s mean",
        "user and item means": f"each person's and {view.words.item}'s mean together",
    }
    return simple.get(peer.name, peer.name)


def compare_with_popular(own: int, popular: int) -> str:
    """Say what the two shares, in percent, mean for the model."""
    if own < popular:
        return "**here the model recommends worse than that.** It still tells who chooses what."
    return f"the model recommends {'better' if own > popular else 'no better'} than that."


def _verdict(view: View, found: evaluations.HeldOut) -> str:
    scale, unit = view.model.scale, unit_for(view.dataset)
    own, simple = found.evaluation.scores.mae, found.simple.scores.mae
    gain = 1.0 - own / max(simple, 1e-12)
    compared = f"{gain:.0%} closer" if gain > 0 else f"{-gain:.0%} further off"
    return (
        f"**On ratings it has not seen, the model is off by {error_in_words(own, scale, 1)} {unit} on average.** "
        f"The best simple guess, {name_of(found.simple, view)}, is off by {error_in_words(simple, scale, 1)}: "
        f"the model is {'no closer than that' if abs(gain) < 0.005 else compared}."
    )


def _run(view: View, name: str, button: str, evaluate: Callable[[Dataset, FitOptions, int, Job], T]) -> T | None:
    """Return the result of short work at once, of long work when somebody asks for it; None while it is not there."""
    work = partial(evaluate, view.dataset, view.model.options, view.model.seed)
    short = store.expected_seconds(view.dataset, view.model.options) <= store.LONG
    title = "Fitting without a fifth"
    return job_panel.run_job((name, view.key), title, work, button, at_once=short, patience=store.PATIENCE)


def show_curve(view: View) -> tuple[dict[str, go.Figure], dict[str, Any]]:
    """Show the section with the curve; return its figures and tables for downloads."""
    unit = unit_for(view.dataset)
    st.header("How many kinds of taste predict best?", anchor=False)
    st.markdown(
        "With more kinds of taste the model can say more, and with too many it learns chance by heart. The curve shows "
        "how far off it is on ratings it has not seen, for one kind of taste, two, three and so on."
    )
    default = "5" if len(view.dataset.ratings) < 300_000 else "1"
    first, second, third = st.columns(3)
    with first:
        reach = link.select("Kinds of taste, up to", list(_RANGES), "upto", default="6")
    with second:
        folds = link.select("Held out", list(_FOLDS), "folds", default=default, form=_FOLDS.__getitem__)
    with third:
        kinds = {"mae": "average (MAE)", "rmse": "typical (RMSE)"}
        measure: Measure = "rmse" if link.segments("Miss", kinds, "measure", help=ABOUT_ERRORS) == "rmse" else "mae"
    result = _result(view, _RANGES[reach or "6"], int(folds or 5))
    if result is None:
        return {}, {}
    table = result.curve.table()
    st.markdown(describe_curve(result.curve, measure, view))
    errors = {peer.name: float(getattr(peer.scores, measure)) for peer in result.peers}
    best = min(MEANS, key=errors.__getitem__)  # worse ones would flatten the curve
    shown = [peer for peer in result.peers if peer.name not in MEANS or peer.name == best]
    peers, d = {name_of(peer, view): errors[peer.name] for peer in shown}, view.model.n_stereotypes
    figure = error_curve_figure(table, view.style, unit=unit, measure=measure, chosen=d, peers=peers)
    display.show_figure(figure, "curve", "How far off the model is, by the number of kinds of taste", on_select=_adopt)
    st.caption(
        "Whiskers: one standard deviation between the parts that were held out. Dotted lines: the best simple guess "
        "and other methods, not rounded. **Pick a point to look at the model with that many kinds of taste.**"
    )
    scores = _scores(table, result.peers, view)
    titles = (f"Average miss in {unit} (MAE)", f"Typical miss in {unit} (RMSE)", "MAE, rounded", "RMSE, rounded")
    columns = {
        "method": st.column_config.TextColumn("Method", width="medium"),
        **{
            name: st.column_config.NumberColumn(title, format="%.4f")
            for name, title in zip(_ERRORS, titles, strict=True)
        },
        "seconds_fit": st.column_config.NumberColumn("Seconds for a fit", format="%.2f"),
    }
    with st.expander("All numbers", icon=":material/table:"):
        display.show_table(scores, "scores", columns)
        st.caption(ABOUT_ERRORS)
    return {"Error against D": figure}, {"Errors": lambda: scores}


def _result(view: View, dimensions: Sequence[int], n_folds: int) -> evaluations.CurveAndPeers | None:
    dataset, seed = view.dataset, view.model.seed
    options = replace(view.model.options, n_stereotypes=1)
    key = ("curve", *store.model_key(dataset, options, seed), tuple(dimensions), n_folds)
    work = partial(evaluations.evaluate_curve, dataset, options, seed, dimensions, n_folds)
    seconds = n_folds * sum(store.expected_seconds(dataset, replace(options, n_stereotypes=d)) for d in dimensions)
    button = f"Draw the curve: {counted(len(dimensions) * n_folds, 'fit')}, {duration(seconds)}"
    return job_panel.run_job(key, "Fitting for the curve", work, button)


def describe_curve(curve: Curve, measure: Measure, view: View) -> str:
    """Say which number of stereotypes predicts best, whether fewer would do, and whether more than one help at all."""
    found = curve.suggestion(measure)
    scale, unit = view.model.scale, unit_for(view.dataset)
    best, own = (error_in_words(error, scale, 1) for error in (found.best_error, found.error))
    off = f"off by {best} {unit} on average" if measure == "mae" else f"typically off by {best} {unit}"
    text = f"**{stereotypes(found.best).capitalize()}** predict best, {off}"
    fewer = [n for n in curve.evaluations if 1 < n < found.best]
    if found.n_stereotypes == found.best:
        text += "; fewer are clearly further off." if fewer else "; more do not come closer."
    elif own == best:
        text += f", but **{number(found.n_stereotypes)}** are simpler and, to the digits shown, just as close."
    else:
        text += (
            f", but **{number(found.n_stereotypes)}** are simpler and not clearly worse: off by {own}, and that "
            "difference could be chance."
        )
    one = float(getattr(curve.evaluations[1].scores, measure))
    if one <= (1 + _HARDLY) * found.best_error:
        further = "hardly further" if one > found.best_error else "no further"
        text += (
            f" To predict, one kind would do: it is off by {error_in_words(one, scale, 1)}, {further}. More "
            f"are there to describe: they tell which people {view.words.like} what."
        )
    return text


def _adopt() -> None:
    """Fit with as many stereotypes as the selected point has."""
    point = display.selected_point("curve")
    if point is not None and point.get("x") is not None:
        st.session_state["D"] = min(max(int(point["x"]), 1), sidebar.MOST_STEREOTYPES)


def _scores(table: pd.DataFrame, peers: Sequence[Peer], view: View) -> pd.DataFrame:
    """Return one line per D and per peer with the four errors."""
    columns = ["method", *_ERRORS, "seconds_fit"]
    own = table.assign(method=[f"this model, D = {d}" for d in table["stereotypes"]])[columns]
    others = [
        {"method": name_of(peer, view), "seconds_fit": peer.seconds_fit}
        | {name: getattr(peer.scores, name) for name in _ERRORS}
        for peer in peers
    ]
    return pd.concat([own, pd.DataFrame(others)], ignore_index=True) if others else own


def show_convergence(view: View, held_out: Evaluation | None) -> dict[str, go.Figure]:
    """Show the objective and the error per iteration, on held-out ratings too where they are known."""
    model = view.model
    st.header("Did the fit come to rest?", anchor=False)
    if not model.traces:
        st.caption("This model carries no record of its fit.")
        return {}
    last = model.traces[-1]
    if model.converged:
        state = "It has converged"
    elif model.options.tol == 0:
        state = "It stopped before it had converged, as the paper's preset does"
    else:
        state = "It has not converged; allow more iterations under **More options** in the sidebar"
    st.markdown(
        f"A fit goes in iterations: find the best answers for every {view.words.item}, then the best mixture for every "
        f"person. **{state}.** The last iteration moved the stereotypes by {100 * last.movement:.2g} points on average."
    )
    skipped = last.shown_from // 2
    if skipped:
        st.caption(
            f"The pictures begin after the first {'round' if skipped == 1 else f'{number(skipped)} rounds'}: there, to "
            "get started, the fit counts unknown ratings as zero, so its misses do not compare with the later ones."
        )
    figures = {"Left unexplained": objective_figure(model.traces, view.style)}
    left, right = st.columns(2, gap="large")
    with left:
        st.caption(
            "What is left unexplained, iteration by iteration: the sum of all squared errors, and what caution adds."
        )
        display.show_figure(figures["Left unexplained"], "objective", "What is left unexplained, round by round")
    if view.dataset.implicit:
        return figures
    with right:
        st.caption("The typical miss, round by round. Large misses weigh more in it (root mean squared error, RMSE).")
        training, errors = last.training_errors, None
        if held_out is not None:
            fold = held_out.folds[0]
            training, errors = fold.training_errors, np.array([scores.rmse for scores in fold.sweeps])
        unit = unit_for(view.dataset)
        figures["Errors"] = errors_figure(training, view.style, held_out=errors, unit=unit, skipped=skipped)
        display.show_figure(figures["Errors"], "errors", "The typical miss, round by round")
    return figures
