"""The data as they are: which ratings occur, how active people are, how well known items are."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply
from dashboard.wording import Words
from nnm_core.types import FloatArray, IntArray

_MOST_LEVELS = 41
_CURVE = 400


def ratings_figure(levels: FloatArray, counts: IntArray, style: Look) -> go.Figure:
    """A bar per rating that was given; neighbouring ones are put together where there are very many."""
    if len(levels) > _MOST_LEVELS:
        heights, edges = np.histogram(levels, bins=40, weights=counts)
        levels, counts = (edges[:-1] + edges[1:]) / 2, heights.astype(np.int64)
    figure = go.Figure()
    figure.add_bar(
        x=levels.tolist(),
        y=(counts / max(int(counts.sum()), 1)).tolist(),
        customdata=counts.tolist(),
        marker={"color": style.accent},
        hovertemplate="%{x:g}: %{customdata:,} ratings (%{y:.0%})<extra></extra>",
    )
    if len(levels) <= 12:
        figure.update_xaxes(tickvals=levels.tolist())
    figure.update_xaxes(title="rating", fixedrange=True, showgrid=False)
    figure.update_yaxes(tickformat=".0%", title="of all ratings", fixedrange=True)
    figure.update_layout(bargap=0.25)
    return apply(figure, style, 280)


def curve_figure(counts: IntArray, rows: str, words: Words, style: Look) -> go.Figure:
    """Ratings per row from the most to the least, both axes in powers of ten; thinned where there are very many."""
    ranked = np.sort(counts[counts > 0])[::-1]
    ranks = np.arange(1, len(ranked) + 1)
    if len(ranked) > _CURVE:
        keep = np.unique(np.geomspace(1, len(ranked), _CURVE).astype(np.int64)) - 1
        ranked, ranks = ranked[keep], ranks[keep]
    figure = go.Figure()
    figure.add_scatter(
        x=ranks.tolist(),
        y=ranked.tolist(),
        mode="lines",
        line={"color": style.accent, "width": 2.5},
        hovertemplate=f"number %{{x:,}}: %{{y:,}} {words.rating}s<extra></extra>",
    )
    first = "the best known" if rows == words.items else "the busiest"
    figure.update_xaxes(title=f"{rows}, {first} first", **_powers(ranks))
    figure.update_yaxes(title=f"{words.rating}s", **_powers(ranked))
    return apply(figure, style, 280)


def _powers(values: IntArray) -> dict[str, object]:
    """An axis on which 1, 10 and 100 stand equally far apart, with 2 and 5 between them where there is room.

    Where hardly any of these lies among the values, their ends are marked.
    """
    low, high = int(values.min(initial=10**9)), int(values.max(initial=1))
    between = (1, 2, 5) if high < 100 * low else (1,)
    ticks = [step * 10**power for power in range(10) for step in between if low <= step * 10**power <= high]
    if len(ticks) < 2 and low <= high:
        ticks = sorted({low, high})
    return {"type": "log", "tickvals": ticks, "fixedrange": True}


def tags_figure(names: list[str], counts: IntArray, style: Look) -> go.Figure:
    """A bar per tag with how many items have it, the most frequent on top; names must be safe to show."""
    places = list(range(len(names)))
    figure = go.Figure()
    figure.add_bar(
        x=counts.tolist(),
        y=places,
        orientation="h",
        marker={"color": style.accent},
        text=[f"{count:,}" for count in counts.tolist()],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
    )
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, 1.12 * max(int(counts.max(initial=1)), 1)])
    figure.update_yaxes(
        tickvals=places,
        ticktext=names,
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,  # it would strike through the number of the first bar
        fixedrange=True,
    )
    figure.update_layout(bargap=0.3, margin={"b": 4})
    return apply(figure, style, 40 + 22 * max(len(names), 2))
