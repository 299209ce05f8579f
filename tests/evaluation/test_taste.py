"""Taste is found where it was planted and in MovieLens, and nowhere else."""

import numpy as np
import pytest

from nnm_core import InputError, Ratings, Scale, preset
from nnm_core.evaluation.taste import measure_taste_gain
from tests.planted import planted_ratings

RECOMMENDED = preset("recommended")


def ratings_without_taste(n_users, n_items, n_ratings, seed, *, level=3.0, long_tailed=False):
    """Ratings that depend on how good an item is, how generous a person is, and chance.

    ``level``: what is given on average, before all above 5 count as 5. ``long_tailed``: a few people gave most of the
    ratings, and a few items got most of them, so that some fewer pairs than ``n_ratings`` are left.
    """
    rng = np.random.default_rng(seed)
    if long_tailed:
        active, popular = rng.pareto(1.2, n_users) + 0.2, 1 / np.arange(1, n_items + 1) ** 0.9
        users = rng.choice(n_users, n_ratings, p=active / active.sum())
        cells = np.unique(users * n_items + rng.choice(n_items, n_ratings, p=popular / popular.sum()))
    else:
        cells = rng.choice(n_users * n_items, n_ratings, replace=False)
    users, items = cells // n_items, cells % n_items
    generosity, quality = rng.normal(size=n_users), rng.normal(size=n_items)
    values = level + 0.7 * generosity[users] + 0.6 * quality[items] + rng.normal(size=len(cells))
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


@pytest.mark.parametrize("seed", range(8))
def test_none_where_ratings_crowd_at_the_top(seed):
    """What people give who would give 6 is no taste, although averages that add up on log odds do not expect it."""
    found = measure_taste_gain(ratings_without_taste(300, 150, 9000, seed, level=4.6), RECOMMENDED)
    assert not found.is_found
    assert found.standard_errors < 4


@pytest.mark.parametrize("n_stereotypes", [2, 3])
@pytest.mark.parametrize("level", [3.4, 4.3])
def test_none_where_few_people_gave_most_ratings(n_stereotypes, level):
    ratings = ratings_without_taste(3000, 6000, 100_000, 0, level=level, long_tailed=True)
    assert not measure_taste_gain(ratings, preset("recommended", n_stereotypes=n_stereotypes)).is_found


@pytest.mark.parametrize("seed", range(20))
def test_none_among_few_people(seed):
    assert not measure_taste_gain(ratings_without_taste(40, 50, 800, seed), RECOMMENDED).is_found


@pytest.mark.parametrize("seed", range(3))
def test_none_where_thumbs_crowd_at_the_ends_of_the_scale(seed):
    """Where many people like nearly everything or nothing, averages that add up on the rating scale do not fit."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(1000 * 300, 60_000, replace=False)
    users, items = cells // 300, cells % 300
    log_odds = 1.5 * rng.normal(size=1000)[users] + 1.5 * rng.normal(size=300)[items]
    thumbs = (rng.random(60_000) < 1 / (1 + np.exp(-log_odds))).astype(float)
    ratings = Ratings.from_arrays(users.astype(str), items.astype(str), thumbs)
    assert not measure_taste_gain(ratings, preset("recommended", n_stereotypes=2)).is_found


def thumbs_drawn_by_coins(seed):
    """Thumbs of 400 people, half of whom like one item in five with a probability of 0.05 instead of 0.6."""
    rng = np.random.default_rng(seed)
    users = np.repeat(np.arange(400), 66)
    items = np.concatenate([rng.choice(300, 66, replace=False) for _ in range(400)])
    liking = np.where((items % 5 == 0) & (users % 2 == 0), 0.05, 0.6)
    return Ratings.from_arrays(users.astype(str), items.astype(str), (rng.random(len(items)) < liking).astype(float))


@pytest.mark.parametrize("n_stereotypes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_taste_is_found_where_a_fit_is_too_bold_to_predict_better(seed, n_stereotypes):
    found = measure_taste_gain(thumbs_drawn_by_coins(seed), preset("recommended", n_stereotypes=n_stereotypes))
    assert found.is_found
    assert 0.1 < found.borne_out < 0.8
    assert found.gain < 0.03


def test_planted_taste_is_found():
    ratings = planted_ratings(300, 120, 3, 0.3, seed=1, noise=0.5)[0]
    found = measure_taste_gain(ratings, RECOMMENDED)
    assert found.is_found
    assert found.gain > 0.2
    assert found.borne_out > 0.8


@pytest.mark.parametrize("n_stereotypes", [2, 3])
def test_taste_is_found_in_the_bundled_data(bundled, n_stereotypes):
    found = measure_taste_gain(bundled.ratings, preset("recommended", n_stereotypes=n_stereotypes))
    assert found.is_found
    assert 0.015 < found.gain < 0.04
    assert 0.7 < found.borne_out < 1.1
    assert found.n_held_out >= len(bundled.ratings) // 5


@pytest.mark.movielens
def test_taste_is_found_in_movielens_1m(ml_1m):
    found = measure_taste_gain(ml_1m.ratings, RECOMMENDED)
    assert found.is_found
    assert found.gain == pytest.approx(0.088, abs=0.006)


def test_too_few_ratings(small):
    with pytest.raises(InputError, match="at least 10"):
        measure_taste_gain(Ratings.from_arrays(["a", "b"], ["x", "y"], [1, 5]), RECOMMENDED)
