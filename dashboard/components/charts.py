"""Figures on a page, and what is selected in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st


def show_figure(figure: go.Figure, key: str, alt: str, *, on_select: Callable[[], None] | None = None) -> None:
    """Show a figure across its column; its camera, always visible once chosen under "Take it away", saves it."""
    camera = st.session_state.get("camera")
    image = str(camera or "PNG").lower()
    config: dict[str, Any] = {
        "displayModeBar": True if camera else "hover",
        "displaylogo": False,
        "showSendToCloud": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": image, "filename": key, "scale": 1 if image == "svg" else 3},
    }
    selecting: dict[str, Any] = {}
    if on_select is not None:
        # What Streamlit would set after the first drawing, and so cause a second one.
        figure.update_layout(clickmode="event+select", hovermode="closest", dragmode="pan")
        selecting = {"on_select": on_select, "selection_mode": "points"}
    st.plotly_chart(figure, width="stretch", theme=None, key=key, config=config, alt=alt, **selecting)


def selected_point(key: str) -> dict[str, Any] | None:
    """Return the point that was selected last in the figure with this key."""
    chart: Any = st.session_state.get(key) or {}
    points = (chart.get("selection") or {}).get("points") or []
    return dict(points[0]) if points else None


def selected_data(key: str) -> Any:
    """Return the customdata of the point that was selected last: of a list with one value, that value."""
    data = (selected_point(key) or {}).get("customdata")
    return data[0] if isinstance(data, (list, tuple)) and len(data) == 1 else data
