"""The compiled inner loops of a fit: Gram sums, and one half-step for either side.

Every function here works on a range of rows, releases the interpreter lock and starts no threads of its own, so that
an ordinary thread pool can call it on several ranges at once and a server can run several fits side by side.
A row's result depends on that row alone: the same bits come out however the rows are divided among threads.

In a row's problem the *factor* is what the other side contributes per rating: the mixture of the user in an item's
problem, the like vector of the item in a user's. Factors come as ``rows`` (n_partners, D + 1), the last column being
what fixed stereotypes already explain of the rating, so that the least-squares target is ``y - rows[:, -1]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nnm_core.solvers import solve_box, solve_simplex
from nnm_core.types import FloatArray, IntArray

CHUNK = 128
"""Ratings gathered at a time: large enough to amortise the sums, small enough to stay in the first cache."""

TILE = 3
"""The Gram matrix is computed in TILE x TILE blocks of dot products, which fill the vector registers."""

_VECTORISE = {"contract", "nsz", "reassoc"}
_PLAIN = {"contract", "nsz"}


@njit(nogil=True, cache=True)
def transpose(
    rows: NDArray[np.int32], partners: NDArray[np.int32], codes: IntArray, n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], IntArray]:
    """Group entries by ``rows``, keeping their order within a row: starts, partners and codes (a counting sort)."""
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    for row in rows:
        starts[row + 1] += 1
    for row in range(n_rows):
        starts[row + 1] += starts[row]
    place = starts[:-1].copy()
    new_partners = np.empty_like(partners)
    new_codes = np.empty_like(codes)
    for entry in range(len(rows)):
        row = rows[entry]
        new_partners[place[row]] = partners[entry]
        new_codes[place[row]] = codes[entry]
        place[row] += 1
    return starts, new_partners, new_codes


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def half_step(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    partners: NDArray[np.int32],
    codes: IntArray,
    targets: FloatArray,
    rows: FloatArray,
    shared_gram: FloatArray,
    precision: FloatArray,
    centers: FloatArray,
    on_simplex: bool,
    solution: FloatArray,
    errors: FloatArray,
    residuals: FloatArray,
) -> None:
    """Solve the problems of the rows ``first`` to ``last``, improving ``solution`` (n_rows, D) in place.

    Row r minimises the squared errors of its ratings plus ``(x - c) precision (x - c)``, where c is its row of
    ``centers`` (or their only row), over the simplex or over the box [0, 1]^D. A row without ratings becomes c.
    With a ``shared_gram`` (D, D), the sum over *all* partners, unknown ratings count as zeros (the fill).

    ``targets`` (n_levels,): what each rating code means as a probability of liking.
    ``errors``: each row's squared error, fill included; ``residuals``: its optimality residual.
    """
    dim = solution.shape[1]
    filled = shared_gram.shape[0] > 0
    chunk = np.zeros((tiled(dim + 1), CHUNK + 8))  # no power of two, so that its rows do not share cache sets
    gram = np.zeros((tiled(dim + 1), tiled(dim + 1)))
    hessian = np.zeros((dim, dim))
    linear = np.zeros(dim)
    work = np.zeros((dim + 4, dim))
    for row in range(first, last):
        begin, end = starts[row], starts[row + 1]
        center = centers[row if centers.shape[0] > 1 else 0]
        x = solution[row]
        if begin == end and not filled:
            x[:] = center
            errors[row] = 0.0
            residuals[row] = 0.0
            continue
        if filled:
            _sum_targets(partners[begin:end], codes[begin:end], targets, rows, gram)
            gram[:dim, :dim] = shared_gram
        else:
            _sum_outer_products(partners[begin:end], codes[begin:end], targets, rows, chunk, gram)
        for a in range(dim):
            linear[a] = gram[a, dim]
            for b in range(dim):
                hessian[a, b] = (gram[a, b] if a <= b else gram[b, a]) + precision[a, b]
                linear[a] += precision[a, b] * center[b]
        if on_simplex:
            residuals[row] = solve_simplex(hessian, linear, x, work)
        else:
            residuals[row] = solve_box(hessian, linear, x, work)
        errors[row] = squared_error(gram, x)


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def known_errors(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    partners: NDArray[np.int32],
    codes: IntArray,
    targets: FloatArray,
    rows: FloatArray,
    solution: FloatArray,
    errors: FloatArray,
) -> None:
    """Each row's squared error over its known ratings alone, into ``errors`` (n_rows,)."""
    dim = solution.shape[1]
    for row in range(first, last):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            partner = np.uint32(partners[entry])
            rest = targets[codes[entry]] - rows[partner, dim]
            for a in range(dim):
                rest -= solution[row, a] * rows[partner, a]
            total += rest * rest
        errors[row] = total


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def gram_matrix(rows: FloatArray, dim: int) -> FloatArray:
    """Sum of the outer products of the first ``dim`` columns of all rows, (dim, dim), in a fixed order."""
    gram = np.zeros((dim, dim))
    for row in range(rows.shape[0]):
        for a in range(dim):
            for b in range(dim):
                gram[a, b] += rows[row, a] * rows[row, b]
    return gram


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def squared_error(gram: FloatArray, x: FloatArray) -> float:
    """Σ (y - x·factor)² from the upper triangle of the Gram matrix of the rows (factor, y)."""
    dim = len(x)
    total: float = gram[dim, dim]
    for a in range(dim):
        total += x[a] * (gram[a, a] * x[a] - 2.0 * gram[a, dim])
        for b in range(a + 1, dim):
            total += 2.0 * x[a] * gram[a, b] * x[b]
    return max(total, 0.0)


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _sum_targets(
    partners: NDArray[np.int32], codes: IntArray, targets: FloatArray, rows: FloatArray, gram: FloatArray
) -> None:
    """The last column of the Gram matrix alone: Σ y·factor and Σ y²."""
    dim = rows.shape[1] - 1
    sums = gram[dim]  # contiguous, and not part of the upper triangle but for its last entry
    sums[: dim + 1] = 0.0
    for entry in range(len(partners)):
        partner = np.uint32(partners[entry])
        y = targets[codes[entry]] - rows[partner, dim]
        for a in range(dim):
            sums[a] += y * rows[partner, a]
        sums[dim] += y * y
    gram[:dim, dim] = sums[:dim]


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _sum_outer_products(
    partners: NDArray[np.int32],
    codes: IntArray,
    targets: FloatArray,
    rows: FloatArray,
    chunk: FloatArray,
    gram: FloatArray,
) -> None:
    """Upper triangle of the Gram matrix of the rows (factor, y), over all ratings of one row.

    Ratings are gathered transposed, one chunk at a time: every entry of the matrix then is a dot product of two
    contiguous arrays, which the compiler turns into vector instructions, and a tile of entries shares its loads.
    """
    dim = rows.shape[1] - 1
    gram[:] = 0.0
    for begin in range(0, len(partners), CHUNK):
        n = min(CHUNK, len(partners) - begin)
        gather(partners[begin : begin + n], rows, chunk)
        for j in range(n):
            chunk[dim, j] = targets[codes[begin + j]] - chunk[dim, j]
        even = min((n + 15) // 16 * 16, CHUNK)
        chunk[: dim + 1, n:even] = 0.0
        for a in range(0, dim + 1, TILE):
            for b in range(a, dim + 1, TILE):
                add_tile(chunk, even, a, b, gram)


@njit(nogil=True, cache=True)
def gather(partners: NDArray[np.int32], rows: FloatArray, chunk: FloatArray) -> None:
    """Copy the partners' rows into the columns of the chunk, four at a time: this is where the time of a fit goes."""
    n = len(partners)
    fours = n // 4 * 4
    for j in range(0, fours, 4):
        row0, row1 = rows[np.uint32(partners[j])], rows[np.uint32(partners[j + 1])]
        row2, row3 = rows[np.uint32(partners[j + 2])], rows[np.uint32(partners[j + 3])]
        for a in range(rows.shape[1]):
            line = chunk[a]
            line[j] = row0[a]
            line[j + 1] = row1[a]
            line[j + 2] = row2[a]
            line[j + 3] = row3[a]
    for j in range(fours, n):
        row0 = rows[np.uint32(partners[j])]
        for a in range(rows.shape[1]):
            chunk[a, j] = row0[a]


@njit(nogil=True, cache=True, fastmath=_VECTORISE)
def add_tile(chunk: FloatArray, n: int, a: int, b: int, gram: FloatArray) -> None:
    """Add the dot products of the rows a, a+1, a+2 with the rows b, b+1, b+2 of the chunk's first n columns."""
    x0, x1, x2 = chunk[a], chunk[a + 1], chunk[a + 2]
    y0, y1, y2 = chunk[b], chunk[b + 1], chunk[b + 2]
    s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
    for j in range(n):
        s00 += x0[j] * y0[j]
        s01 += x0[j] * y1[j]
        s02 += x0[j] * y2[j]
        s10 += x1[j] * y0[j]
        s11 += x1[j] * y1[j]
        s12 += x1[j] * y2[j]
        s20 += x2[j] * y0[j]
        s21 += x2[j] * y1[j]
        s22 += x2[j] * y2[j]
    gram[a, b] += s00
    gram[a, b + 1] += s01
    gram[a, b + 2] += s02
    gram[a + 1, b] += s10
    gram[a + 1, b + 1] += s11
    gram[a + 1, b + 2] += s12
    gram[a + 2, b] += s20
    gram[a + 2, b + 1] += s21
    gram[a + 2, b + 2] += s22


@njit(nogil=True, cache=True)
def tiled(n: int) -> int:
    """The next multiple of the tile size."""
    return (n + TILE - 1) // TILE * TILE
