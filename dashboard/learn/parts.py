"""What scenes have in common: a question before the answer, and the invented cinema with its names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import streamlit as st

from nnm_core import Model, fit, preset
from nnm_core.datasets import Dataset
from nnm_core.datasets.synthetic import STEREOTYPES, demo
from nnm_core.interpret.compare import match_stereotypes
from nnm_core.types import FloatArray, IntArray

NAMES = tuple(name.removeprefix("the ") for name in STEREOTYPES)
"""The planted stereotypes of the invented cinema, in the order of its truth."""


def predict(key: str, question: str, options: Sequence[str], right: int, why: str) -> bool:
    """Ask for a prediction; once there is one, say what is right and why instead, and return True."""
    kept = f"guess-{key}"
    guess = st.session_state.get(kept)
    if guess is None:
        st.markdown(f"**Predict first.** {question}")
        widget = f"{kept}-options"
        chosen = st.segmented_control(question, options, key=widget, label_visibility="collapsed")
        if chosen is None:
            return False
        st.session_state[kept] = chosen
        st.rerun()
    said = "Right" if guess == options[right] else f"You said “{guess}”. The answer is"
    answer, again = st.columns([10, 1], vertical_alignment="center")
    answer.markdown(f"{question} **{said}: {options[right]}.** {why}")
    forget: dict[str, Any] = {"on_click": st.session_state.pop, "args": (kept,), "help": "Ask again"}
    again.button("Again", key=f"{kept}-again", type="tertiary", **forget)
    return True


@lru_cache(maxsize=1)
def cinema_model() -> Model:
    """Return the paper's fit of the invented cinema, its columns in the order of ``NAMES``."""
    model = fit(demo().dataset.ratings, preset("paper", n_stereotypes=len(NAMES)))
    return in_order(model, match_likes(demo().truth.likes, model.likes))


def match_likes(likes: FloatArray, others: FloatArray) -> IntArray:
    """Return which columns of ``others`` are most like those of ``likes``, both (n_items, n_stereotypes)."""
    return match_stereotypes(np.abs(likes[:, :, None] - others[:, None, :]).mean(axis=0))


def in_order(model: Model, order: IntArray) -> Model:
    """Return the model with its columns in this order."""
    return replace(
        model,
        mixtures=model.mixtures[:, order],
        answers=model.answers[:, :, order],
        mean_mixture=model.mean_mixture[order],
        mixture_precision=model.mixture_precision[np.ix_(order, order)],
    )


@lru_cache(maxsize=1)
def liked_cinema() -> Dataset:
    """Return the invented cinema if everybody rated only films that they had expected to like."""
    cinema = demo()
    ratings = cinema.dataset.ratings
    mixtures, likes = cinema.truth.mixtures[ratings.users], cinema.truth.likes[ratings.items]
    return replace(cinema.dataset.subset(np.einsum("nk,nk->n", mixtures, likes) >= 0.5), name="liked")
