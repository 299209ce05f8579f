"""The sampled fill: unknown ratings, about as many as known ones, that count as zeros."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nnm_core._kernels.grouping import RatingRows, group_by_row, transpose
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray


def with_sampled_zeros(ratings: Ratings, rng: np.random.Generator) -> tuple[RatingRows, RatingRows, FloatArray]:
    """Return known ratings plus sampled zeros by user and by item, and what each code means as a probability."""
    users, items = np.divmod(sample_unknown(ratings, rng), ratings.n_items)
    zero = len(ratings.levels)
    kind = np.uint16 if zero < 2**16 else np.uint32
    codes = np.concatenate([ratings.by_user.codes.astype(kind), np.full(len(users), zero, dtype=kind)])
    all_users = np.concatenate([ratings.users, users.astype(np.int32)])
    all_items = np.concatenate([ratings.items, items.astype(np.int32)])
    by_user = group_by_row(all_users, all_items, codes, ratings.n_users, ratings.n_items)
    return by_user, transpose(by_user, ratings.n_items), np.append(ratings.scale.to_unit(ratings.levels), 0.0)


def sample_unknown(ratings: Ratings, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return different unknown cells, user · n_items + item: as many as there are known ratings, or all there are."""
    n_cells = ratings.n_users * ratings.n_items
    wanted = min(len(ratings), n_cells - len(ratings))
    known = ratings.users.astype(np.int64) * ratings.n_items + ratings.items
    if n_cells <= 4 * len(ratings):
        unknown = np.setdiff1d(np.arange(n_cells), known, assume_unique=True)
        return rng.permutation(unknown)[:wanted]
    found = np.empty(0, dtype=np.int64)
    while len(found) < wanted:
        drawn = rng.integers(n_cells, size=wanted + wanted // 2)
        place = np.minimum(np.searchsorted(known, drawn), len(known) - 1)
        found = np.unique(np.concatenate([found, drawn[known[place] != drawn]]))
    return rng.permutation(found)[:wanted]
