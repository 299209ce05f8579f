"""The data as they are: which ratings occur, how active people are, how well known items are, which tags occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.drawing import axis, bars, hidden_axis, name_axis
from dashboard.theme import Look, make_figure
from dashboard.wording import Words
from nnm_core.types import FloatArray, IntArray

_MOST_LEVELS = 41
_CURVE = 400


def ratings_figure(counts: IntArray, look: Look, *, levels: FloatArray) -> go.Figure:
    """Draw a bar per rating that was given; neighbouring ones are put together where there are very many."""
    if len(levels) > _MOST_LEVELS:
        heights, edges = np.histogram(levels, bins=40, weights=counts)
        levels, counts = (edges[:-1] + edges[1:]) / 2, heights.astype(np.int64)
    shares = (counts / max(int(counts.sum()), 1)).tolist()
    ratings = {"type": "bar", "x": levels.tolist(), "y": shares, "marker": {"color": look.accent}}
    hover = "%{x:g}: %{customdata:,} ratings (%{y:.0%})<extra></extra>"
    ticks = {"tickvals": levels.tolist()} if len(levels) <= 12 else {}
    axes = {"xaxis": axis("rating", showgrid=False, **ticks), "yaxis": axis("of all ratings", tickformat=".0%")}
    bars_with_hover = ratings | {"customdata": counts.tolist(), "hovertemplate": hover}
    return make_figure([bars_with_hover], {"height": 280, "bargap": 0.25, **axes}, look)


def curve_figure(counts: IntArray, look: Look, *, rows: str, words: Words) -> go.Figure:
    """Draw ratings per row from the most to the least, on two logarithmic axes; thinned where there are very many."""
    ranked = np.sort(counts[counts > 0])[::-1]
    ranks = np.arange(1, len(ranked) + 1)
    if len(ranked) > _CURVE:
        keep = np.unique(np.geomspace(1, len(ranked), _CURVE).astype(np.int64)) - 1
        ranked, ranks = ranked[keep], ranks[keep]
    style = {"color": look.accent, "width": 2.5}
    curve = {"type": "scatter", "x": ranks.tolist(), "y": ranked.tolist(), "mode": "lines", "line": style}
    hover = f"number %{{x:,}}: %{{y:,}} {words.rating}s<extra></extra>"
    first = "the best known" if rows == words.items else "the busiest"
    axes = {"xaxis": _log_axis(f"{rows}, {first} first", ranks), "yaxis": _log_axis(f"{words.rating}s", ranked)}
    return make_figure([curve | {"hovertemplate": hover}], {"height": 280, **axes}, look)


def _log_axis(title: str, values: IntArray) -> dict[str, Any]:
    """Return a logarithmic axis with ticks at powers of ten, at 2 and 5 between them, or else at the ends."""
    low, high = int(values.min(initial=10**9)), int(values.max(initial=1))
    between = (1, 2, 5) if high < 100 * low else (1,)
    ticks = [step * 10**power for power in range(10) for step in between if low <= step * 10**power <= high]
    if len(ticks) < 2 and low <= high:
        ticks = sorted({low, high})
    return axis(title, type="log", tickvals=ticks)


def tags_figure(counts: IntArray, look: Look, *, names: Sequence[str]) -> go.Figure:
    """Draw a bar per tag with how many items have it, the most frequent on top; names must be safe to show."""
    text = {"text": [f"{count:,}" for count in counts.tolist()], "textposition": "outside", "cliponaxis": False}
    tags = bars(counts, {"color": look.accent}) | text | {"hoverinfo": "skip"}
    axes = {"xaxis": hidden_axis(0, 1.12 * max(int(counts.max(initial=1)), 1)), "yaxis": name_axis(names)}
    return make_figure(
        [tags], {"height": 68 + 22 * max(len(names), 2), "bargap": 0.3, "margin": {"t": 28, "b": 4}, **axes}, look
    )
