"""The curve of error against the number of stereotypes."""

from dataclasses import replace

from nnm_core import preset
from nnm_core.datasets.synthetic import invent
from nnm_core.evaluation import error_curve, random_folds

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
