"""Which stereotype is which: distances, the best matching, and where people go from D to D + 1."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnm_core import FitOptions, fit, preset
from nnm_core.interpret.compare import audience_flows, match_stereotypes, stereotype_distances
from tests.fits import fitted


@pytest.fixture(scope="module")
def models(planted):
    """Fits with 1 to 5 stereotypes; there are three."""
    options = FitOptions(fill="none", n_sweeps=40)
    return [fit(planted.dataset.ratings, replace(options, n_stereotypes=dim)) for dim in range(1, 6)]


def permuted(model, order):
    """The same model with its stereotypes in another order."""
    return replace(
        model,
        mixtures=model.mixtures[:, order],
        answers=model.answers[:, :, order],
        mean_mixture=model.mean_mixture[order],
    )


def test_distances_by_hand(planted):
    ratings, model = planted.dataset.ratings, planted.model
    weight = np.bincount(ratings.items, minlength=model.n_items) / len(ratings)
    by_hand = (weight * np.abs(model.likes[:, 0] - model.likes[:, 2])).sum()
    found = stereotype_distances(model, model, ratings)
    assert found[0, 2] == pytest.approx(by_hand)
    assert (np.diag(found) == 0).all()
    np.testing.assert_allclose(found, found.T)


@given(st.permutations(range(3)))
def test_a_reordered_model_is_recognised(planted, order):
    order = list(order)
    found = match_stereotypes(
        stereotype_distances(planted.model, permuted(planted.model, order), planted.dataset.ratings)
    )
    assert [order[k] for k in found] == [0, 1, 2]


def test_matching_is_one_to_one_and_best():
    distances = np.array([[0.1, 0.2], [0.1, 0.9]])  # both rows prefer column 0
    assert match_stereotypes(distances).tolist() == [1, 0]
    assert match_stereotypes(distances[:, :1]).tolist() == [0, -1]


def test_every_step_has_one_newcomer(models, planted):
    for dim, (before, after) in enumerate(pairwise(models), start=1):
        distances = stereotype_distances(before, after, planted.dataset.ratings)
        assert distances.shape == audience_flows(before, after).shape == (dim, dim + 1)
        matches = match_stereotypes(distances)
        assert len(set(matches.tolist())) == dim
        assert matches.min() >= 0


def test_flows_are_shares_of_the_audience(models):
    for before, after in pairwise(models):
        flows = audience_flows(before, after)
        np.testing.assert_allclose(flows.sum(axis=1), before.mixtures.mean(axis=0))
        np.testing.assert_allclose(flows.sum(axis=0), after.mixtures.mean(axis=0))


def test_flows_leave_generosity_out(bundled):
    few = [fitted(bundled.ratings, preset("recommended", n_stereotypes=dim)) for dim in range(1, 4)]
    assert all(0 < audience_flows(*pair).sum() < 1 for pair in pairwise(few))


def test_a_planted_stereotype_stays_once_it_is_found(models, planted):
    """There are three: from 3 to 4 all of them stay."""
    distances = stereotype_distances(models[2], models[3], planted.dataset.ratings)
    assert distances[np.arange(3), match_stereotypes(distances)].max() < 0.15


def test_a_model_becomes_itself(planted):
    distances = stereotype_distances(planted.model, planted.model, planted.dataset.ratings)
    assert match_stereotypes(distances).tolist() == [0, 1, 2]
    assert np.diag(distances).tolist() == [0, 0, 0]


def test_down_a_step_somebody_disappears(models, planted):
    matches = match_stereotypes(stereotype_distances(models[3], models[2], planted.dataset.ratings))
    assert (matches == -1).sum() == 1
