"""Page: how well the model fits and predicts: convergence, error against D, and peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import cache, state
from dashboard.figures.convergence import errors_figure, objective_figure
from dashboard.figures.error_curve import error_curve_figure
from dashboard.views import parts, sidebar
from dashboard.views.current import View, current
from dashboard.wording import counted, duration
from nnm_core.evaluation import Curve, Evaluation, Progress, cross_validate, error_curve, random_folds, single_split
from nnm_core.evaluation.baselines import Peer, available, evaluate_peer
from nnm_core.types import BoolArray

_RANGES = {
    "6": (1, 2, 3, 4, 5, 6),
    "10": (1, 2, 3, 4, 5, 6, 8, 10),
    "32": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32),
}
_FOLDS = {"5": "five folds", "3": "three folds", "1": "one split, 80 to 20"}
_FEWEST = 20
"""Ratings below which nothing can be held out sensibly."""


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    curve: Curve
    peers: tuple[Peer, ...]


def render() -> None:
    """Show the page."""
    view = current()
    st.title("How good is it?")
    figures = _convergence(view)
    st.header("How well it predicts", anchor=False)
    if len(view.dataset.ratings) < _FEWEST:
        st.info(f"With fewer than {_FEWEST} ratings nothing can be held out to predict.")
        tables: dict[str, Any] = {}
    else:
        more, tables = _prediction(view)
        figures |= more
    parts.take_away("how-good", tables, figures)


def _convergence(view: View) -> dict[str, go.Figure]:
    """What the fit tells about itself, and the held-out error per round on request."""
    model = view.model
    st.header("Did the fit come to rest?", anchor=False)
    if not model.traces:
        st.caption("This model carries no record of its fit.")
        return {}
    last = model.traces[-1]
    rest = "It came to rest" if model.converged else "It had not quite come to rest"
    error = f" Its typical error on the ratings it saw is {last.training_errors[-1]:.3f} (RMSE)." if len(
        last.training_errors
    ) else ""  # fmt: skip
    st.markdown(
        f"**{rest}**: the last round changed the objective by {last.progress:.2%}, and every single problem in it was "
        f"solved to within {last.residual:.0e}.{error}"
    )
    held_out = _held_out(view)
    skipped = last.n_filled // 2
    figures = {"Objective": objective_figure(model.traces, view.style)}
    left, right = st.columns(2, gap="large")
    with left:
        st.caption("The objective after each half-round, from where unknown ratings no longer count as zero.")
        parts.picture(figures["Objective"], "objective", "The objective, round by round")
    with right:
        st.caption("The typical error after each round.")
        if held_out is None:
            figure = errors_figure(last.training_errors, None, view.style, skipped=skipped)
        else:
            fold = held_out.folds[0]
            errors = np.array([scores.rmse for scores in fold.sweeps], dtype=np.float64)
            figure = errors_figure(fold.training_errors, errors, view.style, skipped=skipped)
        figures["Errors"] = figure
        parts.picture(figure, "errors", "The error, round by round")
    return figures


def _held_out(view: View) -> Evaluation | None:
    """The same fit with a fifth of the ratings held out, scored after every round; as a job."""
    dataset, options, seed = view.dataset, view.spec.options, view.spec.seed
    if len(dataset.ratings) < _FEWEST:
        return None

    def work(job: parts.Job) -> Evaluation:
        return cross_validate(
            dataset.ratings,
            options,
            single_split(dataset.ratings, 0.2, seed),
            seed=seed,
            side=cache.side_information(dataset, options),
            per_sweep=True,
            callback=_told(job),
        )

    key = ("held out", *cache.model_key(dataset, options, seed))
    found: Evaluation | None = parts.background(
        key, "Fitting four fifths of the ratings", work, "Hold a fifth of the ratings out and watch"
    )
    return found


def _told(job: parts.Job) -> Any:
    def callback(progress: Progress) -> bool:
        job.report(progress.done / progress.total, f"{progress.done:.0f} of {progress.total:.0f} fits")
        return True

    return callback


def _prediction(view: View) -> tuple[dict[str, go.Figure], dict[str, Any]]:
    """The curve over D as a job, with the peers that are installed."""
    st.markdown(
        "Some ratings are held out, the model is fitted to the others and predicts what it has not seen. **MAE** is "
        "how far off it is on average, on the rating scale. Rounding predictions to whole ratings lowers MAE and "
        "raises RMSE for every method, so both are shown."
    )
    first, second, third = st.columns(3, vertical_alignment="bottom")
    with first:
        reach = state.select("D up to", list(_RANGES), "upto", default="6")
    with second:
        default = "5" if len(view.dataset.ratings) < 300_000 else "1"
        folds = state.select("Held out by", list(_FOLDS), "folds", default=default, form=_FOLDS.__getitem__)
    with third:
        measure = state.segments("Error", {"mae": "MAE", "rmse": "RMSE"}, "measure")
    result = _curve(view, _RANGES[reach or "6"], int(folds or 5))
    if result is None:
        return {}, {}
    table = result.curve.table()
    peers = {peer.name: float(getattr(peer.scores, measure)) for peer in result.peers}
    suggestion = result.curve.suggestion()
    st.markdown(f"**{suggestion.reason}**")
    figure = error_curve_figure(table, view.style, measure=measure, chosen=view.model.n_stereotypes, peers=peers)
    parts.picture(figure, "curve", "Error against the number of stereotypes", on_select=_adopt)
    st.caption("Bars are one standard deviation over the folds; dotted lines are other methods, raw. Pick a point to "
               "adopt its D.")  # fmt: skip
    scores = _scores(table, result.peers)
    st.dataframe(scores, hide_index=True, width="stretch", key="scores", column_config=_columns())
    return {"Error against D": figure}, {"Errors": lambda: scores}


def _curve(view: View, dimensions: Sequence[int], n_folds: int) -> _Result | None:
    dataset, seed = view.dataset, view.spec.seed
    options = replace(view.spec.options, n_stereotypes=1)
    key = ("curve", *cache.model_key(dataset, options, seed), tuple(dimensions), n_folds)

    def work(job: parts.Job) -> _Result:
        ratings = dataset.ratings
        folds: list[BoolArray] = (
            random_folds(ratings, n_folds, seed) if n_folds > 1 else single_split(ratings, 0.2, seed)
        )
        side = cache.side_information(dataset, options)
        curve = error_curve(ratings, dimensions, options, folds, seed=seed, side=side, callback=_told(job))
        peers = []
        for name in available():
            job.report(0.99, f"comparing with {name}")
            peers.append(evaluate_peer(name, ratings, folds, seed=seed))
        return _Result(curve, tuple(peers))

    n_fits = len(dimensions) * n_folds
    expected = sum(cache.expected_seconds(dataset, replace(options, n_stereotypes=d)) for d in dimensions) * n_folds
    found: _Result | None = parts.background(
        key,
        "Fitting for the curve",
        work,
        f"Draw the curve: {counted(n_fits, 'fit')}, about {duration(expected)}",
    )
    return found


def _adopt() -> None:
    """Somebody picked a point of the curve: fit with that many stereotypes from now on."""
    point = parts.picked("curve")
    if point is not None and point.get("x") is not None:
        st.session_state["D"] = min(max(int(point["x"]), 1), sidebar.MOST_STEREOTYPES)


def _scores(table: pd.DataFrame, peers: Sequence[Peer]) -> pd.DataFrame:
    """One line per D and per peer with the four errors."""
    names = ("mae", "rmse", "mae_rounded", "rmse_rounded")
    own = table.assign(method=[f"this model, D = {d}" for d in table["stereotypes"]])[["method", *names, "seconds_fit"]]
    others = [
        {"method": peer.name, "seconds_fit": peer.seconds_fit} | {name: getattr(peer.scores, name) for name in names}
        for peer in peers
    ]
    return pd.concat([own, pd.DataFrame(others)], ignore_index=True) if others else own


def _columns() -> Mapping[str, Any]:
    four = {"mae": "MAE", "rmse": "RMSE", "mae_rounded": "MAE, rounded", "rmse_rounded": "RMSE, rounded"}
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(title, format="%.4f") for name, title in four.items()
    }
    columns["method"] = st.column_config.TextColumn("Method", width="medium")
    columns["seconds_fit"] = st.column_config.NumberColumn("Seconds a fit", format="%.2f")
    return columns
