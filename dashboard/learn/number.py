"""Scene: how many stereotypes?"""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard import session
from dashboard.components.common.display import show_figure
from dashboard.compute import store
from dashboard.figures.learn import number_figure
from dashboard.learn.parts import NAMES, predict
from nnm_core import preset
from nnm_core.datasets.synthetic import demo
from nnm_core.evaluation import Curve, error_curve, random_folds
from nnm_core.types import FloatArray

MOST = 8
_SHOWN = "learn-number"


def show() -> None:
    """Show the scene."""
    st.markdown(
        "With every further stereotype, the model has more to adjust. Hide a fifth of the ratings, fit to the others, "
        "and measure the error on both: on the ratings that the fit **saw**, and on those that it **did not**."
    )
    question = "Which error goes up again when there are too many stereotypes?"
    options = ["On seen ratings", "On hidden ratings", "Both"]
    why = "With too many it learns what is chance in the ratings that it saw. Add stereotypes one by one, and see."
    if not predict("number", question, options, 1, why):
        return
    shown = int(st.session_state.setdefault(_SHOWN, 1))
    with st.container(horizontal=True):
        st.button("Add a stereotype", key="learn-add", on_click=_set, args=(shown + 1,), disabled=shown >= MOST)
        st.button("All of them", key="learn-all", on_click=_set, args=(MOST,), disabled=shown >= MOST)
        st.button("Start again", key="learn-one", on_click=_set, args=(1,), disabled=shown == 1)
    seen, hidden = errors()
    st.markdown(
        f"With **{shown}** the error is **{seen[shown - 1]:.3f}** stars on seen ratings and "
        f"**{hidden[shown - 1]:.3f}** on hidden ones."
    )
    alt = "The errors on seen and on hidden ratings, by the number of stereotypes"
    show_figure(number_figure(seen[:shown], hidden[:shown], MOST, session.look()), "learn-errors", alt)
    if shown == MOST:
        best = curve().suggestion("rmse").n_stereotypes
        st.markdown(
            f"The hidden error is lowest at **{best}**, and the invented cinema was indeed made with {len(NAMES)} "
            "stereotypes. The page **Accuracy** chooses the number in this way for any data."
        )


def _set(number: int) -> None:
    st.session_state[_SHOWN] = number


def curve() -> Curve:
    """Return the cross-validation of the invented cinema for 1 to 8 stereotypes."""

    def compute() -> Curve:
        ratings = demo().dataset.ratings
        return error_curve(ratings, range(1, MOST + 1), preset("paper"), random_folds(ratings, 5))

    return store.derived(("learn", "curve"), compute)


def errors() -> tuple[FloatArray, FloatArray]:
    """Return the root mean squared errors on seen and on hidden ratings, (8,) each, averaged over the folds."""
    evaluations = curve().evaluations.values()
    seen = [np.mean([fold.training_errors[-1] for fold in each.folds]) for each in evaluations]
    return np.array(seen), np.array([each.scores.rmse for each in evaluations])
