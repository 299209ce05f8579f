"""Distances between people and between items: total variation, from 0 to 1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import InputError
from nnm_core.interpret.audience import check_same_rows, shares
from nnm_core.model import Model
from nnm_core.types import FloatArray


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

    Examples
    --------
    >>> len(nearest_people(model, user=0, n=3))
    3
    """
    _check_row(user, model.n_users, "user")
    distances = people_distances(model, model.mixtures[user])
    order = np.argsort(distances, kind="stable")
    rows = order[order != user][:n]
    return pd.DataFrame(
        {
            "row": rows,
            "person": np.array([model.user_ids[row] for row in rows], dtype=object),
            "distance": distances[rows],
        }
    )


def nearest_items(model: Model, dataset: Dataset, item: int, n: int = 10, *, min_ratings: int = 10) -> pd.DataFrame:
    """Return the ``n`` items that the audience rates most like the item in this row, nearest first.

    Items with fewer than ``min_ratings`` ratings are left out. Columns: ``row``, ``item``, ``title``, ``distance``,
    ``ratings``.

    Examples
    --------
    >>> nearest_items(model, dataset, item=0, n=2)["title"].tolist()
    ["My Cousin's Parrot (1981)", 'Dentist on Strike (1970)']
    """
    _check_row(item, model.n_items, "item")
    check_same_rows(model, dataset.ratings)
    counts = dataset.ratings.by_item.counts
    distances = item_distances(model, item)
    order = np.argsort(distances, kind="stable")
    rows = order[(order != item) & (counts[order] >= min_ratings)][:n]
    return pd.DataFrame(
        {
            "row": rows,
            "item": np.array([model.item_ids[row] for row in rows], dtype=object),
            "title": np.array([dataset.titles[row] for row in rows], dtype=object),
            "distance": distances[rows],
            "ratings": counts[rows],
        }
    )


def _check_row(row: int, n_rows: int, kind: str) -> None:
    if not 0 <= row < n_rows:
        raise InputError(f"There is no {kind} in row {row}; the model has {n_rows:,} {kind}s.")
