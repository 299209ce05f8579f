"""Which column means what, and the columns of users, items and ratings, each as distinct texts and a code per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from nnm_core.datasets.reading.readers import read_table
from nnm_core.datasets.reading.sources import SourceFile
from nnm_core.datasets.reading.tables import Dialect, Table
from nnm_core.datasets.report import Example, FileRead, Finding, ImportLog
from nnm_core.datasets.times import parse_days
from nnm_core.errors import DataError, InputError
from nnm_core.phrases import as_text, counted
from nnm_core.ratings import canonical_order

Layout = Literal["long", "wide"]


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """Where the ratings stand.

    ``file``: path inside the source, empty for its only file. ``dialect``: None for Parquet and JSON lines.
    ``columns``: all columns in order. A long table has one rating per row; without ``rating`` it is implicit feedback,
    and if all rows are ``one_person``'s, there is no ``user``.
    A wide table has one user per row and one item in each of ``item_columns``; without ``user`` rows are numbered. If
    it is ``transposed``, rows are items, which ``user`` names, and ``item_columns`` are users.
    ``time``: when the ratings of a long table were given, if it says so.
    """

    columns: tuple[str, ...]
    user: str = ""
    item: str = ""
    rating: str = ""
    layout: Layout = "long"
    item_columns: tuple[str, ...] = ()
    dialect: Dialect | None = None
    file: str = ""
    time: str = ""
    transposed: bool = False
    one_person: bool = False

    def __post_init__(self) -> None:
        faults = [f"item column {name!r} is not in the table" for name in set(self.item_columns) - set(self.columns)]
        named = {"user": self.user, "item": self.item, "rating": self.rating}
        if self.layout == "long":
            needed = ("item",) if self.one_person else ("user", "item")
            faults += [f"no column is named for the {role}" for role in needed if not named[role]]
            chosen = [name for name in named.values() if name]
            faults += [f"{name!r} has two roles" for name in sorted(set(chosen)) if chosen.count(name) > 1]
        elif not self.item_columns:
            faults.append("a wide table needs item columns")
        elif self.user in self.item_columns:
            faults.append(f"{self.user!r} is both the user and an item")
        _check("ratings", self.columns, named | {"time": self.time}, faults)

    @property
    def implicit(self) -> bool:
        """Whether rows only say that somebody saw an item."""
        return self.layout == "long" and not self.rating


@dataclass(frozen=True, slots=True)
class TagNames:
    """Where the names of tags stand: their ids in the column ``tag``, their names in the column ``name``."""

    columns: tuple[str, ...]
    tag: str
    name: str
    dialect: Dialect | None = None
    file: str = ""


@dataclass(frozen=True, slots=True)
class TagLinks:
    """Where a table links tags to items, with one row for each pair of them.

    ``item``: its column of items, which are known by the column ``key`` of the items' table. ``tag``: its column of
    tags, or of their ids if there are ``names``.
    """

    columns: tuple[str, ...]
    item: str
    tag: str
    key: str
    names: TagNames | None = None
    dialect: Dialect | None = None
    file: str = ""


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """Where titles and tags of the items stand.

    ``tags``: columns with a list of tags in each cell, split at ``separator`` (empty: each cell is one tag; lists such
    as ``['a', 'b']`` are understood whatever it is). ``flags``: columns of 0 and 1, each a tag of its own. ``links``:
    another table with more tags.
    """

    columns: tuple[str, ...]
    item: str
    title: str = ""
    tags: tuple[str, ...] = ()
    separator: str = "|"
    flags: tuple[str, ...] = ()
    dialect: Dialect | None = None
    file: str = ""
    links: TagLinks | None = None

    def __post_init__(self) -> None:
        faults = [f"{name!r} is not in the table" for name in (*self.tags, *self.flags) if name not in self.columns]
        faults += [] if self.item else ["no column is named for the item"]
        _check("items", self.columns, {"item": self.item, "title": self.title}, faults)


@dataclass(frozen=True, slots=True)
class UserColumns:
    """Where traits of the users stand; numeric traits are binned. Without ``user``, users are numbered by row."""

    columns: tuple[str, ...]
    user: str = ""
    traits: tuple[str, ...] = ()
    dialect: Dialect | None = None
    file: str = ""

    def __post_init__(self) -> None:
        faults = [f"trait {name!r} is not in the table" for name in self.traits if name not in self.columns]
        _check("users", self.columns, {"user": self.user}, faults)


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Everything a form asks: where the ratings are and, if there are such files, items and users."""

    ratings: RatingColumns
    items: ItemColumns | None = None
    users: UserColumns | None = None


def _check(what: str, columns: Sequence[str], named: dict[str, str], faults: Sequence[str]) -> None:
    """Raise InputError if a column that is named for a role does not exist, or for other faults."""
    unknown = {role: name for role, name in named.items() if name and name not in columns}
    all_faults = [*(f"{role} column {name!r} is not in the table" for role, name in unknown.items()), *faults]
    if all_faults:
        shown = ", ".join(repr(name[:40]) for name in columns[:20]) + (", …" if len(columns) > 20 else "")
        listed = "; ".join(all_faults[:5])
        raise InputError(f"The mapping of the {what} cannot be followed: {listed}. The columns are {shown}.")


ONE_PERSON = "one person"  # the id where all ratings are by the same
_NO_IDS = pa.array(["NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "<NA>", "\\N"])
_SHORTENED = r"^[0-9]+[.,][0-9]+[eE]\+[0-9]+$"
_MAX_CELLS = 500_000_000
_MAX_CHUNKS = 1000  # that are joined into one; more may be more text than one can hold
_MAX_DIGITS = 18  # whole numbers of so many digits fit into 64 bits


@dataclass(frozen=True, eq=False)
class Column:
    """A column of text: ``codes`` (n_rows,) int32 are positions in ``categories``; -1 is an empty cell."""

    codes: NDArray[np.int32]
    categories: pa.Array

    @classmethod
    def from_codes(cls, codes: NDArray[np.int32], texts: Sequence[str]) -> Column:
        """Make a column from codes and a list of texts."""
        return cls(codes, pa.array(texts, type=pa.string()))

    @cached_property
    def texts(self) -> list[str]:
        """The distinct texts."""
        texts: list[str] = self.categories.to_pylist()
        return texts

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: NDArray[Any] | slice) -> Column:
        """Return the column at the given rows, or where a mask is true."""
        return Column(self.codes[rows], self.categories)

    def rename(self, texts: Sequence[str]) -> Column:
        """Return the column with other texts for its categories; equal ones become one, an empty one an empty cell."""
        distinct = list(dict.fromkeys(text for text in texts if text))
        position = {text: k for k, text in enumerate(distinct)}
        new_code = np.array([position.get(text, -1) for text in texts] + [-1], dtype=np.int32)
        return Column.from_codes(new_code[self.codes], distinct)

    def strip(self) -> tuple[Column, int]:
        """Return the column without white space around its texts, and how many of the distinct texts had some."""
        bare = pc.utf8_trim_whitespace(self.categories)
        n_changed: int = pc.sum(pc.not_equal(bare, self.categories)).as_py() or 0
        return (self.rename(bare.to_pylist()), n_changed) if n_changed else (self, 0)

    def sort(self) -> tuple[list[str], NDArray[np.int32]]:
        """Return the texts in use, in canonical order, and each row's position among them; no cell may be empty."""
        used = np.flatnonzero(np.bincount(self.codes, minlength=len(self.categories)))
        texts = self.categories.take(pa.array(used))
        order = _canonical_order(texts)
        position = np.full(len(self.categories), -1, dtype=np.int32)
        position[used[order]] = np.arange(len(order), dtype=np.int32)
        return texts.take(pa.array(order)).to_pylist(), position[self.codes]


def _canonical_order(texts: pa.Array) -> NDArray[np.int64]:
    """Return the order that ``canonical_order`` gives, which arrow finds sooner: UTF-8 sorts as its characters do."""
    if pc.all(pc.ascii_is_decimal(texts)).as_py():
        if pc.max(pc.binary_length(texts)).as_py() > _MAX_DIGITS:
            return np.asarray(canonical_order(texts.to_pylist()), dtype=np.int64)
        padded = pc.and_(pc.starts_with(texts, "0"), pc.greater(pc.binary_length(texts), 1))
        if not pc.any(padded).as_py():
            texts = texts.cast(pa.int64())
    order: NDArray[np.int64] = pc.array_sort_indices(texts).to_numpy().astype(np.int64)
    return order


def encode_column(column: pa.ChunkedArray) -> Column:
    """Encode a column of any type as text; numbers are written without a ``.0`` that only their type added.

    >>> column = encode_column(pa.chunked_array([["b", "a"], ["b", None]]))
    >>> column.texts, column.codes.tolist()
    (['b', 'a'], [0, 1, 0, -1])
    """
    if len(column) == 0:
        return Column.from_codes(np.empty(0, dtype=np.int32), [])
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type):
        column = pa.chunked_array([[None if value is None else str(value) for value in column.to_pylist()]])
    chunks = column.dictionary_encode().chunks  # all share one dictionary
    codes = np.concatenate([chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks])
    categories = chunks[-1].dictionary
    if pa.types.is_string(categories.type) and not pc.any(pc.equal(categories, "")).as_py():
        return Column(codes, categories)
    is_number = pa.types.is_floating(categories.type)  # numpy's numbers know how short they may be written
    values = categories.to_numpy(zero_copy_only=False) if is_number else categories.to_pylist()
    return Column(codes, categories).rename([as_text(value) for value in values])


@dataclass(frozen=True, slots=True)
class RawRatings:
    """Ratings as they stand in a file; without ``ratings`` the table is implicit feedback.

    ``days`` (n_rows,): when they were given, see ``parse_days``; None if the file does not say. ``people``: the columns
    about the people that were read along.
    """

    users: Column
    items: Column
    ratings: Column | None
    file: str
    line_numbers: Callable[[Sequence[int]], list[int]]
    days: NDArray[np.int32] | None = None
    people: Table | None = None

    def examples(self, rows: Sequence[int]) -> list[Example]:
        """Return the given rows for the report."""
        columns = {"user": self.users, "item": self.items}
        if self.ratings is not None:
            columns["rating"] = self.ratings

        def describe(row: int, what: str, column: Column) -> str:
            code = column.codes[row]
            return f"{what} {column.texts[code][:60]!r}" if code >= 0 else f"no {what}"

        texts = [", ".join(describe(row, what, column) for what, column in columns.items()) for row in rows]
        return [Example(self.file, line, text) for line, text in zip(self.line_numbers(rows), texts, strict=True)]


def read_ratings(file: SourceFile, mapping: RatingColumns, log: ImportLog, traits: Sequence[str] = ()) -> RawRatings:
    """Read users, items and ratings the way the mapping says; ``traits``: columns about people to read along."""
    raw = (_read_long if mapping.layout == "long" else _read_wide)(file, mapping, log, traits)
    pa.default_memory_pool().release_unused()  # what the cells took, which is more than their codes do
    return raw


def _read_long(file: SourceFile, mapping: RatingColumns, log: ImportLog, traits: Sequence[str]) -> RawRatings:
    """Read a table with one rating per row."""
    wanted = [name for name in (mapping.user, mapping.item, mapping.rating) if name]
    times = [mapping.time] if mapping.time and mapping.time not in wanted else []
    table = read_table(file, mapping.dialect, mapping.columns, [*wanted, *times, *traits])
    _log_table(table, table.n_rows + table.n_malformed, log)
    with ThreadPoolExecutor(max_workers=2) as pool:
        days = pool.submit(parse_days, table.columns[mapping.time]) if times else None
        encoded = list(pool.map(encode_column, [table.columns[name] for name in wanted]))
    if mapping.one_person:
        encoded.insert(0, Column.from_codes(np.zeros(table.n_rows, dtype=np.int32), [ONE_PERSON]))
    users, items, *rest = encoded
    users, items = _strip_ids(users, "user", log), _strip_ids(items, "item", log)
    people = replace(table, columns={name: table.columns[name] for name in (mapping.user, *traits)}) if traits else None
    ratings, known_days = rest[0] if rest else None, days.result() if days else None
    return RawRatings(users, items, ratings, file.path, table.line_numbers, known_days, people)


def _read_wide(file: SourceFile, mapping: RatingColumns, log: ImportLog, traits: Sequence[str]) -> RawRatings:
    """Read a table with one user per row and one item per column; an empty cell is no rating."""
    about_people = [mapping.user, *traits] if mapping.user else list(traits)
    table = read_table(file, mapping.dialect, mapping.columns, [*about_people, *mapping.item_columns])
    n_rows, n_items = table.n_rows, len(mapping.item_columns)
    if n_rows * n_items > _MAX_CELLS:
        raise DataError(f"{file.path} has {n_rows * n_items:,} cells; write it as one rating per row.")
    chunks = [chunk for name in mapping.item_columns for chunk in table.columns[name].chunks]
    chunks = [chunk if pa.types.is_string(chunk.type) else chunk.cast(pa.string()) for chunk in chunks]
    # thousands of columns make as many chunks, each of which would cost a call
    chunks = [pa.concat_arrays(chunks[k : k + _MAX_CHUNKS]) for k in range(0, len(chunks), _MAX_CHUNKS)]
    cells = encode_column(pa.chunked_array(chunks, type=pa.string()))
    filled = np.flatnonzero(cells.codes >= 0)
    _log_table(table, len(filled) + table.n_malformed, log)
    columns, rows = (part.astype(np.int32) for part in np.divmod(filled, max(n_rows, 1)))
    if mapping.user:
        users = _strip_ids(encode_column(table.columns[mapping.user]), "user", log).take(rows)
    else:
        users = Column.from_codes(rows, [str(row + 1) for row in range(n_rows)])
    named = mapping.dialect is None or mapping.dialect.header
    names = mapping.item_columns if named else [str(k + 1) for k in range(n_items)]

    def line_numbers(positions: Sequence[int]) -> list[int]:
        return table.line_numbers([int(rows[position]) for position in positions])

    sides = users, Column.from_codes(columns, names)
    users, items = reversed(sides) if mapping.transposed else sides
    people = replace(table, columns={name: table.columns[name] for name in about_people}) if traits else None
    return RawRatings(users, items, cells.take(filled), file.path, line_numbers, people=people)


def _log_table(table: Table, n_rows: int, log: ImportLog) -> None:
    log.rows_read = n_rows
    log.notes += table.notes
    log.files.append(FileRead(table.path, "ratings", table.n_rows + table.n_malformed))
    log.drop("the row has the wrong number of columns", table.n_malformed, list(table.malformed), unreadable=True)


def _strip_ids(column: Column, what: str, log: ImportLog) -> Column:
    """Return ids without white space around them and without words for "missing"; note what is odd about them."""
    bare, n_changed = column.strip()
    if n_changed:
        log.add(Finding.SPACES_REMOVED, ids=counted(n_changed, f"{what} id"))
    if pc.any(pc.is_in(bare.categories, _NO_IDS)).as_py():
        bare = bare.rename(["" if text in _NO_IDS.to_pylist() else text for text in bare.texts])
    shortened = bare.categories.filter(pc.match_substring_regex(bare.categories, _SHORTENED))
    if len(shortened):
        log.add(Finding.SHORTENED_IDS, ids=counted(len(shortened), f"{what} id"), example=shortened[0].as_py())
    return bare
