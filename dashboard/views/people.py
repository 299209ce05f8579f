"""Page: to be written."""

from __future__ import annotations

import streamlit as st


def render() -> None:
    """Show the page."""
    st.title("…")
