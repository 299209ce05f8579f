"""The stereotypes: a tower of bars for each, all in one picture, and how they split when there is one more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import UNCHANGED, axis, escaped, hidden_axis, in_lines, label, name_axis
from dashboard.theme import TRANSPARENT, Look, make_figure, translucent
from dashboard.wording import signed
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray, FloatArray

_LONGEST = 20  # characters of a label beside the bars, which need room as well; all of it appears over the bar
# Of the picture of all stereotypes: letters in a line of a name, rows up to which names have two lines, and letters of
# a name that has one ("No clear leaning (10)" is whole)
_ROW_NAME, _MOST_IN_TWO_LINES, _ONE_LINE = 16, 12, 21
_MARKUP = re.compile(r"<[^>]*>")
_WIDTH = 0.022
# The width of a block as a part of the picture, and letters in a line: three names fit side by side on a phone
_LETTERS = 13
# Pixels: a line of text, between blocks, a block on the average, above the first
_LINE, _GAP, _EACH, _TITLE = 17, 8, 54, 30


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """The bars of all towers of a row; arrays of shape (n_labels, n_stereotypes)."""

    labels: Sequence[str]
    likes: FloatArray  # probabilities of liking, or differences from the audience
    audience: FloatArray  # (n_labels,): the same of the audience, 0 for differences
    firm: BoolArray  # drawn in full colour, others pale
    low: FloatArray | None = None  # where the bars end in fits from other random starts
    high: FloatArray | None = None

    def of(self, stereotypes: Sequence[int]) -> Bars:
        """Return the bars of some of the stereotypes."""
        columns = list(stereotypes)
        low, high = (None if ends is None else ends[:, columns] for ends in (self.low, self.high))
        return Bars(self.labels, self.likes[:, columns], self.audience, self.firm[:, columns], low, high)

    def ends_in_words(self, stereotype: int, *, relative: bool) -> str:
        """Say which of a stereotype's bars are the highest and the lowest; ``relative``: measured from the audience."""
        values = self.likes[:, stereotype]
        ends = int(values.argmax()), int(values.argmin())
        said = [f"{self.labels[row]} ({_value(values[row], relative)})" for row in ends]
        return f"most {said[0]}, least {said[1]}{' points vs. audience' if relative else ''}"

    def widest_in_words(self, names: Sequence[str], *, relative: bool) -> str:
        """Say on which label the stereotypes are the farthest apart, and which two."""
        row = int(np.ptp(self.likes, axis=1).argmax())
        values = self.likes[row]
        said = [f"{names[k]} ({_value(values[k], relative)})" for k in (values.argmin(), values.argmax())]
        return f"{self.labels[row]}, from {said[0]} to {said[1]}{' points vs. audience' if relative else ''}"


def _value(value: float, relative: bool) -> str:
    return signed(100 * value) if relative else f"{value:.0%}"


def tower_figure(
    bars: Bars, look: Look, *, stereotype: int, relative: bool = False, chosen: int | None = None, like: str = "like"
) -> go.Figure:
    """Draw a bar per label, the first on top, and the whole audience; ``relative``: measured from the audience."""
    color, values = look.color(stereotype), bars.likes[:, stereotype]
    rows = range(len(bars.labels))
    full_names = [label(text, 120) for text in bars.labels]
    fills = [color if firm else translucent(color, 0.45) for firm in bars.firm[:, stereotype]]
    edges = [look.ink if row == chosen else TRANSPARENT for row in rows]
    says = "%{text} points vs. audience" if relative else f"{like}s %{{x:.0%}} of them"
    traces: list[dict[str, Any]] = [
        {
            **drawing.bars(values, {"color": fills, "line": {"color": edges, "width": 1.5}}),
            "customdata": full_names,
            "text": [signed(100 * value) for value in values.tolist()] if relative else None,
            "textposition": "none",
            "hovertemplate": f"%{{customdata}}: {says}<extra></extra>",
            "error_x": _error_bars(bars, stereotype, look),
            **UNCHANGED,
        }
    ]
    if not relative:
        tick = {"symbol": "line-ns-open", "size": 13, "color": look.muted, "line": {"width": 2}}
        ticks = drawing.points(np.column_stack([bars.audience, rows]), tick)
        hover = f"%{{customdata}}: the audience {like}s %{{x:.0%}}<extra></extra>"
        traces.append(ticks | {"customdata": full_names, "hovertemplate": hover})
    whole = {"range": [0, 1], "tickvals": [0, 0.5, 1], "tickformat": ".0%"}
    absolute = axis(f"chance to {like} one", zeroline=False, automargin=False, **whole)
    longest = max((len(shortened(text, _LONGEST)) for text in bars.labels), default=0)
    layout = {
        "height": 66 + 22 * max(len(rows), 2),
        "bargap": 0.28,
        "margin": {"l": 14 + 7 * longest, "r": 26, "t": 4, "b": 50},
        "xaxis": drawing.points_axis(_reach(bars)) if relative else absolute,
        # finding the margin automatically draws everything twice
        "yaxis": name_axis([label(text, _LONGEST) for text in bars.labels], automargin=False),
    }
    return make_figure(traces, layout, look)


def heatmap_figure(
    bars: Bars,
    look: Look,
    *,
    names: Sequence[str],
    relative: bool = False,
    chosen: int | None = None,
    like: str = "like",
) -> go.Figure:
    """Draw a row per stereotype and a column per label; what could be chance is pale.

    The last trace has a point for every place, with its row and column as customdata: plotly's heatmaps take no clicks.
    """
    n_labels, n_rows = len(bars.labels), len(names)
    in_two_lines = n_rows <= _MOST_IN_TWO_LINES
    values = bars.likes.T
    reach = _reach(bars) if relative else 1.0
    ends = (look.colors[1], look.colors[0]) if relative else (look.paper, look.accent)
    shades = [[0.0, ends[0]], [0.5, look.paper], [1.0, ends[1]]] if relative else [[0.0, ends[0]], [1.0, ends[1]]]
    common = {"type": "heatmap", "colorscale": shades, "zmin": -reach if relative else 0.0, "zmax": reach}
    common |= {"showscale": False, "hoverinfo": "skip", "xgap": 1, "ygap": 2}
    traces: list[dict[str, Any]] = [
        {**common, "z": np.where(firm, values, np.nan).astype(object).tolist(), "opacity": opacity}
        for firm, opacity in ((bars.firm.T, 1.0), (~bars.firm.T, 0.3))
    ]
    rows, columns = np.divmod(np.arange(n_rows * n_labels), max(n_labels, 1))
    says = [
        f"{signed(100 * value)} points vs. audience" if relative else f"{like}s {value:.0%} of them"
        for value in values.ravel().tolist()
    ]
    full = [label(name, 60) for name in names], [label(text, 60) for text in bars.labels]
    hover = [f"{full[0][k]}<br>{full[1][j]}: {text}" for k, j, text in zip(rows, columns, says, strict=True)]
    clicks = drawing.points(np.column_stack([columns, rows]), {"symbol": "square", "size": 16, "color": TRANSPARENT})
    customdata = np.column_stack([rows, columns]).tolist()
    traces.append(clicks | {"customdata": customdata, "hovertext": hover, "hoverinfo": "text", **UNCHANGED})
    texts = [_row_name(name, in_two_lines, k == chosen) for k, name in enumerate(names)]
    widest = max((len(line) for text in texts for line in _MARKUP.sub("\n", text).split("\n")), default=0)
    longest = max((len(shortened(text, _LONGEST)) for text in bars.labels), default=0)
    top = 14 + 7 * longest
    titles = axis(side="top", tickangle=-90, range=[-0.5, n_labels - 0.5], showgrid=False, zeroline=False)
    titles |= {"tickvals": list(range(n_labels)), "ticktext": [label(text, _LONGEST) for text in bars.labels]}
    layout = {
        "height": top + 8 + (36 if in_two_lines else 24) * max(n_rows, 1),
        "margin": {"l": 24 + 7 * widest, "r": 8, "t": top, "b": 8},
        "hovermode": "closest",
        "xaxis": titles | {"automargin": False},
        "yaxis": name_axis(texts, automargin=False, ticklabelstandoff=14) | {"range": [n_rows - 0.5, -0.5]},
        "shapes": [_swatch(k, look) for k in range(n_rows)],
        "annotations": [_whole_name(k, texts[k], full[0][k]) for k in range(n_rows) if "…" in texts[k]],
    }
    return make_figure(traces, layout, look)


def _swatch(stereotype: int, look: Look) -> dict[str, Any]:
    """Return the stereotype's colour, as a rectangle between its name and its row."""
    across = {"xref": "paper", "xsizemode": "pixel", "xanchor": 0, "x0": -14, "x1": -4}
    up = {"yref": "y", "y0": stereotype - 0.33, "y1": stereotype + 0.33}
    return {"type": "rect", **across, **up, "fillcolor": look.color(stereotype), "line": {"width": 0}}


def _whole_name(row: int, text: str, name: str) -> dict[str, Any]:
    """Return what lies unseen on a name that was cut: it shows the whole name when one points at it."""
    place = {"xref": "paper", "x": 0, "xanchor": "right", "xshift": -14, "yref": "y", "y": row, "yanchor": "middle"}
    return {**place, "text": text, "hovertext": name, "opacity": 0, "showarrow": False, "borderpad": 0}


def _row_name(name: str, in_two_lines: bool, is_chosen: bool) -> str:
    """Return a name beside a row, in bold if the row is chosen."""
    lines = in_lines(name, _ROW_NAME) if in_two_lines else [shortened(name, _ONE_LINE)]
    if len(lines) > 2:
        lines = [lines[0], shortened(f"{lines[1]} {lines[2]}…", _ROW_NAME)]
    text = "<br>".join(map(escaped, lines))
    return f"<b>{text}</b>" if is_chosen else text


def _reach(bars: Bars) -> float:
    """Return where an axis of differences ends, which is the same in all towers."""
    parts = [part for part in (bars.likes, bars.low, bars.high) if part is not None]
    return drawing.points_reach(max(float(np.abs(part).max(initial=0)) for part in parts))


def _error_bars(bars: Bars, stereotype: int, look: Look) -> dict[str, Any] | None:
    if bars.low is None or bars.high is None:
        return None
    values = bars.likes[:, stereotype]
    more, less = bars.high[:, stereotype] - values, values - bars.low[:, stereotype]
    ends = {"array": np.maximum(more, 0.0).tolist(), "arrayminus": np.maximum(less, 0.0).tolist()}
    return {"type": "data", "symmetric": False, **ends, "color": look.ink, "thickness": 1.2, "width": 3}


@dataclass(frozen=True, slots=True)
class Stage:
    """The stereotypes of one model, from top to bottom: names, shares of the audience, colours."""

    title: str
    names: Sequence[str]
    shares: Sequence[float]
    colors: Sequence[str]


def lineage_figure(stages: Sequence[Stage], look: Look, *, flows: Sequence[FloatArray]) -> go.Figure:
    """Draw a column per model, a block per stereotype as high as its share, and bands for people who move along.

    ``flows``: between neighbouring stages, (n_before, n_after), shares of the audience.
    """
    # Names stand on the right of their blocks, and those of the last stage on the left: there two need room.
    rooms = [1.0] * (len(stages) - 2) + [2.0] * (len(stages) > 1)
    columns = np.concatenate([[0.0], np.cumsum(rooms) / max(sum(rooms), 1.0)])
    room = max(len(stage.names) for stage in stages) * _EACH
    names = [[in_lines(shortened(name, 40), _LETTERS) or [""] for name in stage.names] for stage in stages]
    blocks = [_block_places(stage.shares, lines, room) for stage, lines in zip(stages, names, strict=True)]
    traces: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for k, flow in enumerate(flows):
        traces += _bands(columns[k : k + 2], blocks[k], blocks[k + 1], flow, stages[k].colors)
    for k, (x, stage) in enumerate(zip(columns.tolist(), stages, strict=True)):
        traces += _blocks(x, stage, blocks[k])
        notes += _notes(x, stage, blocks[k], names[k], "right" if 0 < k == len(stages) - 1 else "left", look)
    height = int(max(places[-1, 1] for places in blocks)) + 2 * _LINE
    frame = {"height": height, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "hovermode": "closest"}
    axes = {"xaxis": hidden_axis(-_WIDTH / 2, 1 + _WIDTH / 2), "yaxis": hidden_axis(height, 0)}
    return make_figure(traces, {**frame, **axes, "annotations": notes}, look)


def _block_places(shares: Sequence[float], names: Sequence[Sequence[str]], room: float) -> FloatArray:
    """Return top and bottom of each block in pixels, in proportion to the shares and as far apart as names need it."""
    sizes = np.maximum(np.asarray(shares, dtype=np.float64), 1e-3)
    heights = sizes / sizes.sum() * room
    slots = np.maximum(heights, [_LINE * len(lines) for lines in names]) + _GAP
    middles = _TITLE + np.cumsum(slots) - slots / 2
    return np.column_stack([middles - heights / 2, middles + heights / 2])


def _blocks(x: float, stage: Stage, places: FloatArray) -> Iterator[dict[str, Any]]:
    for name, share, color, (top, bottom) in zip(stage.names, stage.shares, stage.colors, places.tolist(), strict=True):
        left, right = x - _WIDTH / 2, x + _WIDTH / 2
        area = _area([left, right, right, left], [top, top, bottom, bottom], color)
        text = f"{label(name, 60)}: {share:.0%} of the audience"
        yield area | {"hoveron": "fills", "text": text, "hoverinfo": "text"}


def _notes(
    x: float, stage: Stage, places: FloatArray, names: Sequence[Sequence[str]], side: str, look: Look
) -> Iterator[dict[str, Any]]:
    """Yield the names beside the blocks of a stage, and its title above; ``side``: where the blocks are."""
    outward = -1 if side == "left" else 1
    common = {"showarrow": False, "xanchor": side}
    style = {"align": side, "font": {"size": 13, "color": look.ink}, "bgcolor": translucent(look.paper, 0.8)}
    for lines, (top, bottom) in zip(names, places.tolist(), strict=True):
        place = {"x": x - outward * _WIDTH, "y": (top + bottom) / 2}
        yield {**place, **common, **style, "text": "<br>".join(map(escaped, lines))}
    title = {"x": x + outward * _WIDTH / 2, "y": _TITLE / 2, "text": f"<b>{label(stage.title)}</b>"}
    yield {**title, **common, "font": {"color": look.muted}}


def _bands(
    columns: FloatArray, before: FloatArray, after: FloatArray, flow: FloatArray, colors: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the bands between two stages, which leave a block in the order of the blocks they lead to."""
    starts = np.ptp(before, axis=1)[:, None] * flow / np.maximum(flow.sum(axis=1, keepdims=True), 1e-12)
    ends = np.ptp(after, axis=1) * flow / np.maximum(flow.sum(axis=0), 1e-12)
    left = before[:, :1] + np.cumsum(starts, axis=1) - starts
    right = after[:, 0] + np.cumsum(ends, axis=0) - ends
    bend = np.linspace(0, 1, 24)
    ease = bend**2 * (3 - 2 * bend)
    x = (columns[0] + _WIDTH / 2 + (columns[1] - columns[0] - _WIDTH) * bend).tolist()
    for a, b in np.argwhere(flow >= 0.005).tolist():
        upper = left[a, b] + (right[a, b] - left[a, b]) * ease
        lower = upper + starts[a, b] + (ends[a, b] - starts[a, b]) * ease
        color = translucent(colors[a], 0.22)
        yield _area([*x, *x[::-1]], [*upper.tolist(), *lower[::-1].tolist()], color) | {"hoverinfo": "skip"}


def _area(x: list[float], y: list[float], color: str) -> dict[str, Any]:
    return {"type": "scatter", "x": x, "y": y, "fill": "toself", "mode": "none", "fillcolor": color}
