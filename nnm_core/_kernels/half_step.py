"""The compiled inner loops of a fit: Gram sums, and one half-step for either side.

Every function here works on a range of rows, releases the interpreter lock and starts no threads of its own, so that
an ordinary thread pool can call it on several ranges at once and a server can run several fits side by side.
A row's result depends on that row alone: the same bits come out however the rows are divided among threads.

In a row's problem the *factor* is what the other side contributes per rating: the mixture of the user in an item's
problem, the like vector of the item in a user's. Factors come as ``rows``, as :func:`partner_rows` makes them, and
``explained`` (n_partners,) is what fixed stereotypes already explain of a rating, so that ``y - explained`` is left.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nnm_core._kernels.gram import CHUNK, add_outer_products, add_targets, empty_gram
from nnm_core._kernels.prefetch import fetch
from nnm_core._kernels.solvers import solve
from nnm_core.types import FloatArray, IntArray

_PLAIN = {"contract", "nsz"}
_LOOSE = {"contract", "nsz", "reassoc"}


@njit(nogil=True, cache=True)
def turn(
    starts: NDArray[np.int64], partners: NDArray[np.int32], codes: IntArray, n_partners: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], IntArray]:
    """Group by partner what ``starts`` groups by row: starts, partners (the rows, increasing) and codes."""
    places = _counted(partners, n_partners)
    new_partners = np.empty_like(partners)
    new_codes = np.empty_like(codes)
    for row in range(len(starts) - 1):
        for entry in range(starts[row], starts[row + 1]):
            at = places[partners[entry] + 1]
            places[partners[entry] + 1] = at + 1
            new_partners[at] = row
            new_codes[at] = codes[entry]
    return places[:-1], new_partners, new_codes


@njit(nogil=True, cache=True)
def sort_pairs(
    rows: NDArray[np.int32], partners: NDArray[np.int32], codes: IntArray, n_rows: int, n_partners: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], IntArray]:
    """Group entries by ``rows``, in increasing order of partners: starts, partners and codes.

    Sorted by partner first, then by row. One call for both: in between, a thread would have to wait for the
    interpreter, however busy that is.
    """
    places = _counted(partners, n_partners)
    their_rows = np.empty_like(rows)
    their_codes = np.empty_like(codes)
    for entry in range(len(partners)):
        at = places[partners[entry] + 1]
        places[partners[entry] + 1] = at + 1
        their_rows[at] = rows[entry]
        their_codes[at] = codes[entry]
    return turn(places[:-1], their_rows, their_codes, n_rows)


@njit(nogil=True, cache=True)
def _counted(numbers: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Where the entries of each number begin in a counting sort, (n + 2,): those of k at k + 1.

    Once each entry has moved its number's place on by one, those of k begin at k.
    """
    places = np.zeros(n + 2, dtype=np.int64)
    for number in numbers:
        places[number + 2] += 1
    for k in range(n):
        places[k + 2] += places[k + 1]
    return places


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def half_step(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    partners: NDArray[np.int32],
    codes: IntArray,
    targets: FloatArray,
    rows: FloatArray,
    explained: FloatArray,
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
    gram, known = empty_gram(dim), np.zeros(CHUNK)
    hessian = np.zeros((dim, dim))
    linear = np.zeros(dim)
    work = np.zeros((dim + 4, dim))
    for row in range(first, last):
        begin, end = starts[row], starts[row + 1]
        center = centers[row if centers.shape[0] > 1 else 0]
        x = solution[row]
        if begin == end and not filled:
            for a in range(dim):  # not x[:] = center, whose check of the shapes takes seconds to compile
                x[a] = center[a]
            errors[row] = 0.0
            residuals[row] = 0.0
            continue
        gram[:] = 0.0
        for at in range(begin, end, CHUNK):
            until = min(at + CHUNK, end)
            for entry in range(at + CHUNK, min(until + CHUNK, len(partners))):
                fetch(
                    rows, partners[entry]
                )  # of this row or a later one: with many partners memory is what one waits for
            for entry in range(at, until):
                known[entry - at] = targets[codes[entry]] - explained[np.uint32(partners[entry])]
            if filled:
                add_targets(rows, partners, at, until, known, dim, gram)
            else:
                add_outer_products(rows, partners, at, until, known, dim, gram)
        if filled:
            for a in range(dim):
                for b in range(dim):
                    gram[a, b] = shared_gram[a, b]
        for a in range(dim):
            linear[a] = gram[-1, a]
            for b in range(dim):
                hessian[a, b] = (gram[a, b] if a <= b else gram[b, a]) + precision[a, b]
                linear[a] += precision[a, b] * center[b]
        residuals[row] = solve(hessian, linear, x, on_simplex, work)
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
    explained: FloatArray,
    solution: FloatArray,
    errors: FloatArray,
) -> None:
    """Each row's squared error over its known ratings alone, into ``errors`` (n_rows,)."""
    dim = solution.shape[1]
    for row in range(first, last):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            partner = np.uint32(partners[entry])
            rest = targets[codes[entry]] - explained[partner]
            for a in range(dim):
                rest -= solution[row, a] * rows[partner, a]
            total += rest * rest
        errors[row] = total


@njit(nogil=True, cache=True)
def row_sums(starts: NDArray[np.int64], codes: IntArray, targets: FloatArray) -> FloatArray:
    """The sum of each row's ratings, (n_rows,)."""
    sums = np.zeros(len(starts) - 1)
    for row in range(len(sums)):
        for entry in range(starts[row], starts[row + 1]):
            sums[row] += targets[codes[entry]]
    return sums


@njit(nogil=True, cache=True)
def partner_sums(
    first: int, last: int, starts: NDArray[np.int64], partners: NDArray[np.int32], rows: FloatArray, sums: FloatArray
) -> None:
    """The sum of each row's partners' ``rows``, whatever the ratings are, into ``sums`` (n_rows, n_columns)."""
    n_columns = rows.shape[1]
    for row in range(first, last):
        for a in range(n_columns):
            sums[row, a] = 0.0
        for entry in range(starts[row], starts[row + 1]):
            partner = np.uint32(partners[entry])
            for a in range(n_columns):
                sums[row, a] += rows[partner, a]


@njit(nogil=True, cache=True, fastmath=_LOOSE)
def inner_products(left: FloatArray, right: FloatArray) -> FloatArray:
    """The products of all columns of two tables with the same rows, left' @ right, summed in a fixed order."""
    products = np.zeros((left.shape[1], right.shape[1]))
    for row in range(left.shape[0]):
        for a in range(left.shape[1]):
            for b in range(right.shape[1]):
                products[a, b] += left[row, a] * right[row, b]
    return products


@njit(nogil=True, cache=True, fastmath=_PLAIN)
def squared_error(gram: FloatArray, x: FloatArray) -> float:
    """Σ (y - x·factor)² from the sums that the matrix holds, see :func:`empty_gram`."""
    total: float = gram[-1, -1]
    for a in range(len(x)):
        total += x[a] * (gram[a, a] * x[a] - 2.0 * gram[-1, a])
        for b in range(a + 1, len(x)):
            total += 2.0 * x[a] * gram[a, b] * x[b]
    return max(total, 0.0)
