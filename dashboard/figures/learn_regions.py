"""Pictures of the two small problems: the box of an item and the simplex of a user, in two and three dimensions."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.drawing import axis, hidden_axis, line, points
from dashboard.theme import TRANSPARENT, Look, make_figure
from nnm_core.fitting.small_problems import SmallProblem
from nnm_core.types import FloatArray

_STEPS = 41  # of a grid, along each side
_HEIGHT = 265
_TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
_CUBE = np.array([[1.0, 0.0], [0.45, 0.3], [0.0, 1.0]])  # where the three axes of a cube point on paper


def box_figure(problem: SmallProblem, before: FloatArray, now: FloatArray, look: Look) -> go.Figure:
    """Draw the square or the cube in which an item looks for its answers."""
    if len(now) == 2:
        side = np.linspace(0.0, 1.0, _STEPS)
        grid = np.array(list(product(side, side)))
        errors = problem.squared_error(grid).reshape(_STEPS, _STEPS).T
        traces = [_shades(side, side, errors, look), *_before_and_now(before, now, look)]
        titles = ("stereotype 1 likes it", "stereotype 2 likes it")
        xaxis, yaxis = (axis(title, range=[-0.06, 1.06], dtick=0.5, showgrid=False) for title in titles)
        return make_figure(traces, {"height": _HEIGHT, "xaxis": xaxis, "yaxis": yaxis}, look)
    corners = np.array(list(product((0.0, 1.0), repeat=3)))
    edges = [pair for pair in combinations(corners, 2) if np.abs(pair[0] - pair[1]).sum() == 1]
    traces = [_path(np.array(pair) @ _CUBE, look) for pair in edges]
    traces.append(_path(np.array([now, now * [1, 1, 0]]) @ _CUBE, look, "dot"))  # down to the floor
    traces += _before_and_now(before @ _CUBE, now @ _CUBE, look)
    notes: list[dict[str, Any]] = [  # each along an edge, outside the cube
        {"x": 0.5, "y": 0.0, "yshift": -12},
        {"x": 1.225, "y": 0.15, "xanchor": "left", "yshift": -8},
        {"x": 0.0, "y": 0.5, "xshift": -12, "textangle": -90},
    ]
    notes = [note | {"text": f"stereotype {k + 1} →", "showarrow": False} for k, note in enumerate(notes)]
    layout = {"height": _HEIGHT, "xaxis": hidden_axis(-0.2, 2.0), "yaxis": hidden_axis(-0.15, 1.45)}
    return make_figure(traces, layout | {"annotations": notes}, look)


def simplex_figure(problem: SmallProblem, before: FloatArray, now: FloatArray, look: Look) -> go.Figure:
    """Draw the line or the triangle on which a user looks for the mixture."""
    share = np.linspace(0.0, 1.0, _STEPS)
    if len(now) == 2:
        mixtures = np.column_stack([share, 1 - share])
        was, found = (np.array([p[0], problem.squared_error(p[None])[0]]) for p in (before, now))
        traces = [line(share.tolist(), problem.squared_error(mixtures).tolist(), look.accent, 3)]
        traces += _before_and_now(was, found, look)
        xaxis = axis("share of stereotype 1", range=[-0.06, 1.06], dtick=0.5)
        layout = {"height": _HEIGHT, "xaxis": xaxis, "yaxis": axis("squared error", rangemode="tozero")}
        return make_figure(traces, layout, look)
    mixtures = np.array([[a, b, max(1 - a - b, 0.0)] for a, b in product(share, share) if a + b <= 1 + 1e-9])
    errors = problem.squared_error(mixtures)
    marker = {"size": 7, "symbol": "hexagon", "color": errors.tolist(), "colorscale": _scale(look)}
    traces = [
        points(mixtures @ _TRIANGLE, marker) | {"hoverinfo": "skip"},
        _path(np.vstack([_TRIANGLE, _TRIANGLE[:1]]), look),
        *_before_and_now(before @ _TRIANGLE, now @ _TRIANGLE, look),
    ]
    notes = [
        {"x": x, "y": y, "text": f"stereotype {k + 1}", "showarrow": False, "yshift": 14 if k == 2 else -14}
        for k, (x, y) in enumerate(_TRIANGLE.tolist())
    ]
    layout = {"height": _HEIGHT, "xaxis": hidden_axis(-0.3, 1.3), "yaxis": hidden_axis(-0.15, 1.05)}
    return make_figure(traces, layout | {"annotations": notes}, look)


def _path(places: FloatArray, look: Look, dash: str = "solid") -> dict[str, Any]:
    x, y = places.T.tolist()
    return line(x, y, look.muted, 1, dash)


def _shades(x: FloatArray, y: FloatArray, errors: FloatArray, look: Look) -> dict[str, Any]:
    """Return the error everywhere on a grid, in a stronger colour where it is smaller."""
    grid = {"type": "heatmap", "x": x.tolist(), "y": y.tolist(), "z": errors.tolist()}
    return grid | {"colorscale": _scale(look), "showscale": False, "hoverinfo": "skip"}


def _scale(look: Look) -> list[list[Any]]:
    return [[0.0, look.accent], [0.25, look.faint], [1.0, look.paper]]


def _before_and_now(before: FloatArray, now: FloatArray, look: Look) -> list[dict[str, Any]]:
    """Return a circle where the solution was and a disc where it is."""
    ring = {"size": 16, "color": TRANSPARENT, "line": {"width": 3, "color": look.ink}}
    disc = {"size": 10, "color": look.ink, "line": {"width": 2, "color": look.paper}}
    return [points(place[None], marker) | {"hoverinfo": "skip"} for place, marker in ((before, ring), (now, disc))]
