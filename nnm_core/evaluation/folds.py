"""Ratings to hold out, and the error of their predictions: folds, MAE and RMSE, raw and rounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from nnm_core.errors import DataError, InputError
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.types import BoolArray, FloatArray

OWN_FOLDS = ("u1", "u2", "u3", "u4", "u5")


def random_folds(ratings: Ratings, n_folds: int, seed: int = 0) -> list[BoolArray]:
    """Return masks of held-out ratings, (n_ratings,) in the order of ``by_user``; every rating is held out once.

    >>> bool((sum(random_folds(ratings, 5)) == 1).all())
    True
    """
    if not 2 <= n_folds <= len(ratings):
        raise InputError(f"The number of folds must be between 2 and the {len(ratings):,} ratings, not {n_folds}.")
    fold = np.random.default_rng(seed).permutation(len(ratings)) % n_folds
    return [fold == k for k in range(n_folds)]


def single_split(ratings: Ratings, share: float, seed: int = 0) -> list[BoolArray]:
    """Return one random mask that holds out this share of the ratings.

    >>> single_split(ratings, 0.25)[0].mean().round(2)
    np.float64(0.25)
    """
    if not 0 < share < 1:
        raise InputError(f"The share that is held out must be between 0 and 1, not {share}.")
    n_held_out = max(1, round(share * len(ratings)))
    if n_held_out >= len(ratings):
        raise InputError("There are too few ratings to hold some of them out.")
    return [np.random.default_rng(seed).permutation(len(ratings)) < n_held_out]


def own_folds(folder: Path, ratings: Ratings) -> list[BoolArray]:
    """Return masks of the ratings in u1.test to u5.test of a MovieLens 100K folder."""
    found = []
    for path in (folder / f"{name}.test" for name in OWN_FOLDS):
        if not path.is_file():
            raise DataError(f"{path} is missing; MovieLens 100K brings its folds as u1.test to u5.test.")
        cells = []
        for number, line in enumerate(path.read_text(encoding="latin-1").splitlines(), 1):
            user, item = (*line.split("\t"), "", "")[:2]
            if user not in ratings.user_index or item not in ratings.item_index:
                raise DataError(f"{path}, line {number}: user {user!r} or item {item!r} is not among the ratings.")
            cells.append(ratings.user_index[user] * ratings.n_items + ratings.item_index[item])
        found.append(np.isin(ratings.users.astype(np.int64) * ratings.n_items + ratings.items, cells))
    return found


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean absolute and root mean squared error, of predictions clipped to the scale and of those rounded to it.

    Rounding mostly lowers the first and raises the second: figures of one kind never compare with those of the other.
    """

    mae: float
    rmse: float
    mae_rounded: float
    rmse_rounded: float

    @classmethod
    def of(cls, predicted: FloatArray, truth: FloatArray, scale: Scale) -> Scores:
        """Return the scores of predictions, which are clipped to the scale first."""
        errors = scale.clip(predicted) - truth, scale.round(predicted) - truth
        return cls(*(float(score) for e in errors for score in (np.abs(e).mean(), np.sqrt(np.square(e).mean()))))


def mean(scores: Sequence[Scores]) -> Scores:
    """Return the mean of each score."""
    return Scores(*np.mean([astuple(s) for s in scores], axis=0).tolist())


def spread(scores: Sequence[Scores]) -> Scores:
    """Return the standard deviation of each score over the folds; 0 for a single fold."""
    if len(scores) < 2:
        return Scores(*(0.0 for _ in fields(Scores)))
    return Scores(*np.std([astuple(s) for s in scores], axis=0, ddof=1).tolist())
