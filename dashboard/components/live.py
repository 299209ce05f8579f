"""What Streamlit's own elements do not do: sliders that act while they are dragged, and leading the eye somewhere."""

from __future__ import annotations

import secrets

import streamlit as st

from dashboard import streamlit_compat

_EVERY = 120
"""Milliseconds between two things that a dragged slider tells: a page needs about as long to follow."""

_watch = st.components.v2.component("live_slider", js=streamlit_compat.WATCH_SLIDER)
_lead = st.components.v2.component("lead", js=streamlit_compat.SCROLL_TO)


def dragged(slider: str) -> float | None:
    """Where somebody holds the slider of that key just now; None while nobody does.

    It is what a browser says: whoever asks keeps it within the slider's bounds.
    """
    data = {"slider": slider, "every": _EVERY}
    held = _watch(key=f"live-{slider}", data=data, on_value_change=lambda: None).value
    return float(held) if isinstance(held, (int, float)) else None


def lead_to(place: str) -> None:
    """In the next run, bring the container of that key into sight, and the cursor into the field for text there."""
    st.session_state["lead to"] = {"place": place, "turn": secrets.token_hex(4)}


def lead() -> None:
    """At the end of a page: do what was asked for."""
    asked = st.session_state.pop("lead to", None)
    if asked is not None:
        _lead(key="live-lead", data=asked)
