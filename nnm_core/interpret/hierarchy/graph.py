"""The graph of inclusions at one ε: edges, classes of equal tags, transitive reduction, layers, descendants."""

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
    ``births`` (n_tags, n_tags): the smallest ε at which the row's tag is included in the column's.
    ``classes``: the strong components, that is, tags that include each other directly or around a cycle; rows in
    increasing order, classes from the broadest layer down. ``class_of`` (n_tags,): the class of each tag.
    ``between`` (n_classes, n_classes): edges between classes, which have no cycles. ``reduced``: their transitive
    reduction. ``reach``: their transitive closure.
    ``layers`` (n_classes,): the length of the longest path to each class; 0 for classes that nothing includes.
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
        """The number of inclusions between different tags."""
        return int(self.includes.sum())

    @cached_property
    def positions(self) -> FloatArray:
        """Where to draw each class, (n_classes, 2): x from 0 to 1, and y from 1 (broadest) down to 0."""
        return layered_positions(self.reduced, self.layers)

    @cached_property
    def holding(self) -> FloatArray:
        """The share of inclusions between two classes that hold, tag by tag, (n_classes, n_classes).

        1: each tag of the row's class includes each of the column's. One is enough for an edge in ``between``.
        """
        sizes = np.array([len(members) for members in self.classes], dtype=np.int64)
        return np.asarray(_edges_between(self.includes, self.class_of, len(sizes)) / np.outer(sizes, sizes))

    def stairs(self, *, every_edge: bool = False) -> tuple[IntArray, IntArray]:
        """Return a row and a column for each class, (n_classes,) each, in which no edge need pass another class.

        Classes whose tags include others at the smallest ε on average come first. As that average does not depend on
        ε, classes keep their order while ε moves, as far as edges that lead down allow.
        """
        soonest = self.births.mean(axis=0)
        ranks = np.array([soonest[list(members)].min() for members in self.classes])
        return stairs(self.between if every_edge else self.reduced, ranks)

    def including(self, tag: str) -> tuple[str, ...]:
        """Return the tags that include this one directly, the smallest birth first."""
        row = self._row(tag)
        return self._sorted(np.flatnonzero(self.includes[:, row]), self.births[row])

    def included(self, tag: str) -> tuple[str, ...]:
        """Return the tags that this one includes directly, the smallest birth first."""
        row = self._row(tag)
        return self._sorted(np.flatnonzero(self.includes[row]), self.births[:, row])

    def focus(self, tag: str) -> Order:
        """Return the graph of this tag, what includes it and what it includes."""
        keep = {tag, *self.including(tag), *self.included(tag)}
        rows = np.array([row for row, name in enumerate(self.tags) if name in keep], dtype=np.int64)
        names = tuple(self.tags[row] for row in rows)
        return _order(names, self.includes[np.ix_(rows, rows)], self.births[np.ix_(rows, rows)], self.epsilon)

    def graph(self) -> nx.DiGraph[str]:
        """Return all edges as a networkx graph: from each tag to those that it includes, with their ``birth``."""
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
        """Return the reduced graph: classes as nodes with ``tags``, ``layer``, ``x``, ``y``; edges with ``birth``.

        The birth of an edge is the smallest among those between the two classes.
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


def order_at(tags: Sequence[str], births: FloatArray, epsilon: float, *, rounding: float = 0.0) -> Order:
    """Return the graph at ε: an edge leads from τ to τ' if the birth of τ' in τ is at most ε + ``rounding``."""
    if not 0.0 <= epsilon <= 1.0:
        raise InputError(f"ε must lie between 0 and 1, not at {epsilon!r}.")
    includes = np.ascontiguousarray((births <= epsilon + rounding).T)
    np.fill_diagonal(includes, False)
    return _order(tuple(tags), includes, births, epsilon)


def reduction(between: BoolArray) -> tuple[BoolArray, BoolArray, IntArray]:
    """Return the transitive reduction, the transitive closure and the layers of an acyclic graph (n, n).

    The layer of a node is the length of the longest path that leads to it.
    """
    # networkx has all three, but needs 70 to 460 ms for 1,000 tags where this takes about 10 and a slider waits. Rows
    # are unions of packed bits, taken from the lowest layer up.
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
    # Indices by hand, because csr_array(includes) takes three times as long as the components.
    heads = (np.flatnonzero(includes) % max(len(tags), 1)).astype(np.int32)
    starts = np.append(0, np.cumsum(includes.sum(axis=1))).astype(np.int32)
    edges = csr_array((np.ones(len(heads)), heads, starts), shape=includes.shape)
    n_classes, labels = connected_components(edges, connection="strong")
    between = _edges_between(includes, labels, n_classes) > 0
    np.fill_diagonal(between, False)
    first = np.unique(labels, return_index=True)[1]
    broadest_first = np.lexsort((first, _layers(between)))
    class_of = np.argsort(broadest_first)[labels]
    members: list[list[int]] = [[] for _ in range(n_classes)]
    for row, number in enumerate(class_of.tolist()):
        members[number].append(row)
    classes = tuple(tuple(rows) for rows in members)
    between = between[np.ix_(broadest_first, broadest_first)]
    return Order(tags, float(epsilon), includes, births, classes, class_of, between, *reduction(between))


def _edges_between(edges: BoolArray, labels: IntArray, n_groups: int) -> IntArray:
    """Count the edges from the nodes of each group to those of each other, (n_groups, n_groups)."""
    n = len(edges)
    group = csr_array((np.ones(n, dtype=np.int32), labels, np.arange(n + 1)), shape=(n, n_groups)).T
    return np.ascontiguousarray((group @ (group @ edges.astype(np.int32)).T).T)


def _layers(between: BoolArray) -> IntArray:
    """Return the length of the longest path that leads to each node, (n,)."""
    above = between.sum(axis=0, dtype=np.int64)
    layers = np.zeros(len(between), dtype=np.int64)
    frontier, layer = np.flatnonzero(above == 0), 0
    while len(frontier):
        layers[frontier] = layer
        above[frontier] = -1
        above -= between[frontier].sum(axis=0, dtype=np.int64)
        frontier, layer = np.flatnonzero(above == 0), layer + 1
    return layers
