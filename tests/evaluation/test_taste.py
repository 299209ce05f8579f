"""Taste is found where it was planted and in MovieLens, and nowhere else."""

import numpy as np
import pytest

from nnm_core import InputError, Ratings, Scale, preset
from nnm_core.evaluation.taste import measure_taste_gain
from tests.planted import planted_ratings

RECOMMENDED = preset("recommended")


def ratings_without_taste(n_users, n_items, n_ratings, seed):
    """Ratings that depend on how good an item is, how generous a person is, and chance."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(n_users * n_items, n_ratings, replace=False)
    users, items = cells // n_items, cells % n_items
    values = (
        3 + 0.7 * rng.normal(size=n_users)[users] + 0.6 * rng.normal(size=n_items)[items] + rng.normal(size=n_ratings)
    )
    return Ratings.from_arrays(users.astype(str), items.astype(str), np.clip(np.round(values), 1, 5), scale=Scale(1, 5))


@pytest.mark.parametrize("seed", range(5))
def test_none_in_ratings_drawn_at_random(seed):
    rng = np.random.default_rng(seed)
    cells = rng.choice(300 * 200, 8000, replace=False)
    values = rng.integers(1, 6, 8000).astype(float)
    ratings = Ratings.from_arrays((cells // 200).astype(str), (cells % 200).astype(str), values, scale=Scale(1, 5))
    found = measure_taste_gain(ratings, RECOMMENDED)
    assert not found.is_found
    assert found.gain < 0


@pytest.mark.parametrize(("n_users", "n_items", "n_ratings"), [(600, 400, 40_000), (5000, 3000, 733_000)])
def test_none_where_people_differ_in_generosity_alone(n_users, n_items, n_ratings):
    found = measure_taste_gain(ratings_without_taste(n_users, n_items, n_ratings, 0), RECOMMENDED)
    assert not found.is_found
    assert found.mae > found.mae_of_averages


def test_planted_taste_is_found():
    ratings = planted_ratings(300, 120, 3, 0.3, seed=1, noise=0.5)[0]
    found = measure_taste_gain(ratings, RECOMMENDED)
    assert found.is_found
    assert found.gain > 0.2


@pytest.mark.parametrize("n_stereotypes", [2, 3])
def test_taste_is_found_in_the_bundled_data(bundled, n_stereotypes):
    found = measure_taste_gain(bundled.ratings, preset("recommended", n_stereotypes=n_stereotypes))
    assert found.is_found
    assert 0.003 < found.gain < 0.03
    assert found.n_held_out == len(bundled.ratings)


@pytest.mark.movielens
def test_taste_is_found_in_movielens_1m(ml_1m):
    found = measure_taste_gain(ml_1m.ratings, RECOMMENDED)
    assert found.is_found
    assert found.gain == pytest.approx(0.062, abs=0.006)


def test_too_few_ratings(small):
    with pytest.raises(InputError, match="at least 10"):
        measure_taste_gain(Ratings.from_arrays(["a", "b"], ["x", "y"], [1, 5]), RECOMMENDED)
