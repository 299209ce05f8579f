"""How a fit converged: its objective and its errors, iteration by iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.drawing import axis
from dashboard.theme import Look, make_figure
from nnm_core.model import Trace
from nnm_core.types import FloatArray


def objective_figure(traces: Sequence[Trace], look: Look) -> go.Figure:
    """Draw the objective after every half-step, one line per alternation, without the iterations with the fill."""
    lines = []
    for trace in traces:
        rounds = (np.arange(len(trace.objectives)) + 1) / 2
        x, y = rounds[trace.shown_from :], trace.objectives[trace.shown_from :]
        hover = "after round %{x:g}: %{y:,.1f}<extra></extra>"
        lines.append(_line(x.tolist(), y, hover, color=look.accent, width=2))
    layout = {
        "height": 320,
        "xaxis": axis("round", zeroline=False),
        "yaxis": axis("sum of squared misses", zeroline=False),
    }
    return make_figure(lines, layout, look)


def errors_figure(
    training: FloatArray, look: Look, *, held_out: FloatArray | None, unit: str, skipped: int = 0
) -> go.Figure:
    """Draw the root mean squared error after every iteration, on seen and on held-out ratings.

    ``skipped``: iterations with the fill, whose errors would hide all others.
    """
    curves = {"ratings it has seen": (training, look.muted), "ratings held out": (held_out, look.accent)}
    hover = "after round %{x}: %{y:.4f}<extra></extra>"
    lines = [
        _line(list(range(skipped + 1, len(errors) + 1)), errors[skipped:], hover, color=color, width=2.5)
        | {"name": name}
        for name, (errors, color) in curves.items()
        if errors is not None
    ]
    layout = {
        "height": 320,
        "showlegend": held_out is not None,
        "margin": {"t": 36},
        "xaxis": axis("round", zeroline=False),
        "yaxis": axis(f"typical miss in {unit} (RMSE)", zeroline=False),
    }
    return make_figure(lines, layout, look)


def _line(x: list[float], y: FloatArray, hover: str, **line: Any) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": x,
        "y": y.tolist(),
        "mode": "lines+markers",
        "line": line,
        "marker": {"size": 5},
        "hovertemplate": hover,
    }
