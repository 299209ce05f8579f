"""How good a model is: its error against the number of stereotypes, and how its fit converged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.drawing import UNCHANGED, axis, label
from dashboard.theme import Look, make_figure
from nnm_core.model import Trace
from nnm_core.types import FloatArray, IntArray

_ROOM = 0.22  # to the right of the curve for the labels of lines, as a share of its width
_LABEL = 0.055  # the height of a line's label as a share of the picture's


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """The error of another method; ``is_stored``: measured before, and not computed for this picture."""

    name: str
    error: float
    is_stored: bool = False


def error_name(measure: str) -> str:
    """Return what an axis calls the error."""
    return "mean absolute error" if measure == "mae" else "root mean squared error"


def error_curve_figure(
    table: pd.DataFrame,
    look: Look,
    *,
    unit: str,
    measure: str = "mae",
    chosen: int | None = None,
    dimensions: Sequence[int] = (),
    references: Sequence[ReferenceLine] = (),
) -> go.Figure:
    """Draw two lines over D, raw and rounded predictions; ``table`` as ``Curve.table`` gives it.

    ``measure``: ``"mae"`` or ``"rmse"``. ``dimensions``: all D that the axis has room for, computed or not. A stored
    reference is dashed and has an asterisk.
    """
    dims = table["stereotypes"].tolist()
    marker = {"size": [14 if d == chosen else 9 for d in dims], "opacity": 1}
    hover = {"customdata": dims, "hovertemplate": f"D = %{{x}}: %{{y:.3f}} {unit}<extra></extra>"}
    lines: list[dict[str, Any]] = []
    for column, name, color, symbol in (
        (measure, "as predicted", look.accent, "circle"),
        (f"{measure}_rounded", "rounded to a rating", look.muted, "square"),
    ):
        spread = {"type": "data", "array": table[f"{column}_spread"].tolist(), "thickness": 1.2, "width": 4}
        line = {"type": "scatter", "x": dims, "y": table[column].tolist(), "mode": "lines+markers", "error_y": spread}
        style = {"line": {"color": color, "width": 2.5}, "marker": marker | {"symbol": symbol}}
        lines.append({**line, **style, **hover, "name": name, **UNCHANGED})
    errors = [line["y"] for line in lines]
    shapes, notes = _reference_lines(references, [error for line in errors for error in line], look)
    notes += _you_are_here(chosen, dims, errors[0], look)
    ticks = sorted({*dimensions, *dims})
    ends = [ticks[0] - 0.5, ticks[-1] + 0.5 + (_ROOM * (ticks[-1] - ticks[0]) if references else 0.0)]
    layout = {
        "height": 400,
        "showlegend": True,
        "margin": {"t": 36},
        "xaxis": axis("stereotypes (D)", tickvals=ticks, zeroline=False, range=ends),
        "yaxis": axis(f"{error_name(measure)} in {unit} ({measure.upper()})", zeroline=False),
    }
    return make_figure(lines, {**layout, "shapes": shapes, "annotations": notes}, look)


def _you_are_here(chosen: int | None, dims: Sequence[int], errors: Sequence[float], look: Look) -> list[dict[str, Any]]:
    """Return the note at the chosen number of stereotypes, once its error is known."""
    if chosen is None or chosen not in dims:
        return []
    arrow = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1.2, "arrowcolor": look.accent, "ax": 18, "ay": -30}
    font = {"size": 13, "color": look.accent}
    place = {"x": chosen, "y": errors[list(dims).index(chosen)], "standoff": 9, "xanchor": "left"}
    return [{"text": "<b>you are here</b>", "font": font, **place, **arrow}]


def _reference_lines(
    references: Sequence[ReferenceLine], errors: Sequence[float], look: Look
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the lines across the picture and their labels; lines that lie close together share one."""
    shapes, groups = [], list[list[ReferenceLine]]()
    everything = [*errors, *(one.error for one in references)]
    room = _LABEL * (max(everything) - min(everything))
    for one in sorted(references, key=lambda one: one.error):
        style = {"color": look.muted, "dash": "dash" if one.is_stored else "dot", "width": 1.2}
        across = {"xref": "x domain", "x0": 0, "x1": 1, "y0": one.error, "y1": one.error}
        shapes.append({"type": "line", **across, "line": style, "layer": "below"})
        if groups and one.error - groups[-1][0].error < room:
            groups[-1].append(one)
        else:
            groups.append([one])
    notes = []
    for group in groups:
        text = " · ".join(f"{label(one.name, 60)} {one.error:.3f}{'*' * one.is_stored}" for one in group)
        place = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y", "y": group[-1].error, "yanchor": "bottom"}
        notes.append({**place, "text": text, "font": {"size": 12, "color": look.muted}, "showarrow": False})
    return shapes, notes


def objective_figure(traces: Sequence[Trace], look: Look, *, what: str = "sum of squared errors") -> go.Figure:
    """Draw the objective after every half-step, one line per alternation, without the iterations with the fill."""
    lines = []
    for trace in traces:
        # After whole iterations: with momentum, what follows the first half belongs to extrapolated mixtures.
        y = trace.objectives[trace.shown_from + 1 :: 2]
        x = trace.shown_from // 2 + np.arange(1, len(y) + 1)
        lines.append(_line(x, y, "after iteration %{x:g}: %{y:,.1f}<extra></extra>", color=look.accent, width=2))
    axes = {"xaxis": axis("iteration", zeroline=False), "yaxis": axis(what, zeroline=False)}
    return make_figure(lines, {"height": 320, "margin": {"t": 36}, **axes}, look)


def errors_figure(
    training: FloatArray,
    look: Look,
    *,
    held_out: FloatArray | None,
    unit: str,
    measure: str = "rmse",
    skipped: int = 0,
) -> go.Figure:
    """Draw the error after every iteration, on seen and on held-out ratings; ``skipped``: iterations with the fill."""
    curves = {"ratings it has seen": (training, look.muted), "ratings held out": (held_out, look.accent)}
    lines = []
    for name, (errors, color) in curves.items():
        if errors is not None:
            x, hover = np.arange(skipped + 1, len(errors) + 1), "after iteration %{x}: %{y:.4f}<extra></extra>"
            lines.append(_line(x, errors[skipped:], hover, color=color, width=2.5) | {"name": name})
    title = f"{error_name(measure)} in {unit} ({measure.upper()})"
    axes = {"xaxis": axis("iteration", zeroline=False), "yaxis": axis(title, zeroline=False)}
    return make_figure(lines, {"height": 320, "showlegend": held_out is not None, "margin": {"t": 36}, **axes}, look)


def _line(x: FloatArray | IntArray, y: FloatArray, hover: str, **style: Any) -> dict[str, Any]:
    line = {"type": "scatter", "x": x.tolist(), "y": y.tolist(), "mode": "lines+markers", "line": style}
    return line | {"marker": {"size": 5}, "hovertemplate": hover}
