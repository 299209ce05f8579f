"""What the people of a stereotype gave, recomputed rating by rating, and what is found where there is nothing."""

from dataclasses import replace

import numpy as np
import pytest

from nnm_core import preset
from nnm_core.interpret.text.leanings import find_leanings, mean_ratings
from nnm_core.interpret.themes import find_themes
from tests.fits import fitted
from tests.interpret.planted import above_average


@pytest.fixture(scope="module")
def split(bundled):
    return fitted(bundled.ratings, preset("recommended", n_stereotypes=4))


def shuffled(model, seed):
    """The model with everybody's mixture given to somebody else."""
    return replace(model, mixtures=model.mixtures[np.random.default_rng(seed).permutation(model.n_users)], atlas=None)


def test_mean_ratings_are_means_of_ratings(bundled, split):
    ratings, found = bundled.ratings, mean_ratings(split, bundled.ratings)
    for k in range(4):
        weights = split.mixtures[ratings.users, k]
        assert found.means[k] == pytest.approx(np.average(ratings.values, weights=weights))
    assert found.overall == pytest.approx(ratings.values.mean())


def test_leanings_are_means_of_ratings_above_average(bundled, split):
    """By other code."""
    found, ratings = find_leanings(split, bundled, bundled.tags), bundled.ratings
    above = above_average(ratings)
    for tag in ("Action", "Film-Noir", "Comedy"):
        row = bundled.tags.names.index(tag)
        at = bundled.tags.member[:, [row]].toarray().ravel()[ratings.items]
        for k in range(4):
            own = np.average(above[at], weights=split.mixtures[ratings.users[at], k])
            assert found.means[row, k] == pytest.approx(own - above[at].mean(), abs=1e-12)


def test_standard_errors_match_a_resampling_of_people(bundled, split):
    """The bootstrap over people, for three genres."""
    labels = find_themes(bundled).labels
    rows = [labels.names.index(tag) for tag in ("Action", "Drama", "Film-Noir")]
    few = type(labels)(tuple(labels.names[row] for row in rows), labels.member[:, rows])
    found, ratings, rng, drawn = find_leanings(split, bundled, few), bundled.ratings, np.random.default_rng(0), []
    above, has = above_average(ratings), few.member.toarray()[ratings.items]
    sums, numbers = (
        np.stack([np.bincount(ratings.users, part * has[:, g], ratings.n_users) for g in range(3)], axis=1)
        for part in (above, np.ones(len(ratings)))
    )
    for _ in range(400):
        people = rng.integers(ratings.n_users, size=ratings.n_users)
        weights = split.mixtures[people, :4]
        own = (sums[people].T @ weights) / (numbers[people].T @ weights)
        drawn.append(own - (sums[people].sum(axis=0) / numbers[people].sum(axis=0))[:, None])
    assert found.errors == pytest.approx(np.std(drawn, axis=0), rel=0.2)


def test_nothing_is_found_in_mixtures_of_other_people(bundled, split):
    """With mixtures dealt to people at random, a score is a standard normal number, and claims need 3."""
    labels = find_themes(bundled).labels
    scores = np.concatenate([find_leanings(shuffled(split, seed), bundled, labels).scores.ravel() for seed in range(6)])
    assert np.mean(np.abs(scores) > 2) < 0.08
    assert np.mean(np.abs(scores) > 3) < 0.01
    assert np.mean(np.abs(find_leanings(split, bundled, labels).scores) > 3) > 0.3


def test_people_who_only_choose_are_compared_by_what_they_choose(planted):
    """With implicit data the ratings are all alike; the share of a theme among somebody's choices counts."""
    dataset = replace(planted.dataset, implicit=True)
    found, ratings, k = find_leanings(planted.model, dataset, dataset.tags), dataset.ratings, 0
    noir = dataset.tags.member[:, [0]].toarray().ravel()[ratings.items]
    weights = planted.model.mixtures[ratings.users, k]
    assert found.means[0, k] == pytest.approx(np.average(noir, weights=weights) - noir.mean())
