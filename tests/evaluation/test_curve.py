"""The curve of error against the number of stereotypes."""

from dataclasses import replace

import pytest

from nnm_core import FitCancelled, preset
from nnm_core.datasets.synthetic import invent
from nnm_core.evaluation import Curve, error_curve, random_folds

OPTIONS = preset("recommended", n_stereotypes=2, n_sweeps=5)


def test_the_curve_finds_the_planted_number_of_stereotypes():
    ratings = invent(400, 150, 20_000, n_stereotypes=3, seed=4, noise=0.2).ratings()
    folds = random_folds(ratings, 5)
    curve = error_curve(ratings, range(1, 6), preset("recommended", n_sweeps=20), folds)
    table = curve.table()
    assert table["stereotypes"].tolist() == [1, 2, 3, 4, 5]
    assert table["mae"].iloc[0] > table["mae"].iloc[1] > table["mae"].iloc[2]
    suggestion = curve.suggestion()
    assert suggestion.n_stereotypes == 3
    assert f"D = {suggestion.best}" in suggestion.reason


def test_a_longer_curve_computes_only_what_is_new(small):
    folds = random_folds(small, 3)
    short = error_curve(small, [1, 2], OPTIONS, folds)
    rounds = []
    longer = error_curve(small, [1, 2, 3], OPTIONS, folds, known=short, callback=rounds.append)
    assert longer.evaluations[1] is short.evaluations[1]
    assert list(longer.evaluations) == [1, 2, 3]
    assert rounds[-1].total == 3
    again = error_curve(small, [2], replace(OPTIONS), folds, known=longer)
    assert again.evaluations[2] is longer.evaluations[2]


def test_points_are_handed_over_as_soon_as_they_are_there(small):
    folds, points = random_folds(small, 3), {}

    def stop_after_two(progress):
        return len(points) < 2

    with pytest.raises(FitCancelled):
        error_curve(small, [1, 2, 3, 4, 5, 6], OPTIONS, folds, callback=stop_after_two, on_point=points.__setitem__)
    assert 2 <= len(points) < 6
    whole = error_curve(small, list(points), OPTIONS, folds)
    for n, point in points.items():
        assert point.options.n_stereotypes == n
        assert [fold.scores for fold in point.folds] == [fold.scores for fold in whole.evaluations[n].folds]


def test_a_curve_that_falls_to_its_end_is_still_improving():
    ratings = invent(400, 150, 20_000, n_stereotypes=4, seed=4, noise=0.2).ratings()
    curve = error_curve(ratings, range(1, 7), preset("recommended", n_sweeps=20), random_folds(ratings, 3))
    assert Curve({n: curve.evaluations[n] for n in (1, 2, 3)}).is_still_improving()
    assert not curve.is_still_improving()
    assert not Curve({3: curve.evaluations[3]}).is_still_improving()
