"""The two small problems, compiled: least squares over the box [0, 1]^D and over the simplex.

Both are given by a matrix and a vector, are solved in place from any start, and return how far from optimal they are.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nnm_core.types import FloatArray

TOLERANCE = 1e-10
"""A row is solved when its optimality residual, which is relative to the size of its matrix, is below this."""

MAX_ROUNDS = 60

_PIVOT = 1e-12
"""A pivot below this share of its own diagonal entry counts as zero: that direction depends on the earlier ones."""

_ROUNDING = 1e-15
"""What subtracting entries of a matrix may leave of nothing, as a share of its largest diagonal entry."""

_PLAIN = {"contract", "nsz"}


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


def scratch(dim: int) -> FloatArray:
    """Scratch space for one call of a solver."""
    return np.zeros((dim + 4, dim))
