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
    for row in range(left.shape[0]):
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
    """Return the nearest point of the simplex to each row."""
    nearest = np.empty_like(rows)
    n_columns = rows.shape[1]
    descending = np.empty(n_columns)
    for row in range(rows.shape[0]):
        for a in range(n_columns):  # sorted by insertion: rows are short
            place = a
            while place > 0 and descending[place - 1] < rows[row, a]:
                descending[place] = descending[place - 1]
                place -= 1
            descending[place] = rows[row, a]
        total, threshold = -1.0, 0.0
        for a in range(n_columns):
            total += descending[a]
            if descending[a] * (a + 1) > total:
                threshold = total / (a + 1)
        mass = 0.0
        for a in range(n_columns):
            nearest[row, a] = max(rows[row, a] - threshold, 0.0)
            mass += nearest[row, a]
        for a in range(n_columns):
            nearest[row, a] /= mass
    return nearest
