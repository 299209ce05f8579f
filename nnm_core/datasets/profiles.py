"""What a sample of a column's cells looks like."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from nnm_core.datasets.levels import NOT_GIVEN, read_levels

_DATE = re.compile(
    r"\d{4}[-/.]\d\d?[-/.]\d\d?.*|\d\d?[./]\d\d?[./]\d{2,4}.*"
    r"|\d\d?[- ][A-Za-z]{3}[- ]\d{2,4}.*|[A-Z][a-z]{2} \d\d? ?,.*"
)
_PRODUCT_CODE = re.compile(r"B[0-9A-Z]{9}|97[89]\d{10}")
_ISBN = re.compile(r"[0-9]{9}[0-9Xx]")
_FLAGS = frozenset({"0", "1", "0.0", "1.0", "true", "false", "yes", "no", "y", "n", "t", "f", "x", ""})


@dataclass(frozen=True, slots=True)
class Profile:
    """A column's sample: how many cells are given, how many of those differ, and what they may be.

    ``numeric``: all given cells are numbers, from ``lowest`` to ``highest``. ``words``: they are rating words such as
    up and down. ``dates``: dates or seconds since 1970. ``codes``: product codes such as ISBN and ASIN. ``flags``: 0
    and 1, yes and no. ``listed``: the separator of lists in the cells, empty if there is none.
    """

    n_given: int
    n_distinct: int
    numeric: bool
    whole: bool
    words: bool
    dates: bool
    codes: bool
    flags: bool
    listed: str
    lowest: float = math.nan
    highest: float = math.nan
    mean_length: float = 0.0

    @property
    def rating_like(self) -> bool:
        """Whether the cells could be ratings: words for them, or few enough numbers in a modest range."""
        if self.words:
            return True
        return self.numeric and not self.dates and self.highest - self.lowest <= 1000 and abs(self.highest) <= 10_000


def profile(cells: Sequence[str]) -> Profile:
    """What the cells of one column look like."""
    given = [cell.strip() for cell in cells if cell.strip().lower() not in NOT_GIVEN]
    distinct = sorted(set(given))
    levels = read_levels(distinct) if distinct else None
    numeric = levels is not None and not any(map(math.isnan, levels.values.tolist()))
    words = numeric and levels is not None and bool(levels.notes) and levels.notes[0].startswith("ratings are words")
    values = levels.values.tolist() if numeric and levels is not None else []
    lowest, highest = (min(values), max(values)) if values else (math.nan, math.nan)
    return Profile(
        n_given=len(given),
        n_distinct=len(distinct),
        numeric=numeric and not words,
        whole=numeric and not words and all(value == int(value) for value in values),
        words=words,
        dates=_are_dates(distinct, lowest, highest, numeric=numeric),
        codes=bool(distinct) and sum(map(_is_product_code, distinct)) > 0.8 * len(distinct),
        flags=bool(distinct) and all(cell.lower() in _FLAGS for cell in distinct) and not _one_sided(distinct),
        listed=separator_of(given),
        lowest=lowest,
        highest=highest,
        mean_length=sum(map(len, given)) / len(given) if given else 0.0,
    )


def _is_product_code(cell: str) -> bool:
    """Whether a cell is an ASIN or an ISBN; ten digits are one only if the last checks the others."""
    if _ISBN.fullmatch(cell):
        digits = [10 if digit in "Xx" else int(digit) for digit in cell]
        return sum((10 - k) * digit for k, digit in enumerate(digits)) % 11 == 0
    return _PRODUCT_CODE.fullmatch(cell) is not None


def _are_dates(distinct: Sequence[str], lowest: float, highest: float, *, numeric: bool) -> bool:
    """Whether cells are dates, or numbers that would be seconds or milliseconds between 1979 and 2049."""
    if numeric:
        return any(lowest > 3e8 * unit and highest < 2.5e9 * unit for unit in (1, 1000))
    return bool(distinct) and all(_DATE.fullmatch(cell) for cell in distinct)


def _one_sided(distinct: Sequence[str]) -> bool:
    """Whether a column of only "x" or only "no" says too little to be a flag; a lone 0 or 1 may be one."""
    return len(distinct) == 1 and distinct[0].lower() in ("n", "no", "f", "y", "t")


def separator_of(cells: Sequence[str]) -> str:
    """What separates tags in a cell: ``|``, ``;``, ``,``, or ``[`` for lists in brackets; empty for one tag each."""
    if not cells:
        return ""
    if sum(cell.startswith(("[", "{")) and cell.endswith(("]", "}")) for cell in cells) > 0.5 * len(cells):
        return "["
    for separator in ("|", ";", ","):
        if sum(separator in cell for cell in cells) >= max(1, 0.1 * len(cells)):
            return separator
    return ""
