"""The two small problems, compiled: least squares over the box [0, 1]^D and over the simplex.

Both are given by a matrix and a vector, are solved in place from any start, and return how far from optimal they are.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nnm_core.types import FloatArray

TOLERANCE = 1e-10
"""A row is solved when its optimality residual, which is relative to the size of its matrix, is below this."""

MAX_ROUNDS = 60

PIVOT = 1e-12
"""A pivot below this share of its own diagonal entry counts as zero: that direction depends on the earlier ones."""

ROUNDING = 1e-15
"""What subtracting entries of a matrix may leave of nothing, as a share of its largest diagonal entry."""

_FUSE = {"contract", "nsz"}


@njit(nogil=True, cache=True, fastmath=_FUSE)
def solve_rows(
    first: int, last: int, gram: FloatArray, linear: FloatArray, on_simplex: bool, solution: FloatArray
) -> None:
    """Solve problems that share one matrix (D, D), with ``linear`` (n_rows, D), improving ``solution`` in place."""
    work = np.zeros((solution.shape[1] + 4, solution.shape[1]))
    for row in range(first, last):
        solve(gram, linear[row], solution[row], on_simplex, work)


@njit(nogil=True, cache=True, fastmath=_FUSE)
def solve(hessian: FloatArray, linear: FloatArray, x: FloatArray, on_simplex: bool, work: FloatArray) -> float:
    """Minimise ½ x·Hx - b·x over the simplex or over the box, from ``x``, in place; returns the optimality residual.

    Newton's method on the free coordinates, then, unless that was enough, a pass of exact coordinate descent that
    finds which bounds are active, and so on. From the solution of the round before, one round usually suffices.

    On the simplex the largest coordinate, the *pivot*, gives what the others take: each of their moves is *tied* to
    the opposite one of the pivot. They then have no upper bound but what it has left, and the rest is as in the box.
    ``work`` is scratch space (dim + 4, dim).
    """
    dim = len(x)
    scale = 0.0
    for a in range(dim):
        scale = max(scale, hessian[a, a])
    if on_simplex and dim == 1:
        x[0] = 1.0
    if scale <= 0.0 or (on_simplex and dim == 1):
        return 0.0
    gradient = work[dim]
    residual = np.inf
    _gradient(hessian, linear, x, gradient)
    for _ in range(MAX_ROUNDS):
        _newton(hessian, gradient, x, on_simplex, scale, work)
        _gradient(hessian, linear, x, gradient)
        residual = _descend(hessian, gradient, x, on_simplex, scale)
        if residual <= TOLERANCE:
            break
    return residual


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _newton(
    hessian: FloatArray, gradient: FloatArray, x: FloatArray, on_simplex: bool, scale: float, work: FloatArray
) -> None:
    """Newton steps on the coordinates away from their bounds; one that meets a bound stays there.

    Scratch space: ``step``, and ``free``, which coordinates move, as floats.
    """
    dim = len(x)
    step, free = work[dim + 1], work[dim + 2]
    tied, upper, noise = (1.0, np.inf, ROUNDING * scale) if on_simplex else (0.0, 1.0, 0.0)
    for _ in range(dim):
        pivot = 0
        for a in range(dim):
            if x[a] > x[pivot]:
                pivot = a
        n_free = 0
        for a in range(dim):
            if 0.0 < x[a] < upper and not (on_simplex and a == pivot):
                free[n_free] = a
                n_free += 1
        for a in range(n_free):
            at = int(free[a])
            step[a] = tied * gradient[pivot] - gradient[at]
            rest = tied * (hessian[pivot, pivot] - hessian[at, pivot])
            for b in range(a + 1):
                work[a, b] = hessian[at, int(free[b])] - tied * hessian[pivot, int(free[b])] + rest
        _solve_symmetric(work, step, n_free, noise)
        length, blocking, taken = 1.0, -1, 0.0
        for a in range(n_free):
            taken += tied * step[a]
        if taken > x[pivot]:
            length, blocking = x[pivot] / taken, n_free
        for a in range(n_free):
            room = upper - x[int(free[a])] if step[a] > 0.0 else x[int(free[a])]
            if abs(step[a]) * length > room:
                length, blocking = room / abs(step[a]), a
        others = 0.0
        for a in range(n_free):
            at = int(free[a])
            moved = length * step[a]
            if a == blocking:
                moved = (1.0 if step[a] > 0.0 else 0.0) - x[at]
            x[at] = min(max(x[at] + moved, 0.0), 1.0)
            others += x[at]
            if blocking >= 0:
                for b in range(dim):
                    gradient[b] += moved * (hessian[b, at] - tied * hessian[b, pivot])
        if on_simplex:
            x[pivot] = max(1.0 - others, 0.0) if blocking != n_free else 0.0
        if blocking < 0:
            return


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _descend(hessian: FloatArray, gradient: FloatArray, x: FloatArray, on_simplex: bool, scale: float) -> float:
    """How far from optimal x is; unless it is solved, each coordinate is then moved to its own optimum."""
    dim, pivot = len(x), 0
    for a in range(dim):
        if x[a] > x[pivot]:
            pivot = a

    tied, upper = (1.0, np.inf) if on_simplex else (0.0, 1.0)
    residual = 0.0
    for a in range(dim):
        slope = gradient[a] - tied * gradient[pivot]
        slope = slope if x[a] > 0.0 else min(slope, 0.0)
        slope = slope if x[a] < upper else max(slope, 0.0)
        if slope != 0.0 and (on_simplex or hessian[a, a] > 0.0):
            # In the box relative to its own curvature, so that a stereotype that hardly anyone has counts as well.
            residual = max(residual, abs(slope) / (scale if on_simplex else np.sqrt(hessian[a, a] * scale)))
    if residual <= TOLERANCE:
        return residual
    for a in range(dim):
        curvature = hessian[a, a] + tied * (hessian[pivot, pivot] - 2.0 * hessian[a, pivot])
        slope = gradient[a] - tied * gradient[pivot]
        if slope == 0.0 or (a == pivot if on_simplex else hessian[a, a] <= 0.0):
            continue
        most = x[a] + x[pivot] if on_simplex else 1.0
        moved = (0.0 if slope > 0.0 else most) - x[a]
        if curvature * abs(moved) > abs(slope):
            moved = -slope / curvature
        x[a] = min(max(x[a] + moved, 0.0), 1.0)
        x[pivot] = max(x[pivot] - tied * moved, 0.0)
        for b in range(dim):
            gradient[b] += moved * (hessian[b, a] - tied * hessian[b, pivot])
    return residual


@njit(nogil=True, cache=True, fastmath=_FUSE, inline="always")
def _solve_symmetric(matrix: FloatArray, vector: FloatArray, n: int, noise: float) -> None:
    """Solve M x = v for the leading n x n lower triangle, into ``vector``; directions without curvature stay 0.

    An LDLᵀ factorisation in place: the unit triangle below the diagonal, the pivots on it. A pivot that is no more
    than ``noise``, or than rounding of its own diagonal entry, is taken for 0.
    """
    for j in range(n):
        pivot = matrix[j, j]
        smallest = max(PIVOT * pivot, noise)
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


@njit(nogil=True, cache=True, fastmath=_FUSE, inline="always")
def _gradient(hessian: FloatArray, linear: FloatArray, x: FloatArray, gradient: FloatArray) -> None:
    for a in range(len(x)):
        value = -linear[a]
        for b in range(len(x)):
            value += hessian[a, b] * x[b]
        gradient[a] = value


def scratch(dim: int) -> FloatArray:
    """Scratch space for one call of a solver."""
    return np.zeros((dim + 4, dim))
