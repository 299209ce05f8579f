"""One half-step of Algorithm 1: a constrained least-squares problem per row, with the other side held fixed.

The *factor* of a rating is what the other side contributes to it: the mixture of the user in an item's problem, the
like vector of the item in a user's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nnm_core._kernels.gram import CHUNK, add_outer_products, add_targets, empty_block, empty_gram, partner_rows
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.lanes import empty_lanes, put_row, solve_lanes, take_row
from nnm_core._kernels.prefetch import fetch
from nnm_core._kernels.products import inner_products
from nnm_core._kernels.vectors import LANES
from nnm_core.types import FloatArray, IntArray

_FUSE = {"contract", "nsz"}
_REASSOCIATE = {"contract", "nsz", "reassoc"}

_CACHED = 2**17
"""Factors that a core's second cache holds, as numbers of 64 bits; of more than these, rows are asked for ahead."""


class LeastSquares(NamedTuple):
    """What the problems of all rows have in common, and toward what each is drawn; see :func:`least_squares`.

    Row r minimises Σ (y - x·f)² over its ratings, plus ``(x - c) precision (x - c)``, where c is its row of
    ``centers`` (or their only row), over the simplex or over the box [0, 1]^D.

    ``targets`` (n_levels,): what each rating code means as a probability of liking.
    ``factors`` (n_partners, width): f, padded by :func:`partner_rows`, without its last entries, if these are the same
    for all partners: ``fixed`` (n_fixed,). ``explained`` (n_partners,): what is explained of a rating by the partner's
    share in stereotypes that are not solved for, so that y = target - explained; none if it is empty.
    ``zeros_count``: unknown ratings count as zeros (the fill); ``gram`` (D, D) is then Σ f fᵀ over all partners.
    """

    targets: FloatArray
    factors: FloatArray
    fixed: FloatArray
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
    fixed: FloatArray | None = None,
    explained: FloatArray | None = None,
    zeros_count: bool = False,
    on_simplex: bool,
) -> LeastSquares:
    """Return the problem for plain ``factors`` (n_partners, D - n_fixed); see :class:`LeastSquares`.

    Arrays come out writable and contiguous, whatever went in, so that one compiled kernel does for all.
    """
    rows, dim = partner_rows(factors), factors.shape[1]
    gram = np.ascontiguousarray(inner_products(rows, rows)[:dim, :dim]) if zeros_count else np.zeros((dim, dim))
    explained = np.empty(0) if explained is None else explained
    return LeastSquares(
        targets,
        rows,
        np.empty(0) if fixed is None else np.array(fixed),
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
    targets, explained, factors, fixed = problem.targets, problem.explained, problem.factors, problem.fixed
    centers, precision, zeros_count = problem.centers, problem.precision, problem.zeros_count
    x, dim, common = solution.x, solution.x.shape[1], problem.gram
    n_free = dim - len(fixed)
    gram, block, lanes, rows = empty_gram(n_free), empty_block(n_free), empty_lanes(dim), np.zeros(LANES, np.intp)
    n_used = 0
    for row in range(first, last):
        center = centers[row if centers.shape[0] > 1 else 0]
        begin, end = starts[row], starts[row + 1]
        if begin == end and not zeros_count:
            leave_at_center(row, center, solution)
        else:
            sum_row(begin, end, partners, codes, targets, explained, factors, zeros_count, n_free, block, gram)
            if zeros_count:
                for a in range(dim):
                    for b in range(dim):
                        gram[a, b] = common[a, b]
            put_row(lanes, n_used, gram, fixed, precision, center, x[row])
            rows[n_used] = row
            n_used += 1
        if n_used == LANES or (row == last - 1 and n_used > 0):
            solve_lanes(lanes, n_used, dim, precision, problem.on_simplex)
            take_rows(lanes, n_used, rows, solution)
            n_used = 0


@njit(nogil=True, cache=True)
def leave_at_center(row: int, center: FloatArray, solution: Solution) -> None:
    """Write the solution of a row without ratings."""
    for a in range(len(center)):  # not x[:] = center, whose check of the shapes takes seconds to compile
        solution.x[row, a] = center[a]
    solution.errors[row] = 0.0
    solution.residuals[row] = 0.0


@njit(nogil=True, cache=True)
def take_rows(lanes: FloatArray, n_used: int, rows: IntArray, solution: Solution) -> None:
    """Write the solutions of some lanes to their rows."""
    for lane in range(n_used):
        row = rows[lane]
        solution.errors[row], solution.residuals[row] = take_row(lanes, lane, solution.x[row])


@njit(nogil=True, fastmath=_FUSE, forceinline=True)  # to pass so many arrays takes as long as a short row
def sum_row(
    begin: int,
    end: int,
    partners: NDArray[np.int32],
    codes: IntArray,
    targets: FloatArray,
    explained: FloatArray,
    factors: FloatArray,
    zeros_count: bool,
    n_free: int,
    block: tuple[FloatArray, FloatArray],
    gram: FloatArray,
) -> None:
    """Replace ``gram`` by the sums over the ratings from ``begin`` to ``end``, where s is 1; see :func:`empty_gram`."""
    y, is_large = block[1][1], factors.size > _CACHED
    gram[:] = 0.0
    gram[-2, -2] = end - begin
    for at in range(begin, end, CHUNK):
        until = min(at + CHUNK, end)
        if is_large:
            for entry in range(at + CHUNK, min(until + CHUNK, len(partners))):
                fetch(factors, partners[entry])  # of this row or of a later one
        if len(explained) > 0:
            for entry in range(at, until):
                y[entry - at] = targets[codes[entry]] - explained[np.uint32(partners[entry])]
        else:
            for entry in range(at, until):
                y[entry - at] = targets[codes[entry]]
        if zeros_count:
            add_targets(factors, partners, at, until, n_free, block, gram)
        else:
            add_outer_products(factors, partners, at, until, n_free, block, gram)


@njit(nogil=True, cache=True, fastmath=_REASSOCIATE)
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
