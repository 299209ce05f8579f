"""What Streamlit's own elements do not do: sliders that act while they are dragged, and scrolling to a place."""

from __future__ import annotations

import secrets

import streamlit as st

from dashboard import session, streamlit_compat

_EVERY = 120
"""Milliseconds between two values that a dragged slider sends: a page needs about as long to follow."""

_watch = st.components.v2.component("live_slider", js=streamlit_compat.WATCH_SLIDER)
_lead = st.components.v2.component("lead", js=streamlit_compat.SCROLL_TO)


def dragged(slider: str) -> float | None:
    """Return where somebody holds the slider of that key just now; None while nobody does.

    A browser may send anything: keep it within the slider's bounds.
    """
    data = {"slider": slider, "every": _EVERY}
    held = _watch(key=f"live-{slider}", data=data, on_value_change=lambda: None).value
    return float(held) if isinstance(held, (int, float)) else None


def lead_to(place: str) -> None:
    """In the next run, bring the container of that key into sight, and the cursor into its text field."""
    session.state().scroll_to = place


def lead() -> None:
    """Scroll to where ``lead_to`` asked for; at the end of a page."""
    mine = session.state()
    if mine.scroll_to:
        _lead(key="live-lead", data={"place": mine.scroll_to, "turn": secrets.token_hex(4)})
        mine.scroll_to = ""
