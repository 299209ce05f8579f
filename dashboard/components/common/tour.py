"""A tour of the dashboard for first-time visitors: five steps in a bar above the page, shown once to a browser."""

from __future__ import annotations

import secrets
from pathlib import Path

import streamlit as st

from dashboard import session
from dashboard.streamlit_compat import SIDEBAR, menu_link

_ASKED = "tour asked for"  # in the session's state: changes whenever somebody asks for the tour

STEPS = (
    ("Stereotypes", "Everybody is a mixture of a few. The page Stereotypes says what each likes.", menu_link("")),
    ("Your choices", "Choose the data and the number of stereotypes here. Everything follows at once.", SIDEBAR),
    ("Hierarchy", "Which genre includes which? Drag ε and watch the order appear.", menu_link("hierarchy")),
    ("People", "Find somebody among the stereotypes, or rate a few films and find yourself.", menu_link("people")),
    ("Learn", "New to all this? Seven scenes explain the model, from a coin to Algorithm 1.", menu_link("learn")),
)
"""Title, text, and the selector of what is marked meanwhile."""

_tour = st.components.v2.component(
    "tour",
    html='<section class="tour" role="dialog" aria-label="Tour" hidden><h2></h2><p aria-live="polite"></p><span></span>'
    "<button>Skip</button><button>Next</button></section>",
    css=Path(__file__).with_name("tour.css").read_text(encoding="utf-8"),
    js=Path(__file__).with_name("tour.js").read_text(encoding="utf-8"),
)


def show() -> None:
    """Show the tour, unless this browser has seen it and nobody asks for it."""
    steps = [{"title": title, "text": text, "target": target} for title, text, target in STEPS]
    asked = st.session_state.get(_ASKED, "")
    _tour(key="live-tour", data={"steps": steps, "asked": asked, "accent": session.look().accent})


def offer() -> None:
    """Draw the button that asks for the tour."""
    st.button("Show the tour", icon=":material/tour:", on_click=_ask)


def _ask() -> None:
    st.session_state[_ASKED] = secrets.token_hex(4)
