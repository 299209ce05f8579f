"""The inner loop of the relaxed model: one draw per row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from nnm_core._kernels.gram import CHUNK, add_outer_products, empty_block, empty_gram
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution
from nnm_core.types import FloatArray

_FUSE = {"contract", "nsz"}
_VECTORISE = {"contract", "nsz", "reassoc"}


class NormalRows(NamedTuple):
    """What the normal distributions of all rows are made of, the other side being given.

    ``targets`` (n_levels,): what each rating code means. ``factors``, from :func:`partner_rows`, and ``explained``
    (n_partners,): the partners' factors, and the part of the target that is explained already, both multiplied by
    ``roots`` (n_partners,), the square root of the partner's weight. ``fixed`` (n_fixed,): the last entries of all
    factors, which are the same for all partners but for the weight, and are not among ``factors``.
    ``row_weights`` (n_rows,): the precision of the row's ratings, on top of the partners' weights.
    ``precision`` (dim, dim) and ``pull`` (n_rows, dim), which is precision times mean: the prior.
    ``noise`` (n_rows, dim): standard normal. ``on_plane``: condition the draw on summing to 1.
    """

    targets: FloatArray
    factors: FloatArray
    fixed: FloatArray
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
    targets, roots, explained = given.targets, given.roots, given.explained
    dim = solution.x.shape[1]
    n_free = dim - len(given.fixed)
    gram, block = empty_gram(n_free), empty_block(n_free)
    sides = block[1]
    whole, target, factor = np.zeros((dim, dim)), np.zeros(dim), np.zeros((dim, dim))
    x = np.zeros(dim)
    ones = np.zeros(dim)
    for row in range(first, last):
        begin, end = starts[row], starts[row + 1]
        gram[:] = 0.0
        squares = 0.0
        for at in range(begin, end, CHUNK):
            until = min(at + CHUNK, end)
            for entry in range(at, until):
                partner = np.uint32(partners[entry])
                sides[0, entry - at] = roots[partner]
                squares += roots[partner] * roots[partner]
                sides[1, entry - at] = targets[codes[entry]] * roots[partner] - explained[partner]
            add_outer_products(given.factors, partners, at, until, n_free, block, gram)
        gram[-2, -2] = squares
        _expand(gram, given.fixed, whole, target)
        weight = given.row_weights[row]
        for a in range(dim):
            x[a] = weight * target[a] + given.pull[row, a]
            for b in range(a + 1):
                factor[a, b] = weight * whole[b, a] + given.precision[a, b]
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
        solution.errors[row] = _squared_error(gram[-1, -1], whole, target, x)


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _expand(gram: FloatArray, fixed: FloatArray, whole: FloatArray, target: FloatArray) -> None:
    """Write Σ f fᵀ (its upper triangle) and Σ y f, where the factors end in the ``fixed`` multiples of s."""
    n_free = len(target) - len(fixed)
    for a in range(n_free):
        target[a] = gram[-1, a]
        for b in range(a, n_free):
            whole[a, b] = gram[a, b]
        for k in range(len(fixed)):
            whole[a, n_free + k] = fixed[k] * gram[-2, a]
    for k in range(len(fixed)):
        target[n_free + k] = fixed[k] * gram[-1, -2]
        for m in range(k, len(fixed)):
            whole[n_free + k, n_free + m] = fixed[k] * fixed[m] * gram[-2, -2]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _squared_error(squares: float, whole: FloatArray, target: FloatArray, x: FloatArray) -> float:
    """Return Σ (y - x·f)² from Σ y², the upper triangle of Σ f fᵀ, and Σ y f."""
    for a in range(len(x)):
        squares += x[a] * (whole[a, a] * x[a] - 2.0 * target[a])
        for b in range(a + 1, len(x)):
            squares += 2.0 * x[a] * whole[a, b] * x[b]
    return max(squares, 0.0)


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
