"""An item as the stereotypes see it: how likely each likes it, or its whole distribution of stars."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply, drawn, written_on
from dashboard.wording import Words, counted, in_picture, label
from nnm_core.phrases import shortened
from nnm_core.types import FloatArray, IntArray


def likes_figure(likes: FloatArray, audience: float, names: Sequence[str], style: Look) -> go.Figure:
    """One bar per stereotype, (n_stereotypes,), and a line where the audience stands."""
    rows = list(range(len(likes)))
    bars = {
        "type": "bar",
        "x": likes.tolist(),
        "y": rows,
        "orientation": "h",
        "marker": {"color": [style.color(k) for k in rows]},
        "text": [f"{value:.0%}" for value in likes],
        "textposition": "auto",
        "textangle": 0,
        "insidetextanchor": "start",
        "insidetextfont": {"color": [written_on(style.color(k)) for k in rows]},
        "outsidetextfont": {"color": style.ink},
        "customdata": [label(name, 80) for name in names],
        "hovertemplate": "%{customdata} likes it with %{x:.0%}<extra></extra>",
    }
    line = {
        "type": "scatter",
        "x": [audience, audience],
        "y": [-0.6, len(likes) - 0.45],
        "mode": "lines",
        "line": {"color": style.ink, "width": 2, "dash": "dot"},
        "hoverinfo": "skip",
    }
    note = {
        "x": audience,
        "y": -0.85,
        "text": f"audience {audience:.0%}",
        "showarrow": False,
        "font": {"size": 13, "color": style.muted},
    }
    layout = {
        "height": 70 + 34 * max(len(likes), 2),
        "annotations": [note],
        "xaxis": {
            "range": [0, 1.02],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".0%",
            "fixedrange": True,
            "zeroline": False,
        },
        "yaxis": {
            "tickvals": rows,
            "ticktext": [label(name, 30) for name in names],
            "range": [len(names) - 0.4, -1.1],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
    }
    return drawn([bars, line], layout, style)


def distribution_figure(answers: FloatArray, levels: FloatArray, names: Sequence[str], style: Look) -> go.Figure:
    """One line per stereotype over the answers: ``answers`` (n_answers, n_stereotypes) at ``levels`` (n_answers,).

    The names stand below, one to a row, so that however many and long they are they do not lie on the lines.
    """
    figure = go.Figure()
    for k, name in enumerate(names):
        figure.add_scatter(
            x=levels.tolist(),
            y=answers[:, k].tolist(),
            mode="lines+markers",
            name=label(name, 40),
            line={"color": style.color(k), "width": 2.5, "shape": "spline", "smoothing": 0.4},
            marker={"size": 7},
            hovertemplate="%{x:g}: %{y:.0%}<extra></extra>",
        )
    below = 60 + 19 * len(names)
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "v", "yref": "container", "y": 0, "yanchor": "bottom", "maxheight": 2 * below},
        margin={"t": 12, "b": below},
    )
    figure.update_xaxes(tickvals=levels.tolist(), title="rating", fixedrange=True)
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", title="how often", fixedrange=True)
    return apply(figure, style, 270 + below)


def divisive_figure(
    audience: FloatArray,
    gaps: FloatArray,
    points: IntArray,
    counts: IntArray,
    titles: Sequence[str],
    ids: Sequence[str],
    words: Words,
    style: Look,
) -> go.Figure:
    """Items by how much the audience likes them and by how far the stereotypes are apart; ids as customdata.

    ``points``: the gaps between the whole percents that one sees, which may differ by one from the rounded gaps.
    """
    sizes = 6 + 14 * np.sqrt(counts / max(int(counts.max(initial=1)), 1))
    dots = {
        "type": "scatter",
        "x": audience.tolist(),
        "y": (100 * gaps).tolist(),
        "mode": "markers",
        "cliponaxis": False,  # nobody is cut in half where nothing divides the stereotypes
        "marker": {
            "size": sizes.tolist(),
            "color": style.accent,
            "opacity": 0.45,
            "line": {"width": 0},
        },
        "hovertext": [
            f"{label(title, 80)}<br>{counted(apart, 'point')} between the stereotypes, {counted(count, words.rating)}"
            for title, apart, count in zip(titles, points.tolist(), counts.tolist(), strict=True)
        ],
        "hoverinfo": "text",
        "customdata": list(ids),
        "selected": {"marker": {"opacity": 0.9}},
        "unselected": {"marker": {"opacity": 0.45}},
    }
    low, high = float(audience.min(initial=1.0)), float(audience.max(initial=0.0))
    across = (low - 0.04, high + 0.04)
    up = (0.0, 120 * max(float(gaps.max(initial=0.0)), 0.01))
    layout = {
        "height": 460,
        "annotations": _callouts(audience, 100 * gaps, titles, across, up, style, sizes),
        "xaxis": {
            "title": {"text": f"how likely the audience is to {words.like} it"},
            "tickformat": ".0%",
            "range": list(across),
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": "points between the stereotypes"},
            "range": list(up),
            "tickvals": [at for at in range(0, 101, 20 if up[1] > 50 else 10 if up[1] > 20 else 5) if at <= up[1]],
            "fixedrange": True,
            "zeroline": False,
        },
    }
    return drawn([dots], layout, style)


_YEAR = re.compile(r" \(\d{4}\)$")
_DRAWN = ((290, 380), (880, 380))
"""Pixels across and up that the points have on a phone and on a desk."""

NAMED = 3
"""The highest points always have their names; a text may speak of them."""

_WIDE, _HIGH = 6.6, 18
"""Pixels across a letter, and of a line."""

_NEAR = ((14, -18), (14, 0), (14, 18), (30, -34), (30, 34))
_FAR = ((20, -52), (60, -34), (60, -52), (100, -20))
"""Pixels from a point to the near end of its name, the best place first; the far ones for names that must be there."""

_Box = tuple[float, float, float, float]


def _callouts(
    x: FloatArray,
    y: FloatArray,
    titles: Sequence[str],
    across: tuple[float, float],
    up: tuple[float, float],
    style: Look,
    sizes: FloatArray,
    most: int = 6,
) -> list[dict[str, object]]:
    """Names of the highest points, each with a line to its own, neither cut nor on points nor on one another."""
    discs = []
    for width, height in _DRAWN:
        at = width * (x - across[0]) / (across[1] - across[0])
        down = height * (up[1] - y) / (up[1] - up[0])
        discs.append(np.column_stack([at - sizes / 2, at + sizes / 2, down - sizes / 2, down + sizes / 2]))
    notes: list[dict[str, object]] = []
    taken: list[list[_Box]] = []
    for rank, row in enumerate(np.argsort(-y, kind="stable")[:60].tolist()):
        text = shortened(_YEAR.sub("", titles[row]), 18)
        tried = []
        for dx, dy in ((side * dx, dy) for dx, dy in _NEAR + (_FAR if rank < NAMED else ()) for side in (1, -1)):
            boxes = [_box(part[row], len(text), dx, dy) for part in discs]
            inside = all(box[0] >= 0 and box[1] <= w and box[2] >= 0 for box, (w, _) in zip(boxes, _DRAWN, strict=True))
            if inside and not any(_meet(boxes, other) for other in taken):
                tried.append((sum(_covered(box, part) for box, part in zip(boxes, discs, strict=True)), dx, dy, boxes))
        hidden, dx, dy, boxes = min(tried, key=lambda one: one[0]) if tried else (1, 0, 0, [])
        if not tried or (hidden and rank >= NAMED):
            continue
        taken.append(boxes)
        notes.append(
            {
                "x": float(x[row]),
                "y": float(y[row]),
                "text": in_picture(text),
                "ax": dx,
                "ay": dy,
                "xanchor": "left" if dx > 0 else "right",
                "arrowhead": 0,
                "arrowwidth": 1,
                "arrowcolor": style.muted,
                "borderpad": 1,
                "font": {"size": 12, "color": style.ink},
            }
        )
        if len(notes) == most:
            break
    return notes


def _box(disc: FloatArray, n_letters: int, dx: int, dy: int) -> _Box:
    """Where a name would stand, in pixels: left, right, top, bottom."""
    at, down = float(disc[0] + disc[1]) / 2 + dx, float(disc[2] + disc[3]) / 2 + dy
    left = at if dx > 0 else at - _WIDE * n_letters
    return (left, left + _WIDE * n_letters, down - _HIGH / 2, down + _HIGH / 2)


def _covered(box: _Box, discs: FloatArray) -> int:
    """How many points a name would lie on."""
    beside = (discs[:, 0] >= box[1]) | (discs[:, 1] <= box[0]) | (discs[:, 2] >= box[3]) | (discs[:, 3] <= box[2])
    return int((~beside).sum())


def _meet(some: list[_Box], others: list[_Box]) -> bool:
    """Whether two names lie on one another on any screen."""
    return any(
        one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
        for one, other in zip(some, others, strict=True)
    )
