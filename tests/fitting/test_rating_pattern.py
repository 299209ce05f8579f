"""The rating pattern: singular vectors of who rated what; chance has none, and drawing toward them helps."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from nnm_core import Ratings, Scale, fit, predict, preset
from nnm_core.fitting.likes import TIE_BREAK
from nnm_core.fitting.rating_pattern import DAMPING, find_rating_pattern, project, truncated_svd
from nnm_core.fitting.workers import Workers
from tests.planted import planted_ratings

RECOMMENDED = preset("recommended")


def directions(ratings, n_directions=24):
    with Workers(1) as workers:
        return find_rating_pattern(ratings, n_directions, workers)


def rated(users, items, n_users, n_items, scale=None):
    names = [str(k) for k in range(max(n_users, n_items))]
    values = np.arange(len(users)) % 5 + 1.0
    return Ratings.from_numbers(users, items, values, names[:n_users], names[:n_items], scale=scale)


@pytest.fixture(scope="module")
def choosy():
    """People who mostly rate what they like; the last ten people and items have no ratings."""
    ratings = planted_ratings(400, 300, 3, 0.15, seed=4, choosy=1.0)[0]
    return ratings.subset((ratings.users < 390) & (ratings.items < 290))


def test_directions_are_orthonormal_and_leave_out_who_has_no_ratings(choosy):
    pattern = directions(choosy)
    assert 2 <= pattern.users.shape[1] == pattern.items.shape[1] < 24
    for side, n_rated in ((pattern.users, 390), (pattern.items, 290)):
        np.testing.assert_allclose(side.T @ side, np.eye(side.shape[1]), atol=1e-9)
        assert not side[n_rated:].any()
    np.testing.assert_allclose(pattern.users.sum(axis=0), 0, atol=1e-9)


def test_they_span_what_a_full_decomposition_finds(choosy):
    table = np.zeros((choosy.n_users, choosy.n_items))
    table[choosy.users, choosy.items] = 1
    of_users, of_items = (
        1 / np.sqrt(counts + DAMPING * counts.mean()) for counts in (table.sum(axis=1), table.sum(axis=0))
    )
    table *= np.outer(of_users, of_items)
    table[:390] -= table[:390].mean(axis=0)
    left, _, right = np.linalg.svd(table)
    pattern = directions(choosy)
    assert subspace_angles(pattern.users[:, :2], left[:, :2]).max() < 0.15  # three passes come near enough
    assert subspace_angles(pattern.items[:, :2], right[:2].T).max() < 0.15


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n_users", "n_items", "share"), [(1000, 500, 0.05), (300, 2000, 0.02), (60, 40, 0.4)])
def test_chance_has_none(n_users, n_items, share, seed):
    rng = np.random.default_rng(seed)
    busy, known = rng.gamma(1.0, size=n_users), rng.gamma(1.0, size=n_items)
    chance = np.minimum(share * np.outer(busy, known), 0.9)
    users, items = np.nonzero(rng.random((n_users, n_items)) < chance)
    assert directions(rated(users, items, n_users, n_items)).users.shape[1] <= 1  # who is busy may show, at most


def test_there_is_none_where_everybody_rated_everything():
    users, items = np.divmod(np.arange(12 * 10), 10)
    assert directions(rated(users, items, 12, 10)).users.shape == (12, 0)


def test_one_rating():
    pattern = directions(rated(np.array([0]), np.array([0]), 1, 1, Scale(1, 5)))
    assert pattern.users.shape == pattern.items.shape == (1, 0)


def test_the_ratings_themselves_do_not_matter(choosy):
    other = rated(choosy.users, choosy.items, choosy.n_users, choosy.n_items)
    assert directions(choosy).users.tobytes() == directions(other).users.tobytes()


def test_project_is_the_orthogonal_projection(choosy):
    pattern, rows = directions(choosy).users, np.random.default_rng(0).random((400, 5))
    np.testing.assert_allclose(project(pattern, rows), pattern @ (pattern.T @ rows), atol=1e-12)


def test_a_fit_lowers_what_it_says(choosy):
    model = fit(choosy, RECOMMENDED, seed=3)
    units, pattern = choosy.scale.to_unit(choosy.values), directions(choosy)
    error = np.square((model.mixtures[choosy.users] * model.likes[choosy.items]).sum(axis=1) - units).sum()
    total = np.bincount(choosy.items, weights=units, minlength=choosy.n_items)
    means = ((total + 5 * units.mean()) / (choosy.by_item.counts + 5))[:, None]
    items = model.likes[:, : model.n_stereotypes] - means
    users = (model.mixtures - model.mixtures[:390].mean(axis=0))[:390]
    pull = sum(
        np.square(rows - v @ (v.T @ rows)).sum() for rows, v in ((items, pattern.items), (users, pattern.users[:390]))
    )
    trace = model.traces[0]
    assert trace.objectives[-1] == pytest.approx(error + RECOMMENDED.shrinkage * pull, rel=1e-9)
    after = trace.objectives[trace.n_filled + 1 :: 2]
    assert (np.diff(after) <= 1e-9 * after[:-1] + TIE_BREAK * choosy.n_users).all()


def test_same_bits_for_any_number_of_threads():
    ratings = planted_ratings(2500, 900, 3, 0.04, seed=2, choosy=1.0)[0]
    assert directions(ratings).users.shape[1] >= 2
    models = [fit(ratings, preset("recommended", n_sweeps=5), n_threads=n) for n in (1, 2, 8)]
    assert len({model.mixtures.tobytes() + model.answers.tobytes() for model in models}) == 1


def test_it_helps_where_people_choose_by_taste():
    ratings = planted_ratings(600, 400, 3, 0.04, seed=6, choosy=1.0)[0]
    held_out = np.random.default_rng(0).random(len(ratings)) < 0.2
    users, items, values = ratings.users[held_out], ratings.items[held_out], ratings.values[held_out]
    with_pattern, without = (
        np.abs(predict(fit(ratings.subset(~held_out), preset("recommended", kinship=n)), users, items) - values).mean()
        for n in (24, 0)
    )
    assert with_pattern < 0.95 * without


def test_truncated_svd_finds_the_leading_vectors():
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((60, 6)) * 0.5 ** np.arange(6) @ rng.standard_normal((6, 40))
    left, values, right = truncated_svd(lambda x: matrix @ x, lambda y: matrix.T @ y, 40, 10, passes=5)
    expected = np.linalg.svd(matrix, compute_uv=False)[:6]
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    np.testing.assert_allclose(left * values @ right.T, matrix, atol=1e-6)
