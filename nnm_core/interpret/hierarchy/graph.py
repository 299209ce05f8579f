"""The graph of inclusions at one ε: edges, classes of equal tags, the reduced drawing, layers, who is above whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from nnm_core.errors import InputError
from nnm_core.interpret.hierarchy.layout import layered_positions, stairs
from nnm_core.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Order:
    """Which tags include which at one ε.

    ``includes`` (n_tags, n_tags): an edge from the row's tag to the column's, which is included in it. No tag has an
    edge to itself. Inclusion at ε is not transitive.
    ``births`` (n_tags, n_tags): the smallest ε at which each of these edges is there.
    ``classes``: tags that include each other, directly or around a circle, belong to one class; rows in increasing
    order, classes from the broadest layer down. ``class_of`` (n_tags,): the class of each tag.
    ``between`` (n_classes, n_classes): edges between classes, which have no circles.
    ``reduced`` (n_classes, n_classes): the fewest of them that leave everybody's descendants as they are.
    ``reach`` (n_classes, n_classes): descendants. ``layers`` (n_classes,): 0 for classes that nothing includes, else
    one more than the lowest class above.
    """

    tags: tuple[str, ...]
    epsilon: float
    includes: BoolArray
    births: FloatArray
    classes: tuple[tuple[int, ...], ...]
    class_of: IntArray
    between: BoolArray
    reduced: BoolArray
    reach: BoolArray
    layers: IntArray

    @property
    def n_edges(self) -> int:
        """How many inclusions there are between different tags."""
        return int(self.includes.sum())

    @property
    def equal(self) -> BoolArray:
        """Which tags are equal at ε in the paper's sense: each is included in the other, (n_tags, n_tags)."""
        return self.includes & self.includes.T

    @cached_property
    def positions(self) -> FloatArray:
        """Where to draw each class, (n_classes, 2): across from 0 to 1, and down from 1 (broadest) to 0."""
        return layered_positions(self.reduced, self.layers)

    @cached_property
    def holding(self) -> FloatArray:
        """The share of inclusions between two classes that hold, tag by tag, (n_classes, n_classes).

        1: each tag of the row's class includes each of the column's. One is enough for an edge in ``between``.
        """
        by_class = np.argsort(self.class_of, kind="stable")
        sizes = np.array([len(members) for members in self.classes], dtype=np.int64)
        first = np.cumsum(sizes) - sizes
        sums = self.includes[np.ix_(by_class, by_class)].astype(np.int64)
        for axis in (0, 1):
            sums = np.add.reduceat(sums, first, axis=axis) if len(first) else sums
        return np.asarray(sums / np.outer(sizes, sizes))

    def stairs(self, *, every_edge: bool = False) -> tuple[IntArray, IntArray]:
        """A row and a column for each class, (n_classes,) each, in which no edge need pass another class.

        Classes whose broadest tag includes others soonest, on the average over all, come first; as that does not depend
        on ε, they keep their order while ε moves, as far as arrows that lead down allow.
        """
        soonest = self.births.mean(axis=0)
        ranks = np.array([soonest[list(members)].min() for members in self.classes])
        return stairs(self.between if every_edge else self.reduced, ranks)

    def including(self, tag: str) -> tuple[str, ...]:
        """The tags that include this one directly, the tightest inclusion first."""
        row = self._row(tag)
        return self._sorted(np.flatnonzero(self.includes[:, row]), self.births[row])

    def included(self, tag: str) -> tuple[str, ...]:
        """The tags that this one includes directly, the tightest inclusion first."""
        row = self._row(tag)
        return self._sorted(np.flatnonzero(self.includes[row]), self.births[:, row])

    def ancestors(self, tag: str) -> tuple[str, ...]:
        """The tags from which a path of inclusions leads to this one, those of its own class among them."""
        home = self.class_of[self._row(tag)]
        return self._members(np.flatnonzero(self.reach[:, home]), home, tag)

    def descendants(self, tag: str) -> tuple[str, ...]:
        """The tags to which a path of inclusions leads from this one, those of its own class among them."""
        home = self.class_of[self._row(tag)]
        return self._members(np.flatnonzero(self.reach[home]), home, tag)

    def focus(self, tag: str) -> Order:
        """The graph of this tag, what includes it and what it includes, with the edges among them."""
        keep = {tag, *self.including(tag), *self.included(tag)}
        rows = np.array([row for row, name in enumerate(self.tags) if name in keep], dtype=np.int64)
        names = tuple(self.tags[row] for row in rows)
        return _order(names, self.includes[np.ix_(rows, rows)], self.births[np.ix_(rows, rows)], self.epsilon)

    def graph(self) -> nx.DiGraph[str]:
        """Every edge: tags as nodes, an edge from a tag to each that it includes, with its ``birth``."""
        graph: nx.DiGraph[str] = nx.DiGraph(epsilon=self.epsilon)
        graph.add_nodes_from(
            (tag, {"layer": int(self.layers[self.class_of[row]]), "group": int(self.class_of[row])})
            for row, tag in enumerate(self.tags)
        )
        graph.add_edges_from(
            (self.tags[broad], self.tags[narrow], {"birth": float(self.births[narrow, broad])})
            for broad, narrow in np.argwhere(self.includes).tolist()
        )
        return graph

    def drawing(self) -> nx.DiGraph[int]:
        """The reduced graph: classes as nodes with ``tags``, ``layer``, ``x`` and ``y``, edges with their ``birth``.

        An edge's birth is the smallest among those between the two classes.
        """
        graph: nx.DiGraph[int] = nx.DiGraph(epsilon=self.epsilon)
        for number, (members, (x, y)) in enumerate(zip(self.classes, self.positions.tolist(), strict=True)):
            names = tuple(self.tags[row] for row in members)
            graph.add_node(number, tags=names, layer=int(self.layers[number]), x=x, y=y)
        graph.add_edges_from(
            (broad, narrow, {"birth": float(self.births[np.ix_(self.classes[narrow], self.classes[broad])].min())})
            for broad, narrow in np.argwhere(self.reduced).tolist()
        )
        return graph

    def _row(self, tag: str) -> int:
        if tag not in self.tags:
            raise InputError(f"There is no tag {tag!r} in this hierarchy of {len(self.tags):,} tags.")
        return self.tags.index(tag)

    def _sorted(self, rows: IntArray, born: FloatArray) -> tuple[str, ...]:
        return tuple(self.tags[row] for row in rows[np.argsort(born[rows], kind="stable")].tolist())

    def _members(self, classes: IntArray, home: int, tag: str) -> tuple[str, ...]:
        rows = sorted(row for number in {*classes.tolist(), int(home)} for row in self.classes[number])
        return tuple(self.tags[row] for row in rows if self.tags[row] != tag)


def order_at(tags: Sequence[str], births: FloatArray, epsilon: float, *, rounding: float = 0.0) -> Order:
    """The order of the tags at ε; an edge leads from τ to τ' if τ' is included in τ, that is, born by ε."""
    if not 0.0 <= epsilon <= 1.0:
        raise InputError(f"ε must lie between 0 and 1, not at {epsilon!r}.")
    includes = np.ascontiguousarray((births <= epsilon + rounding).T)
    np.fill_diagonal(includes, False)
    return _order(tuple(tags), includes, births, epsilon)


def reduction(between: BoolArray) -> tuple[BoolArray, BoolArray, IntArray]:
    """Of a graph without circles (n, n): the transitive reduction, all descendants, and the layer of each node.

    Layers count from the nodes that nothing leads to. Rows are unions of bits, taken from the lowest layer up, so that
    a dense graph of a thousand nodes takes milliseconds.
    """
    layers = _layers(between)
    n = len(between)
    bits = np.packbits(between, axis=1)
    reach = bits.copy()
    indirect = np.zeros_like(bits)
    for node in np.argsort(-layers, kind="stable").tolist():
        below = np.flatnonzero(between[node])
        if len(below):
            indirect[node] = np.bitwise_or.reduce(reach[below], axis=0)
            reach[node] |= indirect[node]
    shortcut = np.unpackbits(indirect, axis=1, count=n).astype(np.bool_)
    return between & ~shortcut, np.unpackbits(reach, axis=1, count=n).astype(np.bool_), layers


def _order(tags: tuple[str, ...], includes: BoolArray, births: FloatArray, epsilon: float) -> Order:
    labels = _strong_components(includes)
    n_classes = int(labels.max(initial=-1)) + 1
    joint = _between_groups(includes, labels, n_classes)
    first = np.full(n_classes, len(tags), dtype=np.int64)
    np.minimum.at(first, labels, np.arange(len(tags)))
    ranks = np.lexsort((first, _layers(joint)))
    position = np.empty(n_classes, dtype=np.int64)
    position[ranks] = np.arange(n_classes)
    class_of = position[labels]
    between = joint[np.ix_(ranks, ranks)]
    reduced, reach, layers = reduction(between)
    members: list[list[int]] = [[] for _ in range(n_classes)]
    for row, number in enumerate(class_of.tolist()):
        members[number].append(row)
    classes = tuple(tuple(rows) for rows in members)
    return Order(tags, float(epsilon), includes, births, classes, class_of, between, reduced, reach, layers)


def _strong_components(edges: BoolArray) -> IntArray:
    """A number per node, the same for nodes that lie on a common circle, (n,)."""
    n = len(edges)
    if n == 0:
        return np.empty(0, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(edges.sum(axis=1))]).astype(np.int32)
    heads = (np.flatnonzero(edges) % n).astype(np.int32)
    graph = csr_array((np.ones(len(heads)), heads, starts), shape=(n, n))
    return np.asarray(connected_components(graph, connection="strong")[1], dtype=np.int64)


def _between_groups(edges: BoolArray, labels: IntArray, n_groups: int) -> BoolArray:
    """Which groups have an edge from any of their nodes to any of another's, (n_groups, n_groups)."""
    if n_groups == 0:
        return np.zeros((0, 0), dtype=np.bool_)
    order = np.argsort(labels, kind="stable")
    begins = np.searchsorted(labels[order], np.arange(n_groups))
    by_rows = np.ascontiguousarray(_united(edges[order], begins).T)
    joint = np.ascontiguousarray(_united(by_rows[order], begins).T)
    np.fill_diagonal(joint, False)
    return joint


def _united(rows: BoolArray, begins: IntArray) -> BoolArray:
    """The union of the rows from each beginning to the next, (len(begins), n)."""
    bits = np.bitwise_or.reduceat(np.packbits(rows, axis=1), begins, axis=0)
    return np.unpackbits(bits, axis=1, count=rows.shape[1]).astype(np.bool_)


def _layers(between: BoolArray) -> IntArray:
    """One more than the lowest layer above, (n,); 0 where nothing leads to a node."""
    above = between.sum(axis=0, dtype=np.int64)
    layers = np.zeros(len(between), dtype=np.int64)
    frontier, layer = np.flatnonzero(above == 0), 0
    while len(frontier):
        layers[frontier] = layer
        above[frontier] = -1
        above -= between[frontier].sum(axis=0, dtype=np.int64)
        frontier, layer = np.flatnonzero(above == 0), layer + 1
    return layers
