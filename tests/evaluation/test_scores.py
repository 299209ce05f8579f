"""Errors of predictions, by hand."""

import numpy as np
import pytest

from nnm_core import Scale
from nnm_core.evaluation import Scores
from nnm_core.evaluation.folds import mean, spread


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
