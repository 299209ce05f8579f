"""A person as a mixture: one bar, divided."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.drawing import axis, hidden_axis, label, legend_below
from dashboard.theme import Look, make_figure, written_on
from nnm_core.types import FloatArray

_PATTERNS = (".", "/")
"""The enthusiast is dotted and the skeptic hatched, on a darker grey: different without colours as well."""


def mixture_figure(mixture: FloatArray, look: Look, *, names: Sequence[str], n_stereotypes: int) -> go.Figure:
    """Draw a segment per stereotype, those of generosity hatched in grey; a trace each, in the order of the columns."""
    segments = []
    for k, (share, name) in enumerate(zip(mixture.tolist(), names, strict=True)):
        color, pattern = look.color(k), ""
        if k >= n_stereotypes:
            habit = (k - n_stereotypes) % 2
            color, pattern = (look.muted, look.ink)[habit], _PATTERNS[habit]
        hatching = {"shape": pattern, "fgcolor": look.paper, "size": 8, "solidity": 0.12, "fgopacity": 0.4}
        segments.append(
            {
                "type": "bar",
                "x": [share],
                "y": [0],
                "orientation": "h",
                "name": label(name, 40),
                "marker": {
                    "color": color,
                    "line": {"color": look.paper, "width": 1.5},
                    "pattern": hatching | {"fillmode": "overlay"},
                },
                "text": f"{share:.0%}" if share >= 0.06 else "",
                "textposition": "inside",
                "insidetextanchor": "middle",
                "textangle": 0,
                "textfont": {"color": written_on(color), "size": 14},
                "hovertemplate": f"{label(name, 60).replace('%', '&#37;')}: %{{x:.0%}}<extra></extra>",
            }
        )
    below = 12 + 19 * len(names)
    layout = {
        "height": 60 + below,
        "barmode": "stack",
        "showlegend": True,
        "legend": legend_below(below, yanchor="top", traceorder="normal"),
        "margin": {"l": 0, "r": 0, "t": 0, "b": below},
        "xaxis": hidden_axis(0, 1),
        "yaxis": axis(visible=False),
    }
    return make_figure(segments, layout, look)
