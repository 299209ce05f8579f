"""The barcode of a hierarchy: at which ε something changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.drawing import axis, hidden_axis, line
from dashboard.theme import Look, make_figure, translucent
from nnm_core.types import FloatArray

MOST_LINES = 1500
"""More births than this are drawn as a density."""

_BINS = 250


def barcode_figure(
    births: FloatArray, look: Look, *, epsilon: float, reach: tuple[float, float] = (0.0, 1.0)
) -> go.Figure:
    """Draw a stroke at every ε at which a tag becomes included in another, and a line at the current ε.

    ``births`` (n_tags, n_tags), without the diagonal. ``reach``: the ends of the slider above. The first trace has the
    strokes or, where there are very many, their number in each of 250 bins; the last has the line.
    """
    values = np.sort(births[~np.eye(len(births), dtype=np.bool_)])
    margin = 0.006 * (reach[1] - reach[0])
    layout = {
        "height": 74,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 22},
        "bargap": 0,
        "xaxis": axis(range=[reach[0] - margin, reach[1] + margin], nticks=7, showgrid=False, zeroline=False),
        "yaxis": hidden_axis(0, 1),
    }
    strokes = _strokes(values, look) if len(values) <= MOST_LINES else _density(values, look, reach)
    return make_figure([strokes, line([epsilon, epsilon], [0, 1], look.accent, 3)], layout, look)


def _strokes(values: FloatArray, look: Look) -> dict[str, Any]:
    """Return all strokes as one path: up each, down again, and on to the next below what is seen.

    Strokes with gaps between them would be a path each, which takes three times as long to draw.
    """
    color = translucent(look.muted, 0.55 if len(values) <= 400 else 0.3)
    return line(np.repeat(values, 3).tolist(), [-1, 2, -1] * len(values), color, 1)


def _density(values: FloatArray, look: Look, reach: tuple[float, float]) -> dict[str, Any]:
    counts, edges = np.histogram(values, bins=_BINS, range=reach)
    return {
        "type": "bar",
        "x": ((edges[:-1] + edges[1:]) / 2).tolist(),
        "y": np.sqrt(counts / max(counts.max(), 1)).tolist(),
        "width": (reach[1] - reach[0]) / _BINS,
        "marker": {"color": look.muted, "line": {"width": 0}},
        "customdata": counts.tolist(),
        "hovertemplate": "%{customdata:,} inclusions begin near ε = %{x:.2f}<extra></extra>",
    }
