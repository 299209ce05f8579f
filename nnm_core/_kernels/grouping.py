"""Ratings grouped by row, and the counting sort that groups them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nnm_core.types import FloatArray, IntArray


class RatingRows(NamedTuple):
    """Ratings grouped by row, where a row is a user or an item; a tuple, so that kernels take it as it is.

    Row ``r`` owns the entries ``starts[r]:starts[r + 1]``, in increasing order of ``partners``.

    ``starts`` (n_rows + 1,) int64; ``partners`` (n_ratings,) int32, the item or user at the other end of each rating;
    ``codes`` (n_ratings,) unsigned, each rating as a position in ``Ratings.levels``.
    """

    starts: NDArray[np.int64]
    partners: NDArray[np.int32]
    codes: IntArray

    @property
    def n_rows(self) -> int:
        """How many rows there are, those without ratings included."""
        return len(self.starts) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """Ratings per row, (n_rows,)."""
        return np.diff(self.starts)

    @property
    def rows(self) -> NDArray[np.int32]:
        """The row that owns each entry, (n_ratings,)."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), self.counts)

    def of(self, row: int) -> slice:
        """Return the entries of one row."""
        return slice(int(self.starts[row]), int(self.starts[row + 1]))

    def read_only(self) -> RatingRows:
        """Make the arrays read-only and return the rows; kernels are compiled for read-only arrays."""
        for array in self:
            array.flags.writeable = False
        return self


@njit(nogil=True, cache=True)
def transpose(ratings: RatingRows, n_partners: int) -> RatingRows:
    """Group by partner what is grouped by row."""
    places = _first_places(ratings.partners, n_partners)
    partners, codes = np.empty_like(ratings.partners), np.empty_like(ratings.codes)
    for row in range(len(ratings.starts) - 1):
        for entry in range(ratings.starts[row], ratings.starts[row + 1]):
            place = places[ratings.partners[entry] + 1]
            places[ratings.partners[entry] + 1] = place + 1
            partners[place] = row
            codes[place] = ratings.codes[entry]
    return RatingRows(places[:-1], partners, codes)


@njit(nogil=True, cache=True)
def group_by_row(
    rows: NDArray[np.int32], partners: NDArray[np.int32], codes: IntArray, n_rows: int, n_partners: int
) -> RatingRows:
    """Group single ratings by row, in increasing order of partners; equal pairs keep their order.

    Sorts by partner, then by row. One kernel for both: between two calls a thread would wait for the interpreter.
    """
    places = _first_places(partners, n_partners)
    sorted_rows, sorted_codes = np.empty_like(rows), np.empty_like(codes)
    for entry in range(len(partners)):
        place = places[partners[entry] + 1]
        places[partners[entry] + 1] = place + 1
        sorted_rows[place] = rows[entry]
        sorted_codes[place] = codes[entry]
    return transpose(RatingRows(places[:-1], sorted_rows, sorted_codes), n_rows)


@njit(nogil=True, cache=True)
def row_sums(ratings: RatingRows, values: FloatArray) -> FloatArray:
    """Sum the ratings of each row, (n_rows,), where ``values`` (n_levels,) says what each code means."""
    sums = np.zeros(len(ratings.starts) - 1)
    for row in range(len(sums)):
        for entry in range(ratings.starts[row], ratings.starts[row + 1]):
            sums[row] += values[ratings.codes[entry]]
    return sums


@njit(nogil=True, cache=True)
def _first_places(numbers: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return where the entries of each number begin in a counting sort, (n + 2,): those of k at k + 1.

    Once each entry has moved the place of its number on by one, those of k begin at k.
    """
    places = np.zeros(n + 2, dtype=np.int64)
    for number in numbers:
        places[number + 2] += 1
    for k in range(n):
        places[k + 2] += places[k + 1]
    return places
