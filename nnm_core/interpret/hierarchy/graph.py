"""The graph of inclusions at one ε: edges, classes of equal tags, transitive reduction, layers; and its files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from nnm_core.errors import InputError
from nnm_core.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:  # where it is used it is imported late, since pages need it for files alone
    import networkx as nx

GraphFormat = Literal["graphml", "dot"]


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
    def holding(self) -> FloatArray:
        """The share of inclusions between two classes that hold, tag by tag, (n_classes, n_classes).

        1: each tag of the row's class includes each of the column's. One is enough for an edge in ``between``.
        """
        sizes = np.array([len(members) for members in self.classes], dtype=np.int64)
        return np.asarray(_edges_between(self.includes, self.class_of, len(sizes)) / np.outer(sizes, sizes))

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
        return self._only({tag, *self.including(tag), *self.included(tag)})

    def without(self, tags: Collection[str]) -> Order:
        """Return the graph of the other tags."""
        return self._only(set(self.tags).difference(tags)) if tags else self

    def _only(self, keep: Collection[str]) -> Order:
        rows = np.array([row for row, name in enumerate(self.tags) if name in keep], dtype=np.int64)
        names = tuple(self.tags[row] for row in rows)
        return _order(names, self.includes[np.ix_(rows, rows)], self.births[np.ix_(rows, rows)], self.epsilon)

    def graph(self) -> nx.DiGraph[str]:
        """Return all edges as a networkx graph: from each tag to those that it includes, with their ``birth``."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph(epsilon=self.epsilon)
        graph.add_nodes_from(
            (tag, {"layer": int(self.layers[number]), "group": int(number)})
            for tag, number in zip(self.tags, self.class_of, strict=True)
        )
        graph.add_edges_from(
            (self.tags[broad], self.tags[narrow], {"birth": float(self.births[narrow, broad])})
            for broad, narrow in np.argwhere(self.includes).tolist()
        )
        return graph

    def drawing(self) -> nx.DiGraph[int]:
        """Return the reduced graph: classes as nodes with ``tags``, ``layer``, ``x``, ``y``; edges with ``birth``.

        Places run from 0 to 1, the broadest layer at the top. The birth of an edge is the smallest among those between
        the two classes.
        """
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph(epsilon=self.epsilon)
        for number, (members, layer) in enumerate(zip(self.classes, self.layers.tolist(), strict=True)):
            graph.add_node(number, tags=tuple(self.tags[row] for row in members), layer=layer)
        graph.add_edges_from(
            (broad, narrow, {"birth": float(self.births[np.ix_(self.classes[narrow], self.classes[broad])].min())})
            for broad, narrow in np.argwhere(self.reduced).tolist()
        )
        places = nx.multipartite_layout(graph, "layer", align="horizontal", scale=0.5, center=(0.5, 0.5))
        for number, (x, y) in places.items():
            graph.nodes[number].update(x=float(x), y=float(1 - y))
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


def edge_table(order: Order) -> pd.DataFrame:
    """Return one row per edge between tags, and one with an empty ``included`` for each tag without edges.

    >>> from nnm_core.interpret.hierarchy import tag_hierarchy
    >>> edge_table(tag_hierarchy(model, dataset.tags).at(0.1))["included"].tolist()
    ['', '', '', '', '']
    """
    graph = order.graph()
    lines = []
    for tag in order.tags:
        lines += [(tag, other, graph.edges[tag, other]["birth"]) for other in graph[tag]]
        if graph.degree(tag) == 0:
            lines.append((tag, "", float("nan")))
    return pd.DataFrame(lines, columns=["includes", "included", "birth"])


def graph_text(order: Order, file_format: GraphFormat, *, reduced: bool = False) -> str:
    """Return the graph as the text of a file, "graphml" or "dot".

    With ``reduced``, it is the reduced graph of classes instead of every edge between tags.

    >>> from nnm_core.interpret.hierarchy import tag_hierarchy
    >>> graph_text(tag_hierarchy(model, dataset.tags).at(0.1), "dot").splitlines()[3]
    '  n0 [label="Comedy"];'
    """
    import networkx as nx

    if file_format not in get_args(GraphFormat):
        raise InputError(f"Graphs are written as one of {get_args(GraphFormat)}, not as {file_format!r}.")
    graph = order.drawing() if reduced else order.graph()
    for node, attributes in graph.nodes(data=True):
        attributes["label"] = " = ".join(_printable(tag) for tag in attributes.pop("tags", (node,)))
    # Nodes are n0, n1, … and tags only their labels, because a tag may contain any character.
    graph = nx.relabel_nodes(graph, {node: f"n{number}" for number, node in enumerate(graph)})
    return "\n".join(nx.generate_graphml(graph)) + "\n" if file_format == "graphml" else _dot(graph)


def reduction(between: BoolArray) -> tuple[BoolArray, BoolArray, IntArray]:
    """Return the transitive reduction, the transitive closure and the layers of an acyclic graph (n, n)."""
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


def _dot(graph: nx.DiGraph[str]) -> str:
    epsilon = graph.graph["epsilon"]
    lines = [f"  // an arrow leads to what is included at epsilon = {epsilon:g}", "  rankdir=TB;"]
    for node, label in graph.nodes(data="label"):
        escaped = label.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  {node} [label="{escaped}"];')
    lines += [f'  {broad} -> {narrow} [birth="{birth:.6g}"];' for broad, narrow, birth in graph.edges(data="birth")]
    return "\n".join(["digraph hierarchy {", *lines, "}"]) + "\n"


def _printable(text: str) -> str:
    """Replace control characters and lone surrogates, which XML cannot hold, by spaces."""
    return "".join(mark if mark.isprintable() else " " for mark in text)
