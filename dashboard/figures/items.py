"""An item as the stereotypes see it: how likely each likes it, or its whole distribution of stars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply
from dashboard.wording import label
from nnm_core.types import FloatArray, IntArray


def likes_figure(likes: FloatArray, audience: float, names: Sequence[str], style: Look) -> go.Figure:
    """One bar per stereotype, (n_stereotypes,), and a line where the audience stands."""
    rows = list(range(len(likes)))
    figure = go.Figure()
    figure.add_bar(
        x=likes,
        y=rows,
        orientation="h",
        marker={"color": [style.color(k) for k in rows]},
        text=[f"{value:.0%}" for value in likes],
        textposition="inside",
        insidetextanchor="end",
        textfont={"color": "#ffffff" if style.mood == "light" else style.paper},
        customdata=[label(name, 80) for name in names],
        hovertemplate="%{customdata} likes it with %{x:.0%}<extra></extra>",
    )
    figure.add_scatter(
        x=[audience, audience],
        y=[-0.6, len(likes) - 0.45],
        mode="lines",
        line={"color": style.ink, "width": 2, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_annotation(
        x=audience, y=-0.85, text=f"audience {audience:.0%}", showarrow=False, font={"size": 13, "color": style.muted}
    )
    figure.update_xaxes(range=[0, 1.02], tickvals=[0, 0.5, 1], tickformat=".0%", fixedrange=True, zeroline=False)
    _names_down(figure, names, -1.1)
    return apply(figure, style, 70 + 34 * max(len(likes), 2))


def distribution_figure(answers: FloatArray, levels: FloatArray, names: Sequence[str], style: Look) -> go.Figure:
    """One line per stereotype over the answers: ``answers`` (n_answers, n_stereotypes) at ``levels`` (n_answers,)."""
    figure = go.Figure()
    for k, name in enumerate(names):
        figure.add_scatter(
            x=levels,
            y=answers[:, k],
            mode="lines+markers",
            name=label(name, 40),
            line={"color": style.color(k), "width": 2.5, "shape": "spline", "smoothing": 0.4},
            marker={"size": 7},
            hovertemplate="%{x:g}: %{y:.0%}<extra></extra>",
        )
    figure.update_layout(showlegend=True, margin={"t": 40})
    figure.update_xaxes(tickvals=levels, title="rating", fixedrange=True)
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", title="how often", fixedrange=True)
    return apply(figure, style, 340)


def divisive_figure(
    audience: FloatArray, gaps: FloatArray, counts: IntArray, titles: Sequence[str], ids: Sequence[str], style: Look
) -> go.Figure:
    """Items by how much the audience likes them and by how far the stereotypes are apart; ids as customdata."""
    figure = go.Figure()
    named = _apart(audience, gaps)
    figure.add_scatter(
        x=audience,
        y=100 * gaps,
        mode="markers+text",
        marker={
            "size": 6 + 14 * np.sqrt(counts / max(int(counts.max(initial=1)), 1)),
            "color": style.accent,
            "opacity": 0.45,
            "line": {"width": 0},
        },
        text=[label(title, 24) if k in named else "" for k, title in enumerate(titles)],
        textposition="top center",
        textfont={"size": 12, "color": style.ink},
        hovertext=[
            f"{label(title, 80)}<br>{gap:.0%} between the stereotypes, {count:,} ratings"
            for title, gap, count in zip(titles, gaps, counts.tolist(), strict=True)
        ],
        hoverinfo="text",
        customdata=list(ids),
        selected={"marker": {"opacity": 0.9}},
        unselected={"marker": {"opacity": 0.45}, "textfont": {"color": style.ink}},
    )
    figure.update_xaxes(title="the audience likes it", tickformat=".0%", fixedrange=True, zeroline=False)
    figure.update_yaxes(title="points between the stereotypes", fixedrange=True, rangemode="tozero", zeroline=False)
    return apply(figure, style, 440)


def _apart(audience: FloatArray, gaps: FloatArray, most: int = 6) -> set[int]:
    """The items that get a name: those with the largest gaps whose names would not lie on one another."""
    named: list[int] = []
    for row in np.argsort(-gaps, kind="stable")[:40].tolist():
        if all(abs(audience[row] - audience[k]) > 0.16 or abs(gaps[row] - gaps[k]) > 0.05 for k in named):
            named.append(row)
        if len(named) == most:
            break
    return set(named)


def _names_down(figure: go.Figure, names: Sequence[str], top: float) -> None:
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[label(name, 30) for name in names],
        range=[len(names) - 0.4, top],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
