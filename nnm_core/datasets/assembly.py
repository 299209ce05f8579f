"""From coded columns to ratings: what cannot be used is left out and told, the rest is indexed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nnm_core.datasets.cleaning import LARGEST, Cleaning
from nnm_core.datasets.coded import Coded
from nnm_core.datasets.journal import Journal
from nnm_core.datasets.levels import Levels, binned, offers_among, read_levels
from nnm_core.datasets.report import N_EXAMPLES, Example
from nnm_core.errors import DataError, InputError
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale, written
from nnm_core.types import BoolArray, FloatArray, IntArray

IMPLICIT_SCALE = Scale(0.0, 1.0)
"""Seen is 1; 0 is what the fill may say of a pair that was not seen."""

Locate = Callable[[Sequence[int]], list[tuple[str, int]]]
"""Gives file and line of each of the given rows."""


@dataclass(frozen=True, slots=True)
class RawRatings:
    """Ratings as they stand in a table; without ``ratings`` the table is implicit feedback."""

    users: Coded
    items: Coded
    ratings: Coded | None
    locate: Locate

    def examples(self, rows: Sequence[int]) -> list[Example]:
        """The given rows for the report."""
        places = self.locate(rows)
        return [Example(file, line, self._text(row)) for row, (file, line) in zip(rows, places, strict=True)]

    def _text(self, row: int) -> str:
        columns = [("user", self.users), ("item", self.items)]
        if self.ratings is not None:
            columns.append(("rating", self.ratings))
        return ", ".join(
            f"{what} {column.names[column.codes[row]][:60]!r}" if column.codes[row] >= 0 else f"no {what}"
            for what, column in columns
        )


def assemble(raw: RawRatings, cleaning: Cleaning, journal: Journal, expected: Scale | None = None) -> Ratings:
    """The usable ratings, indexed; everything left out is in the journal.

    ``expected``: the scale such a file usually has, taken if every rating lies on it.
    """
    kept = _Kept(raw, journal)
    kept.drop(raw.users.codes < 0, "no user id")
    kept.drop(raw.items.codes < 0, "no item id")
    if raw.ratings is not None and kept.n_rows:
        choices, values, scale = _values(raw.ratings, kept, cleaning, expected)
    else:
        choices, values, scale = np.zeros(kept.n_rows, dtype=np.uint8), np.ones(1), IMPLICIT_SCALE
    if kept.n_rows == 0:
        raise DataError(_nothing_left(journal))
    with ThreadPoolExecutor(max_workers=2) as pool:
        (user_ids, users), (item_ids, items) = pool.map(Coded.canonical, (kept.of(raw.users), kept.of(raw.items)))
    columns = _Columns(users, items, choices, values, user_ids, item_ids, scale)
    return _frequent_only(_indexed(columns, cleaning, kept), cleaning, journal)


class _Kept:
    """Which rows are still in, as a mask that exists only once something was dropped."""

    def __init__(self, raw: RawRatings, journal: Journal) -> None:
        self.raw, self.journal = raw, journal
        self.mask: BoolArray | None = None
        self.n_rows = len(raw.users)

    def drop(self, unusable: BoolArray, reason: str, *, chosen: bool = False) -> None:
        """Leave out the unusable rows (n_rows of the table,) that were still in, by choice or because they must."""
        if not unusable.any():
            return
        leaving = unusable if self.mask is None else unusable & self.mask
        count = int(np.count_nonzero(leaving))
        if count:
            examples = self.raw.examples(np.flatnonzero(leaving)[:N_EXAMPLES].tolist())
            (self.journal.drop if chosen else self.journal.fault)(reason, count, examples)
        self.mask = ~leaving if self.mask is None else self.mask & ~leaving
        self.n_rows -= count

    def of(self, column: Coded) -> Coded:
        """The kept rows of a column."""
        return column if self.mask is None else Coded(column.codes[self.mask], column.texts)

    def rows(self, positions: IntArray) -> list[int]:
        """The table's rows behind positions among the kept ones."""
        rows: list[int] = (positions if self.mask is None else np.flatnonzero(self.mask)[positions]).tolist()
        return rows


def _values(
    ratings: Coded, kept: _Kept, cleaning: Cleaning, expected: Scale | None
) -> tuple[IntArray, FloatArray, Scale]:
    """The rating of each kept row as a position among values, the values (NaN: no row has it) and the scale.

    Rows without a rating are left out.
    """
    codes, texts, journal = ratings.codes, ratings.names, kept.journal
    levels = read_levels(texts)
    journal.notes += levels.notes
    kept.drop(codes < 0, "no rating")
    for mask, reason, chosen in _reasons(levels, cleaning):
        if mask.any():
            kept.drop(mask[codes] & (codes >= 0), reason, chosen=chosen)
    if kept.n_rows == 0:
        return codes[:0], np.empty(0), IMPLICIT_SCALE
    codes = kept.of(ratings).codes
    counts = np.bincount(codes, minlength=len(texts))
    values = np.where(counts > 0, levels.values, np.nan)
    used = ~np.isnan(values)
    _check_size(values[used], journal)
    _note_levels(values[used], counts[used], journal)
    if cleaning.n_bins is not None:
        values[used], sentence = binned(values[used], cleaning.n_bins)
        journal.notes.append(sentence)
        return codes, values, Scale(1.0, float(cleaning.n_bins))
    return codes, values, cleaning.scale or _scale_of(values[used], journal, expected)


def _check_size(values: FloatArray, journal: Journal) -> None:
    """Refuse numbers that are no ratings, before anybody computes with them."""
    lowest, highest = float(values.min()), float(values.max())
    size, span = max(abs(lowest), abs(highest)), highest - lowest
    if size > LARGEST:
        raise DataError(
            f"{journal.source}: the ratings go from {written(lowest)} to {written(highest)}, but nothing beyond "
            f"{written(LARGEST)} above or below zero can be a rating. Perhaps a column of ids or times was taken for "
            "the ratings; choose another one. If such a number means “not rated”, say so when loading."
        )
    if 0 < span < max(size, 1.0) / LARGEST:
        raise DataError(
            f"{journal.source}: the ratings go from {written(lowest)} to {written(highest)}, too close together to be "
            "told apart. Perhaps another column holds the ratings; if not, write them as larger numbers, for example "
            "in percent."
        )


def _reasons(levels: Levels, cleaning: Cleaning) -> list[tuple[BoolArray, str, bool]]:
    """Per reason for leaving a rating out: the distinct texts it holds for, its wording, whether somebody chose it."""
    unreadable = np.isnan(levels.values) & ~levels.not_given
    reasons = [(levels.not_given, "no rating", False), (unreadable, "the rating is not a number", False)]
    reasons += [
        (levels.values == value, f"the rating {written(value)} means “not rated”, as chosen", True)
        for value in cleaning.missing
    ]
    if cleaning.scale is not None:
        scale = cleaning.scale
        slack = 1e-6 * scale.span
        outside = (levels.values < scale.lowest - slack) | (levels.values > scale.highest + slack)
        ends = f"{written(scale.lowest)} to {written(scale.highest)}"
        reasons.append((outside, f"the rating lies outside the chosen scale, {ends}", True))
    return reasons


def _note_levels(values: FloatArray, counts: IntArray, journal: Journal) -> None:
    distinct, inverse = np.unique(values, return_inverse=True)
    totals = np.bincount(inverse, weights=counts).astype(np.int64)
    journal.levels = list(zip(distinct.tolist(), totals.tolist(), strict=True))
    journal.offers += offers_among(distinct, totals)


def _scale_of(values: FloatArray, journal: Journal, expected: Scale | None) -> Scale:
    distinct = np.unique(values)
    if expected is not None and np.isin(distinct, expected.levels).all():
        return expected
    if len(distinct) == 1:
        left_out = f" Rows that were left out: {reasons}." if (reasons := _left_out(journal)) else ""
        raise DataError(
            f"{journal.source}: every rating is {written(distinct[0])}, so there is nothing to compare.{left_out} If a "
            "row only says that somebody saw the item, import it without a rating column (implicit feedback); if "
            "people could have given other ratings, give the scale."
        )
    scale = Scale.infer(distinct)
    if scale.is_continuous:
        journal.notes.append(
            f"the ratings have {len(distinct):,} different values without even steps, so their scale is continuous; "
            "to have stars, put them into a few levels when loading: under doubtful rows in the form, or with --bins"
        )
    return scale


def _nothing_left(journal: Journal) -> str:
    return (
        f"{journal.source} has no usable rating. {_left_out(journal) or 'It has no rows'}. Check which columns hold "
        "users, items and ratings, and the delimiter."
    )


def _left_out(journal: Journal) -> str:
    """How many rows were left out for which reason, with an example each, and what may be behind it."""
    reasons = [
        f"{group.count:,}: {group.reason}" + (f" ({group.examples[0]})" if group.examples else "")
        for group in journal.dropped
    ]
    return "; ".join([*reasons, *journal.causes])


@dataclass(frozen=True, slots=True)
class _Columns:
    """Row by row: user, item, and the position of the rating in ``values``, which are NaN where no row has them."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    choices: IntArray
    values: FloatArray
    user_ids: list[str]
    item_ids: list[str]
    scale: Scale

    def indexed(self) -> Ratings:
        return Ratings.from_choices(
            self.users, self.items, self.choices, self.values, self.user_ids, self.item_ids, scale=self.scale
        )

    def replaced(self, rows: IntArray, ratings: FloatArray) -> _Columns:
        values, choices = np.unique(ratings, return_inverse=True)
        return _Columns(self.users[rows], self.items[rows], choices, values, self.user_ids, self.item_ids, self.scale)


def _indexed(columns: _Columns, cleaning: Cleaning, kept: _Kept) -> Ratings:
    try:
        return columns.indexed()
    except InputError:
        # why: the constructor meets repeats on its way, sooner than a search beforehand would.
        unique = _without_repeats(columns, cleaning, kept)
        if unique is None:
            raise
        return unique.indexed()


def _without_repeats(columns: _Columns, cleaning: Cleaning, kept: _Kept) -> _Columns | None:
    """One row per user and item, or None if that was so already."""
    pairs = columns.users.astype(np.int64) * len(columns.item_ids) + columns.items
    order = np.argsort(pairs, kind="stable")
    starts = np.flatnonzero(np.diff(pairs[order], prepend=-1) != 0)
    n_repeats = len(pairs) - len(starts)
    if n_repeats == 0:
        return None
    lasts = np.append(starts[1:], len(pairs)) - 1
    chosen = np.sort(order[starts if cleaning.duplicates != "last" else lasts])
    leaving = np.ones(len(pairs), dtype=np.bool_)
    leaving[chosen] = False
    examples = kept.raw.examples(kept.rows(np.flatnonzero(leaving)[:N_EXAMPLES]))
    if kept.raw.ratings is None:
        how = "seen again by the same user; once is enough"
    else:
        how = f"the same user rated the same item again; the {cleaning.duplicates} of them was kept"
    kept.journal.drop(how, n_repeats, examples)
    if cleaning.duplicates != "mean":
        return columns.replaced(chosen, columns.values[columns.choices[chosen]])
    ratings = columns.values[columns.choices]
    means = np.add.reduceat(ratings[order], starts) / np.diff(np.append(starts, len(pairs)))
    return columns.replaced(order[starts], columns.scale.round(means))


def _frequent_only(ratings: Ratings, cleaning: Cleaning, journal: Journal) -> Ratings:
    """The ratings of users and items that have enough of them, once no more fall below the minimum."""
    least_user, least_item = cleaning.min_user_ratings, cleaning.min_item_ratings
    if least_user == least_item == 1:
        return ratings
    users, items = ratings.users, ratings.items
    keep = np.ones(len(ratings), dtype=np.bool_)
    while True:
        per_user = np.bincount(users[keep], minlength=ratings.n_users)
        per_item = np.bincount(items[keep], minlength=ratings.n_items)
        still = keep & (per_user >= least_user)[users] & (per_item >= least_item)[items]
        if np.array_equal(still, keep):
            break
        keep = still
    if keep.all():
        return ratings
    n_users = ratings.n_users - int(np.count_nonzero(per_user))
    n_items = ratings.n_items - int(np.count_nonzero(per_item))
    rows = np.flatnonzero(~keep)[:N_EXAMPLES]
    examples = [
        Example(journal.source, 0, f"user {ratings.user_ids[users[k]]!r}, item {ratings.item_ids[items[k]]!r}")
        for k in rows
    ]
    journal.drop(
        f"{n_users:,} users with fewer than {least_user:,} or {n_items:,} items with fewer than {least_item:,} ratings",
        int(np.count_nonzero(~keep)),
        examples,
    )
    if not keep.any():
        raise DataError(
            f"{journal.source}: no user has {least_user:,} ratings of items that have {least_item:,}; ask for fewer."
        )
    user_ids, users = Coded.of(users[keep], ratings.user_ids).canonical()
    item_ids, items = Coded.of(items[keep], ratings.item_ids).canonical()
    return Ratings.from_numbers(users, items, ratings.values[keep], user_ids, item_ids, scale=ratings.scale)
