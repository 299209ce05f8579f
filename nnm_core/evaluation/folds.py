"""Ways to hold ratings out: random folds, a single split, and the folds of MovieLens 100K."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from nnm_core.errors import DataError, InputError
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray, IntArray

OWN_FOLDS = ("u1", "u2", "u3", "u4", "u5")


def random_folds(ratings: Ratings, n_folds: int, seed: int = 0) -> list[BoolArray]:
    """Return masks of held-out ratings, (n_ratings,) in the order of ``by_user``; every rating is held out once.

    Examples
    --------
    >>> from nnm_core import Ratings
    >>> ratings = Ratings.from_arrays(["a", "a", "b", "b"], ["x", "y", "x", "y"], [1, 2, 3, 4])
    >>> sum(mask.astype(int) for mask in random_folds(ratings, 2))
    array([1, 1, 1, 1])
    """
    if not 2 <= n_folds <= len(ratings):
        raise InputError(f"The number of folds must be between 2 and the {len(ratings):,} ratings, not {n_folds}.")
    fold = np.random.default_rng(seed).permutation(len(ratings)) % n_folds
    return [fold == k for k in range(n_folds)]


def single_split(ratings: Ratings, share: float, seed: int = 0) -> list[BoolArray]:
    """Return one random mask that holds out this share of the ratings.

    Examples
    --------
    >>> from nnm_core import Ratings
    >>> ratings = Ratings.from_arrays(["a", "a", "b", "b"], ["x", "y", "x", "y"], [1, 2, 3, 4])
    >>> int(single_split(ratings, 0.25)[0].sum())
    1
    """
    if not 0 < share < 1:
        raise InputError(f"The share that is held out must be between 0 and 1, not {share}.")
    n_held_out = max(1, round(share * len(ratings)))
    if n_held_out >= len(ratings):
        raise InputError("There are too few ratings to hold some of them out.")
    return [np.random.default_rng(seed).permutation(len(ratings)) < n_held_out]


def own_folds(folder: Path, ratings: Ratings) -> list[BoolArray]:
    """Return masks of the ratings in u1.test to u5.test of a MovieLens 100K folder."""
    cells = ratings.users.astype(np.int64) * ratings.n_items + ratings.items
    return [np.isin(cells, _cells(folder / f"{name}.test", ratings)) for name in OWN_FOLDS]


def _cells(path: Path, ratings: Ratings) -> IntArray:
    if not path.is_file():
        raise DataError(f"{path} is missing; MovieLens 100K brings its folds as u1.test to u5.test.")
    found = []
    for number, line in enumerate(path.read_text(encoding="latin-1").splitlines(), 1):
        user, item = (*line.split("\t"), "", "")[:2]
        if user not in ratings.user_index or item not in ratings.item_index:
            raise DataError(f"{path}, line {number}: user {user!r} or item {item!r} is not among the ratings.")
        found.append(ratings.user_index[user] * ratings.n_items + ratings.item_index[item])
    return np.array(found, dtype=np.int64)
