"""The inner loop of the relaxed model: one draw per row, of LANES rows at once.

As in ``lanes.py``, the numbers of LANES rows are in one table (n, LANES), a column for each row. Its rows, D being the
length of a draw: Σ f fᵀ over the row's ratings (its upper triangle, D · D), the Cholesky factor of the precision (its
lower triangle, with what to multiply by instead of dividing by the diagonal), the sections below (D each), and single
numbers. ``tests/kernels/test_relaxed.py`` holds the draws to numpy's linear algebra.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from nnm_core._kernels.gram import CHUNK, add_outer_products, empty_block, empty_gram
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution
from nnm_core._kernels.lanes import put_sums, section
from nnm_core._kernels.vectors import LANES, larger, load, same, square_root, store
from nnm_core.types import FloatArray

_FUSE = {"contract", "nsz"}
_INNER: Any = {"nogil": True, "fastmath": _FUSE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

_TARGET, _X, _NOISE, _PLANE, _NUMBERS = range(5)
_SQUARES, _WEIGHT = range(2)
_SMALLEST = 1e-12  # square of a pivot


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
    gram, block, lanes = empty_gram(n_free), empty_block(n_free), np.zeros((section(_NUMBERS, dim) + 2, LANES))
    sides = block[1]
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
        lane = (row - first) % LANES
        _put_row(lanes, lane, gram, given, row)
        if lane == LANES - 1 or row == last - 1:
            _draw_lanes(lanes, dim, given)
            _take_rows(lanes, row - lane, lane + 1, solution)


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _put_row(lanes: FloatArray, lane: int, gram: FloatArray, given: NormalRows, row: int) -> None:
    """Pose the draw of a row: the sums over its ratings, and its prior."""
    dim = given.pull.shape[1]
    x, noise, numbers = section(_X, dim), section(_NOISE, dim), section(_NUMBERS, dim)
    put_sums(lanes, lane, gram, given.fixed, dim, section(_TARGET, dim))
    for a in range(dim):
        lanes[x + a, lane] = given.pull[row, a]
        lanes[noise + a, lane] = given.noise[row, a]
    lanes[numbers + _SQUARES, lane] = gram[-1, -1]
    lanes[numbers + _WEIGHT, lane] = given.row_weights[row]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _take_rows(lanes: FloatArray, first: int, n: int, solution: Solution) -> None:
    """Write the draws of the first ``n`` lanes to the rows from ``first`` on, and their squared errors."""
    dim = solution.x.shape[1]
    x, numbers = section(_X, dim), section(_NUMBERS, dim)
    for lane in range(n):
        for a in range(dim):
            solution.x[first + lane, a] = lanes[x + a, lane]
        solution.errors[first + lane] = lanes[numbers + _SQUARES, lane]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _draw_lanes(lanes: FloatArray, dim: int, given: NormalRows) -> None:
    """Draw from the normal distributions of all lanes, and replace Σ y² by the squared error Σ (y - x·f)²."""
    target, x, noise = section(_TARGET, dim), section(_X, dim), section(_NOISE, dim)
    plane, numbers, factor = section(_PLANE, dim), section(_NUMBERS, dim), dim * dim
    weight = load(lanes, numbers + _WEIGHT)
    for a in range(dim):
        store(lanes, x + a, load(lanes, x + a) + weight * load(lanes, target + a))
        for b in range(a + 1):
            entry = weight * load(lanes, b * dim + a) + same(given.precision[a, b])
            store(lanes, factor + a * dim + b, entry)
    _cholesky(lanes, dim)
    _solve_lower(lanes, x, dim)
    for a in range(dim):
        store(lanes, x + a, load(lanes, x + a) + load(lanes, noise + a))
    _solve_upper(lanes, x, dim)
    if given.on_plane:
        for a in range(dim):
            store(lanes, plane + a, same(1.0))
        _solve_lower(lanes, plane, dim)
        _solve_upper(lanes, plane, dim)
        total, slope = same(-1.0), same(0.0)
        for a in range(dim):
            total, slope = total + load(lanes, x + a), slope + load(lanes, plane + a)
        step = total / slope
        for a in range(dim):
            store(lanes, x + a, load(lanes, x + a) - step * load(lanes, plane + a))
    squares, two = load(lanes, numbers + _SQUARES), same(2.0)
    for a in range(dim):
        present = load(lanes, x + a)
        rest = load(lanes, a * dim + a) * present - two * load(lanes, target + a)
        for b in range(a + 1, dim):
            rest = rest + two * load(lanes, a * dim + b) * load(lanes, x + b)
        squares = squares + present * rest
    store(lanes, numbers + _SQUARES, larger(squares, same(0.0)))


@njit(**_INNER)
def _cholesky(lanes: FloatArray, dim: int) -> None:
    """Factorise the lower triangles; the diagonal holds the inverse of what it would hold."""
    factor = dim * dim
    for j in range(dim):
        root = square_root(larger(load(lanes, factor + j * dim + j), same(_SMALLEST)))
        inverse = same(1.0) / root
        store(lanes, factor + j * dim + j, inverse)
        for i in range(j + 1, dim):
            store(lanes, factor + i * dim + j, load(lanes, factor + i * dim + j) * inverse)
        for i in range(j + 1, dim):
            below = load(lanes, factor + i * dim + j)
            for k in range(j + 1, i + 1):
                entry = load(lanes, factor + i * dim + k) - below * load(lanes, factor + k * dim + j)
                store(lanes, factor + i * dim + k, entry)


@njit(**_INNER)
def _solve_lower(lanes: FloatArray, x: int, dim: int) -> None:
    """Solve with the factors, from and into the section ``x``."""
    factor = dim * dim
    for j in range(dim):
        value = load(lanes, x + j) * load(lanes, factor + j * dim + j)
        store(lanes, x + j, value)
        for i in range(j + 1, dim):
            store(lanes, x + i, load(lanes, x + i) - load(lanes, factor + i * dim + j) * value)


@njit(**_INNER)
def _solve_upper(lanes: FloatArray, x: int, dim: int) -> None:
    """Solve with the transposes of the factors."""
    factor = dim * dim
    for j in range(dim - 1, -1, -1):
        value = load(lanes, x + j) * load(lanes, factor + j * dim + j)
        store(lanes, x + j, value)
        for i in range(j):
            store(lanes, x + i, load(lanes, x + i) - load(lanes, factor + j * dim + i) * value)
