"""The audience as a whole: which share each stereotype has, and how much is known about whom and what."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray


def shares(model: Model) -> FloatArray:
    """The share of the audience that each stereotype makes up, generosity included; sums to 1, (n_columns,)."""
    return np.asarray(model.mixtures.mean(axis=0))


def taste_shares(model: Model) -> FloatArray:
    """The shares of the stereotypes of taste among themselves, generosity set aside; sums to 1, (n_stereotypes,).

    Where nobody has any taste at all, all stereotypes count alike.
    """
    free = shares(model)[: model.n_stereotypes]
    total = free.sum()
    return free / total if total > 0 else np.full(len(free), 1.0 / len(free))


def evidence(model: Model, ratings: Ratings) -> FloatArray:
    """How many ratings of each item come from people of each stereotype, (n_items, n_columns).

    A rating by somebody who is 60% of one stereotype and 40% of another counts 0.6 for one and 0.4 for the other, so a
    row sums to the number of ratings of its item.
    """
    check_same_rows(model, ratings)
    side = ratings.by_item
    given = csr_array((np.ones(len(ratings)), side.partners, side.starts), shape=(ratings.n_items, ratings.n_users))
    return np.asarray(given @ model.mixtures)


def check_same_rows(model: Model, ratings: Ratings) -> None:
    """Refuse ratings whose users and items are not those of the model."""
    if model.item_ids != ratings.item_ids or model.user_ids != ratings.user_ids:
        raise InputError(
            "The model and the data set do not have the same people and items; use the data that the model was fitted "
            "to, or bring the model up to date with 'extend'."
        )
