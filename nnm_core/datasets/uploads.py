"""Tables of any origin, read the way a mapping says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from nnm_core.datasets.assembly import RawRatings, assemble
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.coded import Coded, encode
from nnm_core.datasets.columns import read_coded
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.details import read_items, read_users
from nnm_core.datasets.formats import read_columns
from nnm_core.datasets.journal import Journal
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.mapping import ColumnMapping, ItemColumns, RatingColumns, UserColumns
from nnm_core.datasets.report import FileRead, ImportReport
from nnm_core.datasets.sides import telling
from nnm_core.datasets.sources import Source, SourceFile
from nnm_core.datasets.tables import Table
from nnm_core.errors import DataError
from nnm_core.phrases import counted

_MAX_CELLS = 500_000_000


def read_upload(
    source: Source,
    mapping: ColumnMapping,
    name: str,
    cleaning: Cleaning,
    limits: Limits = DEFAULT_LIMITS,
    notes: Sequence[str] = (),
) -> tuple[Dataset, ImportReport]:
    """The data set that the mapping finds in the source; ``notes`` of the guess go before those of the import."""
    journal = Journal(source.label, notes=list(notes))
    raw = _read_ratings(_file(source, mapping.ratings.file), mapping.ratings, journal, limits)
    ratings = assemble(raw, cleaning, journal)
    titles, tags = tuple(ratings.item_ids), Labels.none(ratings.n_items)
    traits: dict[str, Labels] = {}
    if mapping.items is not None:
        table = _read_side(_file(source, mapping.items.file), mapping.items, "items", journal, limits)
        titles, tags = read_items(table, mapping.items, ratings, journal)
    if mapping.users is not None:
        table = _read_side(_file(source, mapping.users.file), mapping.users, "users", journal, limits)
        traits = read_users(table, mapping.users, ratings, journal)
    dataset = Dataset(name, ratings, titles, tags, traits, source=source.label, implicit=mapping.ratings.implicit)
    return dataset, journal.report(len(ratings))


def _file(source: Source, path: str) -> SourceFile:
    for file in source.files:
        if file.path == path or (not path and len(source.files) == 1):
            return file
    found = ", ".join(file.path for file in source.files[:10])
    raise DataError(f"{source.label} has no file {path!r}; it has {found}.")


def _read_side(
    file: SourceFile, mapping: ItemColumns | UserColumns, role: str, journal: Journal, limits: Limits
) -> Table:
    """The columns of an item or user table that the mapping names."""
    if isinstance(mapping, ItemColumns):
        wanted = [mapping.item, mapping.title, *mapping.tags, *mapping.flags]
    else:
        wanted = [mapping.user, *mapping.traits]
    with telling(role):
        table = read_columns(file, mapping.dialect, mapping.columns, list(dict.fromkeys(filter(None, wanted))), limits)
        if table.n_rows > limits.max_side_rows:
            raise DataError(f"{file.path} has {table.n_rows:,} rows, more than {limits.max_side_rows:,} for {role}.")
    journal.files.append(FileRead(file.path, role, table.n_rows + table.n_unfit))
    journal.notes += filter(None, (*table.notes, table.unclosed))
    return table


def _read_ratings(file: SourceFile, mapping: RatingColumns, journal: Journal, limits: Limits) -> RawRatings:
    reader = _read_long if mapping.layout == "long" else _read_wide
    return reader(file, mapping, journal, limits)


def _read_long(file: SourceFile, mapping: RatingColumns, journal: Journal, limits: Limits) -> RawRatings:
    """One rating per row."""
    wanted = [name for name in (mapping.user, mapping.item, mapping.rating) if name]
    table, (users, items, *rest) = read_coded(file, mapping.dialect, mapping.columns, wanted, limits)
    _note_table(table, table.n_rows + table.n_unfit, journal)

    def locate(rows: Sequence[int]) -> list[tuple[str, int]]:
        return [(file.path, line) for line in table.lines(rows)]

    return RawRatings(_ids(users, "user", journal), _ids(items, "item", journal), rest[0] if rest else None, locate)


def _note_table(table: Table, n_rows: int, journal: Journal) -> None:
    journal.rows_read = n_rows
    journal.notes += table.notes
    if table.unclosed:
        journal.notes.append(table.unclosed)
        journal.causes.append(table.unclosed)
    journal.files.append(FileRead(table.path, "ratings", table.n_rows + table.n_unfit))
    journal.fault("the row has the wrong number of columns", table.n_unfit, list(table.unfit))


def _ids(column: Coded, what: str, journal: Journal) -> Coded:
    bare, n_changed = column.stripped()
    if n_changed:
        journal.notes.append(f"spaces were removed around {counted(n_changed, f'{what} id')}")
    return bare


def _read_wide(file: SourceFile, mapping: RatingColumns, journal: Journal, limits: Limits) -> RawRatings:
    """One user per row and one item per column; an empty cell is no rating."""
    wanted = [mapping.user, *mapping.item_columns] if mapping.user else list(mapping.item_columns)
    table = read_columns(file, mapping.dialect, mapping.columns, wanted, limits)
    n_rows, n_items = table.n_rows, len(mapping.item_columns)
    if n_rows * n_items > _MAX_CELLS:
        raise DataError(f"{file.path} has {n_rows * n_items:,} cells; write it as one rating per row.")
    cells = _encode_side_by_side([table.columns[name] for name in mapping.item_columns])
    filled = np.flatnonzero(cells.codes >= 0)
    _note_table(table, len(filled) + table.n_unfit, journal)
    rows = (filled % n_rows).astype(np.int32) if n_rows else filled.astype(np.int32)
    items = Coded.of((filled // max(n_rows, 1)).astype(np.int32), _item_names(mapping))
    if mapping.user:
        named = _ids(encode(table.columns[mapping.user]), "user", journal)
        users = Coded(named.codes[rows], named.texts)
    else:
        users = Coded.of(rows, [str(row + 1) for row in range(n_rows)])

    def locate(positions: Sequence[int]) -> list[tuple[str, int]]:
        lines = table.lines([int(rows[position]) for position in positions])
        return [(file.path, line) for line in lines]

    return RawRatings(users, items, Coded(cells.codes[filled], cells.texts), locate)


def _encode_side_by_side(columns: Sequence[pa.ChunkedArray]) -> Coded:
    """Columns laid end to end and coded together, (n_columns * n_rows,)."""
    texts = [chunk.cast(pa.string()) for column in columns for chunk in column.chunks]
    return encode(pa.chunked_array(texts, type=pa.string()))


def _item_names(mapping: RatingColumns) -> list[str]:
    """The items of a wide table: its column names, or numbers if it has none."""
    if mapping.dialect is not None and not mapping.dialect.header:
        return [str(k + 1) for k in range(len(mapping.item_columns))]
    return list(mapping.item_columns)
