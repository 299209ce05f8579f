"""The page Learn around its scenes: which one is shown, how one gets to the next, and presenter mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard import link, streamlit_compat
from dashboard.learn import algorithm, game, missing, mixture, number, question, slack

_keys = st.components.v2.component("learn_keys", js=streamlit_compat.PRESENTER_KEYS)


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
    presenting = _presenting()
    st.html(streamlit_compat.LEARN_STYLE + (streamlit_compat.PRESENT_STYLE if presenting else ""))
    buttons = {key: f"{place} {scene.button}" for place, (key, scene) in enumerate(SCENES.items(), start=1)}
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="learn-scenes"):
        key = link.segments("Scene", buttons, "scene", width="content", label_visibility="collapsed")
        about = "Large type and nothing else: for a projector. The key p does the same; arrow keys turn the scenes."
        st.button("Leave" if presenting else "Present", key="learn-present", on_click=_toggle, help=about)
    scene = SCENES[key]
    st.title(scene.title)
    scene.show()


def _presenting() -> bool:
    """Follow the keys that somebody pressed; return whether presenter mode is on."""
    is_on = st.query_params.get("present") == "1"
    action = _keys(key="live-keys", data={"presenting": is_on}, on_action_change=lambda: None).action
    if action == "present":
        _toggle()
        st.rerun()  # for the component has the former mode by now
    elif action in ("next", "previous"):
        _turn(1 if action == "next" else -1)
    return is_on


def _toggle() -> None:
    link.set_param("present", "" if st.query_params.get("present") == "1" else "1")


def _turn(step: int) -> None:
    """Show the next or the previous scene; before its choice is drawn."""
    keys = list(SCENES)
    place = keys.index(st.session_state.get("scene", keys[0])) + step
    st.session_state["scene"] = keys[min(max(place, 0), len(keys) - 1)]
