"""The sampled fill: unknown ratings, about as many as known ones, that count as zeros.

Every unknown pair is drawn with the same chance, whatever becomes of the others. People are taken in blocks, each with
random numbers of its own, so that a part of all people draws what it would draw among all: a fit on a cluster has the
same zeros as a fit in memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nnm_core._kernels.grouping import RatingRows, group_by_row, transpose

_BLOCK = 256
"""People whose zeros are drawn with the same random numbers."""


class Zeros(NamedTuple):
    """Which unknown pairs count as zeros: drawn by the random numbers of ``key``, each with this ``chance``."""

    key: int
    chance: float
    n_items: int

    @classmethod
    def draw(cls, rng: np.random.Generator, n_ratings: int, n_users: int, n_items: int) -> Zeros:
        """Return zeros that are about as many as the known ratings, or all there are if they are fewer."""
        key, n_unknown = int(rng.integers(2**63)), n_users * n_items - n_ratings
        return cls(key, min(n_ratings / n_unknown, 1.0) if n_unknown else 0.0, n_items)


def with_zeros(by_user: RatingRows, first_user: int, zeros: Zeros, zero: int) -> tuple[RatingRows, RatingRows]:
    """Return known ratings plus sampled zeros by user and by item; ``zero``: the code that zeros have.

    The rows of ``by_user`` are people who follow each other, ``first_user`` the number of the first among all people.
    """
    users, items = np.divmod(sample_unknown(by_user, first_user, zeros), zeros.n_items)
    kind = np.uint16 if zero < 2**16 else np.uint32
    codes = np.concatenate([by_user.codes.astype(kind), np.full(len(users), zero, dtype=kind)])
    all_users = np.concatenate([by_user.rows, users.astype(np.int32)])
    all_items = np.concatenate([by_user.partners, items.astype(np.int32)])
    filled = group_by_row(all_users, all_items, codes, by_user.n_rows, zeros.n_items)
    return filled, transpose(filled, zeros.n_items)


def sample_unknown(by_user: RatingRows, first_user: int, zeros: Zeros) -> NDArray[np.int64]:
    """Return the unknown cells of these people that count as zeros, as row · n_items + item, increasing."""
    if zeros.chance == 0:
        return np.empty(0, dtype=np.int64)
    n_rows, n_items = by_user.n_rows, zeros.n_items
    blocks = range(first_user // _BLOCK, -(-(first_user + n_rows) // _BLOCK))
    drawn = [_draw_block(zeros, block) + (block * _BLOCK - first_user) * n_items for block in blocks]
    cells = np.concatenate(drawn)
    cells = cells[(cells >= 0) & (cells < n_rows * n_items)]
    known = np.append(by_user.rows.astype(np.int64) * n_items + by_user.partners, n_rows * n_items)
    return np.asarray(cells[known[np.searchsorted(known, cells)] != cells])


def _draw_block(zeros: Zeros, block: int) -> NDArray[np.int64]:
    """Return the cells that are drawn for a block of people, known or not, by the gaps between them."""
    rng, n_cells = np.random.default_rng((zeros.key, block)), _BLOCK * zeros.n_items
    expected = zeros.chance * n_cells
    n_gaps = int(expected + 4.0 * np.sqrt(expected)) + 8
    found, reached = [], -1
    while reached < n_cells:
        found.append(reached + np.cumsum(rng.geometric(zeros.chance, n_gaps)))
        reached = int(found[-1][-1])
    cells = np.concatenate(found)
    return cells[cells < n_cells]
