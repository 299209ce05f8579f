"""Read any table: one module per file format, registered in ``READERS``.

A reader is a module with three functions and a constant:

- ``matches(head)``: whether a file that begins with these bytes is of this format;
- ``sniff(file, dialect)``: its columns and first rows as a ``TableSample``;
- ``read(file, dialect, columns, wanted)``: the wanted columns as a ``Table``;
- ``NAME``: what the format is called in messages.

To add a format, write such a module (``parquet`` is the shortest to copy) and put it into ``READERS``, before
``delimited``, which takes everything else. ``Table.from_arrow`` and ``TableSample.from_arrow`` do the rest for whatever
can be had as an Arrow table. Remove the format from ``_UNSUPPORTED`` if it stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pyarrow as pa

from nnm_core.datasets.readers import delimited, json_records, parquet
from nnm_core.datasets.sources import SourceFile
from nnm_core.datasets.tables import Dialect, Table, TableSample
from nnm_core.errors import DataError, in_short

_UNSUPPORTED = (
    (b"SQLite format 3", "an SQLite database; export the table as CSV"),
    (b"\x89HDF", "an HDF5 file; export the table as CSV or Parquet"),
    (b"\x93NUMPY", "a NumPy array; write its rows as CSV"),
    (b"\x80\x04", "a Python pickle, which is not safe to open; write the table as CSV"),
    (b"\x80\x05", "a Python pickle, which is not safe to open; write the table as CSV"),
    (b"%PDF", "a PDF; give the table itself"),
    (b"\x89PNG", "a picture; give the table itself"),
    (b"\xff\xd8\xff", "a picture; give the table itself"),
    (b"GIF8", "a picture; give the table itself"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; save the sheet as CSV"),
    (b"ARROW1", "an Arrow file; write the table as Parquet"),
    (b"<!DOCTYPE", "a web page; download the data itself"),
    (b"<html", "a web page; download the data itself"),
    (b"{\\rtf", "a text document; save the table as CSV"),
)


class Reader(Protocol):
    """What a module in ``READERS`` offers."""

    NAME: str

    def matches(self, head: bytes) -> bool: ...  # noqa: D102
    def sniff(self, file: SourceFile, dialect: Dialect | None) -> TableSample: ...  # noqa: D102
    def read(  # noqa: D102
        self, file: SourceFile, dialect: Dialect | None, columns: Sequence[str], wanted: Sequence[str]
    ) -> Table: ...


READERS: tuple[Reader, ...] = (parquet, json_records, delimited)


def sniff_table(file: SourceFile, dialect: Dialect | None = None) -> TableSample:
    """Return columns and first rows of a table; a given ``dialect`` is followed, otherwise it is guessed."""
    reader = _find_reader(file)
    try:
        return reader.sniff(file, dialect)
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        raise _unreadable(file, reader, error) from error


def read_table(file: SourceFile, dialect: Dialect | None, columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the ``wanted`` columns of a table whose ``columns`` are known."""
    reader = _find_reader(file)
    try:
        return reader.read(file, dialect, columns, wanted)
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        raise _unreadable(file, reader, error) from error


def _find_reader(file: SourceFile) -> Reader:
    head = file.head(64)
    if not head:
        raise DataError(f"{file.path} is empty.")
    for magic, what in _UNSUPPORTED:
        if head.lower().startswith(magic.lower()):
            raise DataError(f"{file.path} is {what}.")
    return next(reader for reader in READERS if reader.matches(head))


def _unreadable(file: SourceFile, reader: Reader, error: Exception) -> DataError:
    return DataError(f"{file.path} cannot be read as {reader.NAME}: {in_short(error)}. Export it again, or as CSV.")
