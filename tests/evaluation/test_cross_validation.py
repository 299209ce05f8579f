"""Cross-validation: what it measures, that nothing leaks, and that it can be watched and cancelled."""

from itertools import pairwise

import numpy as np
import pytest

from nnm_core import FitCancelled, InputError, Ratings, fit, predict, preset
from nnm_core.evaluation import Scores, cross_validate, error_curve, random_folds
from nnm_core.fitting.distilled.features import SideInformation

OPTIONS = preset("recommended", n_stereotypes=2, n_sweeps=5)


def test_scores_are_those_of_fits_without_the_fold(small):
    folds = random_folds(small, 3)
    evaluation = cross_validate(small, OPTIONS, folds, seed=7)
    for k, (held_out, result) in enumerate(zip(folds, evaluation.folds, strict=True)):
        model = fit(small.subset(~held_out), OPTIONS, seed=7 + k)
        predicted = predict(model, small.users[held_out], small.items[held_out])
        assert result.scores == Scores.of(predicted, small.values[held_out], small.scale)
    assert evaluation.scores.mae == pytest.approx(np.mean([fold.scores.mae for fold in evaluation.folds]))


@pytest.mark.parametrize("name", ["paper", "recommended", "accurate"])
def test_a_changed_held_out_rating_changes_nothing(bundled, small, name):
    """Neither the ratings that are held out nor features made of them reach the fit."""
    held_out = random_folds(small, 4)[0]
    values = small.values.copy()
    values[held_out] = small.scale.highest + small.scale.lowest - values[held_out]
    changed = Ratings.from_numbers(small.users, small.items, values, small.user_ids, small.item_ids, scale=small.scale)
    options = preset(name, n_stereotypes=2, n_sweeps=8, **({"burn_in": 3} if name == "accurate" else {}))
    models = [fit(ratings.subset(~held_out), options) for ratings in (small, changed)]
    np.testing.assert_array_equal(models[0].mixtures, models[1].mixtures)
    np.testing.assert_array_equal(models[0].answers, models[1].answers)


def test_scores_per_sweep_end_at_the_scores(small):
    evaluation = cross_validate(small, OPTIONS, random_folds(small, 3), per_sweep=True)
    for fold in evaluation.folds:
        assert len(fold.sweeps) == len(fold.training_errors) == 5
        assert fold.sweeps[-1].mae == pytest.approx(fold.scores.mae, rel=1e-9)
        assert fold.sweeps[0].mae > fold.sweeps[-1].mae  # the first sweep is filled with zeros
        assert len(fold.training_maes) == 5
        assert fold.training_maes[-1] < fold.training_errors[-1]


def test_what_only_the_held_out_part_has_is_counted(small):
    held_out = small.users == 4
    held_out |= (small.items == 9) & (small.users % 2 == 0)
    train = small.subset(~held_out)
    (fold,) = cross_validate(small, OPTIONS, [held_out]).folds
    assert fold.n_unseen_users == (small.users == 4).sum()
    assert fold.n_unseen_items == (train.by_item.counts[small.items[held_out]] == 0).sum()


def test_the_number_of_threads_changes_no_score(small):
    folds = random_folds(small, 4)
    alone, together = (cross_validate(small, OPTIONS, folds, n_threads=n) for n in (1, 3))
    assert [fold.scores for fold in alone.folds] == [fold.scores for fold in together.folds]


def test_progress_and_cancelling(small):
    seen = []
    cross_validate(small, OPTIONS, random_folds(small, 3), callback=seen.append)
    assert len(seen) == 15
    assert seen[-1].done == pytest.approx(seen[-1].total) == 3
    assert all(a.done <= b.done for a, b in pairwise(seen))
    assert seen[-1].seconds_left == pytest.approx(0)
    with pytest.raises(FitCancelled):
        cross_validate(small, OPTIONS, random_folds(small, 3), callback=lambda progress: progress.done < 1)


def test_impossible_evaluations_are_refused(small):
    with pytest.raises(InputError, match="at least one fold"):
        cross_validate(small, OPTIONS, [])
    with pytest.raises(InputError, match="Fold 1 is for 3 ratings"):
        cross_validate(small, OPTIONS, [np.array([True, False, True])])
    with pytest.raises(InputError, match=f"Fold 1 holds out {len(small):,}"):
        cross_validate(small, OPTIONS, [np.ones(len(small), dtype=bool)])
    with pytest.raises(InputError, match="at least one number of stereotypes"):
        error_curve(small, [], OPTIONS, random_folds(small, 3))


def test_side_information_is_genres_and_decades(bundled):
    side = SideInformation.of(bundled)
    assert side.items.shape == (9066, len(bundled.tags.names) + 12)  # the 1900s to the 2010s
    assert side.users.shape == (671, 0)
