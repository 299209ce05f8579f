"""Which stereotype of one model is which of another: distances, the best matching, and where the audience goes."""

from __future__ import annotations

import numpy as np

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray


def stereotype_distances(first: Model, second: Model, ratings: Ratings) -> FloatArray:
    """Return the distances between the stereotypes of taste of two models of the same items, (n_first, n_second).

    The difference between two stereotypes' probabilities of liking an item, averaged over all ratings: from 0 to 1.

    Examples
    --------
    >>> stereotype_distances(model, model, dataset.ratings).diagonal()
    array([0., 0., 0.])
    """
    if first.item_ids != second.item_ids or first.item_ids != ratings.item_ids:
        raise InputError("Stereotypes can be compared only between models of the same items.")
    weights = ratings.by_item.counts / len(ratings)
    theirs = second.likes[:, : second.n_stereotypes]
    return np.array(
        [weights @ np.abs(theirs - first.likes[:, k, None]) for k in range(first.n_stereotypes)], dtype=np.float64
    )


def match_stereotypes(distances: FloatArray) -> IntArray:
    """Match rows to columns one to one with the smallest sum of distances (the Hungarian method).

    Returns
    -------
    array of shape (n_rows,)
        The column of each row, -1 for rows that are left over.

    Examples
    --------
    >>> match_stereotypes(np.array([[0.1, 0.2], [0.1, 0.9], [0.5, 0.5]]))
    array([ 1,  0, -1])
    """
    from scipy.optimize import linear_sum_assignment  # here: to import that takes longer than to match

    rows, columns = linear_sum_assignment(distances)
    matched = np.full(len(distances), -1, dtype=np.int64)
    matched[rows] = columns
    return matched


def audience_flows(before: Model, after: Model) -> FloatArray:
    """Return the share of the audience that goes from each stereotype of one model to each of another.

    (n_before, n_after); sums to the share of the audience that is not generosity in either model.

    Examples
    --------
    >>> audience_flows(model, model).sum().round(6)
    np.float64(1.0)
    """
    flows = before.mixtures[:, : before.n_stereotypes].T @ after.mixtures[:, : after.n_stereotypes]
    return np.asarray(flows / before.n_users)
