"""When ratings were given: the times that files hold, as days since 1970."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from nnm_core.types import FloatArray

NO_DAY = int(np.iinfo(np.int32).min)
"""Stands for a day that is not known."""

_EARLIEST, _LATEST = 3e8, 2.5e9  # seconds since 1970: from 1979 to 2049
_UNITS = (1, 10**3, 10**6, 10**9)  # of a second: how times are counted
_SECONDS = 86_400
_SAMPLE = 10_000  # numbers that show in which unit they are
_READABLE = 0.5  # of the cells that are neither empty nor 0 must be times for a column to hold times
_NUMBER, _DATE = r"^\s*\d+(\.\d+)?\s*$", r"^\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2}).*$"
_NOTHING = r"^\s*(0+(\.0*)?)?\s*$"


def parse_days(column: pa.ChunkedArray) -> NDArray[np.int32] | None:
    """Return the day of each row, ``NO_DAY`` where it is not known; None where most cells are no times.

    Understood are seconds since 1970, or parts of a second, and dates that begin with the year. A cell that is empty or
    0 says that the time is not known.

    >>> parse_days(pa.chunked_array([["86400", "172799", "900000000"]]))
    >>> parse_days(pa.chunked_array([["2001-09-09", "2001/9/10 12:00", ""]])).tolist()[:2]
    [11574, 11575]
    """
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        with suppress(pa.ArrowInvalid):  # of numbers alone, which is the usual case, this takes a tenth of the time
            column = column.cast(pa.float64())
    kind, n_given = column.type, len(column) - column.null_count
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        days = _from_numbers(column)
        n_given -= pc.sum(pc.equal(column, 0)).as_py() or 0
    elif pa.types.is_temporal(kind) and not pa.types.is_time(kind) and not pa.types.is_duration(kind):
        days = _from_dates(column)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        n_given -= pc.sum(pc.match_substring_regex(column, _NOTHING)).as_py() or 0
        is_number = pc.match_substring_regex(column, _NUMBER)
        if (pc.sum(is_number).as_py() or 0) > _READABLE * n_given:
            days = _from_numbers(pc.utf8_trim_whitespace(pc.if_else(is_number, column, None)))
        else:
            dates = pc.replace_substring_regex(column, _DATE, r"\1-\2-\3")
            days = _from_dates(pc.strptime(dates, format="%Y-%m-%d", unit="s", error_is_null=True))
    else:
        return None
    return days if np.count_nonzero(days != NO_DAY) > _READABLE * n_given else None


def _from_numbers(column: pa.ChunkedArray) -> NDArray[np.int32]:
    """Return the days of seconds since 1970, or of milliseconds or less, whichever the times must be."""
    numbers: FloatArray = column.cast(pa.float64()).to_numpy()
    some = numbers[:: len(numbers) // _SAMPLE + 1]
    middle = float(np.median(some[some > 0])) if (some > 0).any() else 0.0
    unit = next((unit for unit in _UNITS if _EARLIEST < middle / unit < _LATEST), 0)
    usable = (numbers > _EARLIEST * unit) & (numbers < _LATEST * unit)
    days = np.where(usable, numbers, 0.0) / (_SECONDS * max(unit, 1))
    return np.where(usable, days.astype(np.int32), NO_DAY)


def _from_dates(column: pa.ChunkedArray) -> NDArray[np.int32]:
    days: NDArray[np.int32] = column.cast(pa.date32(), safe=False).cast(pa.int32()).fill_null(NO_DAY).to_numpy()
    return days
