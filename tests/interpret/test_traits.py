"""Traits of people: planted ones are found, and the least squares are the best there are."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from nnm_core import InputError, fit, preset
from nnm_core.datasets import Labels
from nnm_core.interpret.hierarchy.inclusion import trait_hierarchy
from nnm_core.interpret.traits import trait_shares, trait_vectors
from tests.interpret.planted import TRAIT


def test_planted_traits_are_found(planted):
    labels = planted.dataset.traits["age"]
    found = trait_vectors(planted.model, labels, "age")
    np.testing.assert_allclose(found.sum(axis=0), 1)
    ordered = found[:, planted.columns]
    expected = np.array([TRAIT[value] for value in labels.names])
    spread = np.sqrt(np.diag(np.linalg.inv(planted.model.mixtures.T @ planted.model.mixtures)))[planted.columns]
    assert (np.abs(ordered - expected) < 4 * 0.5 * spread).all()  # four standard errors of least squares
    assert ordered[0, 0] > 0.75
    assert ordered[0, 1] < 0.25


def test_a_trait_of_one_value_each_is_solved_as_distributions(planted):
    """No other distributions per stereotype have a smaller squared error, says a general solver."""
    mixtures = planted.model.mixtures
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, len(mixtures))
    values[mixtures[:, 0] > 0.8] = 0  # so that bounds become active
    labels = Labels.from_pairs(np.arange(len(values)), values, ["a", "b", "c"], len(values))
    found = trait_vectors(planted.model, labels)
    target = np.eye(3)[values]

    def error(flat):
        return np.square(mixtures @ flat.reshape(3, 3).T - target).sum()

    sums = [{"type": "eq", "fun": lambda flat, k=k: flat.reshape(3, 3)[:, k].sum() - 1} for k in range(3)]
    best = minimize(
        error, np.full(9, 1 / 3), bounds=[(0, 1)] * 9, constraints=sums, method="SLSQP", options={"ftol": 1e-12}
    )
    assert error(found.ravel()) <= best.fun + 1e-6
    np.testing.assert_allclose(found.sum(axis=0), 1)


def test_a_trait_of_several_values_each_is_solved_in_the_box(planted):
    mixtures = planted.model.mixtures
    rng = np.random.default_rng(1)
    has = rng.random((len(mixtures), 4)) < np.array([0.5, 0.05, 0.9, 0.3])
    has[:, 3] |= mixtures[:, 1] > 0.5
    has[0] = True
    rows, columns = np.nonzero(has)
    known = has.any(axis=1)
    found = trait_vectors(planted.model, Labels.from_pairs(rows, columns, list("abcd"), len(has)))
    for k in range(4):
        best = lsq_linear(mixtures[known], has[known, k].astype(float), (0, 1), tol=1e-12)
        np.testing.assert_allclose(found[k], best.x, atol=1e-5)


def test_unknown_people_are_left_out(planted):
    everyone = planted.dataset.traits["age"]
    rows, columns = everyone.member.nonzero()
    half = rows % 2 == 0
    found = trait_vectors(planted.model, Labels.from_pairs(rows[half], columns[half], everyone.names, 400))
    alone = replace(planted.model, mixtures=planted.model.mixtures[::2], user_ids=planted.model.user_ids[::2])
    known = Labels.from_pairs(rows[half] // 2, columns[half], everyone.names, 200)
    np.testing.assert_allclose(found, trait_vectors(alone, known), atol=1e-9)
    nobody = trait_vectors(planted.model, Labels.none(400))
    assert nobody.shape == (0, 3)
    ghosts = trait_vectors(planted.model, Labels.from_pairs(np.array([], int), np.array([], int), ["ghost"], 400))
    assert ghosts.tolist() == [[0, 0, 0]]


def test_the_hierarchy_of_traits_uses_the_same_machinery(planted):
    labels = planted.dataset.traits["age"]
    found = trait_hierarchy(planted.model, [("age", labels)])
    vectors = trait_vectors(planted.model, labels)
    assert found.tags == ("young", "old")
    expected = 1 - vectors[0] @ vectors[1] / vectors[0].sum()
    assert found.births[0, 1] == pytest.approx(expected)
    assert found.counts.tolist() == labels.counts.tolist()
    twice = trait_hierarchy(planted.model, [("age", labels), ("mood", labels)])
    assert twice.tags == ("age: young", "age: old", "mood: young", "mood: old")
    assert twice.births[0, 2] == pytest.approx(twice.births[0, 0])


def test_planted_trait_inclusions(planted):
    """Adults and pensioners: who is a pensioner is an adult, and not the other way round."""
    kind = planted.mixtures.argmax(axis=1)
    rng = np.random.default_rng(0)
    adult, pensioner = kind != 1, (kind == 0) & (rng.random(400) < 0.95)
    rows = np.concatenate([np.flatnonzero(adult), np.flatnonzero(pensioner), np.arange(400)])
    columns = np.repeat([0, 1, 2], [adult.sum(), pensioner.sum(), 400])
    labels = Labels.from_pairs(rows, columns, ["adult", "pensioner", "person"], 400)
    order = trait_hierarchy(planted.model, [("status", labels)]).at(0.2)
    assert set(order.including("pensioner")) == {"adult", "person"}
    assert "pensioner" not in order.including("adult")
    assert "pensioner" not in order.including("person")
    assert order.including("adult") == ("person",)


def test_generosity_has_traits_but_no_place_in_the_hierarchy(planted):
    model = fit(planted.dataset.ratings, preset("recommended"))
    found = trait_vectors(model, planted.dataset.traits["age"], "age")
    assert found.shape == (2, 5)
    assert trait_hierarchy(model, planted.dataset.traits.items()).vectors.shape == (2, 3)


def test_shares_count_everybody_by_how_much_of_a_stereotype_they_are(planted):
    labels = planted.dataset.traits["age"]
    rows, columns = labels.member.nonzero()
    known = rows % 3 > 0
    some = Labels.from_pairs(rows[known], columns[known], labels.names, 400)
    found = trait_shares(planted.model, some)
    for value in range(2):
        for kind in range(3):
            weights = planted.model.mixtures[rows[known], kind]
            expected = np.average(columns[known] == value, weights=weights)
            assert found.shares[value, kind] == pytest.approx(expected)
    value, kind = found.clearest()
    assert abs(found.surprise[value, kind]) == np.abs(found.surprise).max()
    assert trait_shares(planted.model, Labels.none(400)).clearest() is None
    with pytest.raises(InputError, match="is given for 7"):
        trait_shares(planted.model, Labels.none(7))


def test_values_dealt_at_random_are_seldom_remarkable(planted):
    """The surprise is in standard deviations, and of 300 random traits about one in twenty gets through."""
    rng, remarked, surprises = np.random.default_rng(8), 0, []
    for _ in range(300):
        found = trait_shares(
            planted.model, Labels.from_pairs(np.arange(400), rng.integers(0, 6, 400), list("abcdef"), 400)
        )
        remarked += found.clearest() is not None
        surprises.append(found.surprise)
    assert np.std(surprises) == pytest.approx(1, abs=0.05)
    assert remarked <= 30


def test_traits_of_other_people_are_refused(planted):
    with pytest.raises(InputError, match="'age' is given for 7 of the model's 400"):
        trait_vectors(planted.model, Labels.none(7), "age")
