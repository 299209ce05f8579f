"""An item as the stereotypes see it: how likely each likes it, or its whole distribution of stars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply, drawn, translucent
from dashboard.wording import Words, label
from nnm_core.meaning.phrases import shortened
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
        "textposition": "inside",
        "insidetextanchor": "end",
        "textfont": {"color": "#ffffff" if style.mood == "light" else style.paper},
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
    """One line per stereotype over the answers: ``answers`` (n_answers, n_stereotypes) at ``levels`` (n_answers,)."""
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
    figure.update_layout(showlegend=True, margin={"t": 40})
    figure.update_xaxes(tickvals=levels.tolist(), title="rating", fixedrange=True)
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", title="how often", fixedrange=True)
    return apply(figure, style, 340)


def divisive_figure(
    audience: FloatArray,
    gaps: FloatArray,
    counts: IntArray,
    titles: Sequence[str],
    ids: Sequence[str],
    words: Words,
    style: Look,
) -> go.Figure:
    """Items by how much the audience likes them and by how far the stereotypes are apart; ids as customdata."""
    points = {
        "type": "scatter",
        "x": audience.tolist(),
        "y": (100 * gaps).tolist(),
        "mode": "markers",
        "marker": {
            "size": (6 + 14 * np.sqrt(counts / max(int(counts.max(initial=1)), 1))).tolist(),
            "color": style.accent,
            "opacity": 0.45,
            "line": {"width": 0},
        },
        "hovertext": [
            f"{label(title, 80)}<br>{100 * gap:.0f} points between the stereotypes, {count:,} {words.rating}s"
            for title, gap, count in zip(titles, gaps, counts.tolist(), strict=True)
        ],
        "hoverinfo": "text",
        "customdata": list(ids),
        "selected": {"marker": {"opacity": 0.9}},
        "unselected": {"marker": {"opacity": 0.45}},
    }
    low, high = float(audience.min(initial=1.0)), float(audience.max(initial=0.0))
    across = (low - 0.04, high + 0.04)
    up = (0.0, 112 * max(float(gaps.max(initial=0.0)), 0.01))
    layout = {
        "height": 460,
        "annotations": _callouts(audience, 100 * gaps, titles, across, up, style),
        "xaxis": {
            "title": {"text": f"how likely the audience is to {words.like} it"},
            "tickformat": ".0%",
            "range": list(across),
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": "points between the stereotypes"},
            "range": list(up),
            "fixedrange": True,
            "zeroline": False,
        },
    }
    return drawn([points], layout, style)


_YEAR = re.compile(r" \(\d{4}\)$")
_DRAWN = ((290, 380), (880, 380))
"""Pixels across and up that the points have on a phone and on a desk."""


def _callouts(
    x: FloatArray,
    y: FloatArray,
    titles: Sequence[str],
    across: tuple[float, float],
    up: tuple[float, float],
    style: Look,
    most: int = 6,
) -> list[dict[str, object]]:
    """Names of the highest points, each with a line to its own, where they are neither cut nor on one another."""
    notes: list[dict[str, object]] = []
    taken: list[list[tuple[float, float, float, float]]] = []
    for row in np.argsort(-y, kind="stable")[:60].tolist():
        text = shortened(_YEAR.sub("", titles[row]), 18)
        sides = (1, -1) if x[row] < sum(across) / 2 else (-1, 1)
        for side in sides:
            boxes = []
            for width, height in _DRAWN:
                at = width * (x[row] - across[0]) / (across[1] - across[0])
                top = height * (up[1] - y[row]) / (up[1] - up[0]) - 30
                left = at + 16 if side > 0 else at - 16 - 6.6 * len(text)
                boxes.append((left, left + 6.6 * len(text), top, top + 20))
            inside = all(box[0] >= 0 and box[1] <= width for box, (width, _) in zip(boxes, _DRAWN, strict=True))
            if inside and boxes[0][2] >= 0 and not any(_meet(boxes, other) for other in taken):
                taken.append(boxes)
                notes.append(
                    {
                        "x": float(x[row]),
                        "y": float(y[row]),
                        "text": escape(text),
                        "ax": 16 * side,
                        "ay": -20,
                        "xanchor": "left" if side > 0 else "right",
                        "arrowhead": 0,
                        "arrowwidth": 1,
                        "arrowcolor": style.muted,
                        "bgcolor": translucent(style.paper, 0.8),
                        "borderpad": 1,
                        "font": {"size": 12, "color": style.ink},
                    }
                )
                break
        if len(notes) == most:
            break
    return notes


def _meet(some: list[tuple[float, float, float, float]], others: list[tuple[float, float, float, float]]) -> bool:
    """Whether two names lie on one another on any screen."""
    return any(
        one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
        for one, other in zip(some, others, strict=True)
    )
