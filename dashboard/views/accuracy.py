"""Page: how far off the model is, how many stereotypes predict best, and whether the fit converged."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dashboard.components import accuracy, display
from dashboard.components.current import current

_FEWEST = 20  # ratings below which nothing can be held out sensibly


def render() -> None:
    """Show the page."""
    view = current()
    st.title("How good is it?")
    figures: dict[str, go.Figure] = {}
    tables: dict[str, Any] = {}
    found = None
    if len(view.dataset.ratings) < _FEWEST:
        st.info(f"With fewer than {_FEWEST} ratings nothing can be held out to predict.")
    elif view.dataset.implicit:
        accuracy.show_lists(view)
    else:
        found = accuracy.show_held_out(view)
        figures, tables = accuracy.show_curve(view)
    figures |= accuracy.show_convergence(view, None if found is None else found.evaluation)
    display.offer_files("how-good", tables, figures)
