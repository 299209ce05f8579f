"""Hierarchies as files: whatever tags are called, other programs read the same names."""

import re

import networkx as nx
import numpy as np
import pytest

from nnm_core import InputError
from nnm_core.interpret.hierarchy.graph import edge_table, graph_text
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of

ODD = (
    "a, b",
    '<b>"bold"</b> & more',
    "🎬 é 日本",
    "x" * 200,
    "back\\slash",
    "=1+1",
    "%{y}",
    "-> {}; //",
    "ends with \\",
)


@pytest.fixture(scope="module")
def order():
    rng = np.random.default_rng(0)
    return hierarchy_of(ODD, rng.beta(4, 2, (len(ODD), 3))).at(0.3)


def edges_of(order):
    return {(order.tags[b], order.tags[a]) for b, a in np.argwhere(order.includes)}


def test_graphml_comes_back(order):
    graph = nx.parse_graphml(graph_text(order, "graphml"))
    label = dict(graph.nodes(data="label"))
    assert set(label.values()) == set(ODD)
    assert {(label[a], label[b]) for a, b in graph.edges} == edges_of(order)
    born = {(label[a], label[b]): birth for a, b, birth in graph.edges(data="birth")}
    broad, narrow = next(iter(edges_of(order)))
    assert born[broad, narrow] == pytest.approx(order.births[ODD.index(narrow), ODD.index(broad)])


def test_the_table_holds_every_edge_and_every_tag(order):
    table = edge_table(order)
    edges = table[table["included"] != ""]
    assert set(zip(edges["includes"], edges["included"], strict=True)) == edges_of(order)
    assert {*table["includes"], *edges["included"]} == set(ODD)
    broad, narrow, birth = next(edges.itertuples(index=False))
    assert birth == order.births[ODD.index(narrow), ODD.index(broad)]


def test_a_tag_without_edges_has_a_line_of_its_own():
    table = edge_table(hierarchy_of(["a", "b", "c"], np.eye(3)).at(0.1))
    assert list(table["includes"]) == ["a", "b", "c"]
    assert set(table["included"]) == {""}
    assert table["birth"].isna().all()


def test_dot_quotes_every_label(order):
    text = graph_text(order, "dot")
    labels = [
        re.sub(r"\\(.)", r"\1", found) for found in re.findall(r'^  n\d+ \[label="((?:[^"\\]|\\.)*)"\];$', text, re.M)
    ]
    assert labels == list(ODD)
    arrows = re.findall(r"^  n(\d+) -> n(\d+) ", text, re.M)
    assert {(ODD[int(a)], ODD[int(b)]) for a, b in arrows} == edges_of(order)


@pytest.mark.parametrize("file_format", ["graphml", "dot"])
def test_the_reduced_drawing_can_be_written_too(order, file_format):
    text = graph_text(order, file_format, reduced=True)
    assert len(text) > 50
    if file_format == "graphml":
        graph = nx.parse_graphml(text)
        assert {"label", "layer", "x", "y"} <= set(next(iter(graph.nodes(data=True)))[1])
        assert graph.number_of_edges() == order.reduced.sum()


def test_control_characters_do_not_break_xml():
    order = hierarchy_of(["a\x00b", "c\ud800d", "e\nf"], np.eye(3)).at(0.5)
    graph = nx.parse_graphml(graph_text(order, "graphml"))
    assert [label for _, label in graph.nodes(data="label")] == ["a b", "c d", "e f"]


def test_unknown_formats_are_named(order):
    with pytest.raises(InputError, match="not as 'gexf'"):
        graph_text(order, "gexf")
