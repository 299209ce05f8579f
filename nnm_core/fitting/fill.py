"""The sampled fill: unknown ratings, about as many as known ones, that count as zeros."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nnm_core._kernels.half_step import sort_pairs, turn
from nnm_core.ratings import Ratings, Side
from nnm_core.types import FloatArray


def with_sampled_zeros(ratings: Ratings, rng: np.random.Generator) -> tuple[Side, Side, FloatArray]:
    """Known ratings plus sampled zeros: both sides, and what each code means as a probability of liking."""
    users, items = np.divmod(sample_unknown(ratings, rng), ratings.n_items)
    zero = len(ratings.levels)
    kind = np.uint16 if zero < 2**16 else np.uint32
    codes = np.concatenate([ratings.by_user.codes.astype(kind), np.full(len(users), zero, dtype=kind)])
    all_users = np.concatenate([ratings.users, users.astype(np.int32)])
    all_items = np.concatenate([ratings.items, items.astype(np.int32)])
    by_user = Side(*sort_pairs(all_users, all_items, codes, ratings.n_users, ratings.n_items))
    by_item = Side(*turn(by_user.starts, by_user.partners, by_user.codes, ratings.n_items))
    return by_user, by_item, np.append(ratings.scale.to_unit(ratings.levels), 0.0)


def sample_unknown(ratings: Ratings, rng: np.random.Generator) -> NDArray[np.int64]:
    """Different unknown cells, as many as there are known ratings or as there are; cell = user · n_items + item."""
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
