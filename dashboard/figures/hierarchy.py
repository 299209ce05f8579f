"""The hierarchy: its graph at one ε, the barcode of where inclusions begin, and what carries one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import axis, hidden_axis, label, points
from dashboard.figures.hierarchy_layout import MARGIN, Layout, curve, lay_out
from dashboard.theme import Look, make_figure, mixed, translucent
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Hierarchy, Witness
from nnm_core.phrases import counted
from nnm_core.types import BoolArray, FloatArray, IntArray

_LEAST_HEIGHT = 100
_SMALLEST, _LARGEST = 11.0, 30.0  # pixels across: a node of hardly any items, and one of the most
_PALEST, _DARKEST = 0.06, 0.78  # how much ink the least and the best liked tag have
_SMOOTH = 400  # arrows that are drawn as smooth curves; more of them would take a browser too long
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
    hierarchy: Hierarchy | None = None,
    items: str = "items",
) -> go.Figure:
    """Draw classes of tags that include each other as nodes, layers from left to right, and arrows to the included.

    An arrow is dashed where it holds for some tags of its classes only, or for none but ``doubted`` ones, (narrow,
    broad). With the ``hierarchy`` of the order, a node is the larger the more ``items`` its tags have, and the darker
    the better they are liked.
    """
    chosen = chosen or Chosen()
    edges = np.argwhere(order.between if every_edge else order.reduced)
    sizes = _sizes(order, hierarchy)
    layout = lay_out(order, edges, sizes)
    curves = [curve(points, 16 if len(edges) <= _SMOOTH else 4) for points in layout.waypoints]
    is_partial = order.holding[edges[:, 0], edges[:, 1]] < 1.0
    dashed = is_partial | _is_doubted(order, edges, doubted)
    nodes, fills = _nodes(order, layout, sizes, look, chosen), _fills(order, look, hierarchy)
    traces = [
        *_edges(edges, curves, dashed, sizes, look, _class_of(order, chosen.tag)),
        _handles(order, edges, curves, look),
        {**nodes, "marker": {**nodes["marker"], "color": fills}, "hovertext": _hover_texts(order, hierarchy, items)},
    ]
    height = max(layout.height, _LEAST_HEIGHT)
    frame = {"height": int(height), "margin": {"l": MARGIN, "r": MARGIN, "t": 0, "b": 0}}
    return make_figure(traces, {**frame, "xaxis": hidden_axis(0.0, 1.0), "yaxis": hidden_axis(height, 0.0)}, look)


def shade(part: float, look: Look) -> str:
    """Return the colour of a node: the palest for 0, the least liked tag, and the darkest for 1."""
    return mixed(look.paper, look.ink, _PALEST + (_DARKEST - _PALEST) * part)


def rounded_up(birth: float) -> str:
    """Return the first position of the slider at which an inclusion holds, with three decimals."""
    return f"{abs(np.ceil(1000 * birth - 1e-9)) / 1000:.3f}"  # of -0 as well


def _sizes(order: Order, hierarchy: Hierarchy | None) -> FloatArray:
    """Return how many pixels each class is across, (n_classes,): its area grows with its items."""
    if hierarchy is None or not hierarchy.counts.max(initial=0):
        return np.full(len(order.classes), _SMALLEST + 3)
    counts = hierarchy.counts[hierarchy.rows(order.tags)]
    parts = np.array([counts[list(members)].sum() for members in order.classes]) / hierarchy.counts.max()
    return np.asarray(_SMALLEST + (_LARGEST - _SMALLEST) * np.sqrt(np.minimum(parts, 1.0)))


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
    edges: IntArray, curves: list[FloatArray], dashed: BoolArray, sizes: FloatArray, look: Look, chosen: int | None
) -> list[dict[str, Any]]:
    """Return traces of lines and traces of their arrowheads by turns; those of the chosen class stand out."""
    faint = look.muted if len(edges) <= 60 else translucent(look.muted, max(0.12, 12 / max(len(edges), 1) ** 0.8))
    apart = (edges == chosen).any(axis=1) if chosen is not None else np.zeros(len(edges), dtype=np.bool_)
    quiet = translucent(look.muted, 0.18) if apart.any() else faint
    traces: list[dict[str, Any]] = []
    for part, color, width, dash in (
        (~apart & ~dashed, quiet, 1.1, "solid"),
        (~apart & dashed, quiet, 1.1, "dash"),
        (apart & ~dashed, look.accent, 2.2, "solid"),
        (apart & dashed, look.accent, 2.2, "dash"),
    ):
        rows = np.flatnonzero(part).tolist()
        if not rows:
            continue
        standoff = [mark for size in sizes[edges[rows, 1]].tolist() for mark in (0, size / 2 + 1, 0)]
        heads: dict[str, Any] = {"symbol": "arrow", "angleref": "previous", "color": color, "line": {"width": 0}}
        heads |= {"size": [0, 11, 0] * len(rows), "standoff": standoff}
        line = {"color": color, "width": width, "dash": dash}
        traces.append({**_strokes([curves[row] for row in rows]), "mode": "lines", "line": line})
        traces.append({**_strokes([curves[row][-2:] for row in rows]), "mode": "markers", "marker": heads})
    return traces


def _strokes(paths: list[FloatArray]) -> dict[str, Any]:
    """Return the points of many lines in one trace, with a gap after each."""
    x, y = ([place for path in paths for place in (*path[:, k].tolist(), None)] for k in (0, 1))
    return {"type": "scatter", "x": x, "y": y, "hoverinfo": "skip"}


def _handles(order: Order, edges: IntArray, curves: list[FloatArray], look: Look) -> dict[str, Any]:
    """Return a point on each edge, to be selected; its customdata are the two tags with the smallest birth."""
    n_steps = 16 if len(edges) <= _SMOOTH else 4
    handles = np.array([path[-n_steps // 2 - 1] for path in curves]).reshape(-1, 2)
    data, texts = [], []
    for broad, narrow in edges.tolist():
        block = order.births[np.ix_(order.classes[narrow], order.classes[broad])]
        inner, outer = np.unravel_index(int(block.argmin()), block.shape)
        small, large = order.classes[narrow][int(inner)], order.classes[broad][int(outer)]
        data.append([order.tags[small], order.tags[large]])
        holding = round(order.holding[broad, narrow] * block.size)
        only = "" if holding == block.size else f"<br>{holding} of {block.size} such inclusions hold"
        first = f"<br>from ε = {rounded_up(float(block.min()))} on"
        texts.append(f"{label(order.tags[small], 60)} in {label(order.tags[large], 60)}{first}{only}")
    marker = {"size": 9 if len(data) <= 200 else 5, "color": translucent(look.muted, 0.35)}
    hover = {"customdata": data, "text": texts, "hoverinfo": "text", "name": "edges"}
    return {**points(handles, marker), **hover, **drawing.UNCHANGED}


def _nodes(order: Order, layout: Layout, sizes: FloatArray, look: Look, chosen: Chosen) -> dict[str, Any]:
    n = len(order.classes)
    own = _class_of(order, chosen.tag)
    picked = {own, _class_of(order, chosen.broad)}
    colors = [look.accent if k in picked else look.ink for k in range(n)]
    several = [len(members) > 1 for members in order.classes]
    return {
        **points(layout.places, {}),
        "mode": "markers+text",
        "marker": {
            "size": sizes.tolist(),
            "line": {"color": colors, "width": [4 if k in picked else 1.4 for k in range(n)]},
            "opacity": 1,
            "symbol": ["square" if many else "circle" for many in several],
        },
        "text": [f"<b>{name}</b>" if k == own else name for k, name in enumerate(layout.names)],
        "textposition": "bottom center",
        # An arrow may pass behind a name, which therefore has an edge in the colour of the page.
        "textfont": {"size": 13, "color": colors, "shadow": _edged(look.paper)},
        "customdata": [_tags(order, k)[0] for k in range(n)],
        "hoverinfo": "text",
        "name": "tags",
        "cliponaxis": False,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}, "textfont": {"color": look.ink}},
    }


def _edged(color: str) -> str:
    return ", ".join(f"{x}px {y}px {color}" for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))


def _fills(order: Order, look: Look, hierarchy: Hierarchy | None) -> list[str]:
    """Return the colour of each class: the darker, the better its tags are liked."""
    if hierarchy is None or not np.isfinite(hierarchy.liked).all():
        return [look.panel] * len(order.classes)
    liked = hierarchy.liked[hierarchy.rows(order.tags)]
    means = np.array([liked[list(members)].mean() for members in order.classes])
    low, high = float(hierarchy.liked.min()), float(hierarchy.liked.max())
    return [shade((one - low) / max(high - low, 1e-12), look) for one in means.tolist()]


def _hover_texts(order: Order, hierarchy: Hierarchy | None, items: str) -> list[str]:
    lines = [f"<b>{label(tag, 60)}</b>" for tag in order.tags]
    if hierarchy is not None:
        rows = hierarchy.rows(order.tags)
        numbers = zip(lines, hierarchy.counts[rows].tolist(), hierarchy.liked[rows].tolist(), strict=True)
        lines = [
            f"{line}: {count:,} {items}" + (f", liked with a probability of {liked:.2f}" if liked == liked else "")
            for line, count, liked in numbers
        ]
    texts = []
    for number, members in enumerate(order.classes):
        more = f"<br>and {len(members) - 8} more" if len(members) > 8 else ""
        below, above = int(order.reach[number].sum()), int(order.reach[:, number].sum())
        arrows = f"arrows lead to {counted(below, 'other node')}, and here from {above:,}"
        texts.append("<br>".join(lines[row] for row in members[:8]) + f"{more}<br>{arrows}")
    return texts


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
    x = axis(range=[reach[0] - margin, reach[1] + margin], showticklabels=False, showgrid=False, zeroline=False)
    frame = {"height": 26, "margin": {"l": 0, "r": 0, "t": 0, "b": 4}, "bargap": 0}
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
