"""The compiled inner loops of the relaxed model: one draw per row, and its errors."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nnm_core._kernels.gram import CHUNK, add_outer_products, empty_gram
from nnm_core._kernels.half_step import squared_error
from nnm_core.types import FloatArray, IntArray

_PLAIN = {"contract", "nsz"}
_VECTORISE = {"contract", "nsz", "reassoc"}


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def draw_rows(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    partners: NDArray[np.int32],
    codes: IntArray,
    targets: FloatArray,
    rows: FloatArray,
    explained: FloatArray,
    roots: FloatArray,
    row_weights: FloatArray,
    precision: FloatArray,
    pull: FloatArray,
    noise: FloatArray,
    on_plane: bool,
    solution: FloatArray,
    errors: FloatArray,
) -> None:
    """Draw ``solution`` (n_rows, dim) of each row from its normal distribution given the other side.

    ``rows``, from :func:`partner_rows`, and ``explained`` (n_partners,): the partners' factors, and the part of the
    target that is explained already, both multiplied by ``roots`` (n_partners,), the square root of the partner's
    weight. ``row_weights`` (n_rows,): the precision of the row's ratings.
    ``precision`` (dim, dim) and ``pull`` (n_rows, dim), which is precision times mean: the prior.
    ``noise`` (n_rows, dim): standard normal. ``on_plane``: condition the draw on summing to 1.
    ``errors`` (n_rows,): the squared errors of the row's ratings, weighted by the partners' weights.
    """
    dim = solution.shape[1]
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
                known[entry - at] = targets[codes[entry]] * roots[partner] - explained[partner]
            add_outer_products(rows, partners, at, until, known, dim, gram)
        weight = row_weights[row]
        for a in range(dim):
            x[a] = weight * gram[-1, a] + pull[row, a]
            for b in range(a + 1):
                factor[a, b] = weight * gram[b, a] + precision[a, b]
        _cholesky(factor)
        _solve_lower(factor, x)
        for a in range(dim):
            x[a] += noise[row, a]
        _solve_upper(factor, x)
        if on_plane:
            ones[:] = 1.0
            _solve_lower(factor, ones)
            _solve_upper(factor, ones)
            step = (x.sum() - 1.0) / ones.sum()
            for a in range(dim):
                x[a] -= step * ones[a]
        for a in range(dim):
            solution[row, a] = x[a]
        errors[row] = squared_error(gram, x)


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def weighted_errors(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    partners: NDArray[np.int32],
    codes: IntArray,
    targets: FloatArray,
    rows: FloatArray,
    partner_weights: FloatArray,
    solution: FloatArray,
    errors: FloatArray,
) -> None:
    """Each row's squared errors weighted by the partners' weights; ``rows`` (n_partners, dim) are plain factors."""
    dim = solution.shape[1]
    for row in range(first, last):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            partner = np.uint32(partners[entry])
            rest = targets[codes[entry]]
            for a in range(dim):
                rest -= solution[row, a] * rows[partner, a]
            total += partner_weights[partner] * rest * rest
        errors[row] = total


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


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _solve_lower(factor: FloatArray, x: FloatArray) -> None:
    for i in range(len(x)):
        for k in range(i):
            x[i] -= factor[i, k] * x[k]
        x[i] /= factor[i, i]


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _solve_upper(factor: FloatArray, x: FloatArray) -> None:
    """Solve with the transpose of the lower factor."""
    for i in range(len(x) - 1, -1, -1):
        for k in range(i + 1, len(x)):
            x[i] -= factor[k, i] * x[k]
        x[i] /= factor[i, i]
