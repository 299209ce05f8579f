"""Page: how far off the model is, how many kinds of taste predict best, and whether the fit came to rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components import convergence, parts, sidebar
from dashboard.components.current import current
from dashboard.compute import jobs, store
from dashboard.compute.current import View
from dashboard.figures.error_curve import error_curve_figure
from dashboard.wording import counted, duration, error_in_words, number, unit_for
from nnm_core import fit
from nnm_core.evaluation import (
    Curve,
    Evaluation,
    Progress,
    cross_validate,
    error_curve,
    random_folds,
    single_split,
)
from nnm_core.evaluation.curve import Measure
from nnm_core.evaluation.peers import MEANS, Peer, available, evaluate_peer
from nnm_core.evaluation.ranking import Ranking, by_model, by_popularity, rank
from nnm_core.phrases import percent
from nnm_core.scale import written
from nnm_core.types import BoolArray

_RANGES = {
    "6": (1, 2, 3, 4, 5, 6),
    "10": (1, 2, 3, 4, 5, 6, 8, 10),
    "32": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32),
}
_FOLDS = {"5": "each fifth in turn", "3": "each third in turn", "1": "one fifth, once"}
_MISSES = (
    "The average miss is the mean distance between what the model says and what people gave (mean absolute error, "
    "MAE). The typical miss weighs large misses more (root mean squared error, RMSE). Rounding what a method says to "
    "ratings that people can give changes both, so misses with and without it do not compare; all four are given."
)
_VERDICT = "held out"
_HARDLY = 0.02
"""A share of the miss: what more kinds of taste gain below it hardly helps anybody."""
_FEWEST = 20
"""Ratings below which nothing can be held out sensibly."""


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """The same fit with a fifth of the ratings held out, and the simple guess that comes closest to them."""

    evaluation: Evaluation
    simple: Peer


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """How many of the held-out choices are among the first ten, recommended by the model and by popularity."""

    own: Ranking
    popular: Ranking


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    curve: Curve
    peers: tuple[Peer, ...]


def render() -> None:
    """Show the page."""
    view = current()
    st.title("How good is it?")
    tables: dict[str, Any] = {}
    figures: dict[str, go.Figure] = {}
    held_out = None
    if len(view.dataset.ratings) < _FEWEST:
        st.info(f"With fewer than {_FEWEST} ratings nothing can be held out to predict.")
    elif view.dataset.implicit:
        _lists(view)
    else:
        held_out = _held_out(view)
        figures, tables = _prediction(view)
    figures |= convergence.show(view, None if held_out is None else held_out.evaluation)
    parts.take_away("how-good", tables, figures)


def _held_out(view: View) -> _HeldOut | None:
    """The verdict: how far off the model is on ratings it has not seen, beside the best simple guess."""
    dataset, options, seed = view.dataset, view.model.options, view.model.seed

    def work(job: parts.Job) -> _HeldOut:
        ratings, folds = dataset.ratings, single_split(dataset.ratings, 0.2, seed)
        side = store.side_information(dataset, options)
        own = cross_validate(ratings, options, folds, seed=seed, side=side, per_sweep=True, callback=_told(job))
        simple = (evaluate_peer(name, ratings, folds, seed=seed) for name in MEANS)
        return _HeldOut(own, min(simple, key=lambda peer: peer.scores.mae))

    found: _HeldOut | None = _background(view, _VERDICT, "Hold a fifth of the ratings out and see", work)
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


def _verdict(view: View, found: _HeldOut) -> str:
    scale, unit = view.model.scale, unit_for(view.dataset)
    own, simple = found.evaluation.scores, found.simple.scores
    return (
        f"**On ratings it has not seen, the model is off by {error_in_words(own.mae, scale, 1)} {unit} on average.** "
        f"The best simple guess, {_named(found.simple, view)}, is off by {error_in_words(simple.mae, scale, 1)}: "
        f"{_compared(own.mae, simple.mae)}."
    )


def known_verdict(view: View) -> str:
    """How far off the model is, if that was looked at; empty else."""
    job = jobs.find((_VERDICT, view.key))
    return _verdict(view, job.result) if job is not None and job.state == "done" else ""


def _compared(own: float, other: float) -> str:
    """Whether the model is closer than something else, and by how much."""
    gain = 1.0 - own / max(other, 1e-12)
    if abs(gain) < 0.005:
        return "the model is no closer than that"
    return f"the model is {gain:.0%} closer" if gain > 0 else f"the model is {-gain:.0%} further off"


def _lists(view: View) -> None:
    """The verdict where nobody rated: how many choices the model has not seen are among its first recommendations."""
    dataset, options, seed = view.dataset, view.model.options, view.model.seed

    def work(job: parts.Job) -> _Lists:
        held_out = single_split(dataset.ratings, 0.2, seed)[0]
        train, chosen = dataset.ratings.subset(~held_out), dataset.ratings.subset(held_out)
        model = fit(train, options, seed=seed, callback=job.sweeps())
        return _Lists(rank(by_model(model), train, chosen), rank(by_popularity(train), train, chosen))

    found: _Lists | None = _background(view, "lists", "Hold a fifth of the choices out and see", work)
    if found is None:
        return
    st.markdown(
        f"**Ten recommendations of the model bring back {percent(found.own.recall)} of what people chose and the model "
        f"had not seen.** The ten most popular {view.words.items} bring back {percent(found.popular.recall)}: "
        f"{_against_popular(round(100 * found.own.recall), round(100 * found.popular.recall))}"
    )
    st.caption(
        "One choice in five was hidden, the model was fitted to the others, and everybody got a list of ten. Nobody "
        "rated anything here, so there are no ratings to be off by."
    )


def _against_popular(own: int, popular: int) -> str:
    """What the two shares, in percent, say about the model."""
    if own > popular:
        return "the model recommends better than that."
    if own == popular:
        return "the model recommends no better than that."
    return "**here the model recommends worse than that.** It still tells who chooses what."


def _background(view: View, name: str, button: str, work: Callable[[parts.Job], Any]) -> Any:
    """Short work at once, long work when somebody asks for it; None while it is not there."""
    short = store.expected_seconds(view.dataset, view.model.options) <= store.LONG
    return parts.background(
        (name, view.key), "Fitting without a fifth", work, button, at_once=short, patience=store.PATIENCE
    )


def _told(job: parts.Job) -> Any:
    def callback(progress: Progress) -> bool:
        job.report(progress.done / progress.total, f"{progress.done:.0f} of {progress.total:.0f} fits")
        return True

    return callback


def _prediction(view: View) -> tuple[dict[str, go.Figure], dict[str, Any]]:
    """The curve over D as a job, with the peers that are installed."""
    dataset, unit = view.dataset, unit_for(view.dataset)
    st.header("How many kinds of taste predict best?", anchor=False)
    st.markdown(
        "With more kinds of taste the model can say more, and with too many it learns chance by heart. The curve shows "
        "how far off it is on ratings it has not seen, for one kind of taste, two, three and so on."
    )
    first, second, third = st.columns(3)
    with first:
        reach = link.select("Kinds of taste, up to", list(_RANGES), "upto", default="6")
    with second:
        default = "5" if len(dataset.ratings) < 300_000 else "1"
        folds = link.select("Held out", list(_FOLDS), "folds", default=default, form=_FOLDS.__getitem__)
    with third:
        measure = link.segments("Miss", {"mae": "average (MAE)", "rmse": "typical (RMSE)"}, "measure", help=_MISSES)
    result = _curve(view, _RANGES[reach or "6"], int(folds or 5))
    if result is None:
        return {}, {}
    table = result.curve.table()
    errors = {peer.name: float(getattr(peer.scores, measure)) for peer in result.peers}
    simple = min(MEANS, key=errors.__getitem__)
    peers = {
        _named(peer, view): errors[peer.name]
        for peer in result.peers
        if peer.name not in MEANS or peer.name == simple  # worse ones would leave the curve no height
    }
    st.markdown(_suggested(result.curve, "rmse" if measure == "rmse" else "mae", view))
    figure = error_curve_figure(table, unit, view.style, measure=measure, chosen=view.model.n_stereotypes, peers=peers)
    parts.picture(figure, "curve", "How far off the model is, by the number of kinds of taste", on_select=_adopt)
    st.caption(
        "Whiskers: one standard deviation between the parts that were held out. Dotted lines: the best simple guess "
        "and other methods, not rounded. **Pick a point to look at the model with that many kinds of taste.**"
    )
    scores = _scores(table, result.peers, view)
    with st.expander("All numbers", icon=":material/table:"):
        st.dataframe(scores, hide_index=True, width="stretch", key="scores", column_config=_columns(unit))
        st.caption(_MISSES)
    return {"Error against D": figure}, {"Errors": lambda: scores}


def _suggested(curve: Curve, measure: Measure, view: View) -> str:
    """Which number of kinds of taste predicts best, whether fewer would do, and whether more than one help at all."""
    found = curve.suggestion(measure)
    scale, unit = view.model.scale, unit_for(view.dataset)
    best, own = (error_in_words(error, scale, 1) for error in (found.best_error, found.error))
    off = f"off by {best} {unit} on average" if measure == "mae" else f"typically off by {best} {unit}"
    text = f"**{_kinds(found.best).capitalize()}** predict best, {off}"
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
    return text + _alone(float(getattr(curve.evaluations[1].scores, measure)), found.best_error, view)


def _alone(error: float, best: float, view: View) -> str:
    """Whether a single kind of taste would predict about as well, and what more are good for then."""
    if error > (1 + _HARDLY) * best:
        return ""
    scale = view.model.scale
    alone = error_in_words(error, scale, 1)
    how = f"off by {alone}, hardly further" if error > best else f"off by {alone}, no further"
    return (
        f" To predict, one kind would do: it is {how}. More are there to describe: they tell which people "
        f"{view.words.like} what."
    )


def _kinds(count: int) -> str:
    return f"{number(count)} {'kind' if count == 1 else 'kinds'} of taste"


def _curve(view: View, dimensions: Sequence[int], n_folds: int) -> _Result | None:
    dataset, seed = view.dataset, view.model.seed
    options = replace(view.model.options, n_stereotypes=1)
    key = ("curve", *store.model_key(dataset, options, seed), tuple(dimensions), n_folds)

    def work(job: parts.Job) -> _Result:
        ratings = dataset.ratings
        folds: list[BoolArray] = (
            random_folds(ratings, n_folds, seed) if n_folds > 1 else single_split(ratings, 0.2, seed)
        )
        side = store.side_information(dataset, options)
        curve = error_curve(ratings, dimensions, options, folds, seed=seed, side=side, callback=_told(job))
        peers = []
        for name in available():
            job.report(0.99, f"comparing with {name}")
            peers.append(evaluate_peer(name, ratings, folds, seed=seed))
        return _Result(curve, tuple(peers))

    n_fits = len(dimensions) * n_folds
    expected = sum(store.expected_seconds(dataset, replace(options, n_stereotypes=d)) for d in dimensions) * n_folds
    found: _Result | None = parts.background(
        key,
        "Fitting for the curve",
        work,
        f"Draw the curve: {counted(n_fits, 'fit')}, {duration(expected)}",
    )
    return found


def _adopt() -> None:
    """Somebody picked a point of the curve: fit with that many stereotypes from now on."""
    point = parts.picked("curve")
    if point is not None and point.get("x") is not None:
        st.session_state["D"] = min(max(int(point["x"]), 1), sidebar.MOST_STEREOTYPES)


def _named(peer: Peer, view: View) -> str:
    """What a method is called beside the model."""
    simple = {
        "global mean": "the mean of all ratings",
        "user means": "each person's mean",
        "item means": f"each {view.words.item}'s mean",
        "user and item means": f"each person's and {view.words.item}'s mean together",
    }
    return simple.get(peer.name, peer.name)


def _scores(table: pd.DataFrame, peers: Sequence[Peer], view: View) -> pd.DataFrame:
    """One line per D and per peer with the four errors."""
    names = ("mae", "rmse", "mae_rounded", "rmse_rounded")
    own = table.assign(method=[f"this model, D = {d}" for d in table["stereotypes"]])[["method", *names, "seconds_fit"]]
    others = [
        {"method": _named(peer, view), "seconds_fit": peer.seconds_fit}
        | {name: getattr(peer.scores, name) for name in names}
        for peer in peers
    ]
    return pd.concat([own, pd.DataFrame(others)], ignore_index=True) if others else own


def _columns(unit: str) -> Mapping[str, Any]:
    four = {
        "mae": f"Average miss in {unit} (MAE)",
        "rmse": f"Typical miss in {unit} (RMSE)",
        "mae_rounded": "MAE, rounded",
        "rmse_rounded": "RMSE, rounded",
    }
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(title, format="%.4f") for name, title in four.items()
    }
    columns["method"] = st.column_config.TextColumn("Method", width="medium")
    columns["seconds_fit"] = st.column_config.NumberColumn("Seconds for a fit", format="%.2f")
    return columns
