"""The page Learn around its scenes: which one is shown, and how one gets to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import streamlit as st

from dashboard import link, streamlit_compat
from dashboard.components.common import presenter
from dashboard.learn import algorithm, ending, game, missing, mixture, number, question, slack


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene: what its button and its heading say, and what shows it.

    ``parts``: {name in the link: what its button says}, in order, of a scene that has several; ``part_key``: which of
    them is shown, in the session's state and in the link.
    """

    button: str
    title: str
    show: Callable[[], None]
    part_key: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)


SCENES = {
    "coin": Scene("Mixtures", "From a coin to a mixture", mixture.show, "mix", mixture.PARTS),
    "ratings": Scene("Ratings", "From ratings to a question with answers", question.show),
    "fit": Scene("The fit", "Algorithm 1 of the paper (Stark 2015), played", algorithm.show),
    "game": Scene("The game", "Alice and Bob", game.show),
    "slack": Scene("Slack", "ε: when is one genre inside another?", slack.show, "slack", slack.PARTS),
    "number": Scene("How many?", "How many stereotypes?", number.show),
    "missing": Scene("Missing", "What missing ratings do", missing.show),
}
"""By their names in the link, in the order of the lesson."""

STEPS = [(key, part) for key, scene in SCENES.items() for part in (scene.parts or [""])]
"""The lesson step by step: every scene, and every part of those that have parts."""


def show() -> None:
    """Show the page."""
    _turn(presenter.follow())
    st.html(streamlit_compat.LEARN_STYLE)
    buttons = {key: f"{place} {scene.button}" for place, (key, scene) in enumerate(SCENES.items(), start=1)}
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="learn-scenes"):
        key = link.segments("Scene", buttons, "scene", width="content", label_visibility="collapsed")
        presenter.button("scenes")
    with st.container(horizontal=True, vertical_alignment="center", key="learn-title"):
        st.title(SCENES[key].title)
        _step_buttons()
    SCENES[key].show()


def _step_buttons() -> None:
    """Draw the buttons that lead one step back and one further on."""
    place = _place()
    if place > 0:
        icon, about = ":material/arrow_back:", f"Back to: {_name(place - 1)}"
        st.button("Back", key="previous-step", icon=icon, type="tertiary", on_click=_turn, args=(-1,), help=about)
    if place + 1 < len(STEPS):
        label, icon = f"Next: {_name(place + 1)}", ":material/arrow_forward:"
        st.button(label, key="next-step", icon=icon, type="tertiary", on_click=_turn, args=(1,))
    else:
        ending.show_buttons()


def _name(place: int) -> str:
    key, part = STEPS[place]
    return SCENES[key].parts[part] if part else SCENES[key].button


def _place() -> int:
    """Return which step is shown, by the session's state or, until that has it, by the link."""

    def chosen(key: str) -> str | None:
        found: str | None = st.session_state.get(key, st.query_params.get(key))
        return found

    scene = next((key for key in SCENES if key == chosen("scene")), STEPS[0][0])
    first = [key for key, _ in STEPS].index(scene)
    part_key = SCENES[scene].part_key
    step = (scene, chosen(part_key) if part_key else "")
    return STEPS.index(step) if step in STEPS else first


def _turn(step: int) -> None:
    """Show what is so many steps further on; before the choices of scene and part are drawn."""
    if step == 0:
        return
    key, part = STEPS[min(max(_place() + step, 0), len(STEPS) - 1)]
    st.session_state["scene"] = key
    if part:
        st.session_state[SCENES[key].part_key] = part
