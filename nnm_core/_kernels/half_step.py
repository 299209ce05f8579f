"""One half-step of Algorithm 1: a constrained least-squares problem per row, with the other side held fixed.

The *factor* of a rating is what the other side contributes to it: the mixture of the user in an item's problem, the
like vector of the item in a user's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from nnm_core._kernels.gram import CHUNK, add_outer_products, add_targets, empty_gram, partner_rows
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.prefetch import fetch
from nnm_core._kernels.products import inner_products
from nnm_core._kernels.solvers import solve
from nnm_core.types import FloatArray

_FUSE = {"contract", "nsz"}

_CACHED = 2**17
"""Factors that a core's second cache holds, as numbers of 64 bits; of more than these, rows are asked for ahead."""


class LeastSquares(NamedTuple):
    """What the problems of all rows have in common, and toward what each is drawn; see :func:`least_squares`.

    Row r minimises Σ (y - x·f)² over its ratings, plus ``(x - c) precision (x - c)``, where c is its row of
    ``centers`` (or their only row), over the simplex or over the box [0, 1]^D.

    ``targets`` (n_levels,): what each rating code means as a probability of liking.
    ``factors`` (n_partners, width): f, padded by :func:`partner_rows`; ``explained`` (n_partners,): what fixed
    stereotypes explain of a rating, so that y = target - explained.
    ``zeros_count``: unknown ratings count as zeros (the fill); ``gram`` (D, D) is then Σ f fᵀ over all partners.
    """

    targets: FloatArray
    factors: FloatArray
    explained: FloatArray
    precision: FloatArray
    centers: FloatArray
    gram: FloatArray
    zeros_count: bool
    on_simplex: bool


class Solution(NamedTuple):
    """The solutions of all rows, improved in place by the kernels.

    ``x`` (n_rows, D); ``errors`` (n_rows,): the squared error of each row's ratings; ``residuals`` (n_rows,): its
    optimality residual.
    """

    x: FloatArray
    errors: FloatArray
    residuals: FloatArray

    @classmethod
    def starting_at(cls, x: FloatArray) -> Solution:
        """Take ``x`` as the start, which the kernels change in place."""
        return cls(x, np.zeros(len(x)), np.zeros(len(x)))


def least_squares(
    targets: FloatArray,
    factors: FloatArray,
    precision: FloatArray,
    centers: FloatArray,
    *,
    explained: FloatArray | None = None,
    zeros_count: bool = False,
    on_simplex: bool,
) -> LeastSquares:
    """Return the problem for plain ``factors`` (n_partners, D); see :class:`LeastSquares`.

    Arrays come out writable and contiguous, whatever went in, so that one compiled kernel does for all.
    """
    rows, dim = partner_rows(factors), factors.shape[1]
    gram = np.ascontiguousarray(inner_products(rows, rows)[:dim, :dim]) if zeros_count else np.zeros((dim, dim))
    explained = np.zeros(len(factors)) if explained is None else explained
    return LeastSquares(
        targets,
        rows,
        explained,
        np.require(precision, requirements=["C", "W"]),
        np.require(centers, requirements=["C", "W"]),
        gram,
        zeros_count,
        on_simplex,
    )


@njit(nogil=True, cache=True, fastmath=_FUSE)
def half_step(first: int, last: int, ratings: RatingRows, problem: LeastSquares, solution: Solution) -> None:
    """Solve the problems of the rows ``first`` to ``last``; a row without ratings becomes its center."""
    starts, partners, codes = ratings.starts, ratings.partners, ratings.codes
    factors, centers = problem.factors, problem.centers
    dim, is_large = solution.x.shape[1], factors.size > _CACHED
    gram, known = empty_gram(dim), np.zeros(CHUNK)
    hessian = np.zeros((dim, dim))
    linear = np.zeros(dim)
    work = np.zeros((dim + 4, dim))
    for row in range(first, last):
        begin, end = starts[row], starts[row + 1]
        center = centers[row if centers.shape[0] > 1 else 0]
        x = solution.x[row]
        if begin == end and not problem.zeros_count:
            for a in range(dim):  # not x[:] = center, whose check of the shapes takes seconds to compile
                x[a] = center[a]
            solution.errors[row] = 0.0
            solution.residuals[row] = 0.0
            continue
        gram[:] = 0.0
        for at in range(begin, end, CHUNK):
            until = min(at + CHUNK, end)
            if is_large:
                for entry in range(at + CHUNK, min(until + CHUNK, len(partners))):
                    fetch(factors, partners[entry])  # of this row or of a later one
            for entry in range(at, until):
                known[entry - at] = problem.targets[codes[entry]] - problem.explained[np.uint32(partners[entry])]
            if problem.zeros_count:
                add_targets(factors, partners, at, until, known, dim, gram)
            else:
                add_outer_products(factors, partners, at, until, known, dim, gram)
        if problem.zeros_count:
            for a in range(dim):
                for b in range(dim):
                    gram[a, b] = problem.gram[a, b]
        solution.residuals[row] = solve_row(gram, problem, center, x, hessian, linear, work)
        solution.errors[row] = squared_error(gram, x)


@njit(nogil=True, cache=True, fastmath=_FUSE)
def solve_row(
    gram: FloatArray,
    problem: LeastSquares,
    center: FloatArray,
    x: FloatArray,
    hessian: FloatArray,
    linear: FloatArray,
    work: FloatArray,
) -> float:
    """Solve the problem of one row in place, starting from ``x``, and return its optimality residual.

    ``gram``: the sums of the row, see :func:`empty_gram`; ``hessian``, ``linear`` and ``work``: room to work in.
    """
    precision = problem.precision
    for a in range(len(x)):
        linear[a] = gram[-1, a]
        for b in range(len(x)):
            hessian[a, b] = (gram[a, b] if a <= b else gram[b, a]) + precision[a, b]
            linear[a] += precision[a, b] * center[b]
    residual: float = solve(hessian, linear, x, problem.on_simplex, work)
    return residual


@njit(nogil=True, cache=True, fastmath=_FUSE)
def weighted_errors(
    first: int,
    last: int,
    ratings: RatingRows,
    targets: FloatArray,
    factors: FloatArray,
    partner_weights: FloatArray,
    x: FloatArray,
    errors: FloatArray,
) -> None:
    """Sum the squared errors of each row's known ratings into ``errors`` (n_rows,), weighted by partner."""
    dim = x.shape[1]
    for row in range(first, last):
        total = 0.0
        for entry in range(ratings.starts[row], ratings.starts[row + 1]):
            partner = np.uint32(ratings.partners[entry])
            rest = targets[ratings.codes[entry]]
            for a in range(dim):
                rest -= x[row, a] * factors[partner, a]
            total += partner_weights[partner] * rest * rest
        errors[row] = total


@njit(nogil=True, cache=True, fastmath=_FUSE)
def squared_error(gram: FloatArray, x: FloatArray) -> float:
    """Return Σ (y - x·f)² from the sums that the matrix holds, see :func:`empty_gram`."""
    total: float = gram[-1, -1]
    for a in range(len(x)):
        total += x[a] * (gram[a, a] * x[a] - 2.0 * gram[-1, a])
        for b in range(a + 1, len(x)):
            total += 2.0 * x[a] * gram[a, b] * x[b]
    return max(total, 0.0)
