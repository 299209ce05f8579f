"""Lineage: which stereotypes become which when there is one more."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply, translucent
from dashboard.wording import in_picture, label
from nnm_core.meaning.phrases import shortened
from nnm_core.types import FloatArray

_WIDTH = 0.022
_GAP = 0.03
_LOWEST, _HIGHEST = -0.03, 1.12
_LINE = 17
_LETTERS = 15
"""Pixels of a line of text, and letters in one: three names stand beside each other on a phone."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The stereotypes of one model, from top to bottom: names, shares of the audience, colours."""

    title: str
    names: Sequence[str]
    shares: Sequence[float]
    colors: Sequence[str]


def lineage_figure(stages: Sequence[Stage], flows: Sequence[FloatArray], style: Look) -> go.Figure:
    """A column per model, a block per stereotype as high as its share, and bands for the people who move along.

    ``flows``: between neighbouring stages, (n_before, n_after), shares of the audience.
    """
    figure = go.Figure()
    half = _WIDTH / 2
    columns = np.linspace(0, 1, len(stages)) if len(stages) > 1 else np.array([0.5])
    blocks = [_blocks(stage.shares) for stage in stages]
    for k, flow in enumerate(flows):
        _bands(figure, columns[k : k + 2], blocks[k], blocks[k + 1], flow, stages[k].colors)
    height = 90 + 62 * max(len(stage.names) for stage in stages)
    for k, (x, stage, places) in enumerate(zip(columns, stages, blocks, strict=True)):
        side = "left" if k == 0 else "right" if k == len(stages) - 1 else "center"
        for name, share, color, (top, bottom) in zip(stage.names, stage.shares, stage.colors, places, strict=True):
            figure.add_scatter(
                x=[x - half, x + half, x + half, x - half],
                y=[top, top, bottom, bottom],
                fill="toself",
                mode="none",
                fillcolor=color,
                hoveron="fills",
                text=f"{label(name, 60)}: {share:.0%} of the audience",
                hoverinfo="text",
            )
            _write(figure, float(x), (top, bottom), name, side, height, style)
        figure.add_annotation(
            x=x + {"left": -half, "right": half}.get(side, 0.0),
            y=1.06,
            text=f"<b>{label(stage.title)}</b>",
            showarrow=False,
            xanchor=side,
            font={"color": style.muted},
        )
    figure.update_xaxes(visible=False, range=[-half, 1 + half], fixedrange=True)
    figure.update_yaxes(visible=False, range=[_LOWEST, _HIGHEST], fixedrange=True)
    figure.update_layout(hovermode="closest", margin={"l": 0, "r": 0, "t": 0, "b": 0})
    return apply(figure, style, height)


def _blocks(shares: Sequence[float]) -> list[tuple[float, float]]:
    """Top and bottom of each block, from 1 down to 0, in proportion to the shares."""
    sizes = np.maximum(np.asarray(shares, dtype=np.float64), 1e-3)
    room = 1.0 - _GAP * (len(sizes) - 1)
    heights = sizes / sizes.sum() * room
    tops = 1.0 - np.concatenate([[0.0], np.cumsum(heights + _GAP)[:-1]])
    return [(float(top), float(top - height)) for top, height in zip(tops, heights, strict=True)]


def _bands(
    figure: go.Figure,
    columns: FloatArray,
    before: list[tuple[float, float]],
    after: list[tuple[float, float]],
    flow: FloatArray,
    colors: Sequence[str],
) -> None:
    """Bands leave a block in the order of those they lead to, and are as high as their share of it."""
    out, into = flow.sum(axis=1), flow.sum(axis=0)
    left, right = [top for top, _ in before], [top for top, _ in after]
    bend = np.linspace(0, 1, 24)
    ease = bend**2 * (3 - 2 * bend)
    x = columns[0] + _WIDTH / 2 + (columns[1] - columns[0] - _WIDTH) * bend
    for a, b in np.ndindex(flow.shape):
        start = (before[a][0] - before[a][1]) * flow[a, b] / max(out[a], 1e-12)
        end = (after[b][0] - after[b][1]) * flow[a, b] / max(into[b], 1e-12)
        if flow[a, b] >= 0.005:
            upper = left[a] + (right[b] - left[a]) * ease
            lower = (left[a] - start) + (right[b] - end - left[a] + start) * ease
            figure.add_scatter(
                x=[*x.tolist(), *x[::-1].tolist()],
                y=[*upper.tolist(), *lower[::-1].tolist()],
                fill="toself",
                mode="none",
                fillcolor=translucent(colors[a], 0.22),
                hoverinfo="skip",
            )
        left[a] -= start
        right[b] -= end


def _write(
    figure: go.Figure, x: float, place: tuple[float, float], name: str, side: str, height: int, style: Look
) -> None:
    """The name beside a block at an edge of the picture, or on one in its middle, in as many lines as there is room."""
    room = int((place[0] - place[1] + _GAP) * height / (_HIGHEST - _LOWEST) / _LINE)
    lines = textwrap.wrap(shortened(name, 40), _LETTERS, max_lines=max(room, 1), placeholder="…")
    figure.add_annotation(
        x=x + {"left": _WIDTH, "right": -_WIDTH}.get(side, 0.0),
        y=(place[0] + place[1]) / 2,
        text="<br>".join(map(in_picture, lines)),
        showarrow=False,
        xanchor=side,
        align=side,
        font={"size": 13, "color": style.ink},
        bgcolor=translucent(style.paper, 0.8),
    )
