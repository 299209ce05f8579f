"""The small problems of LANES rows at once, one in each lane of the processor's vectors.

The same method as in ``solvers.py``, which solves one problem and is the plain twin of this file: the tests hold the
one to the other. No lane knows of the others: one that is solved stands still while the others go on, so the solution
of a row does not depend on the rows beside it.

All numbers of LANES problems are in one table (n, LANES), a column for each. One array instead of a dozen halves the
time that compiling takes. Its rows, D being the number of unknowns: H (D · D), room for a factorisation (D · D), the
sections below (D each), and single numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from nnm_core._kernels.solvers import MAX_ROUNDS, PIVOT, ROUNDING, TOLERANCE
from nnm_core._kernels.vectors import (
    LANES,
    anywhere,
    choose,
    equal,
    larger,
    less,
    load,
    same,
    smaller,
    square_root,
    store,
)
from nnm_core.types import FloatArray

_FUSE = {"contract", "nsz"}
_INNER: Any = {"nogil": True, "fastmath": _FUSE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

_LINEAR, _X, _GRADIENT, _STEP, _FREE, _INVERSE, _PIVOT_ROW, _TARGET, _NUMBERS = range(9)
_SQUARES, _RESIDUAL, _ERROR, _USED = range(4)


@njit(nogil=True, cache=True)
def empty_lanes(dim: int) -> FloatArray:
    """Room for LANES problems of ``dim`` unknowns: minimise ½ x·Hx - b·x over the simplex or the box."""
    return np.zeros((section(_NUMBERS, dim) + 4, LANES))


@njit(**_INNER)
def section(number: int, dim: int) -> int:
    """Where a section begins."""
    return (2 * dim + number) * dim


@njit(nogil=True, fastmath=_FUSE, forceinline=True)
def put_row(
    lanes: FloatArray,
    lane: int,
    gram: FloatArray,
    fixed: FloatArray,
    precision: FloatArray,
    center: FloatArray,
    x: FloatArray,
) -> None:
    """Pose the problem of a row, with ``x`` as the start: Σ (y - x·f)² + (x - center) precision (x - center).

    ``gram``: the sums over the row's ratings, see :func:`empty_gram`; ``fixed``: the last entries of all factors.
    """
    dim = len(x)
    linear, start, target = section(_LINEAR, dim), section(_X, dim), section(_TARGET, dim)
    put_sums(lanes, lane, gram, fixed, dim, target)
    for a in range(dim):
        pull = 0.0
        for b in range(dim):
            pull += precision[a, b] * center[b]
        lanes[linear + a, lane] = lanes[target + a, lane] + pull
        lanes[start + a, lane] = x[a]
    lanes[section(_NUMBERS, dim) + _SQUARES, lane] = gram[-1, -1]


@njit(nogil=True, fastmath=_FUSE, forceinline=True)
def put_sums(lanes: FloatArray, lane: int, gram: FloatArray, fixed: FloatArray, dim: int, target: int) -> None:
    """Write the upper triangle of Σ f fᵀ to the first rows, and Σ y f to those from ``target`` on.

    ``gram``: the sums over the row's ratings, see :func:`empty_gram`; ``fixed``: the last entries of all factors, as
    multiples of s.
    """
    n_free, last = dim - len(fixed), len(gram) - 1
    for a in range(n_free):
        lanes[target + a, lane] = gram[last, a]
        for b in range(a, n_free):
            lanes[a * dim + b, lane] = gram[a, b]
        for k in range(len(fixed)):
            lanes[a * dim + n_free + k, lane] = fixed[k] * gram[last - 1, a]
    for k in range(len(fixed)):
        lanes[target + n_free + k, lane] = fixed[k] * gram[last, last - 1]
        for m in range(k, len(fixed)):
            lanes[(n_free + k) * dim + n_free + m, lane] = fixed[k] * fixed[m] * gram[last - 1, last - 1]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def take_row(lanes: FloatArray, lane: int, x: FloatArray) -> tuple[float, float]:
    """Write the solution of a row to ``x``; return its squared error and its optimality residual."""
    start, numbers = section(_X, len(x)), section(_NUMBERS, len(x))
    for a in range(len(x)):
        x[a] = lanes[start + a, lane]
    return lanes[numbers + _ERROR, lane], lanes[numbers + _RESIDUAL, lane]


@njit(nogil=True, cache=True, fastmath=_FUSE)
def solve_lanes(lanes: FloatArray, n_used: int, dim: int, precision: FloatArray, on_simplex: bool) -> None:
    """Solve the problems in the first ``n_used`` lanes, which ``precision`` (dim, dim) is part of."""
    numbers, x, zero = section(_NUMBERS, dim), section(_X, dim), same(0.0)
    scale = zero
    for a in range(dim):
        for b in range(a, dim):  # the upper triangle is there
            entry = load(lanes, a * dim + b) + same(precision[a, b])
            store(lanes, a * dim + b, entry)
            store(lanes, b * dim + a, entry)
        scale = larger(scale, load(lanes, a * dim + a))
    for lane in range(LANES):
        lanes[numbers + _USED, lane] = 1.0 if lane < n_used else 0.0
    active = less(zero, scale) * load(lanes, numbers + _USED)
    if on_simplex and dim == 1:
        store(lanes, x, same(1.0))
        active = zero
    residual = zero
    _gradient(lanes, dim)
    for _ in range(MAX_ROUNDS):
        if not anywhere(active):
            break
        _newton(lanes, dim, on_simplex, scale, active)
        residual = choose(active, _residual(lanes, dim, on_simplex, scale), residual)
        active = active * less(same(TOLERANCE), residual)
        if anywhere(active):
            _descend(lanes, dim, on_simplex, active)
    store(lanes, numbers + _RESIDUAL, residual)
    _write_errors(lanes, dim, precision)


@njit(**_INNER)
def _write_errors(lanes: FloatArray, dim: int, precision: FloatArray) -> None:
    """Write Σ (y - x·f)² of each row: Σ y² - 2 x·(Σ y f) + x·(H - precision) x, and H x is gradient + b."""
    numbers = section(_NUMBERS, dim)
    linear, x = section(_LINEAR, dim), section(_X, dim)
    gradient, target = section(_GRADIENT, dim), section(_TARGET, dim)
    error = load(lanes, numbers + _SQUARES)
    for a in range(dim):
        pulled = load(lanes, gradient + a) + load(lanes, linear + a) - same(2.0) * load(lanes, target + a)
        for b in range(dim):
            pulled = pulled - same(precision[a, b]) * load(lanes, x + b)
        error = error + load(lanes, x + a) * pulled
    store(lanes, numbers + _ERROR, larger(error, same(0.0)))


@njit(**_INNER)
def _gradient(lanes: FloatArray, dim: int) -> None:
    linear, x, gradient = section(_LINEAR, dim), section(_X, dim), section(_GRADIENT, dim)
    for a in range(dim):
        value = same(0.0) - load(lanes, linear + a)
        for b in range(dim):
            value = value + load(lanes, a * dim + b) * load(lanes, x + b)
        store(lanes, gradient + a, value)


@njit(**_INNER)
def _find_pivot(lanes: FloatArray, dim: int, on_simplex: bool) -> Any:
    """Find the largest coordinate of each lane; -1 in the box, which needs none."""
    pivot, most, x = same(-1.0), same(-1.0), section(_X, dim)
    if on_simplex:
        for a in range(dim):
            present = load(lanes, x + a)
            is_more = less(most, present)
            most, pivot = choose(is_more, present, most), choose(is_more, same(float(a)), pivot)
    return pivot


@njit(**_INNER)
def _at_pivot(lanes: FloatArray, first: int, dim: int, pivot: Any) -> Any:
    """The entry of the pivot in each lane, in the rows from ``first`` on; 0 without a pivot."""
    found = same(0.0)
    for a in range(dim):
        found = choose(equal(pivot, same(float(a))), load(lanes, first + a), found)
    return found


@njit(**_INNER)
def _newton(lanes: FloatArray, dim: int, on_simplex: bool, scale: Any, active: Any) -> None:
    """Newton steps on the coordinates away from their bounds; one that meets a bound stays there."""
    matrix, x, gradient = dim * dim, section(_X, dim), section(_GRADIENT, dim)
    step, free, pivot_row = section(_STEP, dim), section(_FREE, dim), section(_PIVOT_ROW, dim)
    zero, one = same(0.0), same(1.0)
    upper = same(np.inf if on_simplex else 1.0)
    noise = scale * same(ROUNDING if on_simplex else 0.0)
    moving = active
    for _ in range(dim):
        pivot = _find_pivot(lanes, dim, on_simplex)
        for a in range(dim):
            store(lanes, pivot_row + a, _at_pivot(lanes, a * dim, dim, pivot))
        pivot_pivot, pivot_slope = _at_pivot(lanes, pivot_row, dim, pivot), _at_pivot(lanes, gradient, dim, pivot)
        for a in range(dim):
            present = load(lanes, x + a)
            moves = moving * less(zero, present) * less(present, upper) * (one - equal(pivot, same(float(a))))
            store(lanes, free + a, moves)
            store(lanes, step + a, moves * (pivot_slope - load(lanes, gradient + a)))
            rest = pivot_pivot - load(lanes, pivot_row + a)
            for b in range(a):
                entry = load(lanes, a * dim + b) - load(lanes, pivot_row + b) + rest
                store(lanes, matrix + a * dim + b, moves * load(lanes, free + b) * entry)
            entry = load(lanes, a * dim + a) - load(lanes, pivot_row + a) + rest
            store(lanes, matrix + a * dim + a, choose(moves, entry, one))
        _solve_symmetric(lanes, dim, noise)
        length, blocking, taken = one, same(-1.0), zero
        if on_simplex:
            for a in range(dim):
                taken = taken + load(lanes, step + a)
            left = _at_pivot(lanes, x, dim, pivot)
            is_short = less(left, taken)
            length = choose(is_short, left / taken, one)
            blocking = choose(is_short, same(float(dim)), blocking)
        for a in range(dim):
            wanted, present = load(lanes, step + a), load(lanes, x + a)
            distance = larger(wanted, zero - wanted)
            room = choose(less(zero, wanted), upper - present, present)
            is_short = load(lanes, free + a) * less(room, distance * length)
            if anywhere(is_short):
                length = choose(is_short, room / distance, length)
                blocking = choose(is_short, same(float(a)), blocking)
        others = zero
        for a in range(dim):
            wanted, present = load(lanes, step + a), load(lanes, x + a)
            bound = less(zero, wanted)
            moved = choose(equal(blocking, same(float(a))), bound, present + length * wanted)
            moved = choose(load(lanes, free + a), smaller(larger(moved, zero), one), present)
            store(lanes, x + a, moved)
            others = others + choose(equal(pivot, same(float(a))), zero, moved)
        if on_simplex:
            rest = choose(equal(blocking, same(float(dim))), zero, larger(one - others, zero))
            for a in range(dim):
                store(lanes, x + a, choose(moving * equal(pivot, same(float(a))), rest, load(lanes, x + a)))
        _gradient(lanes, dim)
        moving = moving * less(same(-0.5), blocking)
        if not anywhere(moving):
            return


@njit(**_INNER)
def _residual(lanes: FloatArray, dim: int, on_simplex: bool, scale: Any) -> Any:
    """How far from optimal the lanes are."""
    x, gradient = section(_X, dim), section(_GRADIENT, dim)
    zero, upper = same(0.0), same(np.inf if on_simplex else 1.0)
    pivot_slope = _at_pivot(lanes, gradient, dim, _find_pivot(lanes, dim, on_simplex))
    most = zero
    for a in range(dim):
        slope, present = load(lanes, gradient + a) - pivot_slope, load(lanes, x + a)
        slope = choose(less(zero, present), slope, smaller(slope, zero))
        slope = choose(less(present, upper), slope, larger(slope, zero))
        curvature = load(lanes, a * dim + a)
        if on_simplex:
            most = larger(most, larger(slope, zero - slope))
        else:  # relative to its own curvature, so that a stereotype that hardly anyone has counts as well
            most = larger(most, choose(less(zero, curvature), slope * slope / curvature, zero))
    return most / scale if on_simplex else square_root(most / scale)


@njit(**_INNER)
def _descend(lanes: FloatArray, dim: int, on_simplex: bool, active: Any) -> None:
    """Move each coordinate to its own optimum, on the simplex against the pivot."""
    x, gradient, pivot_row = section(_X, dim), section(_GRADIENT, dim), section(_PIVOT_ROW, dim)
    pivot, zero, one = _find_pivot(lanes, dim, on_simplex), same(0.0), same(1.0)
    for a in range(dim):
        store(lanes, pivot_row + a, _at_pivot(lanes, a * dim, dim, pivot))
    pivot_pivot, left = _at_pivot(lanes, pivot_row, dim, pivot), _at_pivot(lanes, x, dim, pivot)
    for a in range(dim):
        present, diagonal = load(lanes, x + a), load(lanes, a * dim + a)
        curvature = diagonal + pivot_pivot - same(2.0) * load(lanes, pivot_row + a)
        slope = load(lanes, gradient + a) - _at_pivot(lanes, gradient, dim, pivot)
        moves = active * (one - equal(pivot, same(float(a)))) * (less(slope, zero) + less(zero, slope))
        most = present + left if on_simplex else one
        if not on_simplex:
            moves = moves * less(zero, diagonal)
        if not anywhere(moves):
            continue
        moved = choose(less(zero, slope), zero, most) - present
        is_inside = less(larger(slope, zero - slope), curvature * larger(moved, zero - moved))
        moved = moves * choose(is_inside, zero - slope / curvature, moved)
        moved = choose(moves, moved, zero)
        store(lanes, x + a, smaller(larger(present + moved, zero), one))
        left = larger(left - moved, zero)
        for b in range(dim):
            change = load(lanes, b * dim + a) - load(lanes, pivot_row + b)
            store(lanes, gradient + b, load(lanes, gradient + b) + moved * change)
    if on_simplex:
        for a in range(dim):
            store(lanes, x + a, choose(active * equal(pivot, same(float(a))), left, load(lanes, x + a)))


@njit(**_INNER)
def _solve_symmetric(lanes: FloatArray, n: int, noise: Any) -> None:
    """Solve M x = v for the lower triangles, from and into the step; directions without curvature stay 0.

    An LDLᵀ factorisation as in ``solvers.py``, in an order in which few operations wait for each other. What is above
    the diagonal is overwritten.
    """
    matrix, vector, inverse = n * n, section(_STEP, n), section(_INVERSE, n)
    zero, one = same(0.0), same(1.0)
    for j in range(n):
        store(lanes, inverse + j, larger(same(PIVOT) * load(lanes, matrix + j * n + j), noise))
    for j in range(n):
        pivot, smallest = load(lanes, matrix + j * n + j), load(lanes, inverse + j)
        inverted, value = choose(less(smallest, pivot), one / pivot, zero), load(lanes, vector + j)
        store(lanes, inverse + j, inverted)
        for i in range(j + 1, n):
            below = load(lanes, matrix + i * n + j)
            factor = below * inverted
            store(lanes, matrix + j * n + i, below)
            store(lanes, matrix + i * n + j, factor)
            store(lanes, vector + i, load(lanes, vector + i) - factor * value)
            for k in range(j + 1, i + 1):
                store(
                    lanes,
                    matrix + i * n + k,
                    load(lanes, matrix + i * n + k) - factor * load(lanes, matrix + j * n + k),
                )
    for j in range(n):
        store(lanes, vector + j, load(lanes, vector + j) * load(lanes, inverse + j))
    for j in range(n - 1, 0, -1):
        value = load(lanes, vector + j)
        for k in range(j):
            store(lanes, vector + k, load(lanes, vector + k) - load(lanes, matrix + j * n + k) * value)
