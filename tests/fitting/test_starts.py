"""The best of several starts, and what the atlas says about the others."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from nnm_core import InputError, fit, load_model, preset, save_model
from nnm_core.fitting.starts import best_start
from tests.planted import planted_ratings

RECOMMENDED = preset("recommended")


@pytest.mark.parametrize(("n_stereotypes", "n_users", "n_items"), [(3, 250, 100), (5, 350, 130), (8, 600, 200)])
def test_the_best_of_eight_starts_finds_the_planted_model(n_stereotypes, n_users, n_items):
    options = replace(RECOMMENDED, n_stereotypes=n_stereotypes, generosity=False)
    for seed in range(20):
        ratings, _, likes = planted_ratings(n_users, n_items, n_stereotypes, 0.35, seed, noise=0.4)
        model = fit(ratings, options, starts=8)
        distances = np.abs(model.likes[:, None, :] - likes[:, :, None]).mean(axis=0)
        rows, columns = linear_sum_assignment(distances)
        # The stereotypes drawn have likes of a standard deviation of 0.34: strangers are about 0.38 apart.
        assert distances[rows, columns].max() < 0.15


@pytest.mark.movielens
@pytest.mark.parametrize(("n_stereotypes", "least"), [(2, 8), (5, 8), (3, 3), (4, 2), (6, 2)])
def test_one_answer_on_movielens_100k(ml_100k, n_stereotypes, least):
    atlas = fit(ml_100k.ratings, replace(RECOMMENDED, n_stereotypes=n_stereotypes), starts=8).atlas
    assert atlas.n_starts == 8
    assert atlas.n_best >= least
    assert (atlas.found_by >= atlas.n_best).all()


@pytest.mark.movielens
@pytest.mark.parametrize("n_stereotypes", [3, 4])
def test_one_answer_on_movielens_1m(ml_1m, n_stereotypes):
    atlas = fit(ml_1m.ratings, replace(RECOMMENDED, n_stereotypes=n_stereotypes), starts=5).atlas
    assert atlas.n_best == 5
    assert not atlas.equally_good
    assert (2 * atlas.found_by >= atlas.n_starts).all()


@pytest.mark.parametrize(("n_stereotypes", "least"), [(2, 8), (3, 4)])
def test_one_answer_on_the_bundled_data(bundled, n_stereotypes, least):
    atlas = fit(bundled.ratings, replace(RECOMMENDED, n_stereotypes=n_stereotypes), starts=8).atlas
    assert atlas.n_best >= least


@pytest.mark.movielens
def test_two_descriptions_that_fit_equally_well_are_both_kept(ml_100k):
    model = fit(ml_100k.ratings, replace(RECOMMENDED, n_stereotypes=3), starts=8)
    other = model.atlas.equally_good[0]
    assert 0 < other.excess < 1e-4
    assert 0.05 < other.distances.max() < 0.25
    twin = replace(model, mixtures=other.mixtures, answers=other.answers, atlas=None)
    weights = ml_100k.ratings.by_item.counts / len(ml_100k.ratings)
    apart = weights @ np.abs(twin.likes - model.likes)
    np.testing.assert_allclose(apart[:3], other.distances)


def test_the_best_start_is_kept_and_stored(small, tmp_path):
    options = replace(RECOMMENDED, n_stereotypes=4)
    singles = [fit(small, options, seed=seed) for seed in range(4)]
    model = best_start(singles, small.by_item.counts / len(small))
    assert model.traces[-1].objectives[-1] == min(single.traces[-1].objectives[-1] for single in singles)
    assert model.atlas.n_best + sum(other.n_starts for other in model.atlas.others) == 4
    save_model(model, tmp_path / "a.nnm")
    atlas = load_model(tmp_path / "a.nnm").atlas
    assert (atlas.n_starts, atlas.n_best) == (4, model.atlas.n_best)
    np.testing.assert_array_equal(atlas.found_by, model.atlas.found_by)
    for ours, theirs in zip(model.atlas.others, atlas.others, strict=True):
        np.testing.assert_array_equal(ours.distances, theirs.distances)
        assert (ours.mixtures is None) == (theirs.mixtures is None)


def test_the_first_of_several_starts_is_the_single_fit(small):
    single = fit(small, RECOMMENDED, seed=5)
    best = fit(small, RECOMMENDED, seed=5, starts=3)
    assert best.traces[-1].objectives[-1] <= single.traces[-1].objectives[-1] * (1 + 1e-9)
    assert single.atlas is None


def test_same_bits_for_any_number_of_threads(small):
    models = [fit(small, RECOMMENDED, starts=3, n_threads=n) for n in (1, 3)]
    assert len({model.mixtures.tobytes() + model.answers.tobytes() for model in models}) == 1


def test_a_distilled_model_has_one_start(small):
    with pytest.raises(InputError, match="has one start"):
        fit(small, preset("accurate"), starts=2)
