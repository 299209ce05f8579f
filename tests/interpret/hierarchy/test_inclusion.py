"""Births and inclusions on vectors with known answers, and on planted data."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nnm_core import InputError
from nnm_core.datasets import Labels
from nnm_core.interpret.hierarchy.inclusion import births, hierarchy_of, tag_hierarchy

VECTORS = np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0], [0.5, 0.5, 0]])
TAGS = ("one", "two", "other", "twin", "nobody", "half")


def vectors(n_max=7):
    shape = st.tuples(st.integers(1, n_max), st.integers(1, 4))
    return hnp.arrays(np.float64, shape, elements=st.floats(0, 1, allow_subnormal=False))


def test_births_by_hand():
    found = births(VECTORS)
    expected = np.array(
        [
            # one  two  other twin nobody half
            [0.0, 0.0, 1.0, 0.0, 1.0, 0.5],
            [0.5, 0.0, 1.0, 0.0, 1.0, 0.5],
            [1.0, 1.0, 0.0, 1.0, 1.0, 1.0],
            [0.5, 0.0, 1.0, 0.0, 1.0, 0.5],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.5, 0.0, 1.0, 0.0, 1.0, 0.5],
        ]
    )
    np.testing.assert_allclose(found, expected)


@given(vectors())
def test_birth_is_the_smallest_epsilon_of_the_papers_condition(rows):
    found = births(rows)
    assert ((found >= 0) & (found <= 1)).all()
    for narrow in range(len(rows)):
        for broad in range(len(rows)):
            total, kept = rows[narrow].sum(), rows[broad] @ rows[narrow]
            born = found[narrow, broad]
            assert kept >= (1 - born) * total - 1e-9
            if born > 1e-6 and total > 0:
                assert kept < (1 - (born - 1e-6)) * total + 1e-12


def test_epsilon_zero_is_the_inclusion_of_sets():
    order = hierarchy_of(TAGS, VECTORS).at(0)
    assert order.included("two") == ("one", "twin", "nobody", "half")
    assert order.including("one") == ("two", "twin")
    assert order.included("other") == ("nobody",)
    assert order.included("nobody") == ()
    assert order.included("half") == ("nobody",)
    equal = order.includes & order.includes.T
    assert equal[1, 3]
    assert equal.sum() == 2
    assert [tuple(order.tags[row] for row in group) for group in order.classes] == [
        ("two", "twin"), ("other",), ("one",), ("half",), ("nobody",),
    ]  # fmt: skip
    assert order.layers.tolist() == [0, 0, 1, 1, 2]


def test_epsilon_one_includes_everything_in_everything():
    order = hierarchy_of(TAGS, VECTORS).at(1)
    assert order.n_edges == 30
    assert len(order.classes) == 1
    assert order.reduced.sum() == 0


def test_one_tag_and_none():
    one = hierarchy_of(["only"], np.array([[0.3, 0.4]]))
    for epsilon in (0, 0.5, 1):
        order = one.at(epsilon)
        assert (order.n_edges, order.classes, order.layers.tolist()) == (0, ((0,),), [0])
        assert order.included("only") == order.including("only") == ()
        assert order.drawing().nodes[0] == {"tags": ("only",), "layer": 0, "x": 0.5, "y": 0.5}
    empty = hierarchy_of([], np.empty((0, 3))).at(0.5)
    assert empty.classes == ()
    assert list(empty.graph()) == list(empty.drawing()) == []


def test_a_tag_may_not_even_include_itself():
    """The paper's condition for a tag and itself is a question too; graphs leave it out."""
    found = hierarchy_of(["a", "b"], np.array([[0.5, 0.5], [0.5, 0.5]]))
    np.testing.assert_allclose(found.births, 0.5)
    assert found.at(0.49).n_edges == 0
    assert found.at(0.5).n_edges == 2


def test_the_witness_splits_the_birth_over_stereotypes():
    found = hierarchy_of(["narrow", "broad"], np.array([[0.8, 0.2, 0.5], [0.9, 0.1, 0.4]]))
    witness = found.witness("narrow", "broad")
    np.testing.assert_allclose(witness.losses, np.array([0.08, 0.18, 0.3]) / 1.5)
    np.testing.assert_allclose(witness.carried, np.array([0.72, 0.02, 0.2]) / 1.5)
    assert witness.birth == pytest.approx(witness.losses.sum()) == pytest.approx(found.births[0, 1])
    assert witness.carried.sum() + witness.losses.sum() == pytest.approx(1)
    assert found.at(0.374).included("broad") == ("narrow",)
    assert found.at(0.373).included("broad") == ()


def test_no_witness_for_a_tag_that_nobody_likes():
    with pytest.raises(InputError, match="No stereotype likes 'nobody'"):
        hierarchy_of(TAGS, VECTORS).witness("nobody", "one")


def test_planted_inclusions_are_edges_and_planted_non_inclusions_are_not(planted):
    found = tag_hierarchy(planted.model, planted.dataset.tags).without(["Dice"])
    graph = found.at(0.3).graph()
    for broad, narrow in (
        ("Broad", "Noir"),
        ("Broad", "Kids"),
        ("Loved", "Broad"),
        ("Loved", "Noir"),
        ("Loved", "Kids"),
    ):
        assert graph.has_edge(broad, narrow)
        assert not graph.has_edge(narrow, broad)
    assert not graph.has_edge("Noir", "Kids")
    assert not graph.has_edge("Kids", "Noir")
    order = found.at(0.3)
    assert nx.ancestors(graph, "Noir") == {"Broad", "Loved"}
    assert {"Noir", "Kids"} <= nx.descendants(graph, "Broad")
    drawn = order.drawing()
    number = {tag: node for node, tags in drawn.nodes(data="tags") for tag in tags}
    assert drawn.has_edge(number["Loved"], number["Broad"])
    assert not drawn.has_edge(number["Loved"], number["Noir"])  # it follows from the other two
    # the stereotype that breaks Broad ⊆ Noir is the one that likes Broad alone
    assert found.witness("Broad", "Noir").losses.argmax() == planted.columns[1]
    assert found.witness("Noir", "Broad").carried.argmax() == planted.columns[0]


def test_leaving_tags_out_changes_nothing_else(planted):
    found = tag_hierarchy(planted.model, planted.dataset.tags)
    fewer = found.without(["Broad", "Loved"])
    assert fewer.tags == ("Noir", "Kids", "Hated", "Dice")
    assert fewer.births[0, 1] == found.births[0, 1]
    assert found.only(["Kids", "Noir"]).tags == ("Noir", "Kids")
    assert found.without("Noir").tags == tuple(tag for tag in found.tags if tag != "Noir")
    with pytest.raises(InputError, match="no tag 'Western'"):
        found.without(["Western"])


def test_tags_without_items_are_not_in_the_hierarchy(planted):
    n_items = planted.model.n_items
    tags = Labels.from_pairs(np.array([0, 1, 1]), np.array([0, 0, 2]), ["two", "ghost", "one"], n_items)
    assert tag_hierarchy(planted.model, tags).tags == ("two", "one")
    assert tag_hierarchy(planted.model, Labels.none(n_items)).tags == ()
    with pytest.raises(InputError, match="given for 3 of"):
        tag_hierarchy(planted.model, Labels.none(3))


def test_only_stereotypes_of_taste_count(bundled, recommended):
    assert tag_hierarchy(recommended, bundled.tags).vectors.shape[1] == 3


@pytest.mark.parametrize(
    ("tags", "rows", "message"),
    [
        (["a", "a"], [[0.1], [0.2]], "same name"),
        (["a"], [[1.2]], "probabilities from 0 to 1"),
        (["a"], [[np.nan]], "probabilities from 0 to 1"),
        (["a", "b"], [[0.1]], "as many rows"),
    ],
)
def test_unusable_vectors_are_refused(tags, rows, message):
    with pytest.raises(InputError, match=message):
        hierarchy_of(tags, np.array(rows))


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, float("nan")])
def test_unusable_epsilon_is_refused(epsilon):
    with pytest.raises(InputError, match="between 0 and 1"):
        hierarchy_of(TAGS, VECTORS).at(epsilon)


def test_how_much_the_broad_tag_explains():
    rng = np.random.default_rng(4)
    liked = hierarchy_of([f"t{k}" for k in range(8)], np.repeat(np.linspace(0.2, 0.9, 8)[:, None], 3, axis=1))
    assert liked.share_of_the_broad() == pytest.approx(1)  # nobody has a taste: a birth is one minus the broad one
    found = hierarchy_of([f"t{k}" for k in range(8)], rng.random((8, 3)))
    births = [[found.births[a, b] for a in range(8) if a != b] for b in range(8)]
    within = np.mean([np.var(column) for column in births])
    assert found.share_of_the_broad() == pytest.approx(1 - within / np.var(np.concatenate(births)))
    assert hierarchy_of(["one"], np.array([[0.5]])).share_of_the_broad() == 0


@given(vectors())
def test_from_which_epsilon_on_all_are_one_class(rows):
    found = hierarchy_of([f"t{k}" for k in range(len(rows))], rows)
    last = found.one_class_at()
    assert len(found.at(last).classes) == 1
    if last > 1e-6:
        assert len(found.at(last - 1e-6).classes) > 1
