"""The distilled model: a valid NNM, reproducible, better than the simple fit, and near what it was distilled from."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from nnm_core import FitCancelled, InputError, fit, fold_in_users, predict, preset
from nnm_core.fitting.distilled.features import SideInformation, decades, features
from nnm_core.fitting.distilled.projection import project
from nnm_core.fitting.distilled.sampler import Average, sample
from nnm_core.fitting.progress import Progress
from nnm_core.fitting.workers import Workers
from nnm_core.model import fixed_likes
from tests.planted import planted_ratings

SHORT = preset("accurate", n_stereotypes=4, n_sweeps=12, burn_in=4, n_factors=4)


def test_the_constraints_hold_to_the_ninth_digit(small):
    for n_stereotypes in (1, 3, 20, 80):
        model = fit(small, replace(SHORT, n_stereotypes=n_stereotypes))
        assert model.n_stereotypes == n_stereotypes
        assert model.mixtures.min() >= 0
        np.testing.assert_allclose(model.mixtures.sum(axis=1), 1, atol=1e-9)
        assert model.likes.min() >= 0
        assert model.likes.max() <= 1
        np.testing.assert_allclose(model.likes[:, -2:], np.tile(fixed_likes(small.scale), (small.n_items, 1)))


def test_same_seed_same_bits_for_any_number_of_threads():
    ratings = planted_ratings(900, 400, 3, 0.08, seed=2)[0]
    models = [fit(ratings, SHORT, seed=5, n_threads=n) for n in (1, 2, 8)]
    assert len({model.mixtures.tobytes() + model.answers.tobytes() for model in models}) == 1
    assert fit(ratings, SHORT, seed=6).mixtures.tobytes() != models[0].mixtures.tobytes()


def test_it_predicts_planted_data_better_than_the_simple_fit():
    ratings, mixtures, likes = planted_ratings(400, 250, 4, 0.15, seed=3)
    unseen = np.ones((400, 250), dtype=bool)
    unseen[ratings.users, ratings.items] = False
    users, items = np.nonzero(unseen)
    truth = ratings.scale.clip(ratings.scale.from_unit((mixtures @ likes.T)[users, items]))
    options = [preset("recommended", n_stereotypes=4), preset("accurate", n_stereotypes=8, n_factors=6, n_sweeps=60)]
    errors = [np.sqrt(np.square(predict(fit(ratings, o), users, items) - truth).mean()) for o in options]
    assert errors[1] < errors[0]
    assert errors[1] < 0.25


def test_a_valid_model_is_its_own_projection():
    rng = np.random.default_rng(0)
    ratings, *_ = planted_ratings(200, 120, 3, 0.3, seed=1)
    fixed = fixed_likes(ratings.scale)
    mixtures = rng.dirichlet(np.full(5, 0.3), 200)
    likes = np.hstack([rng.beta(0.5, 0.5, (120, 3)), np.tile(fixed, (120, 1))])
    with Workers(1) as workers:
        progress = Progress()
        factors = project([Average(mixtures, likes, 30.0)], ratings, 3, fixed, rng, workers, progress)
    trace = progress.traces[-1]
    difference = factors.mixtures @ factors.all_likes().T - mixtures @ likes.T
    assert np.sqrt(np.square(difference).mean()) < 0.02
    assert (np.diff(trace.objectives) <= 1e-9 * np.abs(trace.objectives[:-1])).all()
    direct = ((1 + ratings.by_user.counts)[:, None] * (1 + ratings.by_item.counts) * difference**2).sum()
    assert trace.objectives[-1] == pytest.approx(direct, rel=1e-6, abs=1e-6)


def test_mixtures_of_the_relaxed_model_sum_to_one_and_may_be_negative(small):
    with Workers(1) as workers:
        found = features(small, None)
        progress = Progress()
        average = sample(small, *found, 4, 20, 5, np.random.default_rng(0), workers, progress)
    trace = progress.traces[-1]
    np.testing.assert_allclose(average.mixtures.sum(axis=1), 1, atol=1e-9)
    assert len(trace.training_errors) == 20
    assert trace.training_errors[-1] < trace.training_errors[0]
    assert 1 < average.noise_precision < 1000


def test_progress_counts_chains_and_projection(small):
    seen = []
    fit(small, replace(SHORT, n_chains=2), callback=seen.append)
    assert [sweep.stage for sweep in seen[:24]] == ["relaxed"] * 24
    assert {sweep.stage for sweep in seen[24:]} == {"projection"}
    assert [sweep.number for sweep in seen] == list(range(1, len(seen) + 1))
    assert all(a.share <= b.share <= 1 for a, b in pairwise(seen))
    with pytest.raises(FitCancelled):
        fit(small, SHORT, callback=lambda sweep: sweep.number < 5)


def test_new_people_are_drawn_to_the_average_by_what_the_audience_says(small):
    model = fit(small, SHORT)
    folded = fold_in_users(model, small)
    error = np.abs(folded - model.mixtures).sum(axis=1).mean()
    assert error < 1.0
    assert np.linalg.eigvalsh(model.mixture_precision).min() > 0


class TestFeatures:
    def test_they_depend_on_who_rated_what_and_not_on_the_ratings(self, small):
        users, items = features(small, None)
        assert users.directions.shape == (60, 39)
        np.testing.assert_allclose(users.directions.T @ users.directions, np.eye(39), atol=1e-8)
        assert ((users.gains >= 0) & (users.gains < 1)).all()
        assert (np.diff(items.gains) <= 1e-12).all()

    def test_decades_come_from_titles(self):
        labels = decades(("A (1994)", "B (2001) ", "C", "D (1999)", "1984"))
        assert labels.names == ("1990s", "2000s")
        assert labels.member.toarray().tolist() == [
            [True, False],
            [False, True],
            [False, False],
            [True, False],
            [False, False],
        ]

    def test_side_information_of_other_data_is_refused(self, small, bundled):
        with pytest.raises(InputError, match=r"Side information has 671 rows where the ratings have 60"):
            fit(small, SHORT, side=SideInformation.of(bundled))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"burn_in": 120}, "n_sweeps must be above burn_in=120, not 120"),
        ({"mode": "stars"}, "always in like mode"),
        ({"anchors": (5, 5)}, "no anchors"),
        ({"generosity": False}, "always has generosity"),
        ({"n_chains": 0}, "n_chains must be"),
    ],
)
def test_contradictions_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        preset("accurate", **changes)
