"""One's own place among the audience: a dot in the triangle of three stereotypes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import escaped, hidden_axis, in_lines
from dashboard.figures.people import corners
from dashboard.theme import Look, make_figure, translucent
from nnm_core.phrases import shortened
from nnm_core.types import FloatArray

_MOST = 600  # people who are drawn, evenly selected
_LETTERS = 11  # in a line of a corner's name
_HEIGHT = 212  # pixels, all of which a phone shows above the form


def own_place_figure(own: FloatArray, tastes: FloatArray, look: Look, *, names: Sequence[str]) -> go.Figure:
    """Draw a dot for oneself among the others, whose ``tastes`` (n_people, 3) are pale; corners are stereotypes.

    ``own`` (3,): one's own taste, on the simplex as well. The last trace is the dot.
    """
    places = corners(tastes)
    rows = np.linspace(0, len(tastes) - 1, min(len(tastes), _MOST)).astype(np.int64)
    colors = [look.color(k) for k in range(len(places))]
    around = np.vstack([places, places[:1]])
    traces = [
        drawing.line(around[:, 0].tolist(), around[:, 1].tolist(), look.faint, 1.5),
        drawing.points(tastes[rows] @ places, {"size": 4, "color": translucent(look.muted, 0.35)})
        | {"hoverinfo": "skip"},
        drawing.points(places, {"size": 13, "symbol": "diamond", "color": colors}) | {"hoverinfo": "skip"},
        drawing.points((own @ places)[None], {"size": 17, "color": look.ink, "line": {"width": 3, "color": look.paper}})
        | {"hoverinfo": "text", "hovertext": ["you"], "cliponaxis": False},
    ]
    # Beside the corners: the left one on its left, the others on their right
    notes = [
        {
            "x": x,
            "y": y,
            "text": "<br>".join(map(escaped, in_lines(shortened(name, 3 * _LETTERS), _LETTERS))),
            "showarrow": False,
            "xanchor": "right" if side < 0 else "left",
            "xshift": 10 * side,
            "yanchor": "top" if y > 0 else "bottom",  # towards the middle, where there is room for several lines
            "yshift": 9 if y > 0 else -9,
            "align": "right" if side < 0 else "left",
            "font": {"size": 12, "color": look.ink},
        }
        for (x, y), name, side in zip(places.tolist(), names, (-1, 1, 1), strict=True)
    ]
    frame = {"height": _HEIGHT, "margin": {"l": 0, "r": 0, "t": 8, "b": 8}, "hovermode": "closest"}
    axes = {"xaxis": hidden_axis(-0.4, 1.4), "yaxis": hidden_axis(-0.05, 0.93) | {"scaleanchor": "x"}}
    return make_figure(traces, {**frame, **axes, "annotations": notes}, look)
