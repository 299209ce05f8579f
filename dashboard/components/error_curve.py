"""The error for each number of stereotypes: the choice of what to compute, the curve, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components import charts, job_panel, sidebar, tables
from dashboard.components.held_out import name_of
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.compute.evaluations import CurveAndPeers, evaluate_curve
from dashboard.figures.error_curve import error_curve_figure
from dashboard.wording import counted, duration, error_in_words, kinds_of_taste, number, unit_for
from nnm_core.evaluation import Curve
from nnm_core.evaluation.cross_validation import Measure
from nnm_core.evaluation.peers import MEANS, Peer

_RANGES = {
    "6": (1, 2, 3, 4, 5, 6),
    "10": (1, 2, 3, 4, 5, 6, 8, 10),
    "32": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32),
}
_FOLDS = {"5": "each fifth in turn", "3": "each third in turn", "1": "one fifth, once"}
ABOUT_ERRORS = (
    "The average miss is the mean distance between what the model says and what people gave (mean absolute error, "
    "MAE). The typical miss weighs large misses more (root mean squared error, RMSE). Rounding what a method says to "
    "ratings that people can give changes both, so misses with and without it do not compare; all four are given."
)
_HARDLY = 0.02
"""A share of the error: what more stereotypes gain below it hardly helps anybody."""


def show_curve(view: View) -> tuple[dict[str, go.Figure], dict[str, Any]]:
    """Show the section with the curve; return its figures and tables for downloads."""
    unit = unit_for(view.dataset)
    st.header("How many kinds of taste predict best?", anchor=False)
    st.markdown(
        "With more kinds of taste the model can say more, and with too many it learns chance by heart. The curve shows "
        "how far off it is on ratings it has not seen, for one kind of taste, two, three and so on."
    )
    first, second, third = st.columns(3)
    with first:
        reach = link.select("Kinds of taste, up to", list(_RANGES), "upto", default="6")
    with second:
        default = "5" if len(view.dataset.ratings) < 300_000 else "1"
        folds = link.select("Held out", list(_FOLDS), "folds", default=default, form=_FOLDS.__getitem__)
    with third:
        errors = {"mae": "average (MAE)", "rmse": "typical (RMSE)"}
        measure: Measure = "rmse" if link.segments("Miss", errors, "measure", help=ABOUT_ERRORS) == "rmse" else "mae"
    result = _result(view, _RANGES[reach or "6"], int(folds or 5))
    if result is None:
        return {}, {}
    table = result.curve.table()
    peers, d = _shown_peers(result.peers, measure, view), view.model.n_stereotypes
    st.markdown(describe_curve(result.curve, measure, view))
    figure = error_curve_figure(table, view.style, unit=unit, measure=measure, chosen=d, peers=peers)
    charts.show_figure(figure, "curve", "How far off the model is, by the number of kinds of taste", on_select=_adopt)
    st.caption(
        "Whiskers: one standard deviation between the parts that were held out. Dotted lines: the best simple guess "
        "and other methods, not rounded. **Pick a point to look at the model with that many kinds of taste.**"
    )
    scores = _scores(table, result.peers, view)
    with st.expander("All numbers", icon=":material/table:"):
        tables.show_table(scores, "scores", _columns(unit))
        st.caption(ABOUT_ERRORS)
    return {"Error against D": figure}, {"Errors": lambda: scores}


def _result(view: View, dimensions: Sequence[int], n_folds: int) -> CurveAndPeers | None:
    dataset, seed = view.dataset, view.model.seed
    options = replace(view.model.options, n_stereotypes=1)
    key = ("curve", *store.model_key(dataset, options, seed), tuple(dimensions), n_folds)
    work = partial(evaluate_curve, dataset, options, seed, dimensions, n_folds)
    seconds = n_folds * sum(store.expected_seconds(dataset, replace(options, n_stereotypes=d)) for d in dimensions)
    button = f"Draw the curve: {counted(len(dimensions) * n_folds, 'fit')}, {duration(seconds)}"
    found: CurveAndPeers | None = job_panel.run_job(key, "Fitting for the curve", work, button)
    return found


def _shown_peers(peers: Sequence[Peer], measure: Measure, view: View) -> dict[str, float]:
    """Return the errors of other methods; of the means only the best, since worse ones would flatten the curve."""
    errors = {peer.name: float(getattr(peer.scores, measure)) for peer in peers}
    best = min(MEANS, key=errors.__getitem__)
    return {name_of(peer, view): errors[peer.name] for peer in peers if peer.name not in MEANS or peer.name == best}


def describe_curve(curve: Curve, measure: Measure, view: View) -> str:
    """Say which number of stereotypes predicts best, whether fewer would do, and whether more than one help at all."""
    found = curve.suggestion(measure)
    scale, unit = view.model.scale, unit_for(view.dataset)
    best, own = (error_in_words(error, scale, 1) for error in (found.best_error, found.error))
    off = f"off by {best} {unit} on average" if measure == "mae" else f"typically off by {best} {unit}"
    text = f"**{kinds_of_taste(found.best).capitalize()}** predict best, {off}"
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
    return text + _is_one_enough(float(getattr(curve.evaluations[1].scores, measure)), found.best_error, view)


def _is_one_enough(error: float, best: float, view: View) -> str:
    """Say, where it is so, that one stereotype would predict about as well, and what more are good for then."""
    if error > (1 + _HARDLY) * best:
        return ""
    further = "hardly further" if error > best else "no further"
    return (
        f" To predict, one kind would do: it is off by {error_in_words(error, view.model.scale, 1)}, {further}. More "
        f"are there to describe: they tell which people {view.words.like} what."
    )


def _adopt() -> None:
    """Fit with as many stereotypes as the selected point has."""
    point = charts.selected_point("curve")
    if point is not None and point.get("x") is not None:
        st.session_state["D"] = min(max(int(point["x"]), 1), sidebar.MOST_STEREOTYPES)


def _scores(table: pd.DataFrame, peers: Sequence[Peer], view: View) -> pd.DataFrame:
    """Return one line per D and per peer with the four errors."""
    names = ("mae", "rmse", "mae_rounded", "rmse_rounded")
    own = table.assign(method=[f"this model, D = {d}" for d in table["stereotypes"]])[["method", *names, "seconds_fit"]]
    others = [
        {"method": name_of(peer, view), "seconds_fit": peer.seconds_fit}
        | {name: getattr(peer.scores, name) for name in names}
        for peer in peers
    ]
    return pd.concat([own, pd.DataFrame(others)], ignore_index=True) if others else own


def _columns(unit: str) -> dict[str, Any]:
    errors = {
        "mae": f"Average miss in {unit} (MAE)",
        "rmse": f"Typical miss in {unit} (RMSE)",
        "mae_rounded": "MAE, rounded",
        "rmse_rounded": "RMSE, rounded",
    }
    return {
        **{name: st.column_config.NumberColumn(title, format="%.4f") for name, title in errors.items()},
        "method": st.column_config.TextColumn("Method", width="medium"),
        "seconds_fit": st.column_config.NumberColumn("Seconds for a fit", format="%.2f"),
    }
