"""How well a model predicts: the error on held-out ratings, and the error for each number of stereotypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session
from dashboard.components.common import display, job_panel, sidebar
from dashboard.compute import evaluations, jobs, kept_results, store
from dashboard.compute.current import View
from dashboard.compute.evaluations import Experiment, HeldOut, Reporting
from dashboard.figures.accuracy import ReferenceLine, error_curve_figure
from dashboard.wording import counted, duration, error_in_words, number, plain, unit_for
from nnm_core.evaluation import Curve
from nnm_core.evaluation.cross_validation import Measure
from nnm_core.evaluation.peers import SURPRISE, Peer, available
from nnm_core.evaluation.references import Reference, references_for
from nnm_core.phrases import listed
from nnm_core.scale import written

SHORT = 10.0  # seconds up to which an evaluation starts by itself
NOT_TESTED = "This was not tested on held-out ratings yet: the page Accuracy of the view does that."
_FEWEST = 20  # ratings below which nothing can be held out sensibly
_ERRORS = ("mae", "rmse", "mae_rounded", "rmse_rounded")
_STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_FURTHER = 4  # stereotypes beyond the chosen number that a curve shows at least
_SHORTEST = 6
_FOLDS = {5: "each fifth in turn", 3: "each third in turn", 1: "one fifth, once"}
_MEASURES = {"mae": "MAE", "rmse": "RMSE"}
_CLOSE = 0.01  # a share of the error by which fewer stereotypes are hardly worse, even if that is no chance
_HARDLY = 0.02  # a share of the error: what more stereotypes gain below it hardly helps anybody
_BEFORE = (
    "How far are predictions from what people really say? Some ratings are held out; the model is fitted to the "
    "others and predicts those that were held out."
)
ABOUT_ERRORS = (
    "The mean absolute error (MAE) is the average distance between a prediction and the rating. The root mean squared "
    "error (RMSE) weighs large errors more. Rounding a prediction to a rating that people can give changes both, so "
    "errors with and without rounding do not compare; all four are given."
)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What the page is asked for: a measure of error, what to hold out, and the numbers of stereotypes to try."""

    measure: Measure
    experiment: Experiment
    dimensions: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What is known so far; ``is_complete``: every point of the curve that was asked for."""

    held_out: HeldOut | None
    curve: Curve
    peers: tuple[Peer, ...] = ()
    is_complete: bool = True


def dimensions_for(chosen: int, reach: int) -> tuple[int, ...]:
    """Return the numbers of stereotypes of a curve: few of the large ones, but the chosen one and the last."""
    return tuple(sorted({n for n in _STEPS if n <= reach} | {chosen, reach}))


def reaches(chosen: int) -> list[int]:
    """Return how far the curve may go, the default first: past the chosen number by four at least."""
    first = max(_SHORTEST, chosen + _FURTHER)
    return [first, *(n for n in (10, 16, 24, 32) if n > first)]


def is_testable(view: View) -> bool:
    """Whether there are enough ratings to hold some out."""
    return len(view.dataset.ratings) >= _FEWEST


def choose(view: View) -> Asked:
    """Show the choices of the page in a row, and return them."""
    d = view.model.n_stereotypes
    default = Experiment.of(view.dataset, view.model).n_folds
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = link.segments("Error", _MEASURES, "measure", help=ABOUT_ERRORS)
        reach = link.select("Stereotypes, up to", reaches(d), "upto", default=reaches(d)[0], width=140)
        form = _FOLDS.__getitem__
        n_folds = link.select("Held out", list(_FOLDS), "folds", default=default, form=form, width=190)
    experiment = Experiment.of(view.dataset, view.model, int(n_folds or default))
    chosen: Measure = "rmse" if measure == "rmse" else "mae"
    return Asked(chosen, experiment, dimensions_for(d, int(reach or reaches(d)[0])))


def run(view: View, asked: Asked) -> Found:
    """Return what is known; start what takes less than about ten seconds, and offer a button for the rest."""
    experiment, dimensions, d = asked.experiment, asked.dimensions, view.model.n_stereotypes
    found = experiment.held_out
    if found is None and experiment.expected_seconds([d]) <= SHORT:
        work = partial(evaluations.evaluate_held_out, experiment)
        button, title = "Test on held-out ratings", "Testing on held-out ratings"
        key, patience = experiment.key("held out", d), store.PATIENCE
        found = job_panel.run_job(key, title, work, button, at_once=True, patience=patience, lane="quick")
        if found is None:
            return Found(None, experiment.known(dimensions), is_complete=False)
    curve = experiment.known(dimensions)
    missing = [n for n in dimensions if n not in curve.evaluations]
    if missing or found is None:
        curve = _run_curve(asked, d, curve, missing or [d])
        found = experiment.held_out
    is_complete = found is not None and len(curve.evaluations) == len(dimensions)
    return Found(found, curve, _run_peers(experiment) if is_complete else (), is_complete)


def _run_curve(asked: Asked, chosen: int, known: Curve, missing: Sequence[int]) -> Curve:
    """Return the curve as far as it is known, and show what becomes of the rest."""
    experiment, dimensions = asked.experiment, asked.dimensions
    key = (*experiment.key("curve"), dimensions, chosen)
    jobs.leave("curve", session.who(), key)  # that of another D or range; its points are kept
    seconds = experiment.expected_seconds(missing)
    what = f"Compute {counted(len(missing), 'more point')}" if known.evaluations else "Test on held-out ratings"
    button = f"{what}, {duration(seconds)}"
    result = job_panel.run_job(
        key,
        "Computing the error for each number of stereotypes",
        partial(evaluations.evaluate_curve, experiment, dimensions),
        button,
        at_once=seconds <= SHORT,
        patience=0.0,
        has_news=lambda: len(experiment.known(dimensions).evaluations) != len(known.evaluations),
    )
    return experiment.known(dimensions) if result is None else result


def _run_peers(experiment: Experiment) -> tuple[Peer, ...]:
    """Return other methods on the same folds, where nothing is stored about these ratings and somebody asks for it."""
    if references_for(experiment.dataset.ratings) or SURPRISE[0] not in available():
        return ()
    key = ("peers", experiment.dataset.ratings.content_hash, experiment.seed, experiment.n_folds)
    if (found := kept_results.find(key)) is not None:
        return tuple(found)
    button = f"Compare with {listed(SURPRISE)}, which takes minutes"
    work = kept_results.keeping(key, experiment.dataset, partial(evaluations.evaluate_peers, experiment))
    return job_panel.run_job(key, "Comparing with other methods", work, button) or ()


def known(view: View) -> tuple[Asked, Found]:
    """Return what is known of the default choices, without computing anything."""
    experiment, d = Experiment.of(view.dataset, view.model), view.model.n_stereotypes
    asked = Asked("mae", experiment, dimensions_for(d, reaches(d)[0]))
    found = experiment.held_out
    curve = experiment.known(asked.dimensions)
    return asked, Found(found, curve, is_complete=len(curve.evaluations) == len(asked.dimensions))


def found_within(view: View, most_seconds: float, progress: Reporting) -> tuple[Asked, Found]:
    """Return what is known of the default choices; first compute what takes no longer than so many seconds."""
    asked, found = known(view)
    experiment, d = asked.experiment, view.model.n_stereotypes
    if found.held_out is None and experiment.expected_seconds([d]) <= most_seconds:
        evaluations.evaluate_held_out(experiment, progress)
    missing = [n for n in asked.dimensions if n not in known(view)[1].curve.evaluations]
    if missing and experiment.expected_seconds(missing) <= most_seconds:
        evaluations.evaluate_curve(experiment, asked.dimensions, progress)
    return known(view)


def describe(view: View, asked: Asked, found: Found) -> str:
    """Return the error of the model beside that of a simple guess, and what the curve says, as Markdown."""
    parts = [_BEFORE] if found.held_out is None else [_verdict(view, asked.measure, found.held_out)]
    if len(found.curve.evaluations) > 1:
        parts.append(describe_curve(found.curve, asked.measure, view, is_complete=found.is_complete))
    return " ".join(parts)


def _verdict(view: View, measure: Measure, found: HeldOut) -> str:
    scale, unit = view.model.scale, unit_for(view.dataset)
    simple = _best(found.means, measure)
    own, other = (float(getattr(one.scores, measure)) for one in (found.evaluation, simple))
    gain = 1.0 - own / max(other, 1e-12)
    compared = f"{abs(gain):.0%} {'lower' if gain > 0 else 'higher'}"
    error = "mean absolute error" if measure == "mae" else "root mean squared error"
    return (
        f"**On ratings it has not seen, the model has a {error} of {error_in_words(own, scale, 1)} {unit}.** "
        f"The best simple guess, {name_of(simple, view)}, has {error_in_words(other, scale, 1)}: "
        f"the model’s error is {'about the same' if abs(gain) < 0.005 else compared}."
    )


def _best(peers: Sequence[Peer], measure: Measure) -> Peer:
    return min(peers, key=lambda peer: float(getattr(peer.scores, measure)))


def describe_curve(curve: Curve, measure: Measure, view: View, *, is_complete: bool = True) -> str:
    """Say which number of stereotypes predicts best, whether fewer would do, and whether more than one help at all."""
    found, scale = curve.suggestion(measure), view.model.scale
    errors = {n: float(getattr(point.scores, measure)) for n, point in curve.evaluations.items()}
    words = {n: error_in_words(error, scale, 1) for n, error in errors.items()}
    best, good, text = found.best, found.n_stereotypes, "" if is_complete else "So far: "
    if curve.is_still_improving(measure) and not is_complete:
        return f"So far, the error falls up to {best} stereotypes ({words[best]})."
    if curve.is_still_improving(measure):
        return f"**The error is still improving at {best} stereotypes**, the end of the curve ({words[best]})."
    count = number(best).capitalize() if is_complete else number(best)
    text += f"**{count}** stereotype{'s predict' if best > 1 else ' predicts'} best ({words[best]})"
    fewer = [n for n in errors if 1 < n < best]
    close = [n for n in fewer if errors[n] <= (1 + _CLOSE) * errors[best]]
    simpler = close[0] if good == best and close else good
    if simpler != best and words[simpler] == words[best]:
        text += f", but **{number(simpler)}** are simpler and, to the digits shown, just as good."
    elif good == best and close:
        text += f", but the error with **{number(simpler)}** is hardly higher ({words[simpler]})."
    elif good == best:
        text += "; fewer are clearly worse." if fewer else "; more do not help."
    else:
        text += f", but **{number(good)}** are simpler and not clearly worse ({words[good]}): "
        text += "the difference could be chance."
    if errors.get(1, np.inf) <= (1 + _HARDLY) * errors[best]:
        text += (
            f" To predict, even one stereotype would do ({words[1]}). More are there to describe: they tell which "
            f"people {view.words.like} what."
        )
    return text


def name_of(peer: Peer, view: View) -> str:
    """Return what another method is called."""
    simple = {
        "global mean": "the mean of all ratings",
        "user means": "each person’s mean",
        "item means": f"each {view.words.item}’s mean",
        "user and item means": f"each person’s and {view.words.item}’s mean together",
    }
    return simple.get(peer.name, peer.name)


def curve_figure(view: View, asked: Asked, found: Found) -> go.Figure:
    """Return the picture of the curve with the reference lines."""
    measure, lines = asked.measure, []
    if found.held_out is not None:
        simple = _best(found.held_out.means, measure)  # worse guesses would flatten the curve
        lines.append(ReferenceLine("best simple guess", float(getattr(simple.scores, measure))))
    lines += [ReferenceLine(peer.name, float(getattr(peer.scores, measure))) for peer in found.peers]
    for one in references_for(view.dataset.ratings):
        name = f"{one.name}, rounded" if one.is_rounded else one.name
        lines.append(ReferenceLine(name, float(getattr(one, measure)), is_stored=True))
    return error_curve_figure(
        found.curve.table(),
        view.look,
        unit=unit_for(view.dataset),
        measure=measure,
        chosen=view.model.n_stereotypes,
        dimensions=asked.dimensions,
        references=lines,
    )


def show_curve(view: View, asked: Asked, found: Found) -> tuple[dict[str, go.Figure], dict[str, Any]]:
    """Show the curve as far as it is known; return its figures and tables for downloads."""
    if not found.curve.evaluations:
        return {}, {}
    figure = curve_figure(view, asked, found)
    alt = plain(describe(view, asked, found)) or "The error for each number of stereotypes"
    display.show_figure(figure, "curve", alt, on_select=_adopt)
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown(how_to_read(view, asked))
    scores = scores_table(view, found)
    with st.expander("All numbers", icon=":material/table:"):
        display.show_table(scores, "scores", _score_columns(unit_for(view.dataset)))
        st.caption(ABOUT_ERRORS)
    return {"Error against D": figure}, {"Errors": lambda: scores}


def how_to_read(view: View, asked: Asked, *, interactive: bool = True) -> str:
    """Say what was held out, what the picture shows, and where the reference lines come from."""
    scale, n_folds = view.model.scale, asked.experiment.n_folds
    text = (
        f"Some ratings are held out ({_FOLDS[n_folds]}), the model is fitted to the others, from one random start, and "
        f"predicts those that were held out. Ratings go from {written(scale.lowest)} to {written(scale.highest)}. "
        "The more stereotypes, the more a model can express; with too many it learns chance by heart. "
    )
    if n_folds > 1:
        text += "Whiskers span one standard deviation between the held-out parts. "
    text += "The dotted line is the best simple guess, on the same held-out ratings. "
    if interactive:
        text += "Pick a point to look at the model with that many stereotypes. "
    return text + _about_references(references_for(view.dataset.ratings))


def _about_references(references: Sequence[Reference]) -> str:
    """Say where stored results come from."""
    if not references:
        return ""
    published = any(one.is_rounded for one in references)
    return (
        "Dashed lines, marked with an asterisk, are stored results for this data set and not computed now: other "
        "methods as this program measured them before (scikit-surprise, the paper’s settings, random folds)"
        + (", and the paper’s own figure, which is one of rounded predictions." if published else ".")
    )


def _adopt() -> None:
    """Fit with as many stereotypes as the selected point has."""
    point = display.selected_point("curve")
    if point is not None and point.get("x") is not None:
        st.session_state["D"] = min(max(int(point["x"]), 1), sidebar.MOST_STEREOTYPES)


def scores_table(view: View, found: Found) -> pd.DataFrame:
    """Return one line per number of stereotypes and per other method with the four errors."""
    table = found.curve.table()
    columns = ["method", *_ERRORS, "seconds_fit"]
    own = table.assign(method=[f"this model, D = {d}" for d in table["stereotypes"]])[columns]
    means = () if found.held_out is None else found.held_out.means
    others: list[Mapping[str, Any]] = [
        {"method": name_of(peer, view), "seconds_fit": peer.seconds_fit}
        | {name: getattr(peer.scores, name) for name in _ERRORS}
        for peer in (*means, *found.peers)
    ]
    for one in references_for(view.dataset.ratings):
        kind = "_rounded" if one.is_rounded else ""
        others.append({"method": f"{one.name} (stored)", f"mae{kind}": one.mae, f"rmse{kind}": one.rmse})
    return pd.concat([own, pd.DataFrame(others)], ignore_index=True) if others else own


def _score_columns(unit: str) -> dict[str, Any]:
    titles = (f"MAE in {unit}", f"RMSE in {unit}", "MAE, rounded", "RMSE, rounded")
    columns = {
        name: st.column_config.NumberColumn(title, format="%.4f") for name, title in zip(_ERRORS, titles, strict=True)
    }
    seconds = st.column_config.NumberColumn("Seconds for a fit", format="%.2f")
    return {"method": st.column_config.TextColumn("Method", width="medium"), **columns, "seconds_fit": seconds}
