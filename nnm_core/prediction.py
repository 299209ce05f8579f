"""Ratings out of a model: expected ratings, whole distributions, and the best items for a person."""

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
    """The expected rating of each pair, (n_pairs,), clipped to the scale and not rounded.

    ``users`` and ``items`` are rows of the model, of equal length. In stars mode ``rule`` may also ask for the median
    or the most likely answer.
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
    """The probability of each answer for each pair, (n_pairs, n_answers)."""
    _check_pairs(model, users, items)
    result = np.empty((len(users), model.n_answers))
    for k in range(0, len(users), _BLOCK):
        part = slice(k, k + _BLOCK)
        result[part] = np.einsum("nk,nzk->nz", model.mixtures[users[part]], model.answers[items[part]])
    return result


def contributions(model: Model, mixture: FloatArray, items: IntArray) -> FloatArray:
    """What each stereotype adds to the expected rating of each item, (n_items, n_columns).

    The share of the person times the rating that the stereotype expects to give; since shares sum to 1, so do these to
    the rating (before it is clipped to the scale).
    """
    return mixture * model.scale.from_unit(model.likes[items])


def top_n(model: Model, mixture: FloatArray, n: int = 10, *, exclude: IntArray | None = None) -> list[Recommendation]:
    """The ``n`` items that a person with this mixture is expected to rate highest, best first.

    ``exclude``: rows of items to leave out, such as those that the person has rated. Equal expectations come in the
    order of the items.
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
