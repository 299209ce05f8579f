"""The page Learn around its scenes: which one is shown, and how one gets to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard import link, streamlit_compat
from dashboard.components import presenter
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
    "slack": Scene("Slack", "ε: when is one genre inside another?", slack.show),
    "number": Scene("How many?", "How many stereotypes?", number.show),
    "missing": Scene("Missing", "What missing ratings do", missing.show),
}
"""By their names in the link, in the order of the lesson."""


def show() -> None:
    """Show the page."""
    _turn(presenter.follow())
    st.html(streamlit_compat.LEARN_STYLE)
    buttons = {key: f"{place} {scene.button}" for place, (key, scene) in enumerate(SCENES.items(), start=1)}
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="learn-scenes"):
        key = link.segments("Scene", buttons, "scene", width="content", label_visibility="collapsed")
        presenter.button("scenes")
    scene = SCENES[key]
    following = [each.button for each in list(SCENES.values())[list(SCENES).index(key) + 1 :]]
    with st.container(horizontal=True, vertical_alignment="center", key="learn-title"):
        st.title(scene.title)
        if following:
            label, icon = f"Next: {following[0]}", ":material/arrow_forward:"
            st.button(label, key="next-scene", icon=icon, type="tertiary", on_click=_turn, args=(1,))
    scene.show()


def _turn(step: int) -> None:
    """Show the scene so many steps further on; before its choice is drawn."""
    if step == 0:
        return
    keys = list(SCENES)
    place = keys.index(st.session_state.get("scene", keys[0])) + step
    st.session_state["scene"] = keys[min(max(place, 0), len(keys) - 1)]
