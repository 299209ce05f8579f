"""From columns to ratings: leave out what cannot be used or is not wanted, say so in the log, and index the rest."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nnm_core._kernels.grouping import RatingRows, group_by_row
from nnm_core.datasets.columns import Column, RatingColumns, RawRatings, read_ratings
from nnm_core.datasets.rating_texts import ParsedRatings, parse_ratings
from nnm_core.datasets.reading.sources import SourceFile
from nnm_core.datasets.report import N_EXAMPLES, Example, Finding, ImportLog, Note, Offer, note
from nnm_core.datasets.sentinels import find_offers
from nnm_core.errors import DataError, InputError
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale, written
from nnm_core.types import BoolArray, FloatArray, IntArray

IMPLICIT_SCALE = Scale(0.0, 1.0)  # seen is 1; 0 is what the fill may say of a pair that was not seen
LARGEST = 1e9  # no rating lies farther from zero than this; ids and times do
_MANY_REPEATS = 0.5  # of the ratings: where more repeat another one, perhaps other columns are meant
Keep = Literal["first", "last", "mean"]


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What becomes of doubtful rows; the defaults keep every rating that can be read.

    ``missing``: ratings that mean "seen, not rated". ``duplicates``: which of several ratings by one user for one item
    stays, in the order of the file. ``min_user_ratings``, ``min_item_ratings``: users and items with fewer are left
    out, until none is left. ``scale``: what people could have given; read from the ratings without it.
    ``n_bins``: put ratings of many different values into that many levels.
    """

    missing: tuple[float, ...] = ()
    duplicates: Keep = "last"
    min_user_ratings: int = 1
    min_item_ratings: int = 1
    scale: Scale | None = None
    n_bins: int | None = None

    def __post_init__(self) -> None:
        faults = []
        if self.duplicates not in ("first", "last", "mean"):
            faults.append(f"duplicates must be 'first', 'last' or 'mean', not {self.duplicates!r}")
        if min(self.min_user_ratings, self.min_item_ratings) < 1:
            faults.append("min_user_ratings and min_item_ratings must be 1 or more")
        if self.n_bins is not None and not 2 <= self.n_bins <= 100:
            faults.append(f"n_bins must lie between 2 and 100, not {self.n_bins}")
        if self.n_bins is not None and self.scale is not None:
            faults.append("give either a scale or n_bins, not both")
        if self.scale is not None and max(abs(self.scale.lowest), abs(self.scale.highest)) > LARGEST:
            faults.append(f"a scale may reach {written(LARGEST)} above and below zero, not farther")
        if faults:
            raise InputError(f"These decisions cannot be followed: {'; '.join(faults)}.")


def clean_ratings(
    raw: RawRatings, cleaning: Cleaning, log: ImportLog, expected: Scale | None = None
) -> tuple[Ratings, NDArray[np.int32] | None]:
    """Return the usable ratings, indexed, and the days on which they were given, if known; log the others.

    ``expected``: the scale, if every rating lies on it.
    """
    kept, parsed = keep_usable(raw, cleaning, log)
    codes: IntArray = np.zeros(kept.n_rows, dtype=np.uint8)
    values, scale = np.ones(1), IMPLICIT_SCALE
    if raw.ratings is not None and parsed is not None:
        codes = kept.rows_of(raw.ratings).codes
        if kept.n_rows:
            values, scale = _find_scale(codes, parsed.values, cleaning, log, expected)
    if kept.n_rows == 0:
        raise DataError(
            f"{log.source} has no usable rating. {log.explain_dropped() or 'It has no rows'}. Check which columns hold "
            "users, items and ratings, and the delimiter."
        )
    days = kept.raw.days if kept.mask is None or kept.raw.days is None else kept.raw.days[kept.mask]
    with ThreadPoolExecutor(max_workers=2) as pool:
        (user_ids, users), (item_ids, items) = pool.map(Column.sort, map(kept.rows_of, (raw.users, raw.items)))
        n_users, n_items = len(user_ids), len(item_ids)
        days_by_user = None if days is None else pool.submit(group_by_row, users, items, days, n_users, n_items)
        ratings = Ratings.from_codes(
            users, items, codes, values, user_ids, item_ids, scale=scale, duplicates=cleaning.duplicates
        )
    if len(ratings) < kept.n_rows:
        which: Literal["first", "last"] = "last" if cleaning.duplicates == "last" else "first"
        rows_again = pd.DataFrame({"user": users, "item": items}).duplicated(keep=which).to_numpy()
        reason = repeated(cleaning, is_implicit=raw.ratings is None)
        log.drop(reason, kept.n_rows - len(ratings), kept.examples(np.flatnonzero(rows_again)[:N_EXAMPLES]))
        log.share_repeated = 1.0 - len(ratings) / kept.n_rows
        if raw.ratings is not None and log.share_repeated > _MANY_REPEATS:
            log.add(Finding.MANY_REPEATS, share=log.share_repeated)
    common = _drop_rare(ratings, cleaning, log)
    if days_by_user is None:
        return common, None
    days = _days_of(ratings, days_by_user.result(), cleaning)
    return common, days if common is ratings else days[_still_in(ratings, common)]


def keep_usable(raw: RawRatings, cleaning: Cleaning, log: ImportLog) -> tuple[Kept, ParsedRatings | None]:
    """Return which rows can be used, and what the distinct texts of the ratings mean; log the other rows."""
    kept = Kept(raw, log)
    blank = (raw.users.codes < 0) & (raw.items.codes < 0)
    kept.drop(blank if raw.ratings is None else blank & (raw.ratings.codes < 0), "the row is blank", chosen=True)
    kept.drop(raw.users.codes < 0, "no user id")
    kept.drop(raw.items.codes < 0, "no item id")
    if raw.ratings is None or not kept.n_rows:
        return kept, None
    parsed = parse_ratings(raw.ratings.texts)
    log.notes += parsed.notes
    kept.drop(raw.ratings.codes < 0, "no rating")
    for mask, reason, chosen in _reasons(parsed, cleaning):
        if mask.any():
            kept.drop(mask[raw.ratings.codes] & (raw.ratings.codes >= 0), reason, chosen=chosen)
    return kept, parsed


def _days_of(ratings: Ratings, by_user: RatingRows, cleaning: Cleaning) -> NDArray[np.int32]:
    """Return the day of each rating from the days of all rows, which are grouped as the ratings are."""
    if len(by_user.codes) == len(ratings):
        return np.asarray(by_user.codes, dtype=np.int32)
    changes = (np.diff(by_user.rows) != 0) | (np.diff(by_user.partners) != 0)
    kept = np.append(True, changes) if cleaning.duplicates == "first" else np.append(changes, True)
    return np.asarray(by_user.codes[kept], dtype=np.int32)


def _still_in(ratings: Ratings, common: Ratings) -> BoolArray:
    """Return which ratings are left when rare people and items were left out, (n_ratings,)."""
    people = np.array([name in common.user_index for name in ratings.user_ids])
    items = np.array([name in common.item_index for name in ratings.item_ids])
    still: BoolArray = people[ratings.users] & items[ratings.items]
    return still


class Kept:
    """Which rows are still in, as a mask that exists only once something was dropped."""

    def __init__(self, raw: RawRatings, log: ImportLog) -> None:
        self.raw, self.log = raw, log
        self.mask: BoolArray | None = None
        self.n_rows = len(raw.users)

    def drop(self, unusable: BoolArray, reason: str, *, chosen: bool = False) -> None:
        """Leave out the unusable rows (n_rows of the table,) that were still in, by choice or because they must."""
        leaving = unusable if self.mask is None else unusable & self.mask
        count = int(np.count_nonzero(leaving))
        if count:
            examples = self.raw.examples(np.flatnonzero(leaving)[:N_EXAMPLES].tolist())
            self.log.drop(reason, count, examples, unreadable=not chosen)
            self.mask = ~leaving if self.mask is None else self.mask & ~leaving
            self.n_rows -= count

    def rows_of(self, column: Column) -> Column:
        """Return the kept rows of a column."""
        return column if self.mask is None else column.take(self.mask)

    def examples(self, positions: IntArray) -> list[Example]:
        """Return rows for the report, given as positions among the kept ones."""
        rows = positions if self.mask is None else np.flatnonzero(self.mask)[positions]
        return self.raw.examples(rows.tolist())


def _find_scale(
    codes: IntArray, parsed: FloatArray, cleaning: Cleaning, log: ImportLog, expected: Scale | None
) -> tuple[FloatArray, Scale]:
    """Return the value behind each code (NaN: no row has it) and the scale of the values."""
    values = np.where(np.bincount(codes, minlength=len(parsed)) > 0, parsed, np.nan)
    used = ~np.isnan(values)
    check_size(values[used], log.source)
    distinct, counts = _count_levels(codes, values)
    log.levels = list(zip(distinct.tolist(), counts.tolist(), strict=True))
    log.offers += find_offers(distinct, counts)
    if cleaning.n_bins is not None:
        values[used], binned = bin_ratings(values[used], cleaning.n_bins)
        log.notes.append(binned)
        return values, Scale(1.0, float(cleaning.n_bins))
    return values, cleaning.scale or _scale_of(distinct, log, expected)


def _count_levels(codes: IntArray, values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct finite values, increasing, and how many rows have each; ``values``: those of the codes."""
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    is_number = np.isfinite(values)
    levels, where = np.unique(values[is_number], return_inverse=True)
    return levels, np.bincount(where, counts[is_number], len(levels)).astype(np.int64)


def check_size(values: FloatArray, source: str) -> None:
    """Refuse numbers that are no ratings, before anybody computes with them."""
    lowest, highest = float(values.min()), float(values.max())
    size, span = max(abs(lowest), abs(highest)), highest - lowest
    if size > LARGEST:
        raise DataError(
            f"{source}: the ratings go from {written(lowest)} to {written(highest)}, but nothing beyond "
            f"{written(LARGEST)} above or below zero can be a rating. Perhaps a column of ids or times was taken for "
            "the ratings; choose another one. If such a number means “not rated”, say so when loading."
        )
    if 0 < span < max(size, 1.0) / LARGEST:
        raise DataError(
            f"{source}: the ratings go from {written(lowest)} to {written(highest)}, too close together to be "
            "told apart. Perhaps another column holds the ratings; if not, write them as larger numbers, for example "
            "in percent."
        )


def _reasons(parsed: ParsedRatings, cleaning: Cleaning) -> list[tuple[BoolArray, str, bool]]:
    """Return why ratings are left out: the texts that a reason holds for, its wording, and whether it was chosen."""
    unreadable = np.isnan(parsed.values) & ~parsed.not_given
    reasons = [(parsed.not_given, "no rating", False), (unreadable, "the rating is not a number", False)]
    reasons += [
        (parsed.values == value, f"the rating {written(value)} means “not rated”, as chosen", True)
        for value in cleaning.missing
    ]
    if (scale := cleaning.scale) is not None:
        slack = 1e-6 * scale.span
        outside = (parsed.values < scale.lowest - slack) | (parsed.values > scale.highest + slack)
        ends = f"{written(scale.lowest)} to {written(scale.highest)}"
        reasons.append((outside, f"the rating lies outside the chosen scale, {ends}", True))
    return reasons


def _scale_of(distinct: FloatArray, log: ImportLog, expected: Scale | None) -> Scale:
    if expected is not None and np.isin(distinct, expected.levels).all():
        return expected
    if len(distinct) == 1:
        left_out = f" Rows that were left out: {reasons}." if (reasons := log.explain_dropped()) else ""
        raise DataError(
            f"{log.source}: every rating is {written(distinct[0])}, so there is nothing to compare.{left_out} If a "
            "row only says that somebody saw the item, import it without a rating column, as implicit feedback "
            "(--columns PERSON ITEM); if people could have given other ratings, give the scale (--scale)."
        )
    scale = Scale.infer(distinct)
    if scale.is_continuous:
        log.add(Finding.CONTINUOUS, n_values=len(distinct))
    if scale.step == 1 and scale.lowest in (2, 3) and scale.highest in (5, 7, 10):
        log.add(Finding.SCALE_BEGINS, lowest=scale.lowest, highest=scale.highest)
    return scale


def _drop_rare(ratings: Ratings, cleaning: Cleaning, log: ImportLog) -> Ratings:
    """Leave out users and items with too few ratings, until no more fall below the minimum."""
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
    n_users, n_items = np.count_nonzero(per_user == 0), np.count_nonzero(per_item == 0)
    reason = too_few(int(n_users), least_user, int(n_items), least_item)
    rows = np.flatnonzero(~keep)
    texts = [f"user {ratings.user_ids[users[k]]!r}, item {ratings.item_ids[items[k]]!r}" for k in rows[:N_EXAMPLES]]
    log.drop(reason, len(rows), [Example(log.source, 0, text) for text in texts])
    if not keep.any():
        what = f"no user has {least_user:,} ratings of items that have {least_item:,}; ask for fewer."
        raise DataError(f"{log.source}: {what}")
    user_ids, users = Column.from_codes(users[keep], ratings.user_ids).sort()
    item_ids, items = Column.from_codes(items[keep], ratings.item_ids).sort()
    return Ratings.from_numbers(users, items, ratings.values[keep], user_ids, item_ids, scale=ratings.scale)


def repeated(cleaning: Cleaning, *, is_implicit: bool) -> str:
    """Return the reason why ratings that repeat a user and an item were left out."""
    again = f"the same user rated the same item again; the {cleaning.duplicates} of them was kept"
    return "seen again by the same user; once is enough" if is_implicit else again


def too_few(n_users: int, least_user: int, n_items: int, least_item: int) -> str:
    """Return the reason why so many users and items were left out."""
    users = f"{n_users:,} users with fewer than {least_user:,}"
    return f"{users} or {n_items:,} items with fewer than {least_item:,} ratings"


def sniff_offers(file: SourceFile, mapping: RatingColumns) -> tuple[Offer, ...]:
    """Find ratings that may mean "not rated" in all rows of a file."""
    ratings = None if mapping.implicit else read_ratings(file, mapping, ImportLog(file.path)).ratings
    if ratings is None:
        return ()
    return tuple(find_offers(*_count_levels(ratings.codes, parse_ratings(ratings.texts).values)))


def bin_ratings(values: FloatArray, n_bins: int) -> tuple[FloatArray, Note]:
    """Put values into equally wide levels 1 to ``n_bins``; return them, same shape, and a note that says so."""
    finite = values[np.isfinite(values)]
    lowest, highest = float(finite.min()), float(finite.max())
    width = (highest - lowest) / n_bins
    level = np.where(np.isfinite(values), 1.0, values)
    if width > 0:
        level = np.clip(np.floor((values - lowest) / width + 1e-9) + 1, 1, n_bins)
    edges = [written(float(f"{lowest + width * k:.4g}")) for k in range(n_bins + 1)]
    ranges = ", ".join(f"{k + 1} = {edges[k]} to {edges[k + 1]}" for k in range(min(n_bins, 12)))
    return level, note(Finding.BINNED, n_bins=n_bins, ranges=f"{ranges}{', …' if n_bins > 12 else ''}")
