"""Where to draw the nodes of an acyclic graph: as stairs that no edge runs into, or in layers."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.sparse import csr_array

from nnm_core.types import BoolArray, FloatArray, IntArray

_SWEEPS = 12


def stairs(edges: BoolArray, ranks: FloatArray) -> tuple[IntArray, IntArray]:
    """Return a row of its own and a column for each node of an acyclic graph (n, n), counted from the top left.

    A node is below all that lead to it; apart from that, smaller ``ranks`` (n,) come first, and nodes without edges
    last. A node's column is free down to the last row that it leads to: an edge that runs down in this column, and then
    right, meets no other node.
    """
    n = len(edges)
    waiting = edges.sum(axis=0)
    alone = (waiting == 0) & ~edges.any(axis=1)
    ready = [(bool(alone[node]), float(ranks[node]), node) for node in np.flatnonzero(waiting == 0).tolist()]
    heapq.heapify(ready)
    rows = np.zeros(n, dtype=np.int64)
    for row in range(n):
        *_, node = heapq.heappop(ready)
        rows[node] = row
        waiting[edges[node]] -= 1
        for below in np.flatnonzero(edges[node] & (waiting == 0)).tolist():
            heapq.heappush(ready, (False, float(ranks[below]), below))
    last = np.where(edges, rows, -1).max(axis=1, initial=-1)
    columns = np.zeros(n, dtype=np.int64)
    for node in np.argsort(rows).tolist():
        passing = (rows < rows[node]) & (last >= rows[node])
        columns[node] = columns[passing].max(initial=-1) + 1
    return rows, columns


def layered_positions(edges: BoolArray, layers: IntArray) -> FloatArray:
    """Return positions (n, 2) for an acyclic graph: x from 0 to 1 within each layer, y from 1 (layer 0) down to 0.

    Each layer is spread evenly over the width. The barycentre heuristic orders it: nodes move to the mean position of
    their neighbours, alternately above and below, and the order with the shortest edges is kept. networkx has layers
    (``multipartite_layout``), but does not order them.
    """
    n = len(edges)
    if n == 0:
        return np.empty((0, 2))
    rows: list[IntArray] = [np.flatnonzero(layers == layer) for layer in range(int(layers.max()) + 1)]
    x = np.empty(n)
    for members in rows:
        x[members] = _spread(len(members))
    movable = [members for members in rows if len(members) > 1]
    above = _neighbours(csr_array(edges.T.astype(np.float64)), movable)
    below = _neighbours(csr_array(edges.astype(np.float64)), movable)[::-1]
    best, least = x.copy(), _length(x, edges)
    for sweep in range(_SWEEPS):
        for members, neighbours in above if sweep % 2 == 0 else below:
            _reorder(x, members, neighbours)
        length = _length(x, edges)
        if length < least:
            best, least = x.copy(), length
    y = 1.0 - layers / layers.max() if layers.max() > 0 else np.full(n, 0.5)
    return np.column_stack([best, y])


def _neighbours(graph: csr_array, layers: list[IntArray]) -> list[tuple[IntArray, csr_array]]:
    """Return each layer's nodes with the matrix (n_members, n) that takes the mean over their neighbours."""
    degree = np.diff(graph.indptr)
    graph.data /= np.repeat(np.maximum(degree, 1), degree)
    return [(members, graph[members]) for members in layers]


def _reorder(x: FloatArray, members: IntArray, neighbours: csr_array) -> None:
    """Sort the members of a layer by the mean position of their neighbours, in place."""
    wanted = np.where(np.diff(neighbours.indptr) > 0, neighbours @ x, x[members])
    order = np.lexsort((x[members], wanted))
    x[members[order]] = _spread(len(members))


def _length(x: FloatArray, edges: BoolArray) -> float:
    """Return how far edges run sideways in all; short edges seldom cross."""
    tails, heads = np.nonzero(edges)
    return float(np.abs(x[tails] - x[heads]).sum())


def _spread(n: int) -> FloatArray:
    """Return n evenly spaced positions between 0 and 1."""
    return (np.arange(n) + 0.5) / n
