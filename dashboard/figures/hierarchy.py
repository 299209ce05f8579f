"""The hierarchy at one ε: classes of tags as nodes, inclusions as arrows that lead down."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, drawn, translucent
from dashboard.wording import in_picture, label
from nnm_core.meaning.order import Order
from nnm_core.meaning.phrases import shortened
from nnm_core.types import FloatArray, IntArray

MOST_NAMED = 9
"""Tags that a node of equal tags names; the others are counted."""

_NAMED_NODES = 130
"""Beyond this many nodes names would lie on one another; then they are shown when one points at a node."""

_IN_A_ROW = 3
_MOST_ROWS = 12
_LINE_WIDTHS = (38, 22, 12)
"""Characters in a line of a name where there are one, two or more in its layer."""

_MARGIN = 0.12
"""The part of the width that a crowded layer leaves free on either side, for half a name."""

_BETWEEN = 78
_LINE = 17
_LEAST_HEIGHT = 200
"""Pixels: between two layers, of a line of text, of the whole picture."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What somebody picked: a tag, and perhaps another one that includes it."""

    tag: str | None = None
    broad: str | None = None


def hierarchy_figure(
    order: Order,
    style: Look,
    *,
    every_edge: bool = False,
    chosen: Chosen | None = None,
) -> go.Figure:
    """Nodes are classes of tags that include each other, with the broadest on top; an arrow leads to what is included.

    The first trace has the lines, the second the arrowheads, the third the points on edges, which can be picked, and
    the last the nodes; names are annotations.
    """
    chosen = chosen or Chosen()
    edges = np.argwhere(order.between if every_edge else order.reduced)
    layout = _lay_out(order)
    traces = [
        *_edges(order, edges, layout.places, style, chosen),
        _handles(order, edges, layout, style),
        _nodes(order, layout.places, style, chosen),
    ]
    own = {
        "height": max(int(layout.height), _LEAST_HEIGHT),
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "xaxis": {"visible": False, "range": [0.0, 1.0], "fixedrange": True},
        "yaxis": {"visible": False, "range": [layout.height, 0.0], "fixedrange": True},
        "annotations": _names(order, layout, style, chosen) if len(order.classes) <= _NAMED_NODES else [],
    }
    return drawn(traces, own, style)


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Where the classes are drawn, (n_classes, 2): across from 0 to 1, down in pixels; what they are called.

    ``above`` (n_classes,): where, in pixels, arrows that lead to a class have not met its layer yet.
    """

    places: FloatArray
    above: FloatArray
    names: list[str]
    height: float


def _lay_out(order: Order) -> _Layout:
    """Layers from top to bottom; one with many classes takes several rows, so that names keep apart on a phone.

    Neighbours in a layer go to different rows: within a row they stand at least a quarter of the width apart, and names
    are broken into lines that fit.
    """
    places = np.array(order.positions, dtype=np.float64)
    above = np.zeros(len(places))
    names = [""] * len(places)
    down = 0.0
    for layer in range(int(order.layers.max(initial=0)) + 1):
        members = np.flatnonzero(order.layers == layer)
        ranked = members[np.argsort(places[members, 0], kind="stable")]
        n_rows = min(-(-len(ranked) // _IN_A_ROW), _MOST_ROWS)
        width = _LINE_WIDTHS[min(len(ranked), len(_LINE_WIDTHS)) - 1]
        if n_rows > 1:
            places[ranked, 0] = np.linspace(_MARGIN, 1.0 - _MARGIN, len(ranked))
        for k in ranked:
            names[k] = name_of_class(_tags(order, int(k)), width)
        above[ranked] = down + _BETWEEN / 2
        down += _BETWEEN if layer else 0.0
        for turn in (*range(0, n_rows, 2), *range(1, n_rows, 2)):  # next ones far apart, so that arrows pass between
            here = ranked[turn::n_rows]
            lines = max(names[k].count("<br>") + 1 for k in here)
            # In the first layer names stand above, elsewhere below: arrows leave downward.
            places[here, 1] = down + (_LINE * lines + 24 if layer == 0 else 16)
            down += _LINE * lines + 40
    return _Layout(places, above, names, down + 8)


def name_of_class(names: Sequence[str], width: int = 30) -> str:
    """What a node is called: a few of its tags, and how many more there are, in lines of that many characters."""
    shown = [shortened(name, 22) for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        shown.append(f"{len(names) - MOST_NAMED} more")
    lines: list[str] = []
    for name in shown:
        if lines and len(lines[-1]) + len(name) + 3 <= width:
            lines[-1] += f" = {name}"
            continue
        if lines:
            lines[-1] += " ="
        lines += textwrap.wrap(name, width, break_on_hyphens=False)
    return "<br>".join(map(in_picture, lines))


def _tags(order: Order, number: int) -> list[str]:
    return [order.tags[row] for row in order.classes[number]]


def _edges(order: Order, edges: IntArray, places: FloatArray, style: Look, chosen: Chosen) -> list[dict[str, Any]]:
    """All lines in one trace and all arrowheads in another; those of the chosen tag stand out."""
    home = _home(order, chosen.tag)
    faint = style.muted if len(edges) <= 60 else translucent(style.muted, max(0.12, 12 / max(len(edges), 1) ** 0.8))
    apart = [(a, b) for a, b in edges.tolist() if home in (a, b)] if home is not None else []
    traces: list[dict[str, Any]] = []
    for part, color, width in (
        (edges.tolist(), faint if not apart else translucent(style.muted, 0.18), 1.1),
        (apart, style.accent, 2.2),
    ):
        if part is apart and not apart:
            continue
        ends = [(*places[[broad, narrow]].tolist(), (None, None)) for broad, narrow in part]
        line = {
            "type": "scatter",
            "x": [x for points in ends for x, _ in points],
            "y": [y for points in ends for _, y in points],
            "hoverinfo": "skip",
        }
        heads = {
            "symbol": "arrow",
            "angleref": "previous",
            "color": color,
            "size": [0, 11, 0] * len(part),
            "standoff": [0, 8, 0] * len(part),
        }
        traces.append({**line, "mode": "lines", "line": {"color": color, "width": width}})
        traces.append({**line, "mode": "markers", "marker": heads})
    return traces


def _handles(order: Order, edges: IntArray, layout: _Layout, style: Look) -> dict[str, Any]:
    """A point on each edge, to be picked, where no node is near; it carries the two tags with the smallest birth."""
    places = layout.places
    middles, data, texts = [], [], []
    for broad, narrow in edges.tolist():
        block = order.births[np.ix_(order.classes[narrow], order.classes[broad])]
        inner, outer = np.unravel_index(int(block.argmin()), block.shape)
        small, large = order.classes[narrow][int(inner)], order.classes[broad][int(outer)]
        share = (layout.above[narrow] - places[broad, 1]) / (places[narrow, 1] - places[broad, 1])
        middles.append(places[broad] + min(max(share, 0.25), 0.75) * (places[narrow] - places[broad]))
        data.append([order.tags[small], order.tags[large]])
        texts.append(
            f"{label(order.tags[small], 60)} ⊆ {label(order.tags[large], 60)}<br>from ε = {block.min():.3f} on"
        )
    return {
        "type": "scatter",
        "x": [float(x) for x, _ in middles],
        "y": [float(y) for _, y in middles],
        "mode": "markers",
        "marker": {"size": 9 if len(data) <= 200 else 5, "color": translucent(style.muted, 0.35)},
        "customdata": data,
        "text": texts,
        "hoverinfo": "text",
        "name": "edges",
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _nodes(order: Order, places: FloatArray, style: Look, chosen: Chosen) -> dict[str, Any]:
    n = len(order.classes)
    home = _home(order, chosen.tag)
    sizes = [_size(order, k) * (1 if n <= 300 else 0.6) for k in range(n)]
    colors = [style.accent if k == home else style.ink for k in range(n)]
    several = [len(members) > 1 for members in order.classes]
    return {
        "type": "scatter",
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "mode": "markers",
        "marker": {
            "size": sizes,
            "color": [style.accent if k == home else style.panel for k in range(n)],
            "line": {"color": colors, "width": [2.4 if many else 1.4 for many in several]},
            "opacity": 1,
            "symbol": ["square" if many else "circle" for many in several],
        },
        "customdata": [_tags(order, k)[0] for k in range(n)],
        "hovertext": [_about(order, k) for k in range(n)],
        "hoverinfo": "text",
        "name": "tags",
        "cliponaxis": False,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _names(order: Order, layout: _Layout, style: Look, chosen: Chosen) -> list[dict[str, Any]]:
    """Names on the paper's colour, so that an arrow passes behind them."""
    home = _home(order, chosen.tag)
    return [
        {
            "x": x,
            "y": y,
            "text": f"<b>{name}</b>" if k == home else name,
            "showarrow": False,
            "yanchor": "bottom" if order.layers[k] == 0 else "top",
            "yshift": (3 + _size(order, k) / 2) * (1 if order.layers[k] == 0 else -1),
            "bgcolor": translucent(style.paper, 0.88),
            "borderpad": 1,
            "font": {"size": 13, "color": style.accent if k == home else style.ink},
        }
        for k, ((x, y), name) in enumerate(zip(layout.places.tolist(), layout.names, strict=True))
    ]


def _size(order: Order, number: int) -> int:
    """Pixels across a node: larger where more tags are equal."""
    return 13 + 4 * min(len(order.classes[number]) - 1, 4)


def _about(order: Order, number: int) -> str:
    names = [label(name, 60) for name in _tags(order, number)[:8]]
    more = "" if len(order.classes[number]) <= 8 else f"<br>and {len(order.classes[number]) - 8} more"
    head = "<br>= ".join(names) + more
    below = int(order.reach[number].sum())
    return f"{head}<br>leads to {below} other node{'' if below == 1 else 's'}"


def _home(order: Order, tag: str | None) -> int | None:
    return int(order.class_of[order.tags.index(tag)]) if tag in order.tags else None
