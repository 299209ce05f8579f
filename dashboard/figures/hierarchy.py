"""The hierarchy: its graph at one ε, the barcode of where inclusions begin, and what carries one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import axis, hidden_axis, label, points
from dashboard.theme import Look, make_figure, translucent
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Witness
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray, FloatArray, IntArray

MOST_NAMED = 9  # tags that a node of equal tags names; the others are counted
# Beyond this many nodes names would lie on one another; then they are shown when one points at a node
_NAMED_NODES = 130
# Pixels: the width of the picture on a phone, of a letter, of a line of text, between rows, of the whole picture
_PHONE, _LETTER, _LINE, _GAP, _LEAST_HEIGHT = 340, 7.4, 17, 11, 100
_TALLEST = 3600  # pixels of a picture with too many nodes for names
# Parts of the width: left of the first column, from one to the next at most, from the first to the last at most
_LEFT, _STEP, _STAIRS = 0.055, 0.25, 0.5
# How far an arrow runs down before it turns right, at least: across, it goes with this power of the way down
_ROUND = 2.0
_SMOOTH = 400  # arrows that are drawn as smooth curves; more of them would take a browser too long
# How far across an edge the point lies that can be picked; half-way would often be where another column is
_HANDLE = 0.62
MOST_LINES = 1500  # more births than this are drawn as a density
_BINS = 250


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is selected: a tag, and perhaps another one that includes it."""

    tag: str | None = None
    broad: str | None = None


def hierarchy_figure(
    order: Order,
    look: Look,
    *,
    every_edge: bool = False,
    chosen: Chosen | None = None,
    doubted: Collection[tuple[str, str]] = (),
) -> go.Figure:
    """Draw classes of tags that include each other as nodes, the broadest on top, and arrows to what they include.

    Each class has a row, with its name on the right; arrows run down on the left of everything that they pass. An arrow
    is dashed where it holds for some tags of its classes only, or for none but ``doubted`` ones, (narrow, broad).
    """
    chosen = chosen or Chosen()
    edges = np.argwhere(order.between if every_edge else order.reduced)
    layout = _lay_out(order, *order.stairs(every_edge=every_edge))
    powers = _powers(edges, layout)
    is_partial = order.holding[edges[:, 0], edges[:, 1]] < 1.0
    dashed = is_partial | _is_doubted(order, edges, doubted)
    traces = [
        *_edges(edges, powers, dashed, layout, look, _class_of(order, chosen.tag)),
        _handles(order, edges, powers, layout, look),
        _nodes(order, layout, look, chosen),
    ]
    height = max(layout.height, _LEAST_HEIGHT)
    frame = {"height": int(height), "margin": {"l": 0, "r": 0, "t": 0, "b": 0}}
    return make_figure(traces, {**frame, "xaxis": hidden_axis(0.0, 1.0), "yaxis": hidden_axis(height, 0.0)}, look)


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Where the classes are drawn, (n_classes, 2), across from 0 to 1 and down in pixels; ``halves``: of their rows."""

    places: FloatArray
    sizes: FloatArray
    halves: FloatArray
    names: list[str]
    height: float


def _lay_out(order: Order, rows: IntArray, columns: IntArray) -> _Layout:
    """Give each class a row, as high as its name, which is broken into lines that fit on a phone."""
    n = len(rows)
    across = _LEFT + columns * min(_STEP, _STAIRS / max(int(columns.max(initial=0)), 1))
    sizes = np.array([13 + 2 * min(len(members) - 1, 4) for members in order.classes], dtype=np.float64)
    if n > _NAMED_NODES:
        pitch = min(_LINE, _TALLEST / n)
        places = np.column_stack([across, pitch * (rows + 1.0)])
        return _Layout(places, np.minimum(sizes, pitch + 3), np.full(n, pitch / 2), [""] * n, pitch * (n + 1.0))
    widths = ((1.0 - across) * _PHONE - 20) / _LETTER
    names = [name_of_class(_tags(order, k), int(widths[k])) for k in range(n)]
    halves = np.array([(name.count("<br>") + 1) * _LINE / 2 for name in names])
    halves = np.maximum(halves, sizes / 2)
    downwards = np.argsort(rows)
    heights = 2 * halves[downwards] + _GAP
    down = np.empty(n)
    down[downwards] = np.cumsum(heights) - heights / 2
    return _Layout(np.column_stack([across, down]), sizes, halves, names, float(heights.sum()))


def _powers(edges: IntArray, layout: _Layout) -> FloatArray:
    """Return how sharply each edge turns, (n_edges,), so that it stays left of all rows that it passes.

    The edges of a node turn the more sharply the further down they lead, so that they do not cross one another.
    """
    powers = np.full(len(edges), _ROUND)
    if not any(layout.names):
        return powers
    across, down = layout.places.T
    bottoms = down + layout.halves
    lefts = across - (layout.sizes / 2 + 4) / _PHONE
    steepest: dict[int, float] = {}
    for k in np.lexsort((down[edges[:, 1]], edges[:, 0])).tolist():
        broad, narrow = edges[k].tolist()
        passed = (down >= down[broad]) & (down < down[narrow])
        room = np.maximum(lefts[passed] - across[broad], 4 / _PHONE) / (across[narrow] - across[broad])
        depth = (bottoms[passed] - down[broad]) / (down[narrow] - down[broad])
        needed = float((np.log(np.minimum(room, 1.0)) / np.log(depth)).max())
        powers[k] = steepest[broad] = max(needed, steepest.get(broad, _ROUND))
    return powers


def _paths(edges: IntArray, powers: FloatArray, places: FloatArray) -> FloatArray:
    """Return points on each edge from the broad to the narrow, (n_edges, n_points, 2), closer together at its ends."""
    share = np.sin(np.linspace(0.0, np.pi / 2, 18 if len(edges) <= _SMOOTH else 6)) ** 2
    ways = np.stack([share ** powers[:, None], np.broadcast_to(share, (len(edges), len(share)))], axis=2)
    begins, ends = places[edges[:, :1]], places[edges[:, 1:]]
    return np.asarray(begins + ways * (ends - begins))


def name_of_class(names: Sequence[str], width: int = 30) -> str:
    """Return the name of a node: a few of its tags, and how many more there are, in lines of that many characters."""
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
        lines += drawing.in_lines(name, width)
    return "<br>".join(map(drawing.escaped, lines))


def _tags(order: Order, number: int) -> list[str]:
    return [order.tags[row] for row in order.classes[number]]


def _is_doubted(order: Order, edges: IntArray, doubted: Collection[tuple[str, str]]) -> BoolArray:
    """Return which edges have only doubted inclusions, (n_edges,)."""
    found = np.zeros(len(edges), dtype=np.bool_)
    for k, (broad, narrow) in enumerate(edges.tolist() if doubted else []):
        pairs = [
            (order.tags[inner], order.tags[outer])
            for inner in order.classes[narrow]
            for outer in order.classes[broad]
            if order.includes[outer, inner]
        ]
        found[k] = all(pair in doubted for pair in pairs)
    return found


def _edges(
    edges: IntArray, powers: FloatArray, dashed: BoolArray, layout: _Layout, look: Look, chosen: int | None
) -> list[dict[str, Any]]:
    """Return traces of lines and traces of their arrowheads by turns; those of the chosen class stand out."""
    faint = look.muted if len(edges) <= 60 else translucent(look.muted, max(0.12, 12 / max(len(edges), 1) ** 0.8))
    apart = (edges == chosen).any(axis=1) if chosen is not None else np.zeros(len(edges), dtype=np.bool_)
    quiet = translucent(look.muted, 0.18) if apart.any() else faint
    shape = "spline" if len(edges) <= _SMOOTH else "linear"
    traces: list[dict[str, Any]] = []
    for part, color, width, dash in (
        (~apart & ~dashed, quiet, 1.1, "solid"),
        (~apart & dashed, quiet, 1.1, "dash"),
        (apart & ~dashed, look.accent, 2.2, "solid"),
        (apart & dashed, look.accent, 2.2, "dash"),
    ):
        if not part.any():
            continue
        paths = _paths(edges[part], powers[part], layout.places)
        standoff = [mark for size in layout.sizes[edges[part, 1]].tolist() for mark in (0, size / 2 + 1, 0)]
        heads: dict[str, Any] = {"symbol": "arrow", "angleref": "previous", "color": color, "line": {"width": 0}}
        heads |= {"size": [0, 11, 0] * len(paths), "standoff": standoff}
        line = {"color": color, "width": width, "shape": shape, "dash": dash}
        traces.append({**_strokes(paths), "mode": "lines", "line": line})
        traces.append({**_strokes(paths[:, -2:]), "mode": "markers", "marker": heads})
    return traces


def _strokes(paths: FloatArray) -> dict[str, Any]:
    """Return the points of many lines in one trace, with a gap after each."""
    x, y = ([place for path in paths[:, :, k].tolist() for place in (*path, None)] for k in (0, 1))
    return {"type": "scatter", "x": x, "y": y, "hoverinfo": "skip"}


def _handles(order: Order, edges: IntArray, powers: FloatArray, layout: _Layout, look: Look) -> dict[str, Any]:
    """Return a point on each edge, to be selected; its customdata are the two tags with the smallest birth."""
    begins, ends = layout.places[edges[:, 0]], layout.places[edges[:, 1]]
    shares = np.column_stack([np.full(len(edges), _HANDLE), _HANDLE ** (1.0 / powers)])
    handles = begins + shares * (ends - begins)
    data, texts = [], []
    for broad, narrow in edges.tolist():
        block = order.births[np.ix_(order.classes[narrow], order.classes[broad])]
        inner, outer = np.unravel_index(int(block.argmin()), block.shape)
        small, large = order.classes[narrow][int(inner)], order.classes[broad][int(outer)]
        data.append([order.tags[small], order.tags[large]])
        holding = round(order.holding[broad, narrow] * block.size)
        only = "" if holding == block.size else f"<br>{holding} of {block.size} such inclusions hold"
        texts.append(
            f"{label(order.tags[small], 60)} in {label(order.tags[large], 60)}<br>from ε = {block.min():.3f} on{only}"
        )
    marker = {"size": 9 if len(data) <= 200 else 5, "color": translucent(look.muted, 0.35)}
    hover = {"customdata": data, "text": texts, "hoverinfo": "text", "name": "edges"}
    return {**points(handles, marker), **hover, **drawing.UNCHANGED}


def _nodes(order: Order, layout: _Layout, look: Look, chosen: Chosen) -> dict[str, Any]:
    n = len(order.classes)
    own = _class_of(order, chosen.tag)
    picked = {own, _class_of(order, chosen.broad)}
    colors = [look.accent if k in picked else look.ink for k in range(n)]
    several = [len(members) > 1 for members in order.classes]
    marker = {
        "size": layout.sizes.tolist(),
        "color": [look.accent if k == own else look.panel for k in range(n)],
        "line": {"color": colors, "width": [2.4 if many else 1.4 for many in several]},
        "opacity": 1,
        "symbol": ["square" if many else "circle" for many in several],
    }
    return {
        **points(layout.places, marker),
        "mode": "markers+text",
        "text": [f"<b>{name}</b>" if k == own else name for k, name in enumerate(layout.names)],
        "textposition": "middle right",
        "textfont": {"size": 13, "color": colors},
        "customdata": [_tags(order, k)[0] for k in range(n)],
        "hovertext": [_about(order, k) for k in range(n)],
        "hoverinfo": "text",
        "name": "tags",
        "cliponaxis": False,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}, "textfont": {"color": look.ink}},
    }


def _about(order: Order, number: int) -> str:
    names = [label(name, 60) for name in _tags(order, number)[:8]]
    more = "" if len(order.classes[number]) <= 8 else f"<br>and {len(order.classes[number]) - 8} more"
    head = "<br>= ".join(names) + more
    below = int(order.reach[number].sum())
    return f"{head}<br>leads to {below} other node{'' if below == 1 else 's'}"


def _class_of(order: Order, tag: str | None) -> int | None:
    return int(order.class_of[order.tags.index(tag)]) if tag in order.tags else None


def barcode_figure(
    births: FloatArray, look: Look, *, epsilon: float, reach: tuple[float, float] = (0.0, 1.0)
) -> go.Figure:
    """Draw a stroke at every ε at which a tag becomes included in another, and a line at the current ε.

    ``births`` (n_tags, n_tags), without the diagonal. ``reach``: the ends of the slider above. Very many strokes are
    drawn as their number in each of 250 bins.
    """
    values = np.sort(births[~np.eye(len(births), dtype=np.bool_)])
    margin = 0.006 * (reach[1] - reach[0])
    x = axis(range=[reach[0] - margin, reach[1] + margin], nticks=7, showgrid=False, zeroline=False)
    frame = {"height": 74, "margin": {"l": 0, "r": 0, "t": 0, "b": 22}, "bargap": 0}
    if len(values) <= MOST_LINES:
        # One path, up each stroke, down again and on to the next below what is seen: a path each takes far longer.
        color = translucent(look.muted, 0.55 if len(values) <= 400 else 0.3)
        strokes = drawing.line(np.repeat(values, 3).tolist(), [-1, 2, -1] * len(values), color, 1)
    else:
        strokes = _density(values, look, reach)
    here = drawing.line([epsilon, epsilon], [0, 1], look.accent, 3)
    return make_figure([strokes, here], {**frame, "xaxis": x, "yaxis": hidden_axis(0, 1)}, look)


def _density(values: FloatArray, look: Look, reach: tuple[float, float]) -> dict[str, Any]:
    counts, edges = np.histogram(values, bins=_BINS, range=reach)
    x, heights = ((edges[:-1] + edges[1:]) / 2).tolist(), np.sqrt(counts / max(counts.max(), 1)).tolist()
    width = (reach[1] - reach[0]) / _BINS
    density = {"type": "bar", "x": x, "y": heights, "width": width, "customdata": counts.tolist()}
    hover = "%{customdata:,} inclusions begin near ε = %{x:.2f}<extra></extra>"
    return density | {"marker": {"color": look.muted, "line": {"width": 0}}, "hovertemplate": hover}


def witness_figure(witness: Witness, look: Look, *, names: Sequence[str]) -> go.Figure:
    """Draw a bar per stereotype: the part of the narrow tag that stays inside, and the part that falls outside."""
    n = len(witness.carried)
    colors = [look.color(k) for k in range(n)]
    pale = {"color": [translucent(color, 0.3) for color in colors], "line": {"color": colors, "width": 1}}
    parts = [
        drawing.bars(part, marker) | {"hovertemplate": f"{verb}: %{{x:.1%}} of the whole<extra></extra>", "name": name}
        for name, verb, part, marker in (
            ("inside", "stays inside", witness.carried, {"color": colors}),
            ("outside", "falls outside", witness.losses, pale),
        )
    ]
    x = axis(f"part of “{label(witness.narrow, 34)}”", tickformat=".0%", rangemode="tozero", nticks=5)
    axes = {"xaxis": x, "yaxis": drawing.name_axis([label(name, 34) for name in names[:n]])}
    return make_figure(parts, {"height": 75 + 30 * max(n, 2), "barmode": "stack", "bargap": 0.35, **axes}, look)
