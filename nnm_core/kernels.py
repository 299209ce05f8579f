"""The compiled inner loops: Gram sums and the two small constrained least-squares problems.

Every function here works on a range of rows, releases the interpreter lock and starts no threads of its own, so that
an ordinary thread pool can call it on several ranges at once and a server can run several fits side by side.
A row's result depends on that row alone: the same bits come out however the rows are divided among threads.

In a row's problem the *factor* is what the other side contributes per rating: the mixture of the user in an item's
problem, the like vector of the item in a user's. Factors come as ``rows`` (n_partners, D + 1), the last column being
what fixed stereotypes already explain of the rating, so that the least-squares target is ``y - rows[:, -1]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nnm_core.types import FloatArray, IntArray

CHUNK = 128
"""Ratings gathered at a time: large enough to amortise the sums, small enough to stay in the first cache."""

TILE = 3
"""The Gram matrix is computed in TILE x TILE blocks of dot products, which fill the vector registers."""

TOLERANCE = 1e-10
"""A row is solved when its optimality residual, which is relative to the size of its matrix, is below this."""

MAX_ROUNDS = 60

_PIVOT = 1e-12
"""A pivot below this share of its own diagonal entry counts as zero: that direction depends on the earlier ones."""

_ROUNDING = 1e-15
"""What subtracting entries of a matrix may leave of nothing, as a share of its largest diagonal entry."""

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
    chunk = np.zeros((_padded(dim + 1), CHUNK + 8))  # no power of two, so that its rows do not share cache sets
    gram = np.zeros((_padded(dim + 1), _padded(dim + 1)))
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
        errors[row] = _squared_error(gram, x)


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
def solve_box(hessian: FloatArray, linear: FloatArray, x: FloatArray, work: FloatArray) -> float:
    """Minimise ½ x·Hx - b·x over 0 ≤ x ≤ 1 from ``x``, in place; returns the optimality residual.

    Newton's method on the free coordinates, then, unless that was enough, a pass of exact coordinate descent that
    finds which bounds are active, and so on. From the solution of the round before, one round usually suffices.
    ``work`` is scratch space (dim + 4, dim).
    """
    dim = len(x)
    scale = _largest_diagonal(hessian)
    if scale <= 0.0:
        return 0.0
    gradient, step, free = work[dim], work[dim + 1], work[dim + 2]
    residual = np.inf
    _gradient(hessian, linear, x, gradient)
    for _ in range(MAX_ROUNDS):
        _newton_in_box(hessian, gradient, x, step, free, work)
        _gradient(hessian, linear, x, gradient)
        residual = 0.0
        for a in range(dim):
            # Relative to the coordinate's own curvature, so that a stereotype that hardly anyone has counts as well.
            slope = gradient[a] if x[a] > 0.0 else min(gradient[a], 0.0)
            slope = slope if x[a] < 1.0 else max(slope, 0.0)
            if slope != 0.0 and hessian[a, a] > 0.0:
                residual = max(residual, abs(slope) / np.sqrt(hessian[a, a] * scale))
        if residual <= TOLERANCE:
            break
        for a in range(dim):
            if hessian[a, a] > 0.0:
                moved = min(max(x[a] - gradient[a] / hessian[a, a], 0.0), 1.0) - x[a]
                if moved != 0.0:
                    x[a] += moved
                    for b in range(dim):
                        gradient[b] += hessian[b, a] * moved
    return residual


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _newton_in_box(
    hessian: FloatArray, gradient: FloatArray, x: FloatArray, step: FloatArray, free: FloatArray, work: FloatArray
) -> None:
    """Newton steps on the coordinates strictly inside the box, each coordinate that meets a bound staying there.

    ``free`` holds which coordinates these are, as floats, being scratch space like the rest.
    """
    dim = len(x)
    for _ in range(dim):
        n_free = 0
        for a in range(dim):
            if 0.0 < x[a] < 1.0:
                free[n_free] = a
                n_free += 1
        if n_free == 0:
            return
        for a in range(n_free):
            at = int(free[a])
            step[a] = -gradient[at]
            for b in range(a + 1):
                work[a, b] = hessian[at, int(free[b])]
        _solve_symmetric(work, step, n_free, 0.0)
        length, blocking = 1.0, -1
        for a in range(n_free):
            at = int(free[a])
            room = 1.0 - x[at] if step[a] > 0.0 else x[at]
            if abs(step[a]) * length > room:
                length, blocking = room / abs(step[a]), a
        for a in range(n_free):
            at = int(free[a])
            moved = length * step[a]
            if a == blocking:
                moved = (1.0 if step[a] > 0.0 else 0.0) - x[at]
            x[at] = min(max(x[at] + moved, 0.0), 1.0)
            if blocking >= 0:
                for b in range(dim):
                    gradient[b] += hessian[b, at] * moved
        if blocking < 0:
            return


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def solve_simplex(hessian: FloatArray, linear: FloatArray, x: FloatArray, work: FloatArray) -> float:
    """Minimise ½ x·Hx - b·x over the simplex from ``x``, in place; returns the optimality residual.

    Newton's method on the support, then, unless that was enough, a few exact moves of weight from the worst to the
    best coordinate that find a better support, and so on. ``work`` is scratch space (dim + 4, dim).
    """
    dim = len(x)
    scale = _largest_diagonal(hessian)
    if dim == 1:
        x[0] = 1.0
        return 0.0
    if scale <= 0.0:
        return 0.0
    gradient, step, free = work[dim], work[dim + 1], work[dim + 2]
    residual = np.inf
    _gradient(hessian, linear, x, gradient)
    for _ in range(MAX_ROUNDS):
        _newton_on_simplex(hessian, gradient, x, step, free, work, scale)
        _gradient(hessian, linear, x, gradient)
        best, worst = _most_violating_pair(gradient, x)
        residual = max(gradient[worst] - gradient[best], 0.0) / scale
        if residual <= TOLERANCE:
            break
        for _ in range(dim):
            gap = gradient[worst] - gradient[best]
            if gap <= TOLERANCE * scale:
                break
            curvature = hessian[best, best] + hessian[worst, worst] - 2.0 * hessian[best, worst]
            moved = x[worst] if curvature * x[worst] <= gap else gap / curvature
            x[best] += moved
            x[worst] = x[worst] - moved if moved < x[worst] else 0.0
            for a in range(dim):
                gradient[a] += moved * (hessian[a, best] - hessian[a, worst])
            best, worst = _most_violating_pair(gradient, x)
    return residual


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _newton_on_simplex(
    hessian: FloatArray,
    gradient: FloatArray,
    x: FloatArray,
    step: FloatArray,
    free: FloatArray,
    work: FloatArray,
    scale: float,
) -> None:
    """Newton steps on the support, its largest coordinate eliminated; coordinates that reach zero leave it."""
    dim = len(x)
    for _ in range(dim):
        pivot = 0
        for a in range(dim):
            if x[a] > x[pivot]:
                pivot = a
        n_free = 0
        for a in range(dim):
            if x[a] > 0.0 and a != pivot:
                free[n_free] = a
                n_free += 1
        if n_free == 0:
            x[pivot] = 1.0
            return
        for a in range(n_free):
            at = int(free[a])
            step[a] = gradient[pivot] - gradient[at]
            rest = hessian[pivot, pivot] - hessian[at, pivot]
            for b in range(a + 1):
                work[a, b] = hessian[at, int(free[b])] - hessian[pivot, int(free[b])] + rest
        _solve_symmetric(work, step, n_free, _ROUNDING * scale)
        taken = 0.0
        for a in range(n_free):
            taken += step[a]
        length, blocking = 1.0, -1
        if taken > x[pivot]:
            length, blocking = x[pivot] / taken, n_free
        for a in range(n_free):
            if -step[a] * length > x[int(free[a])]:
                length, blocking = -x[int(free[a])] / step[a], a
        others = 0.0
        for a in range(n_free):
            at = int(free[a])
            moved = length * step[a] if a != blocking else -x[at]
            x[at] = max(x[at] + moved, 0.0)
            others += x[at]
            if blocking >= 0:
                for b in range(dim):
                    gradient[b] += moved * (hessian[b, at] - hessian[b, pivot])
        x[pivot] = max(1.0 - others, 0.0) if blocking != n_free else 0.0
        if blocking < 0:
            return


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _solve_symmetric(matrix: FloatArray, vector: FloatArray, n: int, noise: float) -> None:
    """Solve M x = v for the leading n x n lower triangle, into ``vector``; directions without curvature stay 0.

    An LDLᵀ factorisation in place: the unit triangle below the diagonal, the pivots on it. A pivot that is no more
    than ``noise``, or than rounding of its own diagonal entry, is taken for 0.
    """
    for j in range(n):
        pivot = matrix[j, j]
        smallest = max(_PIVOT * pivot, noise)
        for k in range(j):
            pivot -= matrix[j, k] * matrix[j, k] * matrix[k, k]
        inverse = 1.0 / pivot if pivot > smallest else 0.0
        for i in range(j + 1, n):
            value = matrix[i, j]
            for k in range(j):
                value -= matrix[i, k] * matrix[j, k] * matrix[k, k]
            matrix[i, j] = value * inverse
        matrix[j, j] = pivot if pivot > smallest else 0.0
    for i in range(n):
        for k in range(i):
            vector[i] -= matrix[i, k] * vector[k]
    for i in range(n):
        vector[i] = vector[i] / matrix[i, i] if matrix[i, i] > 0.0 else 0.0
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            vector[i] -= matrix[k, i] * vector[k]


@njit(nogil=True, cache=True, fastmath=_PLAIN, inline="always")
def _gradient(hessian: FloatArray, linear: FloatArray, x: FloatArray, gradient: FloatArray) -> None:
    for a in range(len(x)):
        value = -linear[a]
        for b in range(len(x)):
            value += hessian[a, b] * x[b]
        gradient[a] = value


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _most_violating_pair(gradient: FloatArray, x: FloatArray) -> tuple[int, int]:
    """The coordinate that most wants weight, and the one with weight that most wants to lose it."""
    best, worst = 0, -1
    for a in range(len(x)):
        if gradient[a] < gradient[best]:
            best = a
        if x[a] > 0.0 and (worst < 0 or gradient[a] > gradient[worst]):
            worst = a
    return best, worst


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _largest_diagonal(hessian: FloatArray) -> float:
    largest = 0.0
    for a in range(hessian.shape[0]):
        largest = max(largest, hessian[a, a])
    return largest


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def _squared_error(gram: FloatArray, x: FloatArray) -> float:
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
        _gather(partners[begin : begin + n], rows, chunk)
        for j in range(n):
            chunk[dim, j] = targets[codes[begin + j]] - chunk[dim, j]
        padded = min((n + 15) // 16 * 16, CHUNK)
        chunk[: dim + 1, n:padded] = 0.0
        for a in range(0, dim + 1, TILE):
            for b in range(a, dim + 1, TILE):
                _add_tile(chunk, padded, a, b, gram)


@njit(nogil=True, cache=True)
def _gather(partners: NDArray[np.int32], rows: FloatArray, chunk: FloatArray) -> None:
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
def _add_tile(chunk: FloatArray, n: int, a: int, b: int, gram: FloatArray) -> None:
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
def _padded(n: int) -> int:
    """The next multiple of the tile size."""
    return (n + TILE - 1) // TILE * TILE


def scratch(dim: int) -> NDArray[Any]:
    """Scratch space for one call of a solver."""
    return np.zeros((dim + 4, dim))


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def solve_rows(
    first: int,
    last: int,
    starts: NDArray[np.int64],  # noqa: ARG001 - how the rows are divided among threads, as for the other kernels
    gram: FloatArray,
    linear: FloatArray,
    on_simplex: bool,
    solution: FloatArray,
) -> None:
    """Solve problems that share one matrix (D, D), with ``linear`` (n_rows, D), improving ``solution`` in place."""
    work = np.zeros((solution.shape[1] + 4, solution.shape[1]))
    for row in range(first, last):
        if on_simplex:
            solve_simplex(gram, linear[row], solution[row], work)
        else:
            solve_box(gram, linear[row], solution[row], work)
