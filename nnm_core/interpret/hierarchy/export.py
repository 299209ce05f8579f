"""Hierarchies for other programs: GraphML, DOT and a table of edges."""

from __future__ import annotations

from typing import Literal, get_args

import networkx as nx
import pandas as pd

from nnm_core.errors import InputError
from nnm_core.interpret.hierarchy.graph import Order

GraphFormat = Literal["graphml", "dot"]


def graph_text(order: Order, file_format: GraphFormat, *, reduced: bool = False) -> str:
    """Return the graph as the text of a file.

    Parameters
    ----------
    file_format : {"graphml", "dot"}
    reduced
        Write the reduced graph of classes instead of every edge between tags.

    Examples
    --------
    >>> import numpy as np
    >>> from nnm_core.interpret.hierarchy import hierarchy_of
    >>> order = hierarchy_of(["Drama", "Film-Noir"], np.array([[0.9, 0.8], [0.9, 0.1]])).at(0.2)
    >>> print(graph_text(order, "dot"))
    digraph hierarchy {
      // an arrow leads to what is included at epsilon = 0.2
      rankdir=TB;
      n0 [label="Drama"];
      n1 [label="Film-Noir"];
      n0 -> n1 [birth="0.11"];
    }
    <BLANKLINE>
    """
    if file_format not in get_args(GraphFormat):
        raise InputError(f"Graphs are written as one of {get_args(GraphFormat)}, not as {file_format!r}.")
    graph = _drawing_with_labels(order) if reduced else _full_with_labels(order)
    if file_format == "graphml":
        return "\n".join(nx.generate_graphml(graph)) + "\n"
    return _dot(graph, order.epsilon)


def edge_table(order: Order) -> pd.DataFrame:
    """Return one row per edge between tags, and one with an empty ``included`` for each tag without edges.

    Examples
    --------
    >>> import numpy as np
    >>> from nnm_core.interpret.hierarchy import hierarchy_of
    >>> edge_table(hierarchy_of(["Drama", "Film-Noir"], np.array([[0.9, 0.8], [0.9, 0.1]])).at(0.2))
      includes   included  birth
    0    Drama  Film-Noir   0.11
    """
    graph = order.graph()
    lines = []
    for tag in order.tags:
        lines += [(tag, other, graph.edges[tag, other]["birth"]) for other in graph[tag]]
        if graph.degree(tag) == 0:
            lines.append((tag, "", float("nan")))
    return pd.DataFrame(lines, columns=["includes", "included", "birth"])


def _full_with_labels(order: Order) -> nx.DiGraph[str]:
    """Return every edge, with nodes n0, n1, … labelled by their tags, which may contain any character."""
    full = order.graph()
    names = {tag: f"n{row}" for row, tag in enumerate(order.tags)}
    for tag in order.tags:
        full.nodes[tag]["label"] = _printable(tag)
    return nx.relabel_nodes(full, names)


def _drawing_with_labels(order: Order) -> nx.DiGraph[str]:
    drawing = order.drawing()
    for _, attributes in drawing.nodes(data=True):
        attributes["label"] = " = ".join(_printable(tag) for tag in attributes.pop("tags"))
    return nx.relabel_nodes(drawing, {number: f"n{number}" for number in drawing})


def _dot(graph: nx.DiGraph[str], epsilon: float) -> str:
    lines = [
        "digraph hierarchy {",
        f"  // an arrow leads to what is included at epsilon = {epsilon:g}",
        "  rankdir=TB;",
    ]
    lines += [f"  {node} [label={_dot_string(label)}];" for node, label in graph.nodes(data="label")]
    lines += [f'  {broad} -> {narrow} [birth="{birth:.6g}"];' for broad, narrow, birth in graph.edges(data="birth")]
    return "\n".join([*lines, "}"]) + "\n"


def _dot_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _printable(text: str) -> str:
    """Replace control characters and lone surrogates, which XML cannot hold, by spaces."""
    return "".join(mark if mark.isprintable() else " " for mark in text)
