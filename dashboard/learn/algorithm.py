"""Scene: Algorithm 1, played from a recorded fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from dashboard import link, session
from dashboard.components.common.current import dataset_of
from dashboard.learn import recordings
from dashboard.learn.parts import predict
from dashboard.learn.recordings import Source, record
from dashboard.learn.stage import show_player
from nnm_core.datasets import catalogue
from nnm_core.datasets.synthetic import Truth
from nnm_core.fitting.recording import Recording

CLOSE = 0.03  # two starts whose probabilities of liking differ by less, on average, have found the same

_SOURCES = {
    "cinema": "Invented cinema",
    "crowd": "2,000 people",
    "bundled": "MovieLens",
    "current": "Current data",
}


def show() -> None:
    """Show the scene."""
    st.markdown(
        "Nobody tells the program what the three stereotypes are. Each person starts in a random corner. Then the two "
        "sides take turns: every **film** moves to its best place while people wait, then every **person** while films "
        "wait. These two half-steps are one iteration."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = link.segments("Data", _SOURCES, "play", width="content", label_visibility="collapsed")
        momentum = st.toggle("Momentum", key="faster", bind="query-params", help=_ABOUT_MOMENTUM)
    source = _source(chosen)
    seed = int(st.session_state.get("second", 1))
    first, second = (record(source, momentum, start) for start in (0, seed))
    question = "A second fit starts from other corners. Where does it end?"
    options = ["In the same place", "Elsewhere", "It depends on the data"]
    if not predict("algorithm", question, options, 2, compare_starts(first, second, source.unit)):
        show_player("learn-player", f"{chosen} {momentum}", source, first)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        choices = {"start": "A second start"} | ({} if source.truth is None else {"truth": "The truth"})
        st.markdown("Show beside it:", width="content")
        beside = link.segments("Beside it", choices, "beside", width="content", label_visibility="collapsed")
        if source.truth is not None and beside == "truth":
            st.markdown(compare_with_truth(first, source.truth), width="content")
        else:
            about: dict[str, Any] = {"label_visibility": "collapsed", "width": 130}
            st.markdown("with random seed", width="content")
            link.number("Random seed", "second", value=1, min_value=1, max_value=99, step=1, **about)
    other = second if beside == "start" else None
    show_player("learn-player", f"{chosen} {momentum}", source, first, other, is_truth_shown=beside == "truth")


def _source(name: str) -> Source:
    if name == "cinema":
        return recordings.invented_cinema()
    if name == "crowd":
        return recordings.invented_crowd()
    key = catalogue.BUNDLED if name == "bundled" else session.state().spec.data
    return recordings.real(dataset_of(key).dataset)


def compare_starts(first: Recording, second: Recording, unit: str) -> str:
    """Return in words how far the ends of two starts are apart."""
    apart = float(np.abs(first.likes[-1] - second.likes[-1]).mean(axis=0).max())
    told = "in the **same place**" if apart < CLOSE else "in **different places**"
    errors = f"{first.training_errors[-1]:.3f} and {second.training_errors[-1]:.3f} {unit}"
    return (
        f"Here {told}: the two disagree by {apart:.3f} on average about how likely a stereotype is to like a film. "
        f"Less than {CLOSE} counts as the same. Their errors are {errors}."
    )


def compare_with_truth(found: Recording, truth: Truth) -> str:
    """Return in words how far what was found is from what was planted."""
    people = float(np.abs(found.mixtures[-1] - truth.mixtures).mean())
    films = float(np.abs(found.likes[-1] - truth.likes).mean())
    return f"On average, shares are off by **{people:.2f}**, and what stereotypes like by **{films:.2f}**."


_ABOUT_MOMENTUM = (
    "Lets every step go on a little in the direction of the one before. The fit gets there in fewer steps."
)
