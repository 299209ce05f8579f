"""Hierarchies as files: whatever tags are called, other programs read the same names."""

import csv
import io
import re

import networkx as nx
import numpy as np
import pytest

from nnm_core import InputError
from nnm_core.meaning.graph_files import graph_text
from nnm_core.meaning.inclusion import hierarchy_of

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


def test_csv_comes_back(order):
    lines = list(csv.DictReader(io.StringIO(graph_text(order, "csv"))))
    assert {(line["includes"], line["included"]) for line in lines if line["included"]} == edges_of(order)
    assert {line["includes"] for line in lines} | {line["included"] for line in lines} - {""} == set(ODD)


def test_dot_quotes_every_label(order):
    text = graph_text(order, "dot")
    labels = [
        re.sub(r"\\(.)", r"\1", found) for found in re.findall(r'^  n\d+ \[label="((?:[^"\\]|\\.)*)"\];$', text, re.M)
    ]
    assert labels == list(ODD)
    arrows = re.findall(r"^  n(\d+) -> n(\d+) ", text, re.M)
    assert {(ODD[int(a)], ODD[int(b)]) for a, b in arrows} == edges_of(order)


@pytest.mark.parametrize("file_format", ["graphml", "dot", "csv"])
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
