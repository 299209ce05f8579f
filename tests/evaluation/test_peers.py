"""Peers on data where the answer is known."""

import numpy as np
import pytest

from nnm_core import InputError, Ratings
from nnm_core.evaluation import random_folds
from nnm_core.evaluation.peers import MEANS, available, evaluate_peer
from tests.planted import planted_ratings


def test_means_by_hand():
    ratings = Ratings.from_arrays(["a", "a", "b", "b"], ["x", "y", "x", "y"], [1, 1, 5, 5])
    held_out = [np.array([True, False, False, False])]
    overall = 11 / 3
    expected = {"global mean": overall, "user means": (1 + 5 * overall) / 6, "item means": (5 + 5 * overall) / 6}
    of_x, of_y = (5 - overall) / 6, (1 - overall + 5 - overall) / 7
    expected["user and item means"] = overall + of_x + (1 - overall - of_y) / 6
    for name in MEANS:
        assert evaluate_peer(name, ratings, held_out).scores.mae == pytest.approx(expected[name] - 1)


def test_better_peers_score_better():
    ratings, *_ = planted_ratings(150, 80, 3, 0.4, seed=1)
    folds = random_folds(ratings, 3)
    peers = {name: evaluate_peer(name, ratings, folds).scores.mae for name in available()}
    assert peers["item means"] < peers["global mean"]
    if "SVD++" in peers:
        assert peers["SVD++"] < peers["item means"]


def test_unknown_and_missing_peers_are_named(small, monkeypatch):
    with pytest.raises(InputError, match="no peer 'Magic'; choose one of global mean"):
        evaluate_peer("Magic", small, random_folds(small, 3))
    monkeypatch.setattr("nnm_core.evaluation.peers.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"nnm-explorer\[baselines\]"):
        evaluate_peer("NMF", small, random_folds(small, 3))
