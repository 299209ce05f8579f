"""A half-step in two parts: sums over the ratings that are at hand, and the solution once all sums are together.

:func:`half_step` does both at once for rows whose ratings lie in one place. Where they lie in several, each place sums
up its own with :func:`sum_rows`, the sums are added, and :func:`solve_sums` ends in the same problem.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nnm_core._kernels.gram import CHUNK, add_outer_products, add_targets, empty_gram
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import LeastSquares, Solution, solve_row, squared_error
from nnm_core.types import FloatArray, IntArray

_FUSE = {"contract", "nsz"}


def count_sums(dim: int, zeros_count: bool) -> int:
    """Return how many numbers a row's sums have: Σ f fᵀ (its upper triangle, not if zeros count), Σ y f and Σ y²."""
    return (0 if zeros_count else dim * (dim + 1) // 2) + dim + 1


@njit(nogil=True, cache=True, fastmath=_FUSE)
def sum_rows(first: int, last: int, ratings: RatingRows, problem: LeastSquares, dim: int, sums: FloatArray) -> None:
    """Write the sums of the rows ``first`` to ``last`` into ``sums`` (last - first, n_sums)."""
    starts, partners, codes = ratings.starts, ratings.partners, ratings.codes
    gram, known = empty_gram(dim), np.zeros(CHUNK)
    for row in range(first, last):
        gram[:] = 0.0
        for at in range(starts[row], starts[row + 1], CHUNK):
            until = min(at + CHUNK, starts[row + 1])
            for entry in range(at, until):
                known[entry - at] = problem.targets[codes[entry]] - problem.explained[np.uint32(partners[entry])]
            if problem.zeros_count:
                add_targets(problem.factors, partners, at, until, known, dim, gram)
            else:
                add_outer_products(problem.factors, partners, at, until, known, dim, gram)
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
    centers, dim = problem.centers, solution.x.shape[1]
    gram, hessian, linear = empty_gram(dim), np.zeros((dim, dim)), np.zeros(dim)
    work = np.zeros((dim + 4, dim))
    for row in range(len(sums)):
        center, x, own = centers[row if centers.shape[0] > 1 else 0], solution.x[row], sums[row]
        if counts[row] == 0 and not problem.zeros_count:
            for a in range(dim):
                x[a] = center[a]
            solution.errors[row] = 0.0
            solution.residuals[row] = 0.0
            continue
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
        solution.residuals[row] = solve_row(gram, problem, center, x, hessian, linear, work)
        solution.errors[row] = squared_error(gram, x)
