"""Where the nodes and arrows of a hierarchy are drawn: layers from left to right, over the whole width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.cluster.hierarchy import average, leaves_list, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from dashboard.figures import drawing
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray, FloatArray, IntArray

MARGIN = 52  # pixels left and right of the outermost columns: half a name
MOST_NAMED = 9  # tags that a node of equal tags names; the others are counted
# Beyond this many nodes names would lie on one another; then they are shown when one points at a node
NAMED_NODES = 130
# Pixels: the width of the picture on a phone, of a letter, of a line of text, between nodes, of an arrow that passes
_PHONE, _LETTER, _LINE, _GAP, _ARROW = 340, 7.2, 16, 9, 12
_NAME_WIDTH = 12  # letters of a line of a name
_FEW_ROWS, _FEW_COLUMNS = 4, 5  # a layer of more rows is broken into columns, as long as there are few of them
_APART = 4  # columns of nodes without arrows
_SHARP = 3.0  # how late an arrow turns: across, it leaves and arrives level
_TALLEST = 3600  # pixels of a picture with too many nodes for names


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where everything is: across from 0 to 1, and down in pixels.

    ``places`` (n_classes, 2): the middle of each node. ``names``: of the nodes, in lines, shown below them.
    ``waypoints``: for each arrow, the points through which it runs.
    """

    places: FloatArray
    names: list[str]
    waypoints: list[FloatArray]
    height: float


def lay_out(order: Order, edges: IntArray, sizes: FloatArray) -> Layout:
    """Place the classes of tags and the arrows, ``edges`` (n_edges, 2), between them.

    A node's column follows from its layer; its name stands below it. No two nodes or names overlap, even on a phone.
    An arrow that passes a column has room of its own there, which all arrows from one node share. Tags that are alike
    are near each other, in an order that does not depend on ε. Nodes without arrows come last.
    """
    n = len(order.classes)
    ranks = _ranks(order)
    joined = np.isin(np.arange(n), edges)
    columns = _columns(order.layers, ranks, joined)
    across = columns / max(int(columns[joined].max(initial=0)), 1)
    lone = np.flatnonzero(~joined)[np.argsort(ranks[~joined], kind="stable")]
    across[lone] = np.arange(len(lone)) % _APART / (_APART - 1)
    if n > NAMED_NODES:
        return _without_names(across, ranks, edges)
    names = [name_of_class([order.tags[row] for row in members], _NAME_WIDTH) for members in order.classes]
    heights = sizes + [_LINE * (name.count("<br>") + 1) + _GAP for name in names]
    letters = [max(map(len, name.split("<br>"))) for name in names]
    widths = np.maximum(sizes, np.array(letters, dtype=np.float64) * _LETTER)
    skyline = _Skyline()
    down = np.zeros(n)
    furthest = columns.copy()
    np.maximum.at(furthest, edges[:, 0], columns[edges[:, 1]])
    n_columns = int(columns[joined].max(initial=0))
    trunks: dict[int, list[tuple[float, float]]] = {}
    for node in np.flatnonzero(joined)[np.argsort(ranks[joined], kind="stable")].tolist():
        down[node] = skyline.place(across[node], widths[node], heights[node]) + sizes[node] / 2
        trunks[node] = [
            (x, skyline.place(x, _ARROW, _ARROW, down[node] - _ARROW / 2) + _ARROW / 2)
            for x in (np.arange(columns[node] + 1, furthest[node]) / max(n_columns, 1)).tolist()
        ]
    skyline.level(_GAP if joined.any() else 0)
    for node in lone.tolist():
        down[node] = skyline.place(across[node], widths[node], heights[node]) + sizes[node] / 2
    places = np.column_stack([across, down])
    waypoints = [
        np.array([places[broad], *trunks[broad][: columns[narrow] - columns[broad] - 1], places[narrow]])
        for broad, narrow in edges.tolist()
    ]
    return Layout(places, names, waypoints, skyline.height)


def curve(points: FloatArray, n_steps: int) -> FloatArray:
    """Return a line through the points, (n, 2), that is level at each of them."""
    share = np.linspace(0.0, 1.0, n_steps + 1)[1:]
    turn = share**_SHARP / (share**_SHARP + (1.0 - share) ** _SHARP)
    steps = np.column_stack([share, turn])
    parts = [begin + steps * (end - begin) for begin, end in pairwise(points)]
    return np.concatenate([points[:1], *parts])


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


class _Skyline:
    """Places boxes below those that are there already, on the narrowest screen."""

    def __init__(self) -> None:
        self._bottoms = np.full(_PHONE, 3.0)  # the line around a mark is not to be cut off

    @property
    def height(self) -> float:
        return float(self._bottoms.max())

    def place(self, across: float, width: float, height: float, top: float = 0.0) -> float:
        """Return the top of a box, not above ``top``, whose middle is this part of the width across."""
        middle = MARGIN + across * (_PHONE - 2 * MARGIN)
        under = slice(max(int(middle - width / 2), 0), int(middle + width / 2) + 2)
        top = max(float(self._bottoms[under].max()), top)
        self._bottoms[under] = top + height
        return top

    def level(self, gap: float) -> None:
        """Begin below everything."""
        self._bottoms[:] = self.height + gap


def _ranks(order: Order) -> FloatArray:
    """Return an order of the classes, (n_classes,): those that include each other early are near each other."""
    births = order.births
    if 2 < len(births) <= NAMED_NODES:
        apart = squareform((births + births.T) / 2, checks=False)
        found: IntArray = leaves_list(optimal_leaf_ordering(average(apart), apart))
        if births.mean(axis=0)[found[: len(found) // 2]].mean() > births.mean(axis=0)[found[len(found) // 2 :]].mean():
            found = found[::-1]  # the broader end on top
    else:
        found = np.argsort(births.mean(axis=0), kind="stable")
    rank = np.argsort(found).astype(np.float64)
    return np.array([rank[list(members)].mean() for members in order.classes])


def _columns(layers: IntArray, ranks: FloatArray, joined: BoolArray) -> IntArray:
    """Return the column of each node, (n,): a layer is one column, or several where few layers have many nodes."""
    counts = np.bincount(layers[joined])
    n_rows = _FEW_ROWS
    while np.ceil(counts / n_rows).sum() > max(len(counts), _FEW_COLUMNS):
        n_rows += 1
    columns = np.zeros(len(layers), dtype=np.int64)
    first = 0
    for layer, count in enumerate(counts.tolist()):
        nodes = np.flatnonzero(joined & (layers == layer))
        wide = -(-count // n_rows)
        columns[nodes[np.argsort(ranks[nodes], kind="stable")]] = first + np.arange(count) % max(wide, 1)
        first += wide
    return columns


def _without_names(across: FloatArray, ranks: FloatArray, edges: IntArray) -> Layout:
    """Place very many nodes close together, each column from the top."""
    down = np.zeros(len(across))
    for column in np.unique(across):
        nodes = np.flatnonzero(across == column)
        down[nodes[np.argsort(ranks[nodes], kind="stable")]] = np.arange(1, len(nodes) + 1)
    pitch = min(_LINE, _TALLEST / max(float(down.max(initial=1)), 1))
    places = np.column_stack([across, pitch * down])
    waypoints = [places[edge] for edge in edges]
    return Layout(places, [""] * len(across), waypoints, float(pitch * (down.max(initial=0) + 1)))
