"""Scores by hand, and folds that hold every rating out once."""

import numpy as np
import pytest

from nnm_core import DataError, InputError, Scale
from nnm_core.evaluation import Scores, own_folds, random_folds, single_split
from nnm_core.evaluation.scores import mean, spread


def test_scores_by_hand():
    scores = Scores.of(np.array([0.2, 2.4, 4.6]), np.array([1.0, 3.0, 4.0]), Scale(1, 5))
    assert scores.mae == pytest.approx((0 + 0.6 + 0.6) / 3)
    assert scores.rmse == pytest.approx(np.sqrt((0.36 + 0.36) / 3))
    assert scores.mae_rounded == pytest.approx((0 + 1 + 1) / 3)
    assert scores.rmse_rounded == pytest.approx(np.sqrt(2 / 3))


def test_mean_and_spread_over_folds():
    folds = [Scores(1, 2, 3, 4), Scores(3, 2, 5, 4)]
    assert mean(folds) == Scores(2, 2, 4, 4)
    assert spread(folds) == Scores(np.sqrt(2), 0, np.sqrt(2), 0)
    assert spread(folds[:1]) == Scores(0, 0, 0, 0)


def test_every_rating_is_held_out_once(small):
    folds = random_folds(small, 5, seed=3)
    assert (np.sum(folds, axis=0) == 1).all()
    sizes = [fold.sum() for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    assert any((a != b).any() for a, b in zip(folds, random_folds(small, 5, seed=4), strict=True))
    (split,) = single_split(small, 0.1, seed=1)
    assert split.sum() == round(0.1 * len(small))


@pytest.mark.movielens
def test_movielens_own_folds_hold_every_rating_out_once(ml_100k, ml_100k_folder):
    folds = own_folds(ml_100k_folder, ml_100k.ratings)
    assert [int(fold.sum()) for fold in folds] == [20_000] * 5
    assert (np.sum(folds, axis=0) == 1).all()


def test_impossible_folds_are_refused(small, tmp_path):
    with pytest.raises(InputError, match="between 2 and the"):
        random_folds(small, 1)
    with pytest.raises(InputError, match="between 0 and 1, not 1"):
        single_split(small, 1.0)
    with pytest.raises(DataError, match=r"u1.test is missing"):
        own_folds(tmp_path, small)
    for name in ("u1", "u2", "u3", "u4", "u5"):
        (tmp_path / f"{name}.test").write_text("0\t0\t5\t0\nnobody\t0\t5\t0\n")
    with pytest.raises(DataError, match=r"u1.test, line 2: user 'nobody'"):
        own_folds(tmp_path, small)
