"""Inclusion by taste: leanings with known answers, planted data, and genres of real films."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import spearmanr

from nnm_core import preset
from nnm_core.interpret.hierarchy.inclusion import (
    hierarchy_of,
    leanings,
    tag_hierarchy,
    taste_births,
    taste_hierarchy,
    trait_hierarchy,
)
from nnm_core.interpret.hierarchy.screening import LeftOut, birth_errors, screen_taste, screen_traits
from nnm_core.interpret.towers import compute_towers
from tests.fits import fitted
from tests.interpret.planted import with_tags


def test_leanings_by_hand():
    vectors, shares = np.array([[0.9, 0.5], [0.5, 0.5], [0.1, 0.8]]), np.array([0.75, 0.25])
    # the audience likes them with 0.8, 0.5 and 0.275; on average the first leans by -0.025 and the second by 0.075
    np.testing.assert_allclose(leanings(vectors, shares), [[0.1, 0], [0, 0], [0, 0.525]])
    np.testing.assert_allclose(leanings(vectors, shares, centred=True), [[0.125, 0], [0.025, 0], [0, 0.45]])


def test_births_by_hand():
    found = taste_births(np.array([[0.2, 0.0, 0.1], [0.1, 0.3, 0.1], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0, 1 / 3, 1], [0.6, 0, 1], [0, 0, 0]], atol=1e-15)


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.floats(0, 1, width=16)))
def test_a_birth_is_the_part_of_the_leaning_that_falls_outside(rows):
    hierarchy = hierarchy_of([f"t{k}" for k in range(len(rows))], rows, by="taste")
    for narrow, one in enumerate(rows):
        for broad, other in enumerate(rows):
            outside = sum(max(a - b, 0.0) for a, b in zip(one, other, strict=True))
            expected = outside / one.sum() if one.sum() > 0 else 0.0
            assert hierarchy.births[narrow, broad] == pytest.approx(expected, abs=1e-9)
            if one.sum() > 0:
                witness = hierarchy.witness(f"t{narrow}", f"t{broad}")
                assert witness.losses.sum() == pytest.approx(witness.birth, abs=1e-9)
                assert (witness.losses >= 0).all()
                assert witness.carried.sum() + witness.losses.sum() == pytest.approx(1)


def test_planted_tastes_and_a_tag_by_lot(planted):
    towers = compute_towers(planted.model, planted.dataset)
    found = screen_taste(towers)
    assert found.left_out == (LeftOut("Dice", 40, "faint"),)  # named, since it is attached at random
    hierarchy = found.hierarchy
    assert hierarchy.by == "taste"
    noir, kids = hierarchy.rows(["Noir", "Kids"])
    assert hierarchy.vectors[noir].argmax() == planted.columns[0]
    assert hierarchy.vectors[kids].argmax() == planted.columns[1]
    assert hierarchy.births[noir, kids] > 0.9
    # whom both suit leans toward Noir or toward Kids, and toward no third
    broad = hierarchy.witness("Broad", "Noir")
    assert broad.carried.argmax() == planted.columns[0]
    assert broad.losses.argmax() == planted.columns[1]
    np.testing.assert_allclose(hierarchy.liked, (towers.likes @ towers.weights)[towers.n_items > 0][:5])
    assert hierarchy.without(["Noir"]).by == "taste"


def test_hardly_a_tag_that_is_attached_at_random_is_ordered(planted):
    dataset = with_tags(planted.dataset, tuple(f"by lot {k}" for k in range(200)))
    found = screen_taste(compute_towers(planted.model, dataset))
    assert len(found.hierarchy.tags) <= 0.1 * 200
    assert {one.why for one in found.left_out} == {"faint"}


def test_rare_tags_have_no_part_in_the_habits_that_are_set_aside(planted):
    towers = compute_towers(planted.model, planted.dataset)
    found = screen_taste(towers, min_items=35)  # "Dice" alone has more than 30, so all are taken
    assert len(found.hierarchy.tags) + len(found.left_out) == 6
    rows = np.array([0, 1, 2])
    np.testing.assert_allclose(
        taste_hierarchy(towers, rows).vectors, leanings(towers.likes[:3], towers.weights, centred=True)
    )


def test_traits_by_taste(planted):
    traits = list(planted.dataset.traits.items())
    hierarchy = trait_hierarchy(planted.model, traits, by="taste")
    young, old = hierarchy.vectors
    assert young.argmax() == planted.columns[0]
    assert old.argmax() == planted.columns[1]
    assert hierarchy.births[0, 1] > 0.9  # where the one is more frequent, the other is less
    assert birth_errors(planted.model, traits, by="taste").max() < 0.15
    assert screen_traits(planted.model, traits, by="taste").hierarchy.by == "taste"


def measured(dataset, n_seeds):
    """Over converged fits at D = 8: births of both kinds, agreement, correlation with lift, part of the broad tag."""
    member = dataset.tags.member.toarray().astype(float)
    rows = np.flatnonzero(member.sum(axis=0) >= 5)
    member = member[:, rows]
    rate = member.mean(axis=0)
    lift = (member.T @ member / len(member)) / np.outer(rate, rate)
    off = ~np.eye(len(rows), dtype=bool)
    names = [dataset.tags.names[row] for row in rows]
    found = {}
    models = [fitted(dataset.ratings, preset("recommended", n_stereotypes=8), seed=seed) for seed in range(n_seeds)]
    by_liking = [tag_hierarchy(model, dataset.tags).only(names) for model in models]
    by_taste = [taste_hierarchy(compute_towers(model, dataset), rows) for model in models]
    for by, hierarchies in (("liking", by_liking), ("taste", by_taste)):
        births = [hierarchy.births[off] for hierarchy in hierarchies]
        pairs = [(one, other) for k, one in enumerate(births) for other in births[:k]]
        found[by] = {
            "agreement": np.mean([spearmanr(*pair)[0] for pair in pairs]),
            "lift": np.mean([-spearmanr(one, lift[off])[0] for one in births]),
            "broad": np.mean([hierarchy.share_of_the_broad() for hierarchy in hierarchies]),
        }
    return found


def check_the_table(found):
    """The bands of the table in docs/meaning.md."""
    assert found["liking"]["agreement"] > 0.95
    assert found["liking"]["lift"] < 0
    assert found["liking"]["broad"] > 0.9
    assert 0.7 < found["taste"]["agreement"] < 0.99
    assert 0.33 < found["taste"]["lift"] < 0.6
    assert found["taste"]["broad"] < 0.25


def test_by_taste_genres_that_share_films_include_each_other_on_the_bundled_data(bundled):
    check_the_table(measured(bundled, 2))


@pytest.mark.movielens
def test_by_taste_genres_that_share_films_include_each_other_on_movielens_1m(ml_1m):
    check_the_table(measured(ml_1m, 2))
