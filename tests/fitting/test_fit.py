"""Algorithm 1 and its extensions: constraints, monotony, reproducibility, edge cases, and that every option acts."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnm_core import FitCancelled, FitOptions, InputError, Ratings, Scale, average, fit, predict, preset
from nnm_core._kernels.grouping import RatingRows
from nnm_core.fitting.fill import Zeros, sample_unknown
from nnm_core.fitting.likes import TIE_BREAK
from tests.planted import planted_ratings

PAPER, RECOMMENDED = preset("paper"), preset("recommended")
VARIANTS = {
    "paper": PAPER,
    "recommended": RECOMMENDED,
    "sampled fill": replace(PAPER, fill="sampled"),
    "no fill": replace(PAPER, fill="none"),
    "stars": replace(PAPER, mode="stars"),
    "stars with all": replace(RECOMMENDED, mode="stars"),
}


def bits(model):
    return model.mixtures.tobytes() + model.answers.tobytes() + model.mean_mixture.tobytes()


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("n_stereotypes", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("seed", range(4))
def test_constraints_hold_and_the_objective_never_rises(small, name, n_stereotypes, seed):
    model = fit(small, replace(VARIANTS[name], n_stereotypes=n_stereotypes, n_sweeps=12), seed=seed)
    assert model.n_stereotypes == n_stereotypes
    assert model.mixtures.min() >= 0
    np.testing.assert_allclose(model.mixtures.sum(axis=1), 1, atol=1e-12)
    assert model.answers.min() >= 0
    np.testing.assert_allclose(model.answers.sum(axis=1), 1, atol=1e-12)
    for trace in model.traces:
        assert trace.residual <= 1e-8
        # With momentum, a sweep's first half-step starts from extrapolated mixtures; whole sweeps always compare.
        step = 2 if model.options.momentum else 1
        for part in (trace.objectives[: trace.n_filled], trace.objectives[trace.n_filled :]):
            compared = part[step - 1 :: step]
            assert (np.diff(compared) <= 1e-9 * compared[:-1] + TIE_BREAK * small.n_users).all()


@pytest.mark.parametrize("name", VARIANTS)
def test_the_objective_is_what_it_says(small, name):
    options = VARIANTS[name]
    model = fit(small, options, seed=3)
    units = small.scale.to_unit(small.values)
    if options.mode == "like":
        error = np.square((model.mixtures[small.users] * model.likes[small.items]).sum(axis=1) - units).sum()
        free = model.likes[:, : model.n_stereotypes]
        n, total = small.by_item.counts, np.bincount(small.items, weights=units)
        centers = ((total + 5 * units.mean()) / (n + 5))[:, None]
    else:
        given = np.eye(5)[small.by_user.codes]
        predicted = np.einsum("nk,nzk->nz", model.mixtures[small.users], model.answers[small.items])
        error = np.square(predicted - given).sum()
        free = model.answers[:, :, : model.n_stereotypes]
        counts = np.zeros((small.n_items, 5))
        np.add.at(counts, (small.items, small.by_user.codes), 1)
        damped = counts + 5 * given.mean(axis=0)
        centers = (damped / damped.sum(axis=1, keepdims=True))[:, :, None]
    pull = np.square(free - centers).sum() + np.square(model.mixtures - model.mixtures.mean(axis=0)).sum()
    assert model.traces[-1].objectives[-1] == pytest.approx(error + options.shrinkage * pull, rel=1e-9)


@pytest.mark.parametrize("name", ["paper", "sampled fill"])
def test_the_training_error_counts_known_ratings_only_even_while_filled(small, name):
    for n_sweeps in (1, 2, 3):
        model = fit(small, replace(VARIANTS[name], n_sweeps=n_sweeps))
        expected = small.scale.from_unit((model.mixtures[small.users] * model.likes[small.items]).sum(axis=1))
        rmse = math.sqrt(np.square(expected - small.values).mean())
        assert model.traces[0].training_errors[-1] == pytest.approx(rmse, rel=1e-9)


def test_the_filled_objective_is_that_of_the_dense_matrix(small):
    model = fit(small, replace(PAPER, n_sweeps=2), seed=1)
    dense = np.zeros((small.n_users, small.n_items))
    dense[small.users, small.items] = small.scale.to_unit(small.values)
    assert model.traces[0].objectives[-1] == pytest.approx(np.square(model.mixtures @ model.likes.T - dense).sum())


@pytest.mark.parametrize("name", VARIANTS)
def test_same_seed_same_bits_for_any_number_of_threads(name):
    ratings = planted_ratings(2500, 900, 3, 0.04, seed=2)[0]  # enough for several blocks per thread
    options = replace(VARIANTS[name], n_stereotypes=4, n_sweeps=5, star_sweeps=2)
    results = {bits(fit(ratings, options, seed=11, n_threads=n)) for n in (1, 2, 8)}
    assert len(results) == 1
    assert bits(fit(ratings, options, seed=12)) not in results


def test_two_fits_at_once_do_not_disturb_each_other():
    ratings = planted_ratings(2500, 900, 3, 0.04, seed=2)[0]
    options = [replace(RECOMMENDED, n_stereotypes=n, n_sweeps=6) for n in (3, 6)]
    alone = [bits(fit(ratings, option)) for option in options]
    with ThreadPoolExecutor(2) as pool:
        together = [bits(model) for model in pool.map(lambda option: fit(ratings, option, n_threads=2), options * 3)]
    assert together == alone * 3


@pytest.mark.parametrize("n_stereotypes", [2, 4])
@pytest.mark.parametrize("preset_name", ["paper", "recommended"])
def test_planted_truth_is_predicted_to_noise_level(n_stereotypes, preset_name):
    ratings, mixtures, likes = planted_ratings(500, 300, n_stereotypes, 0.4, seed=n_stereotypes)
    model = fit(ratings, preset(preset_name, n_stereotypes=n_stereotypes, n_sweeps=60), seed=0)
    unseen = np.ones((500, 300), dtype=bool)
    unseen[ratings.users, ratings.items] = False
    users, items = np.nonzero(unseen)
    truth = ratings.scale.from_unit((mixtures @ likes.T)[users, items])
    error = predict(model, users, items) - ratings.scale.clip(truth)
    # rounding to whole stars is the noise: uniform on ±0.5, with a standard deviation of 0.29
    assert np.sqrt(np.square(error).mean()) < 0.2


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize(
    ("users", "items", "values"),
    [
        ([1], [1], [3]),
        ([1, 1, 1], [1, 2, 3], [1, 3, 5]),
        ([1, 2, 3], [1, 1, 1], [5, 5, 1]),
        ([1, 2, 1, 2], [1, 1, 2, 2], [4, 4, 4, 4]),
    ],
    ids=["one rating", "one user", "one item", "constant"],
)
def test_degenerate_data_give_a_valid_model(name, users, items, values):
    for n_stereotypes in (1, 3):
        ratings = Ratings.from_arrays(users, items, values, scale=Scale(1, 5))
        model = fit(ratings, replace(VARIANTS[name], n_stereotypes=n_stereotypes))
        predicted = predict(model, ratings.users, ratings.items)
        assert ((predicted >= 1) & (predicted <= 5)).all()
        if VARIANTS[name].shrinkage == 0 and len(set(users)) == 1:
            np.testing.assert_allclose(predicted, ratings.values, atol=1e-6)


@pytest.mark.parametrize("name", VARIANTS)
def test_rows_without_ratings_fall_back_to_the_average(small, name):
    mask = (small.users != 7) & (small.items != 3)
    train = small.subset(mask)
    model = fit(train, VARIANTS[name])
    np.testing.assert_array_equal(model.mixtures[7], model.mean_mixture)
    free = model.likes[3, : model.n_stereotypes]
    np.testing.assert_allclose(free, train.scale.to_unit(train.values).mean(), atol=1e-9)


@given(
    scale=st.sampled_from([Scale(1, 5), Scale(0.5, 5, 0.5), Scale(1, 10), Scale(0, 1), Scale(-10, 10), Scale(0, 1, 0)]),
    seed=st.integers(0, 50),
    preset_name=st.sampled_from(["paper", "recommended"]),
)
@settings(max_examples=40)
def test_any_scale_can_be_fitted(scale, seed, preset_name):
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((12, 9)) < 0.5)
    values = rng.choice(scale.levels, len(users)) if scale.n_levels else rng.random(len(users))
    ratings = Ratings.from_arrays(users, items, values, scale=scale)
    model = fit(ratings, preset(preset_name, n_stereotypes=2), seed=seed)
    predicted = predict(model, ratings.users, ratings.items)
    assert predicted.min() >= scale.lowest
    assert predicted.max() <= scale.highest


def test_an_affine_change_of_scale_changes_nothing_else():
    base = planted_ratings(60, 40, 3, 0.4, seed=1)[0]
    doubled = Ratings.from_arrays(base.users, base.items, base.values * 2 - 7)
    np.testing.assert_allclose(fit(base).mixtures, fit(doubled).mixtures, atol=1e-9)


class TestOptionsAct:
    def test_generosity_adds_the_enthusiast_and_the_skeptic(self, small):
        model = fit(small, replace(PAPER, generosity=True))
        assert model.names == ("1", "2", "3", "enthusiast", "skeptic")
        np.testing.assert_allclose(model.likes[:, 3], 1.0)
        np.testing.assert_allclose(model.likes[:, 4], 0.2)
        stars = fit(small, replace(PAPER, generosity=True, mode="stars"))
        assert (stars.answers[:, :, 3] == [0, 0, 0, 0, 1]).all()
        assert (stars.answers[:, :, 4] == [1, 0, 0, 0, 0]).all()

    def test_shrinkage_pulls_toward_the_average(self, small):
        spread = [fit(small, replace(PAPER, shrinkage=s)).mixtures.var(axis=0).sum() for s in (0.0, 1.0, 100.0)]
        assert spread[0] > spread[1] > spread[2]

    def test_fill_lowers_what_is_expected_of_unknown_items(self, small):
        likes = {
            fill: fit(small, replace(PAPER, n_sweeps=2, fill=fill)).likes.mean() for fill in ("all", "sampled", "none")
        }
        assert likes["all"] < likes["sampled"] < likes["none"]

    def test_a_tolerance_stops_early(self, small):
        model = fit(small, replace(PAPER, n_sweeps=5000, tol=1e-4))
        assert len(model.traces[0].training_errors) < 5000
        assert model.converged
        assert not fit(small, replace(PAPER, n_sweeps=3)).converged

    def test_more_sweeps_fit_better(self, small):
        objectives = [fit(small, replace(PAPER, n_sweeps=n)).traces[0].objectives[-1] for n in (3, 6, 20)]
        assert objectives[0] > objectives[1] > objectives[2]

    def test_a_committee_predicts_the_mean_of_its_members(self, small):
        for options in (RECOMMENDED, replace(RECOMMENDED, mode="stars"), PAPER):
            committee = fit(small, replace(options, committee=3), seed=4)
            members = [fit(small, replace(options, n_stereotypes=n), seed=n) for n in (2, 3)]
            mixed = average(members)
            assert committee.n_stereotypes == 9
            assert mixed.n_stereotypes == 5
            assert committee.n_fixed == members[0].n_fixed
            every = [m.mixtures[small.users] * m.likes[small.items] for m in members]
            mean = sum(part.sum(axis=1) for part in every) / 2
            np.testing.assert_allclose((mixed.mixtures[small.users] * mixed.likes[small.items]).sum(axis=1), mean)

    def test_the_first_member_of_a_committee_is_the_single_fit(self, small):
        single, committee = fit(small, PAPER, seed=4), fit(small, replace(PAPER, committee=2), seed=4)
        np.testing.assert_array_equal(committee.answers[:, :, :3], single.answers)
        np.testing.assert_array_equal(committee.mixtures[:, :3], single.mixtures / 2)

    def test_only_like_models_form_a_committee(self, small):
        with pytest.raises(InputError, match="same ratings, mode and generosity"):
            average([fit(small, PAPER), fit(small, RECOMMENDED)])

    def test_stereotypes_are_numbered_by_their_share(self, small):
        shares = fit(small, replace(RECOMMENDED, n_stereotypes=5)).mixtures.mean(axis=0)[:5]
        assert (np.diff(shares) <= 0).all()


class TestProgress:
    def test_every_sweep_is_reported(self, small):
        sweeps = []
        model = fit(small, replace(PAPER, mode="stars", star_sweeps=4), callback=sweeps.append)
        assert [sweep.number for sweep in sweeps] == list(range(1, 21))
        np.testing.assert_allclose([sweep.share for sweep in sweeps], np.arange(1, 21) / 20)
        assert [sweep.is_filled for sweep in sweeps] == [True] * 2 + [False] * 18
        assert [sweep.stage for sweep in sweeps] == ["like"] * 16 + ["stars"] * 4
        assert [sweep.objective for sweep in sweeps[:16]] == model.traces[0].objectives[1::2].tolist()
        assert [sweep.training_error for sweep in sweeps[16:]] == model.traces[1].training_errors.tolist()
        assert all(a.seconds <= b.seconds for a, b in pairwise(sweeps))

    def test_a_callback_can_cancel(self, small):
        with pytest.raises(FitCancelled, match="cancelled after 3 iterations"):
            fit(small, callback=lambda sweep: sweep.number < 3)

    def test_an_error_in_the_callback_comes_through(self, small):
        def broken(sweep):
            raise RuntimeError("broken pipe")

        with pytest.raises(RuntimeError, match="broken pipe"):
            fit(small, callback=broken)


@given(density=st.floats(0.05, 1.0), seed=st.integers(0, 20), cuts=st.sets(st.integers(1, 599), max_size=4))
@settings(max_examples=40)
def test_sampled_cells_are_unknown_different_and_about_as_many_as_known(density, seed, cuts):
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((600, 20)) < density)
    values = np.arange(len(users)) % 5 + 1
    ratings = Ratings.from_numbers(users, items, values, map(str, range(600)), map(str, range(20)), scale=Scale(1, 5))
    zeros = Zeros.draw(rng, len(ratings), 600, 20)
    cells = sample_unknown(ratings.by_user, 0, zeros)
    known = set((ratings.users.astype(int) * 20 + ratings.items).tolist())
    assert len(set(cells.tolist())) == len(cells)
    assert not known & set(cells.tolist())
    wanted, n_unknown = min(len(ratings), 12_000 - len(ratings)), 12_000 - len(ratings)
    assert abs(len(cells) - wanted) <= 5 * np.sqrt(wanted * (1 - wanted / max(n_unknown, 1)))

    bounds, apart = sorted({0, *cuts, 600}), []  # people who are apart draw what they would draw together
    for first, last in pairwise(bounds):
        starts = ratings.by_user.starts[first : last + 1]
        entries = slice(starts[0], starts[-1])
        rows = RatingRows(starts - starts[0], ratings.by_user.partners[entries], ratings.by_user.codes[entries])
        apart.append(sample_unknown(rows, first, zeros) + first * 20)
    np.testing.assert_array_equal(np.concatenate(apart), cells)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_stereotypes": 0}, "n_stereotypes must be a whole number from 1 to 256, not 0"),
        ({"n_stereotypes": 257}, "from 1 to 256, not 257"),
        ({"n_stereotypes": 2.5}, "n_stereotypes must be a whole number"),
        ({"n_sweeps": 0, "shrinkage": -1.0}, r"n_sweeps must be .* not 0; shrinkage must be .* not -1.0"),
        ({"tol": math.nan}, "tol must be a number of at least 0, not nan"),
        ({"fill": "some"}, "fill must be one of"),
        ({"mode": "thumbs"}, "mode must be one of"),
        ({"committee": 0}, "committee must be"),
        ({"anchors": (0, 5)}, "anchors must be None or two whole numbers"),
        ({"generosity": True, "n_sweeps": 2}, "n_sweeps must be above fill_sweeps=2, not 2"),
    ],
)
def test_impossible_options_are_refused_all_at_once(changes, message):
    with pytest.raises(InputError, match=message):
        FitOptions(**changes)


def test_other_bad_arguments_are_refused(small):
    with pytest.raises(InputError, match="no preset 'best'; choose one of paper, recommended"):
        preset("best")
    with pytest.raises(InputError, match="seed must be a whole number of at least 0, not -1"):
        fit(small, seed=-1)
    with pytest.raises(InputError, match="threads must be at least 1, not 0"):
        fit(small, n_threads=0)
    with pytest.raises(InputError, match="no ratings"):
        fit(small.subset(np.zeros(len(small), dtype=bool)))
    fine = Ratings.from_arrays(np.arange(99), np.arange(99), np.arange(99) / 7)
    with pytest.raises(InputError, match="Stars mode needs a scale of 2 to 51 levels and this one has 99 levels"):
        fit(fine, FitOptions(mode="stars"))
