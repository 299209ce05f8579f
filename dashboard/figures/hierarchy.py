"""The hierarchy at one ε: classes of tags as nodes, inclusions as arrows that lead down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply, translucent
from dashboard.wording import label
from nnm_core.meaning.order import Order
from nnm_core.types import FloatArray, IntArray

MOST_NAMED = 9
"""Tags that a node of equal tags names; the others are counted."""

_NAMED_NODES = 130
"""Beyond this many nodes names would lie on one another; then they are shown when one points at a node."""


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

    The first trace has the lines, the second the arrowheads, the third the points in the middle of edges, which can be
    picked, and the fourth the nodes.
    """
    chosen = chosen or Chosen()
    edges = np.argwhere(order.between if every_edge else order.reduced)
    places = spread(order)
    figure = go.Figure()
    _edges(figure, order, edges, places, style, chosen)
    _handles(figure, order, edges, places, style)
    _nodes(figure, order, places, style, chosen)
    n_layers = int(order.layers.max(initial=0)) + 1
    figure.update_xaxes(visible=False, range=[-0.08, 1.08], fixedrange=True)
    figure.update_yaxes(visible=False, range=[float(places[:, 1].min(initial=0.0)) - 0.2, 1.24], fixedrange=True)
    figure.update_layout(hovermode="closest", margin={"l": 0, "r": 0, "t": 4, "b": 4})
    return apply(figure, style, int(min(max(340, 120 * n_layers + 80), 1400)))


def spread(order: Order) -> FloatArray:
    """Where the classes are drawn, (n_classes, 2): in a crowded layer every second one a little lower."""
    places = order.positions.copy()
    n_layers = int(order.layers.max(initial=0)) + 1
    for layer in range(n_layers):
        members = np.flatnonzero(order.layers == layer)
        if len(members) > 6:
            ranked = members[np.argsort(places[members, 0], kind="stable")]
            levels = 2 if len(members) <= 9 else 3
            places[ranked, 1] -= (np.arange(len(ranked)) % levels) * 0.5 / (levels - 1) / max(n_layers - 1, 1.4)
    return places


def name_of_class(names: Sequence[str], longest: int = 22) -> str:
    """What a node is called: a few of its tags, and how many more there are."""
    shown = [label(name, longest) for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        shown.append(f"{len(names) - MOST_NAMED} more")
    return "<br>".join(" = ".join(shown[k : k + 3]) for k in range(0, len(shown), 3))


def _tags(order: Order, number: int) -> list[str]:
    return [order.tags[row] for row in order.classes[number]]


def _edges(figure: go.Figure, order: Order, edges: IntArray, places: FloatArray, style: Look, chosen: Chosen) -> None:
    """All lines in one trace and all arrowheads in another; those of the chosen tag stand out."""
    home = _home(order, chosen.tag)
    faint = style.muted if len(edges) <= 60 else translucent(style.muted, max(0.12, 12 / max(len(edges), 1) ** 0.8))
    apart = [(a, b) for a, b in edges.tolist() if home in (a, b)] if home is not None else []
    for part, color, width in (
        (edges.tolist(), faint if not apart else translucent(style.muted, 0.18), 1.1),
        (apart, style.accent, 2.2),
    ):
        if part is apart and not apart:
            continue
        lines = np.full((len(part), 3, 2), np.nan)
        for k, (broad, narrow) in enumerate(part):
            lines[k, 0], lines[k, 1] = places[broad], _before(places[broad], places[narrow])
        flat = lines.reshape(-1, 2)
        figure.add_scatter(
            x=flat[:, 0], y=flat[:, 1], mode="lines", line={"color": color, "width": width}, hoverinfo="skip"
        )
        figure.add_scatter(
            x=flat[:, 0],
            y=flat[:, 1],
            mode="markers",
            marker={"symbol": "arrow", "angleref": "previous", "color": color, "size": [0, 12, 0] * len(part)},
            hoverinfo="skip",
        )


def _before(start: FloatArray, end: FloatArray) -> FloatArray:
    """A little before the end, so that an arrowhead is not hidden by its node."""
    return np.asarray(end + (start - end) * min(0.12, 0.02 / max(float(np.hypot(*(start - end))), 1e-9)))


def _handles(figure: go.Figure, order: Order, edges: IntArray, places: FloatArray, style: Look) -> None:
    """A point in the middle of each edge, to be picked; it carries the two tags with the smallest birth."""
    middles, data, texts = [], [], []
    for broad, narrow in edges.tolist():
        block = order.births[np.ix_(order.classes[narrow], order.classes[broad])]
        inner, outer = np.unravel_index(int(block.argmin()), block.shape)
        small, large = order.classes[narrow][int(inner)], order.classes[broad][int(outer)]
        middles.append((places[broad] + places[narrow]) / 2)
        data.append([order.tags[small], order.tags[large]])
        texts.append(
            f"{label(order.tags[small], 60)} ⊆ {label(order.tags[large], 60)}<br>from ε = {block.min():.3f} on"
        )
    points = np.array(middles).reshape(-1, 2)
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={"size": 9 if len(data) <= 200 else 5, "color": translucent(style.muted, 0.35)},
        customdata=data,
        text=texts,
        hoverinfo="text",
        name="edges",
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _nodes(figure: go.Figure, order: Order, places: FloatArray, style: Look, chosen: Chosen) -> None:
    n = len(order.classes)
    home = _home(order, chosen.tag)
    sizes = np.array([13 + 4 * min(len(members) - 1, 4) for members in order.classes], dtype=np.float64)
    colors = [style.accent if k == home else style.ink for k in range(n)]
    several = [len(members) > 1 for members in order.classes]
    figure.add_scatter(
        x=places[:, 0],
        y=places[:, 1],
        mode="markers+text" if n <= _NAMED_NODES else "markers",
        marker={
            "size": sizes if n <= 300 else sizes * 0.6,
            "color": [style.accent if k == home else style.panel for k in range(n)],
            "line": {"color": colors, "width": [2.4 if many else 1.4 for many in several]},
            "opacity": 1,
            "symbol": ["square" if many else "circle" for many in several],
        },
        text=[name_of_class(_tags(order, k)) for k in range(n)],
        textposition=_sides(order),
        textfont={"size": 13 if n <= 60 else 11, "color": colors},
        customdata=[_tags(order, k)[0] for k in range(n)],
        hovertext=[_about(order, k) for k in range(n)],
        hoverinfo="text",
        name="tags",
        cliponaxis=False,
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}, "textfont": {"color": style.ink}},
    )


def _sides(order: Order) -> list[str]:
    """Names stand where no arrow passes: above at the top, below at the bottom, beside in between."""
    n = len(order.classes)
    from_above, to_below = order.between.sum(axis=0), order.between.sum(axis=1)
    return [
        "top center" if not above else "bottom center" if not below else "middle right"
        for above, below in ((from_above[k], to_below[k]) for k in range(n))
    ]


def _about(order: Order, number: int) -> str:
    names = [label(name, 60) for name in _tags(order, number)[:8]]
    more = "" if len(order.classes[number]) <= 8 else f"<br>and {len(order.classes[number]) - 8} more"
    head = "<br>= ".join(names) + more
    below = int(order.reach[number].sum())
    return f"{head}<br>leads to {below} other node{'' if below == 1 else 's'}"


def _home(order: Order, tag: str | None) -> int | None:
    return int(order.class_of[order.tags.index(tag)]) if tag in order.tags else None
