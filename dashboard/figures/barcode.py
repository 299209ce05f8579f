"""The barcode of a hierarchy: at which ε something changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, drawn, translucent
from nnm_core.types import FloatArray

MOST_LINES = 1500
"""More births than this are drawn as a density."""

_BINS = 250


def barcode_figure(
    births: FloatArray, epsilon: float, style: Look, reach: tuple[float, float] = (0.0, 1.0)
) -> go.Figure:
    """A stroke at every ε at which a tag becomes included in another, and a line where ε stands now.

    ``births`` (n_tags, n_tags), the diagonal left out. The first trace has the strokes or, where there are very many,
    how many there are in each of 250 bins; the last the line. ``reach``: the ends of the slider above.
    """
    own = np.eye(len(births), dtype=np.bool_)
    values = np.sort(births[~own])
    strokes: dict[str, Any]
    if len(values) <= MOST_LINES:
        # One path: up each stroke, down again, and on to the next below what is seen. Strokes with gaps between them
        # would be a path each, which takes three times as long to draw.
        strokes = {
            "type": "scatter",
            "x": np.repeat(values, 3).tolist(),
            "y": [-1, 2, -1] * len(values),
            "mode": "lines",
            "line": {"color": translucent(style.muted, 0.55 if len(values) <= 400 else 0.3), "width": 1},
            "hoverinfo": "skip",
        }
    else:
        counts, edges = np.histogram(values, bins=_BINS, range=reach)
        strokes = {
            "type": "bar",
            "x": ((edges[:-1] + edges[1:]) / 2).tolist(),
            "y": np.sqrt(counts / max(counts.max(), 1)).tolist(),
            "width": (reach[1] - reach[0]) / _BINS,
            "marker": {"color": style.muted, "line": {"width": 0}},
            "customdata": counts.tolist(),
            "hovertemplate": "%{customdata:,} inclusions begin near ε = %{x:.2f}<extra></extra>",
        }
    line = {
        "type": "scatter",
        "x": [epsilon, epsilon],
        "y": [0, 1],
        "mode": "lines",
        "line": {"color": style.accent, "width": 3},
        "hoverinfo": "skip",
    }
    margin = 0.006 * (reach[1] - reach[0])
    layout = {
        "height": 74,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 22},
        "bargap": 0,
        "xaxis": {
            "range": [reach[0] - margin, reach[1] + margin],
            "nticks": 7,
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {"visible": False, "range": [0, 1], "fixedrange": True},
    }
    return drawn([strokes, line], layout, style)
