"""A folder or bucket of parts: how each is read, and what has to be known of all before users can be told apart.

Every part is read twice by a worker. ``scan_part`` says which ids and ratings occur; from all scans follow the
numbering of the items, the scale, and the ranges of user ids that make up the partitions. ``split_part`` then gives the
ratings of each range, as numbers, and ``merge_pieces`` joins those of all parts to a ``Partition``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from fsspec.implementations.local import LocalFileSystem

from nnm_core._kernels.grouping import RatingRows, group_by_row, transpose
from nnm_core.cluster.partition import Partition
from nnm_core.datasets.cleaning import IMPLICIT_SCALE, Cleaning, Keep, bin_ratings, check_size, keep_usable
from nnm_core.datasets.columns import Column, RatingColumns, read_ratings
from nnm_core.datasets.guessing.hints import Hints
from nnm_core.datasets.guessing.roles import guess_ratings
from nnm_core.datasets.reading.readers import sniff_table
from nnm_core.datasets.reading.sources import SourceFile, open_stream
from nnm_core.datasets.report import Dropped, Finding, ImportLog, Note
from nnm_core.errors import DataError, InputError, in_short
from nnm_core.ratings import Ratings, are_whole, canonical_order, encode_levels, keep_one
from nnm_core.scale import Scale
from nnm_core.types import FloatArray, IntArray

_SAMPLED_USERS = 4096
"""Of each part, by which the ranges of user ids are chosen."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of ratings: its path or address, and its size in bytes."""

    path: str
    size: int

    def open(self) -> SourceFile:
        """Return the file for the readers of data sets."""
        opener = partial(_open, self.path)
        return open_stream(self.path, opener, self.size)


def find_parts(data: str) -> list[Part]:
    """Return the parts in a folder or bucket, or behind a pattern such as ``s3://bucket/ratings/*.parquet``, by name.

    Files whose name, or a folder of theirs, begins with a dot or an underscore are passed over.
    """
    try:
        system, root = fsspec.core.url_to_fs(data)
        if "*" in root:
            found = {path: system.size(path) for path in system.glob(root) if system.isfile(path)}
        elif system.isdir(root):
            found = {path: about["size"] for path, about in system.find(root, detail=True).items()}
        else:
            found = {root: system.size(root)}
    except FileNotFoundError as error:
        raise DataError(f"There is no file, folder or bucket {data!r}; check the spelling.") from error
    except (OSError, ImportError, ValueError) as error:
        raise DataError(f"{data} cannot be opened: {in_short(error)}.") from error
    base = root.rstrip("/") + "/"
    shown = {
        path: size
        for path, size in found.items()
        if size and not any(name.startswith((".", "_")) for name in path.removeprefix(base).split("/") if path != root)
    }
    if not shown:
        raise DataError(f"{data} has no parts: no file in it has any content.")
    name = str if isinstance(system, LocalFileSystem) else system.unstrip_protocol
    return [Part(name(path), shown[path]) for path in sorted(shown)]


def guess_columns(part: Part, hints: Hints) -> tuple[RatingColumns, tuple[Note, ...]]:
    """Return which columns of the parts hold users, items and ratings, as one of them looks."""
    table = sniff_table(part.open())
    guess = guess_ratings(table, hints)
    if guess.ratings.layout != "long" or guess.ratings.one_person:
        raise DataError(f"{part.path} is not a table with a user, an item and a rating per row, as parts have to be.")
    notes = tuple(note for note in guess.notes if note.kind is not Finding.TRAITS)  # which a fit makes no use of
    return replace(guess.ratings, time="", file=""), notes


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What occurs in a part: ids of items and users, all of them whole numbers or not, and the values of ratings.

    ``sample``: users and how many ratings each stands for. ``first``, ``last``: the smallest and the largest user id,
    as text and, if all are whole numbers, as numbers. ``texts``: the ratings as they are written, and what they mean.
    ``dropped``: rows that cannot be used.
    """

    n_ratings: int
    items: list[str]
    whole_users: bool
    sample: tuple[list[str], IntArray]
    first: tuple[str, str]
    last: tuple[str, str]
    texts: dict[str, float]
    dropped: tuple[Dropped, ...]


def scan_part(part: Part, mapping: RatingColumns, cleaning: Cleaning) -> Scan:
    """Read a part and say what occurs in it."""
    rows = _read(part, mapping, cleaning)
    if not len(rows.codes):
        return Scan(0, [], True, ([], np.empty(0, dtype=np.int64)), ("", ""), ("", ""), {}, rows.dropped)
    user_ids, user_codes = rows.users.sort()
    step = -(-len(user_ids) // _SAMPLED_USERS)
    sums = np.add.reduceat(np.bincount(user_codes), np.arange(0, len(user_ids), step))
    whole = are_whole(user_ids)
    used = np.flatnonzero(np.bincount(rows.codes)).tolist()
    return Scan(
        n_ratings=len(rows.codes),
        items=rows.items.sort()[0],
        whole_users=whole,
        sample=(user_ids[::step], sums),
        first=(min(user_ids), user_ids[0] if whole else ""),
        last=(max(user_ids), user_ids[-1] if whole else ""),
        texts={rows.texts[k]: float(rows.values[k]) for k in used},
        dropped=rows.dropped,
    )


class _Usable(NamedTuple):
    """The usable rows of a part: users, items, and each rating as a position among ``values``, written as ``texts``."""

    users: Column
    items: Column
    codes: IntArray
    texts: Sequence[str]
    values: FloatArray
    dropped: tuple[Dropped, ...]


def _read(part: Part, mapping: RatingColumns, cleaning: Cleaning) -> _Usable:
    log = ImportLog(part.path)
    try:
        file = part.open()
        _check_columns(file, mapping)
        raw = read_ratings(file, mapping, log)
    except OSError as error:
        raise DataError(f"{part.path} cannot be read: {in_short(error)}.") from error
    kept, parsed = keep_usable(raw, cleaning, log)
    users, items = kept.rows_of(raw.users), kept.rows_of(raw.items)
    if raw.ratings is None:
        return _Usable(users, items, np.zeros(kept.n_rows, dtype=np.int32), ["1"], np.ones(1), tuple(log.dropped))
    codes, values = kept.rows_of(raw.ratings).codes, np.empty(0) if parsed is None else parsed.values
    return _Usable(users, items, codes, raw.ratings.texts, values, tuple(log.dropped))


def _check_columns(file: SourceFile, mapping: RatingColumns) -> None:
    table = sniff_table(file, mapping.dialect)
    wanted = [name for name in (mapping.user, mapping.item, mapping.rating) if name]
    if (mapping.dialect is not None and table.columns != mapping.columns) or not set(wanted) <= set(table.columns):
        raise DataError(
            f"{file.path} has the columns {', '.join(table.columns[:12])}, and the first part has "
            f"{', '.join(mapping.columns[:12])}; all parts need the same."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What all parts have in common: the scale, the ranges of users, and whether users are ordered as numbers.

    ``cuts``: the first user id of every partition but the first. ``overlaps``: for each partition, the parts that may
    have ratings for it. ``levels``: what ratings can be, increasing. ``values``, ``codes``: all values that parts
    have, increasing, and the position of each among the levels. ``notes``: what became of them.
    """

    whole_users: bool
    cuts: tuple[str, ...]
    overlaps: tuple[tuple[int, ...], ...]
    levels: FloatArray
    values: FloatArray
    codes: IntArray
    scale: Scale
    duplicates: Keep
    notes: tuple[Note, ...] = ()


def make_plan(
    parts: Sequence[Part], scans: Sequence[Scan], mapping: RatingColumns, cleaning: Cleaning, n_partitions: int
) -> Plan:
    """Return how the ratings of all parts are read and divided into about ``n_partitions`` ranges of users."""
    values = _common_values(parts, scans)
    used = [scan for scan in scans if scan.n_ratings]
    whole = all(scan.whole_users for scan in used)
    key = _key(whole)
    cuts = _cut(used, whole, n_partitions)
    keys = [key(cut) for cut in cuts]
    overlaps: list[list[int]] = [[] for _ in range(len(cuts) + 1)]
    for number, scan in enumerate(scans):
        if scan.n_ratings:
            first, last = (bisect_right(keys, key(end[whole])) for end in (scan.first, scan.last))
            for partition in range(first, last + 1):
                overlaps[partition].append(number)
    source = f"{parts[0].path} and the other parts"
    check_size(values, source)
    notes: tuple[Note, ...] = ()
    meant = values
    try:
        if cleaning.n_bins is not None:
            meant, binned = bin_ratings(values, cleaning.n_bins)
            scale, notes = Scale(1.0, float(cleaning.n_bins)), (binned,)
        else:
            scale = IMPLICIT_SCALE if mapping.implicit else cleaning.scale or Scale.infer(values)
        levels, codes = encode_levels(meant, scale)
    except InputError as error:
        raise DataError(f"{source}: {error}") from error
    more = (tuple(cuts), tuple(map(tuple, overlaps)), levels, values, codes, scale, cleaning.duplicates, notes)
    return Plan(whole, *more)


def _common_values(parts: Sequence[Part], scans: Sequence[Scan]) -> FloatArray:
    """Return the values of all ratings; raise DataError if there are none, or parts disagree on what they mean."""
    texts: dict[str, float] = {}
    for part, scan in zip(parts, scans, strict=True):
        for text, value in scan.texts.items():
            if texts.setdefault(text, value) != value:
                raise DataError(f"{part.path} means something else by the rating {text!r} than the parts before it.")
    if not texts:
        groups = [(part.path, group) for part, scan in zip(parts, scans, strict=True) for group in scan.dropped]
        reasons = "; ".join(f"{path}: {group.count:,} rows, {group.reason}" for path, group in groups[:5])
        raise DataError(f"The parts have no usable rating. {reasons or 'They have no rows'}.")
    return np.unique(np.array(list(texts.values())))


def _cut(scans: Sequence[Scan], whole: bool, n_partitions: int) -> list[str]:
    """Return the first user id of every partition but the first, so that all have about as many ratings."""
    key = _key(whole)
    ids = [user for scan in scans for user in scan.sample[0]]
    order = sorted(range(len(ids)), key=lambda k: key(ids[k]))
    reached = np.cumsum(np.concatenate([scan.sample[1] for scan in scans])[order])
    places = np.searchsorted(reached, reached[-1] * np.arange(1, n_partitions) / n_partitions, side="right")
    lowest = min((scan.first[whole] for scan in scans), key=key)
    return sorted({ids[order[min(k, len(order) - 1)]] for k in places} - {lowest}, key=key)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Ratings of one part for one partition: distinct users, and per rating their number, item and level."""

    user_ids: list[str]
    users: IntArray
    items: IntArray
    codes: IntArray


def split_part(
    part: Part, mapping: RatingColumns, cleaning: Cleaning, item_ids: Sequence[str], plan: Plan
) -> dict[int, Piece]:
    """Read a part and return its ratings for each partition."""
    ratings = _read(part, mapping, cleaning)
    if not len(ratings.codes):
        return {}
    user_ids, users = ratings.users.sort()
    own_items, items = ratings.items.sort()
    items = pc.index_in(pa.array(own_items), pa.array(item_ids)).to_numpy().astype(np.int32)[items]
    places = np.searchsorted(plan.values, ratings.values)  # of what no row has any more, behind the last
    codes = np.append(plan.codes, plan.codes[:1])[places][ratings.codes]
    key = _key(plan.whole_users)
    cuts = [key(cut) for cut in plan.cuts]
    place_of_user = np.array([bisect_right(cuts, key(user)) for user in user_ids], dtype=np.uint32)
    number = np.empty(len(user_ids), dtype=np.int32)
    pieces = {}
    for partition, rows in _groups(place_of_user[users], len(cuts) + 1):
        own = np.flatnonzero(place_of_user == partition)
        number[own] = np.arange(len(own), dtype=np.int32)
        pieces[partition] = Piece([user_ids[k] for k in own], number[users[rows]], items[rows], codes[rows])
    return pieces


def _groups(places: IntArray, n_places: int) -> Iterator[tuple[int, IntArray | slice]]:
    """Give each place that occurs, and the rows that have it in their order."""
    counts = np.bincount(places, minlength=n_places)
    occurring = np.flatnonzero(counts).tolist()
    if len(occurring) == 1:
        yield occurring[0], slice(None)
        return
    order = np.argsort(places.astype(np.uint16) if n_places < 2**16 else places, kind="stable")  # 16 bits: fastest
    ends = np.cumsum(counts)
    for place in occurring:
        yield place, order[ends[place] - counts[place] : ends[place]]


def merge_pieces(pieces: Sequence[Piece | None], n_items: int, plan: Plan) -> Partition:
    """Return the partition that consists of these pieces, which are in the order of their parts."""
    given = [piece for piece in pieces if piece is not None]
    user_ids = sorted({user for piece in given for user in piece.user_ids}, key=_key(plan.whole_users))
    row_of = {user: row for row, user in enumerate(user_ids)}
    rows = [np.array([row_of[user] for user in piece.user_ids], dtype=np.int32)[piece.users] for piece in given]
    users, items = np.concatenate(rows), np.concatenate([piece.items for piece in given])
    codes = np.concatenate([piece.codes for piece in given])
    by_user = group_by_row(users, items, codes, len(user_ids), n_items)
    by_user = keep_one(by_user, "first") if plan.duplicates == "mean" else keep_one(by_user, plan.duplicates)
    if plan.duplicates == "mean" and len(by_user.codes) < len(codes):
        by_user = _with_means(users, items, codes, len(user_ids), n_items, plan)
    return Partition(tuple(user_ids), by_user.read_only(), transpose(by_user, n_items).read_only())


def _with_means(
    users: IntArray, items: IntArray, codes: IntArray, n_users: int, n_items: int, plan: Plan
) -> RatingRows:
    """Return the ratings by user, the mean of those that somebody gave the same item."""
    if plan.scale.is_continuous:
        raise DataError(
            "Some users rated an item again. Where ratings may be any number, the mean of such ratings is not formed "
            "on a cluster; keep the first or the last of them."
        )
    ids = ([str(k) for k in range(n)] for n in (n_users, n_items))
    return Ratings.from_codes(users, items, codes, plan.levels, *ids, scale=plan.scale, duplicates="mean").by_user


def merge_ids(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return all ids of several lists, each once."""
    return list(dict.fromkeys(name for ids in lists for name in ids))


def number_items(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return all ids of several lists in the order in which they are numbered."""
    ids = merge_ids(lists)
    return [ids[k] for k in canonical_order(ids)]


def without_items(scan: Scan) -> Scan:
    """Return a scan without its items, which may be many."""
    return replace(scan, items=[])


def _key(whole: bool) -> Callable[[str], Any]:
    return int if whole else str


def _open(path: str) -> Any:
    return fsspec.open(path, "rb").open()
