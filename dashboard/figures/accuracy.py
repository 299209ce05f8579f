"""How good a model is: its error against the number of stereotypes, and how its fit converged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.drawing import UNCHANGED, axis, label
from dashboard.theme import Look, make_figure
from nnm_core.model import Trace
from nnm_core.types import FloatArray, IntArray


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

    ``measure``: ``"mae"`` or ``"rmse"``. ``peers``: errors of other methods, not rounded, as dotted lines.
    """
    dims, peers = table["stereotypes"].tolist(), peers or {}
    marker = {"size": [15 if d == chosen else 9 for d in dims], "opacity": 1}
    hover = {"customdata": dims, "hovertemplate": f"D = %{{x}}: off by %{{y:.3f}} {unit}<extra></extra>"}
    lines: list[dict[str, Any]] = []
    for column, name, color, symbol in (
        (measure, "as predicted", look.accent, "circle"),
        (f"{measure}_rounded", "rounded to a rating", look.muted, "square"),
    ):
        spread = {"type": "data", "array": table[f"{column}_spread"].tolist(), "thickness": 1.2, "width": 4}
        line = {"type": "scatter", "x": dims, "y": table[column].tolist(), "mode": "lines+markers", "error_y": spread}
        style = {"line": {"color": color, "width": 2.5}, "marker": marker | {"symbol": symbol}}
        lines.append({**line, **style, **hover, "name": name, **UNCHANGED})
    miss = "average miss" if measure == "mae" else "typical miss"
    dotted, font = {"color": look.muted, "dash": "dot", "width": 1.2}, {"size": 12, "color": look.muted}
    shapes, notes = [], []
    for peer, error in peers.items():
        shapes.append({"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": error, "y1": error, "line": dotted})
        place = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y", "y": error, "yanchor": "bottom"}
        notes.append({**place, "text": label(peer, 60), "font": font, "showarrow": False})
    layout = {
        "height": 420,
        "showlegend": True,
        "margin": {"t": 36},
        "xaxis": axis("kinds of taste (D)", tickvals=dims, zeroline=False),
        "yaxis": axis(f"{miss} in {unit} ({measure.upper()})", zeroline=False),
    }
    return make_figure(lines, {**layout, "shapes": shapes, "annotations": notes}, look)


def objective_figure(traces: Sequence[Trace], look: Look) -> go.Figure:
    """Draw the objective after every half-step, one line per alternation, without the iterations with the fill."""
    lines = []
    for trace in traces:
        # After whole iterations: with momentum, what follows the first half belongs to extrapolated mixtures.
        y = trace.objectives[trace.shown_from + 1 :: 2]
        x = trace.shown_from // 2 + np.arange(1, len(y) + 1)
        lines.append(_line(x, y, "after round %{x:g}: %{y:,.1f}<extra></extra>", color=look.accent, width=2))
    axes = {"xaxis": axis("round", zeroline=False), "yaxis": axis("sum of squared misses", zeroline=False)}
    return make_figure(lines, {"height": 320, **axes}, look)


def errors_figure(
    training: FloatArray, look: Look, *, held_out: FloatArray | None, unit: str, skipped: int = 0
) -> go.Figure:
    """Draw the error after every iteration, on seen and on held-out ratings; ``skipped``: iterations with the fill."""
    curves = {"ratings it has seen": (training, look.muted), "ratings held out": (held_out, look.accent)}
    lines = []
    for name, (errors, color) in curves.items():
        if errors is not None:
            x, hover = np.arange(skipped + 1, len(errors) + 1), "after round %{x}: %{y:.4f}<extra></extra>"
            lines.append(_line(x, errors[skipped:], hover, color=color, width=2.5) | {"name": name})
    axes = {"xaxis": axis("round", zeroline=False), "yaxis": axis(f"typical miss in {unit} (RMSE)", zeroline=False)}
    return make_figure(lines, {"height": 320, "showlegend": held_out is not None, "margin": {"t": 36}, **axes}, look)


def _line(x: FloatArray | IntArray, y: FloatArray, hover: str, **style: Any) -> dict[str, Any]:
    line = {"type": "scatter", "x": x.tolist(), "y": y.tolist(), "mode": "lines+markers", "line": style}
    return line | {"marker": {"size": 5}, "hovertemplate": hover}
