"""The page Learn around its scenes: which one is shown, and how one gets to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard import link, streamlit_compat
from dashboard.learn import algorithm, game, missing, mixture, number, question, slack


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene: what its button and its heading say, and what shows it."""

    button: str
    title: str
    show: Callable[[], None]


SCENES = {
    "coin": Scene("Mixtures", "From a coin to a mixture", mixture.show),
    "ratings": Scene("Ratings", "From ratings to a question with answers", question.show),
    "fit": Scene("The fit", "Algorithm 1, played", algorithm.show),
    "game": Scene("The game", "Alice and Bob", game.show),
    "slack": Scene("Slack", "ε: how much slack an inclusion needs", slack.show),
    "number": Scene("How many?", "How many stereotypes?", number.show),
    "missing": Scene("Missing", "What missing ratings do", missing.show),
}
"""By their names in the link, in the order of the lesson."""


def show() -> None:
    """Show the page."""
    st.html(streamlit_compat.LEARN_STYLE)
    buttons = {key: f"{place} {scene.button}" for place, (key, scene) in enumerate(SCENES.items(), start=1)}
    key = link.segments("Scene", buttons, "scene", label_visibility="collapsed")
    scene = SCENES[key]
    st.title(scene.title)
    scene.show()
