"""Which stereotype of one model is which of another: distances, and the best one-to-one matching."""

from __future__ import annotations

import numpy as np

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray


def stereotype_distances(first: Model, second: Model, ratings: Ratings) -> FloatArray:
    """How differently the stereotypes of taste of two models see the items, (n_first, n_second), from 0 to 1.

    The difference between two stereotypes' probabilities of liking an item, which is the total variation between their
    answers like and dislike, averaged over all ratings: popular items count more, and unknown ones not at all.
    """
    if first.item_ids != second.item_ids or first.item_ids != ratings.item_ids:
        raise InputError("Stereotypes can be compared only between models of the same items.")
    weights = ratings.by_item.counts / len(ratings)
    theirs = second.likes[:, : second.n_stereotypes]
    return np.array(
        [weights @ np.abs(theirs - first.likes[:, k, None]) for k in range(first.n_stereotypes)], dtype=np.float64
    )


def match(distances: FloatArray) -> IntArray:
    """For each row the column that it is matched with, by the Hungarian method; -1 for rows that stay alone.

    No column is used twice, and the sum of the distances of all pairs is the smallest possible.
    """
    from scipy.optimize import linear_sum_assignment  # here: to import that takes longer than to match

    rows, columns = linear_sum_assignment(distances)
    matched = np.full(len(distances), -1, dtype=np.int64)
    matched[rows] = columns
    return matched
