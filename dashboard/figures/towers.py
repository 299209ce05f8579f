"""A tower: how likely one stereotype is to like an item of each tag."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from nnm_core.types import FloatArray

_ROW_HEIGHT = 22


def tower_figure(tags: Sequence[str], likes: FloatArray, audience: FloatArray, color: str) -> go.Figure:
    """One bar per tag, the first on top, and a tick where the whole audience stands.

    ``likes``, ``audience`` (n_tags,): probabilities of liking a random item of the tag.
    """
    labels = [escape(tag) for tag in tags]
    figure = go.Figure()
    figure.add_bar(
        x=likes,
        y=labels,
        orientation="h",
        marker_color=color,
        hovertemplate="%{y}: likes %{x:.0%} of them<extra></extra>",
    )
    figure.add_scatter(
        x=audience,
        y=labels,
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 13, "color": "rgba(120, 120, 120, 0.9)", "line": {"width": 2}},
        hovertemplate="%{y}: the audience likes %{x:.0%}<extra></extra>",
    )
    figure.update_xaxes(range=[0, 1], tickformat=".0%", tickvals=[0, 0.5, 1], fixedrange=True)
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True)
    figure.update_layout(
        height=60 + _ROW_HEIGHT * len(labels), showlegend=False, bargap=0.3, margin={"l": 0, "r": 20, "t": 5, "b": 30}
    )
    return figure
