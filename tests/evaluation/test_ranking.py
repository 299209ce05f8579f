"""Lists of recommendations on data where the answer is known."""

import numpy as np
import pytest

from nnm_core import InputError, Ratings, Scale, fit, preset
from nnm_core.evaluation import random_folds
from nnm_core.evaluation.ranking import by_model, by_popularity, by_pure_svd, favourites, rank
from tests.planted import planted_ratings


def test_a_list_by_hand():
    ratings = Ratings.from_arrays(
        ["a", "a", "a", "b", "b"], ["1", "2", "3", "1", "4"], [5, 5, 1, 5, 5], scale=Scale(1, 5)
    )
    held_out = np.array([False, True, False, False, True])
    train, wanted = ratings.subset(~held_out), favourites(ratings, held_out)
    scores = np.array([[9.0, 3.0, 8.0, 4.0], [9.0, 3.0, 8.0, 4.0]])  # a gets 4, 2; b gets 3, 4
    ranking = rank(lambda users: scores[users], train, wanted, n=2)
    assert ranking.recall == 1.0
    assert ranking.ndcg == pytest.approx(1 / np.log2(3))
    assert ranking.coverage == 3 / 4
    assert ranking.n_people == 2
    one = rank(lambda users: scores[users], train, wanted, n=1)
    assert one.recall == 0.0


def test_models_rank_planted_favourites_better_than_popularity():
    ratings, *_ = planted_ratings(300, 120, 3, 0.4, seed=6)
    held_out = random_folds(ratings, 5)[0]
    train, wanted = ratings.subset(~held_out), favourites(ratings, held_out)
    popular = rank(by_popularity(train), train, wanted)
    model = rank(by_model(fit(train, preset("recommended"))), train, wanted)
    assert model.ndcg > 1.5 * popular.ndcg
    assert rank(by_pure_svd(train, 5), train, wanted).coverage > popular.coverage


def test_impossible_rankings_are_refused(small):
    with pytest.raises(InputError, match="at least one place"):
        rank(by_popularity(small), small, small, n=0)
    nobody = small.subset(np.zeros(len(small), dtype=bool))
    with pytest.raises(InputError, match="Nobody has a favourite"):
        rank(by_popularity(small), small, nobody)
