"""The boolean algebra agrees with networkx, and drawings are fit to be drawn."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnm_core import InputError
from nnm_core.interpret.hierarchy.graph import reduction
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of


@st.composite
def hierarchies(draw):
    """A hierarchy of up to 14 tags and an ε at which it has something to show."""
    n, seed = draw(st.integers(1, 14)), draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    found = hierarchy_of(
        [f"t{k}" for k in range(n)], rng.beta(*draw(st.sampled_from([(1, 1), (4, 2), (0.3, 0.3)])), (n, 3))
    )
    return found, draw(st.floats(0, 1))


@given(hierarchies())
def test_agrees_with_networkx(case):
    found, epsilon = case
    order = found.at(epsilon)
    graph = order.graph()
    n = len(found.tags)
    edges = {
        (found.tags[b], found.tags[a]) for a in range(n) for b in range(n) if a != b and found.births[a, b] <= epsilon
    }
    assert set(graph.edges) == edges
    for tag, number in zip(found.tags, order.class_of, strict=True):
        below = {other for other, home in zip(found.tags, order.class_of, strict=True) if order.reach[number, home]}
        own = {found.tags[row] for row in order.classes[number]} - {tag}
        assert below | own == nx.descendants(graph, tag)
        assert set(order.included(tag)) == set(graph.successors(tag))
        assert set(order.including(tag)) == set(graph.predecessors(tag))
    condensed = nx.condensation(graph)
    theirs = {frozenset(members) for _, members in condensed.nodes(data="members")}
    assert {frozenset(found.tags[row] for row in group) for group in order.classes} == theirs
    members = dict(condensed.nodes(data="members"))
    reduced = {(frozenset(members[a]), frozenset(members[b])) for a, b in nx.transitive_reduction(condensed).edges}
    drawing = order.drawing()
    tags = dict(drawing.nodes(data="tags"))
    assert {(frozenset(tags[a]), frozenset(tags[b])) for a, b in drawing.edges} == reduced


@given(st.integers(1, 40), st.floats(0, 1), st.integers(0, 1000))
def test_reduction_of_any_graph_without_circles(n, density, seed):
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(n)
    edges = (np.triu(rng.random((n, n)), 1) > 1 - density)[np.ix_(shuffled, shuffled)]
    reduced, reach, layers = reduction(edges)
    graph = nx.from_numpy_array(edges.astype(int), create_using=nx.DiGraph)
    theirs = nx.transitive_reduction(graph)
    assert {(int(a), int(b)) for a, b in np.argwhere(reduced)} == set(theirs.edges)
    assert (reach == nx.to_numpy_array(nx.transitive_closure(graph), nodelist=range(n)).astype(bool)).all()
    longest = [
        max((layers[a] + 1 for a in graph.predecessors(b)), default=0) for b in range(n)
    ]  # one below the lowest above
    assert layers.tolist() == longest


@given(hierarchies())
def test_edges_lead_down_and_nodes_do_not_overlap(case):
    drawn = case[0].at(case[1]).drawing()
    places = {number: (data["x"], data["y"]) for number, data in drawn.nodes(data=True)}
    for broad, narrow in drawn.edges:
        assert places[broad][1] > places[narrow][1]
    assert len(set(places.values())) == len(places)
    assert all(-1e-9 <= value <= 1 + 1e-9 for place in places.values() for value in place)


def test_the_drawing_is_the_same_every_time():
    rng = np.random.default_rng(1)
    vectors = rng.beta(4, 2, (40, 5))
    first, second = (hierarchy_of([str(k) for k in range(40)], vectors).at(0.3).drawing() for _ in range(2))
    assert list(first.nodes(data=True)) == list(second.nodes(data=True))


def test_births_of_drawn_edges_are_the_smallest_between_classes():
    vectors = np.array([[1.0, 1, 0.2], [1, 0.9, 0.2], [1, 0.1, 0], [0.9, 0, 0.1]])
    order = hierarchy_of("abcd", vectors).at(0.2)
    drawing = order.drawing()
    tags = dict(drawing.nodes(data="tags"))
    for broad, narrow, born in drawing.edges(data="birth"):
        pairs = [order.births["abcd".index(t), "abcd".index(s)] for s in tags[broad] for t in tags[narrow]]
        assert born == min(pairs)


def test_focus_keeps_the_neighbours_of_a_tag():
    rng = np.random.default_rng(2)
    found = hierarchy_of([f"t{k}" for k in range(30)], rng.beta(4, 2, (30, 4)))
    order = found.at(0.28)
    tag = max(found.tags, key=lambda name: len(order.included(name)))
    near = order.focus(tag)
    assert set(near.tags) == {tag, *order.including(tag), *order.included(tag)}
    assert near.included(tag) == order.included(tag)
    assert set(near.graph().edges) == set(order.graph().subgraph(near.tags).edges)


def test_unknown_tags_are_named():
    order = hierarchy_of("ab", np.array([[0.1], [0.2]])).at(0.5)
    with pytest.raises(InputError, match="no tag 'c'"):
        order.including("c")


def test_a_thousand_tags_in_a_chain():
    """The deepest hierarchy there can be: every tag includes the next, and all that follow."""
    n = 1000
    edges = np.triu(np.ones((n, n), dtype=bool), 1)
    reduced, reach, layers = reduction(edges)
    assert (reduced == np.eye(n, k=1, dtype=bool)).all()
    assert (reach == edges).all()
    assert layers.tolist() == list(range(n))


def test_holding_counts_inclusions_between_classes():
    for seed in range(6):
        found = hierarchy_of([str(k) for k in range(14)], np.random.default_rng(seed).uniform(size=(14, 3)))
        order = found.at(float(np.quantile(found.births, 0.35)))
        for broad, outer in enumerate(order.classes):
            for narrow, inner in enumerate(order.classes):
                pairs = [bool(order.includes[a, b]) for a in outer for b in inner]
                assert order.holding[broad, narrow] == pytest.approx(sum(pairs) / len(pairs))
        assert ((order.holding > 0) == order.between)[~np.eye(len(order.classes), dtype=bool)].all()
