"""Read any table: Parquet, JSON records or delimited text, each a ``Format`` in ``FORMATS``.

To add a format, write its two functions here, with ``from_arrow`` of ``Table`` and ``TableSample``, and put it into
``FORMATS`` before the delimited text, which takes everything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.json
import pyarrow.parquet

from nnm_core.datasets.delimited import read_text
from nnm_core.datasets.dialects import sniff_text
from nnm_core.datasets.sources import SourceFile, format_bytes
from nnm_core.datasets.tables import Dialect, Table, TableSample, check_columns
from nnm_core.errors import DataError, in_short

_SAMPLE = 1000
_MAX_ARRAY = 2**29
_BOM = b"\xef\xbb\xbf"
_ARCHIVE = "archive, which is not read here; unpack it, or pack it as zip or gzip"
_UNSUPPORTED = (
    (b"7z\xbc\xaf\x27\x1c", f"a 7-Zip {_ARCHIVE}"),
    (b"Rar!", f"a RAR {_ARCHIVE}"),
    (b"BZh", f"a bzip2 {_ARCHIVE}"),
    (b"\xfd7zXZ", f"a xz {_ARCHIVE}"),
    (b"\x28\xb5\x2f\xfd", f"a Zstandard {_ARCHIVE}"),
    (b"SQLite format 3", "an SQLite database; export the table as CSV"),
    (b"\x89HDF", "an HDF5 file; export the table as CSV or Parquet"),
    (b"\x93NUMPY", "a NumPy array; write its rows as CSV"),
    ((b"\x80\x04", b"\x80\x05"), "a Python pickle, which is not safe to open; write the table as CSV"),
    (b"%PDF", "a PDF; give the table itself"),
    ((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "a picture; give the table itself"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; save the sheet as CSV"),
    (b"ARROW1", "an Arrow file; write the table as Parquet"),
    ((b"<!DOCTYPE", b"<!doctype", b"<html", b"<HTML"), "a web page; download the data itself"),
    (b"{\\rtf", "a text document; save the table as CSV"),
)


class Format(NamedTuple):
    """A file format: its name in messages, whether a file that begins so has it, and how such files are read."""

    name: str
    matches: Callable[[bytes], bool]
    sniff: Callable[[SourceFile, Dialect | None], TableSample]
    read: Callable[[SourceFile, Dialect | None, Sequence[str], Sequence[str]], Table]


def sniff_table(file: SourceFile, dialect: Dialect | None = None) -> TableSample:
    """Return columns and first rows of a table; a given ``dialect`` is followed, otherwise it is guessed."""
    with _format_of(file) as found:
        return found.sniff(file, dialect)


def read_table(file: SourceFile, dialect: Dialect | None, columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the ``wanted`` columns of a table whose ``columns`` are known."""
    with _format_of(file) as found:
        return found.read(file, dialect, columns, wanted)


@contextmanager
def _format_of(file: SourceFile) -> Iterator[Format]:
    """Give the format of a file; what goes wrong while it is read becomes DataError."""
    head = file.head(64)
    if not head:
        raise DataError(f"{file.path} is empty.")
    for magic, what in _UNSUPPORTED:
        if head.startswith(magic):
            raise DataError(f"{file.path} is {what}.")
    found = next(candidate for candidate in FORMATS if candidate.matches(head))
    try:
        yield found
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        what = f"cannot be read as {found.name}: {in_short(error)}"
        raise DataError(f"{file.path} {what}. Export it again, or as CSV.") from error


def _sniff_parquet(file: SourceFile, _dialect: Dialect | None) -> TableSample:
    with _open_parquet(file) as reader:
        batch = next(reader.iter_batches(batch_size=_SAMPLE), None)
        table = pa.Table.from_batches([batch]) if batch is not None else reader.schema_arrow.empty_table()
        table.validate(full=True)  # the format does not promise that its texts are UTF-8
        return TableSample.from_arrow(file, table)


def _read_parquet(file: SourceFile, _dialect: Dialect | None, _columns: Sequence[str], wanted: Sequence[str]) -> Table:
    with _open_parquet(file) as reader:
        present = set(reader.schema_arrow.names)
        table = reader.read(columns=[name for name in wanted if name in present])
        table.validate(full=True)
        return Table.from_arrow(file, table, wanted, one_line_each=False)


def _open_parquet(file: SourceFile) -> pa.parquet.ParquetFile:
    stream = file.open()
    reader = pyarrow.parquet.ParquetFile(stream if stream.seekable() else pa.BufferReader(stream.read()))
    names, metadata = reader.schema_arrow.names, reader.metadata
    check_columns(file.path, len(names), file.limits.max_columns)
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise DataError(f"{file.path} has two columns called {twice!r}; give them different names.")
    size = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    if size > (most := file.limits.max_unpacked):
        raise DataError(f"{file.path} unpacks to more than {format_bytes(most)}; take a part of the ratings.")
    return reader


def _sniff_json(file: SourceFile, _dialect: Dialect | None) -> TableSample:
    if _is_json_array(file.head(64)):
        return TableSample.from_arrow(file, _read_json_array(file))
    head = file.head(2**20)
    lines = [line for line in head.splitlines()[:-1] or [head] if line.strip()]
    return TableSample.from_arrow(file, _checked(file, _as_table([json.loads(line) for line in lines])))


def _read_json(file: SourceFile, _dialect: Dialect | None, _columns: Sequence[str], wanted: Sequence[str]) -> Table:
    if _is_json_array(file.head(64)):
        return Table.from_arrow(file, _read_json_array(file), wanted, one_line_each=False)
    with file.open() as stream:
        table = pyarrow.json.read_json(stream, pyarrow.json.ReadOptions(block_size=2**24))
    return Table.from_arrow(file, _checked(file, table), wanted, one_line_each=True)


def _is_json(head: bytes) -> bool:
    return head.removeprefix(_BOM).lstrip().startswith((b'{"', b"{ ")) or _is_json_array(head)


def _is_json_array(head: bytes) -> bool:
    begin = head.removeprefix(_BOM).lstrip()
    return begin.startswith(b"[") and begin[1:].lstrip().startswith(b"{")


def _read_json_array(file: SourceFile) -> pa.Table:
    content = file.head(_MAX_ARRAY + 1)
    if len(content) > _MAX_ARRAY:
        size = format_bytes(_MAX_ARRAY)
        raise DataError(f"{file.path} is one JSON value of more than {size}; write one record per line.")
    return _checked(file, _as_table(json.loads(content)))


def _as_table(records: list[Any]) -> pa.Table:
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("its entries are not records")
    return pa.Table.from_pylist(records)


def _checked(file: SourceFile, table: pa.Table) -> pa.Table:
    table.validate(full=True)  # texts may be no valid UTF-8
    check_columns(file.path, table.num_columns, file.limits.max_columns)
    return table


FORMATS = (
    Format("a Parquet file", lambda head: head.startswith(b"PAR1"), _sniff_parquet, _read_parquet),
    Format("JSON with one record per row", _is_json, _sniff_json, _read_json),
    Format("a table", lambda _head: True, sniff_text, read_text),
)
