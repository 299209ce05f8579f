"""Lineage: which stereotypes become which when there is one more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply, translucent
from dashboard.wording import in_lines, in_picture, label
from nnm_core.phrases import shortened
from nnm_core.types import FloatArray

_WIDTH = 0.022
_LETTERS = 13
"""Of the width, a block; and letters in a line: three names stand beside each other on a phone."""

_LINE = 17
_GAP = 8
_EACH = 54
_TITLE = 30
"""Pixels: a line of text, between blocks, a block on the average, above the first."""


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
    # Names stand on the right of their blocks, and those of the last stage on the left: there two need room.
    rooms = [1.0] * (len(stages) - 2) + [2.0] * (len(stages) > 1)
    columns = np.concatenate([[0.0], np.cumsum(rooms) / max(sum(rooms), 1.0)])
    most = max(len(stage.names) for stage in stages)
    names = [[_broken(name) for name in stage.names] for stage in stages]
    blocks = [_blocks(stage.shares, lines, most * _EACH) for stage, lines in zip(stages, names, strict=True)]
    for k, flow in enumerate(flows):
        _bands(figure, columns[k : k + 2], blocks[k], blocks[k + 1], flow, stages[k].colors)
    for k, (x, stage, places) in enumerate(zip(columns.tolist(), stages, blocks, strict=True)):
        side = "right" if 0 < k == len(stages) - 1 else "left"
        for number, (top, bottom) in enumerate(places):
            figure.add_scatter(
                x=[x - half, x + half, x + half, x - half],
                y=[top, top, bottom, bottom],
                fill="toself",
                mode="none",
                fillcolor=stage.colors[number],
                hoveron="fills",
                text=f"{label(stage.names[number], 60)}: {stage.shares[number]:.0%} of the audience",
                hoverinfo="text",
            )
            figure.add_annotation(
                x=x + (_WIDTH if side == "left" else -_WIDTH),
                y=(top + bottom) / 2,
                text="<br>".join(map(in_picture, names[k][number])),
                showarrow=False,
                xanchor=side,
                align=side,
                font={"size": 13, "color": style.ink},
                bgcolor=translucent(style.paper, 0.8),
            )
        figure.add_annotation(
            x=x + (-half if side == "left" else half),
            y=_TITLE / 2,
            text=f"<b>{label(stage.title)}</b>",
            showarrow=False,
            xanchor=side,
            font={"color": style.muted},
        )
    height = int(max(places[-1][1] for places in blocks)) + 2 * _LINE
    figure.update_xaxes(visible=False, range=[-half, 1 + half], fixedrange=True)
    figure.update_yaxes(visible=False, range=[height, 0], fixedrange=True)
    figure.update_layout(hovermode="closest", margin={"l": 0, "r": 0, "t": 0, "b": 0})
    return apply(figure, style, height)


def _broken(name: str) -> list[str]:
    """A name in lines that fit."""
    return in_lines(shortened(name, 40), _LETTERS) or [""]


def _blocks(shares: Sequence[float], names: Sequence[Sequence[str]], room: float) -> list[tuple[float, float]]:
    """Top and bottom of each block in pixels, in proportion to the shares and as far apart as the names need it."""
    sizes = np.maximum(np.asarray(shares, dtype=np.float64), 1e-3)
    heights = sizes / sizes.sum() * room
    slots = np.maximum(heights, [_LINE * len(lines) for lines in names]) + _GAP
    middles = _TITLE + np.cumsum(slots) - slots / 2
    return [
        (float(middle - height / 2), float(middle + height / 2))
        for middle, height in zip(middles, heights, strict=True)
    ]


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
        start = (before[a][1] - before[a][0]) * flow[a, b] / max(out[a], 1e-12)
        end = (after[b][1] - after[b][0]) * flow[a, b] / max(into[b], 1e-12)
        if flow[a, b] >= 0.005:
            upper = left[a] + (right[b] - left[a]) * ease
            lower = (left[a] + start) + (right[b] + end - left[a] - start) * ease
            figure.add_scatter(
                x=[*x.tolist(), *x[::-1].tolist()],
                y=[*upper.tolist(), *lower[::-1].tolist()],
                fill="toself",
                mode="none",
                fillcolor=translucent(colors[a], 0.22),
                hoverinfo="skip",
            )
        left[a] += start
        right[b] += end
