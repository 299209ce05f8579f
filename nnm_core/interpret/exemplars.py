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

NEAR_ONE = 0.9
"""From here on, a probability of the best answer counts as the paper's "≈ 1"."""

KNOWN_TO = 0.05
KNOWN_TO_AT_LEAST = 10
"""An item is widely known when this share of the people have rated it, and at least this many."""

KNOWN_TO_ITS_PEOPLE = 3
"""Ratings by people of a stereotype without which an item cannot set it apart."""


def favourites(
    model: Model, dataset: Dataset, stereotype: int, n: int = 10, *, near_one: float = NEAR_ONE
) -> pd.DataFrame:
    """Return widely known items that a stereotype almost surely rates highest (section 5.2), the best known first.

    Parameters
    ----------
    near_one
        The least probability of the highest answer, (E_iZ)_ω in the paper.

    Returns
    -------
    DataFrame
        At most ``n`` rows; columns ``row``, ``item``, ``title``, ``best answer`` (that probability), ``likes``,
        ``audience``, ``ratings`` and ``ratings by its people``.

    Examples
    --------
    >>> favourites(model, dataset, 0, n=1)["title"].item()
    'Salt Circle (1965)'
    """
    _check_stereotype(model, stereotype)
    known_to = dataset.ratings.by_item.counts
    best = model.answers[:, -1, stereotype]
    rows = np.flatnonzero((best >= near_one) & widely_known(dataset))
    order = np.lexsort((rows, -best[rows], -known_to[rows]))
    return _item_table(model, dataset, stereotype, rows[order[:n]].tolist())


def distinctive_items(model: Model, dataset: Dataset, stereotype: int, n: int = 10) -> pd.DataFrame:
    """Return widely known items that a stereotype likes and that set it apart from the others, strongest first.

    These are items liked with a probability of at least 1/2 whose ``item_taste`` is largest for this stereotype. The
    columns are those of ``favourites``.

    Examples
    --------
    >>> distinctive_items(model, dataset, 0, n=1)["title"].item()
    'It Hums at Night (2011)'
    """
    _check_stereotype(model, stereotype)
    if stereotype >= model.n_stereotypes:
        raise InputError("The enthusiast and the skeptic treat all items alike; no item sets them apart.")
    return _item_table(model, dataset, stereotype, distinctive_rows(model, dataset, n)[stereotype])


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


def item_taste(model: Model, dataset: Dataset) -> FloatArray:
    """Return how much more each stereotype likes each item than the audience does, (n_items, n_stereotypes).

    The stereotype's liking minus the audience's, minus the same difference over all items; multiplied by n / (n + 5 D)
    for an item with n ratings, so that items few people know stay near 0.

    Examples
    --------
    >>> dataset.titles[item_taste(model, dataset)[:, 0].argmax()]
    'It Hums at Night (2011)'
    """
    check_same_rows(model, dataset.ratings)
    likes, counts = model.likes[:, : model.n_stereotypes], dataset.ratings.by_item.counts
    trust = counts / (counts + RATINGS_PER_STEREOTYPE * model.n_stereotypes)
    relative = likes - (likes @ taste_shares(model))[:, None]
    return np.asarray((relative - (trust @ relative) / trust.sum()) * trust[:, None])


def widely_known(dataset: Dataset) -> BoolArray:
    """Return which items many people have rated, (n_items,); in a small data set, the better known half."""
    counts = dataset.ratings.by_item.counts
    wanted = max(KNOWN_TO_AT_LEAST, KNOWN_TO * int((dataset.ratings.by_user.counts > 0).sum()))
    if not (counts >= wanted).any():
        wanted = float(np.median(counts[counts > 0]))
    return np.asarray(counts >= wanted)


def _item_table(model: Model, dataset: Dataset, stereotype: int, rows: list[int]) -> pd.DataFrame:
    check_same_rows(model, dataset.ratings)
    likes = model.likes[rows]
    return pd.DataFrame(
        {
            "row": np.array(rows, dtype=np.int64),
            "item": np.array([model.item_ids[row] for row in rows], dtype=object),
            "title": np.array([dataset.titles[row] for row in rows], dtype=object),
            "best answer": model.answers[rows, -1, stereotype],
            "likes": likes[:, stereotype],
            "audience": likes[:, : model.n_stereotypes] @ taste_shares(model),
            "ratings": dataset.ratings.by_item.counts[rows],
            "ratings by its people": evidence(model, dataset.ratings)[rows, stereotype],
        }
    )


def _check_stereotype(model: Model, stereotype: int) -> None:
    if not 0 <= stereotype < model.n_columns:
        raise InputError(f"There is no stereotype number {stereotype}; the model has 0 to {model.n_columns - 1}.")
