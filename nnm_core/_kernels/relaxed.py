"""The inner loop of the relaxed model: one draw per row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from nnm_core._kernels.gram import CHUNK, add_outer_products, empty_gram
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution, squared_error
from nnm_core.types import FloatArray

_FUSE = {"contract", "nsz"}
_VECTORISE = {"contract", "nsz", "reassoc"}


class NormalRows(NamedTuple):
    """What the normal distributions of all rows are made of, the other side being given.

    ``targets`` (n_levels,): what each rating code means. ``factors``, from :func:`partner_rows`, and ``explained``
    (n_partners,): the partners' factors, and the part of the target that is explained already, both multiplied by
    ``roots`` (n_partners,), the square root of the partner's weight.
    ``row_weights`` (n_rows,): the precision of the row's ratings, on top of the partners' weights.
    ``precision`` (dim, dim) and ``pull`` (n_rows, dim), which is precision times mean: the prior.
    ``noise`` (n_rows, dim): standard normal. ``on_plane``: condition the draw on summing to 1.
    """

    targets: FloatArray
    factors: FloatArray
    explained: FloatArray
    roots: FloatArray
    row_weights: FloatArray
    precision: FloatArray
    pull: FloatArray
    noise: FloatArray
    on_plane: bool


@njit(nogil=True, cache=True, fastmath=_FUSE)
def draw_rows(first: int, last: int, ratings: RatingRows, given: NormalRows, solution: Solution) -> None:
    """Draw the rows ``first`` to ``last`` of ``solution``, each from its normal distribution given the other side."""
    starts, partners, codes = ratings.starts, ratings.partners, ratings.codes
    dim = solution.x.shape[1]
    gram, known = empty_gram(dim), np.zeros(CHUNK)
    factor = np.zeros((dim, dim))
    x = np.zeros(dim)
    ones = np.zeros(dim)
    for row in range(first, last):
        begin, end = starts[row], starts[row + 1]
        gram[:] = 0.0
        for at in range(begin, end, CHUNK):
            until = min(at + CHUNK, end)
            for entry in range(at, until):
                partner = np.uint32(partners[entry])
                known[entry - at] = given.targets[codes[entry]] * given.roots[partner] - given.explained[partner]
            add_outer_products(given.factors, partners, at, until, known, dim, gram)
        weight = given.row_weights[row]
        for a in range(dim):
            x[a] = weight * gram[-1, a] + given.pull[row, a]
            for b in range(a + 1):
                factor[a, b] = weight * gram[b, a] + given.precision[a, b]
        _cholesky(factor)
        _solve_lower(factor, x)
        for a in range(dim):
            x[a] += given.noise[row, a]
        _solve_upper(factor, x)
        if given.on_plane:
            ones[:] = 1.0
            _solve_lower(factor, ones)
            _solve_upper(factor, ones)
            step = (x.sum() - 1.0) / ones.sum()
            for a in range(dim):
                x[a] -= step * ones[a]
        for a in range(dim):
            solution.x[row, a] = x[a]
        solution.errors[row] = squared_error(gram, x)


@njit(nogil=True, cache=True, fastmath=_VECTORISE)
def _cholesky(matrix: FloatArray) -> None:
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor."""
    n = matrix.shape[0]
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                matrix[i, i] = np.sqrt(max(total, 1e-12))
            else:
                matrix[i, j] = total / matrix[j, j]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _solve_lower(factor: FloatArray, x: FloatArray) -> None:
    for i in range(len(x)):
        for k in range(i):
            x[i] -= factor[i, k] * x[k]
        x[i] /= factor[i, i]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _solve_upper(factor: FloatArray, x: FloatArray) -> None:
    """Solve with the transpose of the lower factor."""
    for i in range(len(x) - 1, -1, -1):
        for k in range(i + 1, len(x)):
            x[i] -= factor[k, i] * x[k]
        x[i] /= factor[i, i]
