"""A half-step in two parts: sums over the ratings that are at hand, and the solution once all sums are together.

:func:`half_step` does both at once for rows whose ratings lie in one place. Where they lie in several, each place sums
up its own with :func:`sum_rows`, the sums are added, and :func:`solve_sums` ends in the same problem.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nnm_core._kernels.gram import empty_block, empty_gram
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import LeastSquares, Solution, leave_at_center, sum_row, take_rows
from nnm_core._kernels.lanes import empty_lanes, put_row, solve_lanes
from nnm_core._kernels.vectors import LANES
from nnm_core.types import FloatArray, IntArray

_FUSE = {"contract", "nsz"}


def count_sums(dim: int, zeros_count: bool) -> int:
    """Return how many numbers a row's sums have: Σ f fᵀ (its upper triangle, not if zeros count), Σ y f and Σ y²."""
    return (0 if zeros_count else dim * (dim + 1) // 2) + dim + 1


@njit(nogil=True, cache=True, fastmath=_FUSE)
def sum_rows(first: int, last: int, ratings: RatingRows, problem: LeastSquares, dim: int, sums: FloatArray) -> None:
    """Write the sums of the rows ``first`` to ``last`` into ``sums`` (last - first, n_sums)."""
    starts, partners, codes = ratings.starts, ratings.partners, ratings.codes
    targets, explained, factors, zeros_count = problem.targets, problem.explained, problem.factors, problem.zeros_count
    gram, block = empty_gram(dim), empty_block(dim)
    for row in range(first, last):
        begin, end = starts[row], starts[row + 1]
        sum_row(begin, end, partners, codes, targets, explained, factors, zeros_count, dim, block, gram)
        place, own = 0, sums[row - first]
        if not problem.zeros_count:
            for a in range(dim):
                for b in range(a, dim):
                    own[place] = gram[a, b]
                    place += 1
        for a in range(dim):
            own[place + a] = gram[-1, a]
        own[place + dim] = gram[-1, -1]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def solve_sums(counts: IntArray, sums: FloatArray, problem: LeastSquares, solution: Solution) -> None:
    """Solve the problem of every row from its sums (n_rows, n_sums); a row without ratings becomes its center.

    ``counts`` (n_rows,): ratings of each row. Of ``problem`` the factors are not used.
    """
    centers, precision, dim = problem.centers, problem.precision, solution.x.shape[1]
    gram, lanes, rows, n_used = empty_gram(dim), empty_lanes(dim), np.zeros(LANES, np.intp), 0
    for row in range(len(sums)):
        center, own = centers[row if centers.shape[0] > 1 else 0], sums[row]
        if counts[row] == 0 and not problem.zeros_count:
            leave_at_center(row, center, solution)
        else:
            place = 0
            for a in range(dim):
                for b in range(a, dim):
                    if problem.zeros_count:
                        gram[a, b] = problem.gram[a, b]
                    else:
                        gram[a, b] = own[place]
                        place += 1
            for a in range(dim):
                gram[-1, a] = own[place + a]
            gram[-1, -1] = own[place + dim]
            put_row(lanes, n_used, gram, problem.fixed, precision, center, solution.x[row])
            rows[n_used] = row
            n_used += 1
        if n_used == LANES or (row == len(sums) - 1 and n_used > 0):
            solve_lanes(lanes, n_used, dim, precision, problem.on_simplex)
            take_rows(lanes, n_used, rows, solution)
            n_used = 0
