"""Predict ratings and distributions of ratings, and recommend items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.types import FloatArray, IntArray

Rule = Literal["mean", "median", "most likely"]

_BLOCK = 2**18
"""Pairs predicted at a time, so that memory stays bounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Recommendation:
    """An item for a person, with its reason.

    ``item``: its row; ``rating``: what is expected, within the scale.
    ``contributions`` (n_columns,): what each stereotype adds. They sum to the expected rating before it is clipped to
    the scale.
    """

    item: int
    rating: float
    contributions: FloatArray


def predict(model: Model, users: IntArray, items: IntArray, rule: Rule = "mean") -> FloatArray:
    """Predict the rating of each pair, clipped to the scale and not rounded.

    Parameters
    ----------
    model
        A fitted model.
    users, items
        Rows of the model, equally long.
    rule
        ``"mean"``, the expected rating; in stars mode also ``"median"`` or ``"most likely"``.

    Returns
    -------
    Array of shape (n_pairs,).

    Raises
    ------
    InputError
        If a row lies outside the model, or the rule needs stars mode.

    Examples
    --------
    >>> from nnm_core import Ratings, fit, predict
    >>> ratings = Ratings.from_arrays(["ann", "ann", "bob"], ["Alien", "Heat", "Heat"], [5, 1, 4])
    >>> predict(fit(ratings), ratings.users, ratings.items).round(2).tolist()
    [5.0, 1.0, 4.0]
    """
    _check_pairs(model, users, items)
    if rule not in get_args(Rule):
        raise InputError(f"Predictions are made by one of {get_args(Rule)}, not by {rule!r}.")
    if rule == "mean":
        parts = [
            np.einsum("nk,nk->n", model.mixtures[users[k : k + _BLOCK]], model.likes[items[k : k + _BLOCK]])
            for k in range(0, len(users), _BLOCK)
        ]
        return model.scale.clip(model.scale.from_unit(np.concatenate(parts) if parts else np.empty(0)))
    if model.options.mode == "like":
        raise InputError(f"A model in like mode predicts the mean only; fit one in stars mode for the {rule} rating.")
    probabilities = predict_distribution(model, users, items)
    if rule == "most likely":
        level = probabilities.argmax(axis=1)
    else:
        level = (probabilities.cumsum(axis=1) < 0.5 - 1e-12).sum(axis=1)
    return np.asarray(model.scale.levels[level])


def predict_distribution(model: Model, users: IntArray, items: IntArray) -> FloatArray:
    """Return the probability of each answer for each pair, (n_pairs, n_answers)."""
    _check_pairs(model, users, items)
    result = np.empty((len(users), model.n_answers))
    for k in range(0, len(users), _BLOCK):
        part = slice(k, k + _BLOCK)
        result[part] = np.einsum("nk,nzk->nz", model.mixtures[users[part]], model.answers[items[part]])
    return result


def contributions(model: Model, mixture: FloatArray, items: IntArray) -> FloatArray:
    """Return what each stereotype adds to the expected rating of each item, (n_items, n_columns).

    It is the share of the user times the expected rating of the stereotype; these sum to the expected rating before it
    is clipped to the scale.
    """
    return mixture * model.scale.from_unit(model.likes[items])


def top_n(model: Model, mixture: FloatArray, n: int = 10, *, exclude: IntArray | None = None) -> list[Recommendation]:
    """Recommend the ``n`` items that a user with this mixture is expected to rate highest, best first.

    Parameters
    ----------
    model
        A fitted model.
    mixture
        Of the user, (n_columns,); a row of ``model.mixtures``, or from :func:`fold_in_user`.
    n
        How many items.
    exclude
        Rows of items to leave out, such as those that the user has rated.

    Raises
    ------
    InputError
        If ``n`` is below 1 or the mixture has another shape.

    Examples
    --------
    >>> from nnm_core import Ratings, fit, top_n
    >>> ratings = Ratings.from_arrays(["ann", "ann", "bob"], ["Alien", "Heat", "Heat"], [5, 1, 4])
    >>> model = fit(ratings)
    >>> best, = top_n(model, model.mixtures[0], n=1)
    >>> model.item_ids[best.item], round(best.rating, 2)
    ('Alien', 5.0)
    """
    if n < 1:
        raise InputError(f"The number of recommendations must be at least 1, not {n}.")
    if mixture.shape != (model.n_columns,):
        raise InputError(f"The mixture has the shape {mixture.shape} where the model needs {(model.n_columns,)}.")
    expected = model.likes @ mixture
    candidates = np.ones(model.n_items, dtype=np.bool_)
    if exclude is not None:
        candidates[exclude] = False
    rows = np.flatnonzero(candidates)
    best = rows[np.argsort(-expected[rows], kind="stable")[:n]]
    ratings = model.scale.clip(model.scale.from_unit(expected[best]))
    parts = contributions(model, mixture, best)
    return [
        Recommendation(int(item), float(rating), part) for item, rating, part in zip(best, ratings, parts, strict=True)
    ]


def _check_pairs(model: Model, users: IntArray, items: IntArray) -> None:
    if len(users) != len(items):
        raise InputError(f"Pairs need as many users as items, not {len(users):,} and {len(items):,}.")
    for rows, n_rows, kind in ((users, model.n_users, "A user"), (items, model.n_items, "An item")):
        if len(rows) and (np.min(rows) < 0 or np.max(rows) >= n_rows):
            raise InputError(f"{kind} row lies outside the model, which has {n_rows:,} {kind.split()[1]}s.")
