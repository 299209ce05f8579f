"""The error against the number of stereotypes, raw and rounded, with other methods beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.drawing import UNCHANGED, axis, label
from dashboard.theme import Look, make_figure


def error_curve_figure(
    table: pd.DataFrame,
    look: Look,
    *,
    unit: str,
    measure: str = "mae",
    chosen: int | None = None,
    peers: Mapping[str, float] | None = None,
) -> go.Figure:
    """Draw two lines over D, raw and rounded predictions; ``table`` as ``Curve.table`` gives it.

    ``unit``: what ratings are counted in. ``measure``: ``"mae"`` or ``"rmse"``. ``peers``: errors of other
    methods, not rounded, as dotted lines.
    """
    dims = table["stereotypes"].tolist()
    sizes = [15 if d == chosen else 9 for d in dims]
    hover = f"D = %{{x}}: off by %{{y:.3f}} {unit}<extra></extra>"
    lines: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": dims,
            "y": table[column].tolist(),
            "mode": "lines+markers",
            "name": name,
            "error_y": {"type": "data", "array": table[f"{column}_spread"].tolist(), "thickness": 1.2, "width": 4},
            "line": {"color": color, "width": 2.5},
            "marker": {"size": sizes, "symbol": symbol, "opacity": 1},
            "customdata": dims,
            "hovertemplate": hover,
            **UNCHANGED,
        }
        for column, name, color, symbol in (
            (measure, "as predicted", look.accent, "circle"),
            (f"{measure}_rounded", "rounded to a rating", look.muted, "square"),
        )
    ]
    peers = peers or {}
    name = "average miss" if measure == "mae" else "typical miss"
    layout = {
        "height": 420,
        "showlegend": True,
        "margin": {"t": 36},
        "xaxis": axis("kinds of taste (D)", tickvals=dims, zeroline=False),
        "yaxis": axis(f"{name} in {unit} ({measure.upper()})", zeroline=False),
        "shapes": [_peer_line(error, look) for error in peers.values()],
        "annotations": [_peer_name(peer, error, look) for peer, error in peers.items()],
    }
    return make_figure(lines, layout, look)


def _peer_line(error: float, look: Look) -> dict[str, Any]:
    line = {"color": look.muted, "dash": "dot", "width": 1.2}
    return {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": error, "y1": error, "line": line}


def _peer_name(name: str, error: float, look: Look) -> dict[str, Any]:
    place = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y", "y": error, "yanchor": "bottom"}
    font = {"size": 12, "color": look.muted}
    return place | {"text": label(name, 60), "font": font, "showarrow": False}
