"""The audience: shares of the stereotypes, ratings behind each item, and distances of people and of items."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

_BLOCK = 2**20  # ratings counted at a time, so that memory stays bounded


def shares(model: Model) -> FloatArray:
    """Return the share of the audience that each stereotype makes up, generosity included, (n_columns,); sums to 1.

    >>> shares(model).round(2)
    array([0.33, 0.33, 0.33])
    """
    return np.asarray(model.mixtures.mean(axis=0))


def taste_shares(model: Model) -> FloatArray:
    """Return the shares of the stereotypes of taste among themselves, generosity set aside, (n_stereotypes,).

    Sums to 1; all are equal where nobody has any taste at all.
    """
    free = shares(model)[: model.n_stereotypes]
    total = free.sum()
    return free / total if total > 0 else np.full(len(free), 1.0 / len(free))


def evidence(model: Model, ratings: Ratings) -> FloatArray:
    """Count the ratings of each item that come from people of each stereotype, (n_items, n_columns).

    Somebody who is 60% of one stereotype and 40% of another adds 0.6 to the one and 0.4 to the other.
    """
    check_same_rows(model, ratings)
    side, result = ratings.by_item, np.empty((ratings.n_items, model.n_columns))
    first = 0
    while first < ratings.n_items:
        last = max(first + 1, int(np.searchsorted(side.starts, side.starts[first] + _BLOCK, "right")) - 1)
        starts = side.starts[first : last + 1]
        part = side.partners[starts[0] : starts[-1]]
        given = csr_array((np.ones(len(part)), part, starts - starts[0]), shape=(last - first, ratings.n_users))
        result[first:last] = given @ model.mixtures
        first = last
    return result


def people_distances(model: Model, mixture: FloatArray) -> FloatArray:
    """Return the total variation between a mixture (n_columns,) and every user's, (n_users,).

    No probability that the model predicts differs by more than this between two users.
    """
    if mixture.shape != (model.n_columns,):
        raise InputError(f"The mixture has the shape {mixture.shape} where the model needs {(model.n_columns,)}.")
    return np.asarray(0.5 * np.abs(model.mixtures - mixture).sum(axis=1))


def item_distances(model: Model, item: int) -> FloatArray:
    """Return the total variation between an item's answers and every item's, (n_items,), averaged over the audience."""
    _check_row(item, model.n_items, "item")
    per_stereotype = 0.5 * np.abs(model.answers - model.answers[item]).sum(axis=1)
    return np.asarray(per_stereotype @ shares(model))


def nearest_people(model: Model, user: int, n: int = 10) -> pd.DataFrame:
    """Return the ``n`` people nearest to the user in this row, with columns ``row``, ``person``, ``distance``.

    >>> len(nearest_people(model, user=0, n=3))
    3
    """
    _check_row(user, model.n_users, "user")
    distances = people_distances(model, model.mixtures[user])
    order = np.argsort(distances, kind="stable")
    rows = order[order != user][:n]
    people = np.array([model.user_ids[row] for row in rows], dtype=object)
    return pd.DataFrame({"row": rows, "person": people, "distance": distances[rows]})


def nearest_items(
    model: Model, dataset: Dataset, item: int, n: int = 10, *, min_common: int | None = None
) -> pd.DataFrame:
    """Return the ``n`` items that the audience rates most like the item in this row, nearest first.

    Only items that at least ``min_common`` people rated as well as this one are compared; ``None`` stands for
    ``enough_in_common``. Columns: ``row``, ``item``, ``title``, ``distance``, ``ratings`` and ``common``, the number of
    people who rated both.

    >>> nearest_items(model, dataset, item=0, n=2)["title"].tolist()
    ["My Cousin's Parrot (1981)", 'Dentist on Strike (1970)']
    """
    _check_row(item, model.n_items, "item")
    check_same_rows(model, dataset.ratings)
    by_item, by_user = dataset.ratings.by_item, dataset.ratings.by_user
    enough = enough_in_common(int(by_item.counts[item])) if min_common is None else min_common
    common = np.zeros(model.n_items, dtype=np.int64)
    for user in by_item.partners[by_item.of(item)].tolist():
        common[by_user.partners[by_user.of(user)]] += 1
    distances = item_distances(model, item)
    order = np.argsort(distances, kind="stable")
    rows = order[(order != item) & (common[order] >= enough)][:n]
    return pd.DataFrame(
        {
            "row": rows,
            "item": np.array([model.item_ids[row] for row in rows], dtype=object),
            "title": np.array([dataset.titles[row] for row in rows], dtype=object),
            "distance": distances[rows],
            "ratings": by_item.counts[rows],
            "common": common[rows],
        }
    )


def enough_in_common(n_ratings: int) -> int:
    """Return how many people must have rated another item too: a fifth of those who rated this one, and at least 5."""
    return max(5, -(-n_ratings // 5))


def check_same_rows(model: Model, ratings: Ratings) -> None:
    """Raise InputError unless the ratings have the same users and items as the model."""
    if model.item_ids != ratings.item_ids or model.user_ids != ratings.user_ids:
        raise InputError(
            "The model and the data set do not have the same people and items; use the data that the model was fitted "
            "to, or bring the model up to date with 'extend'."
        )


def _check_row(row: int, n_rows: int, kind: str) -> None:
    if not 0 <= row < n_rows:
        raise InputError(f"There is no {kind} in row {row}; the model has {n_rows:,} {kind}s.")
