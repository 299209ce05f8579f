"""Top-N quality: the share of a person's favourites in a list of ten, of models, popularity and PureSVD."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray, FloatArray, IntArray

Score = Callable[[IntArray], FloatArray]
"""Takes users (n,) and returns scores (n, n_items); items with high scores come first."""

_BLOCK = 512


@dataclass(frozen=True, slots=True)
class Ranking:
    """The quality of lists, averaged over people with a held-out favourite.

    ``recall``: the share of the favourites among the first n; ``ndcg``: the same, with more weight on earlier places;
    ``coverage``: the share of the catalogue that is recommended to anybody.
    """

    recall: float
    ndcg: float
    coverage: float
    n_people: int


def rank(score: Score, train: Ratings, favourites: Ratings, n: int = 10) -> Ranking:
    """Measure the quality of the first ``n`` recommendations, which leave out what is in ``train``.

    >>> held_out = random_folds(ratings, 5)[0]
    >>> train = ratings.subset(~held_out)
    >>> 0 < rank(by_popularity(train), train, favourites(ratings, held_out)).recall < 1
    True
    """
    if n < 1:
        raise InputError(f"A list needs at least one place, not {n}.")
    people = np.flatnonzero(favourites.by_user.counts)
    if len(people) == 0:
        raise InputError("Nobody has a favourite among the held-out ratings.")
    discounts = 1.0 / np.log2(np.arange(2, n + 2))
    recall, gain = np.zeros(len(people)), np.zeros(len(people))
    shown = np.zeros(train.n_items, dtype=np.bool_)
    for begin in range(0, len(people), _BLOCK):
        users = people[begin : begin + _BLOCK]
        scores = np.array(score(users), dtype=np.float64)
        for place, user in enumerate(users):
            scores[place, train.by_user.partners[train.by_user.of(user)]] = -np.inf
        lists = np.argsort(-scores, axis=1, kind="stable")[:, :n]
        shown[lists] = True
        for place, user in enumerate(users):
            wanted = favourites.by_user.partners[favourites.by_user.of(user)]
            hits = np.isin(lists[place], wanted)
            recall[begin + place] = hits.sum() / min(len(wanted), n)
            gain[begin + place] = discounts[: len(hits)][hits].sum() / discounts[: min(len(wanted), n)].sum()
    return Ranking(float(recall.mean()), float(gain.mean()), float(shown.mean()), len(people))


def favourites(ratings: Ratings, held_out: BoolArray) -> Ratings:
    """Return the held-out ratings that are the scale's highest."""
    return ratings.subset(held_out & (ratings.values >= ratings.scale.highest - 1e-9))


def by_model(model: Model) -> Score:
    """Rank items by their expected rating."""
    return lambda users: np.asarray(model.mixtures[users] @ model.likes.T)


def by_popularity(train: Ratings) -> Score:
    """Rank items by how many people rated them."""
    counts = train.by_item.counts.astype(np.float64)
    return lambda users: np.tile(counts, (len(users), 1))


def by_pure_svd(train: Ratings, n_factors: int = 50) -> Score:
    """Rank items by PureSVD: a truncated singular value decomposition of the ratings with unknown ones as zeros."""
    shape = (train.n_users, train.n_items)
    matrix = csr_array((train.values, train.by_user.partners, train.by_user.starts), shape=shape)
    rank_ = min(n_factors, min(matrix.shape) - 1)
    _, _, right = svds(matrix, k=rank_, v0=np.ones(min(matrix.shape)) / np.sqrt(min(matrix.shape)))
    return lambda users: np.asarray((matrix[users] @ right.T) @ right)
