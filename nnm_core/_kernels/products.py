"""Products of tall matrices, summed in a fixed order.

The threads of a linear algebra library would get in the way of a fit's own, and change the last bits of a sum.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nnm_core._kernels.grouping import RatingRows
from nnm_core.types import FloatArray

_REASSOCIATE = {"contract", "nsz", "reassoc"}


@njit(nogil=True, cache=True, fastmath=_REASSOCIATE)
def inner_products(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return left' @ right."""
    products = np.zeros((left.shape[1], right.shape[1]))
    whole = left.shape[0] // 4 * 4
    for row in range(0, whole, 4):  # four at once, since storing a sum takes longer than adding to it
        for a in range(left.shape[1]):
            first, second, third, fourth = left[row, a], left[row + 1, a], left[row + 2, a], left[row + 3, a]
            for b in range(right.shape[1]):
                sum_of_two = first * right[row, b] + second * right[row + 1, b]
                products[a, b] += sum_of_two + third * right[row + 2, b] + fourth * right[row + 3, b]
    for row in range(whole, left.shape[0]):
        for a in range(left.shape[1]):
            for b in range(right.shape[1]):
                products[a, b] += left[row, a] * right[row, b]
    return products


@njit(nogil=True, cache=True, fastmath=_REASSOCIATE)
def row_products(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return left @ right'."""
    products = np.empty((left.shape[0], right.shape[0]))
    for row in range(left.shape[0]):
        for a in range(right.shape[0]):
            total = 0.0
            for b in range(left.shape[1]):
                total += left[row, b] * right[a, b]
            products[row, a] = total
    return products


@njit(nogil=True, cache=True)
def partner_sums(first: int, last: int, ratings: RatingRows, factors: FloatArray, sums: FloatArray) -> None:
    """Sum the ``factors`` (n_partners, n_columns) of each row's partners into ``sums`` (n_rows, n_columns)."""
    n_columns = factors.shape[1]
    for row in range(first, last):
        for a in range(n_columns):
            sums[row, a] = 0.0
        for entry in range(ratings.starts[row], ratings.starts[row + 1]):
            partner = np.uint32(ratings.partners[entry])
            for a in range(n_columns):
                sums[row, a] += factors[partner, a]


@njit(nogil=True, cache=True)
def project_onto_simplex(rows: FloatArray) -> FloatArray:
    """Return the nearest point of the simplex to each row.

    It is what exceeds a threshold. Entries below are left out of the sum until none is, as Michelot (1986) does: rows
    that lie on the simplex, or nearly, take two passes.
    """
    nearest = np.empty_like(rows)
    n_columns = rows.shape[1]
    for row in range(rows.shape[0]):
        threshold, n_above, n_before = -np.inf, 0, -1
        while n_above != n_before:
            n_before, n_above, total = n_above, 0, -1.0
            for a in range(n_columns):
                is_above = rows[row, a] > threshold
                total += rows[row, a] if is_above else 0.0
                n_above += 1 if is_above else 0
            threshold = total / n_above
        mass = 0.0
        for a in range(n_columns):
            nearest[row, a] = max(rows[row, a] - threshold, 0.0)
            mass += nearest[row, a]
        for a in range(n_columns):
            nearest[row, a] /= mass
    return nearest
