"""Anchors: the most active users and most popular items, on which a model can be fitted before all others."""

from __future__ import annotations

import numpy as np

from nnm_core.ratings import Ratings
from nnm_core.types import IntArray


def anchor_ratings(ratings: Ratings, n_users: int, n_items: int) -> Ratings:
    """Return the ratings that the ``n_users`` most active users gave the ``n_items`` most popular items."""
    users, items = _most(ratings.by_user.counts, n_users), _most(ratings.by_item.counts, n_items)
    user_place, item_place = np.full(ratings.n_users, -1), np.full(ratings.n_items, -1)
    user_place[users], item_place[items] = np.arange(len(users)), np.arange(len(items))
    rows, columns = user_place[ratings.users], item_place[ratings.items]
    both = (rows >= 0) & (columns >= 0)
    return Ratings.from_numbers(
        rows[both],
        columns[both],
        ratings.values[both],
        [ratings.user_ids[k] for k in users],
        [ratings.item_ids[k] for k in items],
        scale=ratings.scale,
    )


def _most(counts: IntArray, n: int) -> IntArray:
    """Return the rows with the largest counts, in increasing order."""
    return np.sort(np.argsort(-counts, kind="stable")[:n])
