"""Stereotypes without tags: the items that a stereotype likes, and those that set it apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import InputError
from nnm_core.interpret.audience import check_same_rows, evidence, taste_shares
from nnm_core.interpret.towers import RATINGS_PER_STEREOTYPE
from nnm_core.model import Model
from nnm_core.types import BoolArray, FloatArray

KNOWN_TO, KNOWN_TO_AT_LEAST = 0.05, 10  # the share and the number of people who have rated a widely known item
KNOWN_TO_ITS_PEOPLE = 3  # ratings by people of a stereotype without which an item cannot set it apart


def distinctive_items(model: Model, dataset: Dataset, stereotype: int, n: int = 10) -> pd.DataFrame:
    """Return widely known items that a stereotype likes and that set it apart from the others, strongest first.

    These are items liked with a probability of at least 1/2 whose ``item_taste`` is largest for this stereotype.
    Columns: ``row``, ``item``, ``title``, ``likes``, ``audience``, ``ratings`` and ``ratings by its people``.

    >>> distinctive_items(model, dataset, 0, n=1)["title"].item()
    'It Hums at Night (2011)'
    """
    if not 0 <= stereotype < model.n_columns:
        raise InputError(f"There is no stereotype number {stereotype}; the model has 0 to {model.n_columns - 1}.")
    if stereotype >= model.n_stereotypes:
        raise InputError("The enthusiast and the skeptic treat all items alike; no item sets them apart.")
    rows = distinctive_rows(model, dataset, n)[stereotype]
    likes = model.likes[rows]
    return pd.DataFrame(
        {
            "row": np.array(rows, dtype=np.int64),
            "item": np.array([model.item_ids[row] for row in rows], dtype=object),
            "title": np.array([dataset.titles[row] for row in rows], dtype=object),
            "likes": likes[:, stereotype],
            "audience": likes[:, : model.n_stereotypes] @ taste_shares(model),
            "ratings": dataset.ratings.by_item.counts[rows],
            "ratings by its people": evidence(model, dataset.ratings)[rows, stereotype],
        }
    )


def distinctive_rows(model: Model, dataset: Dataset, n: int) -> list[list[int]]:
    """Return for each stereotype of taste the rows of its ``distinctive_items``, at most ``n``."""
    taste, likes = item_taste(model, dataset), model.likes[:, : model.n_stereotypes]
    known = widely_known(dataset)[:, None] & (evidence(model, dataset.ratings) >= KNOWN_TO_ITS_PEOPLE)
    apart = known[:, : model.n_stereotypes] & (likes >= 0.5) & (taste > 0) & (taste == taste.max(axis=1)[:, None])
    found = []
    for k in range(model.n_stereotypes):
        rows = np.flatnonzero(apart[:, k])
        found.append(rows[np.argsort(-taste[rows, k], kind="stable")[:n]].tolist())
    return found


def item_taste(model: Model, dataset: Dataset, *, damped: bool = True) -> FloatArray:
    """Return how much more each stereotype likes each item than the audience does, (n_items, n_stereotypes).

    The stereotype's liking minus the audience's, minus the same difference over all items. ``damped``: multiplied by
    n / (n + 5 D) for an item with n ratings, so that items few people know stay near 0.

    >>> dataset.titles[item_taste(model, dataset)[:, 0].argmax()]
    'It Hums at Night (2011)'
    """
    check_same_rows(model, dataset.ratings)
    likes, counts = model.likes[:, : model.n_stereotypes], dataset.ratings.by_item.counts
    trust = counts / (counts + RATINGS_PER_STEREOTYPE * model.n_stereotypes)
    relative = likes - (likes @ taste_shares(model))[:, None]
    taste = relative - (trust @ relative) / trust.sum()
    return np.asarray(taste * trust[:, None] if damped else taste)


def widely_known(dataset: Dataset) -> BoolArray:
    """Return which items many people have rated, (n_items,); in a small data set, the better known half."""
    counts = dataset.ratings.by_item.counts
    wanted = max(KNOWN_TO_AT_LEAST, KNOWN_TO * int((dataset.ratings.by_user.counts > 0).sum()))
    if not (counts >= wanted).any():
        wanted = float(np.median(counts[counts > 0]))
    return np.asarray(counts >= wanted)
