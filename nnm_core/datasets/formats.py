"""Tables that are not text, Parquet and JSON, and the one function that reads any table."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.json
import pyarrow.parquet

from nnm_core.datasets.dialect import Dialect
from nnm_core.datasets.guessing import Sniffed
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits, in_bytes
from nnm_core.datasets.sniffing import older_encoding, sniff_text
from nnm_core.datasets.sources import SourceFile
from nnm_core.datasets.tables import EncodingError, Table, read_text
from nnm_core.errors import DataError, in_short

_PARQUET = b"PAR1"
_MAX_JSON = 2**29
_SAMPLE = 1000
_LONG_HEAD = 2**24
_FOREIGN = (
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


def sniff_table(file: SourceFile, dialect: Dialect | None = None, limits: Limits = DEFAULT_LIMITS) -> Sniffed:
    """What the beginning of a table tells, whatever its format."""
    kind = _kind(file)
    if kind == "text":
        text = sniff_text(file, dialect, limits)
        return Sniffed(file.path, text.columns, text.sample, text.dialect, text.notes)
    table = _read_binary(file, kind, None, limits, n_rows=_SAMPLE)
    sample = table.slice(0, _SAMPLE).to_pydict()
    rows = zip(*([_as_cell(cell) for cell in column] for column in sample.values()), strict=True)
    return Sniffed(file.path, tuple(table.column_names), tuple(rows), None)


def read_columns(
    file: SourceFile,
    dialect: Dialect | None,
    names: Sequence[str],
    wanted: Sequence[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """The ``wanted`` columns of a table, whatever its format."""
    kind = _kind(file)
    if kind == "text":
        return _read_text_of_any_age(file, dialect or Dialect(), names, wanted, limits)
    table = _read_binary(file, kind, wanted, limits)
    columns = {name: table.column(name) for name in (wanted if wanted is not None else table.column_names)}

    def lines(rows: Sequence[int]) -> list[int]:
        return [row + 1 if kind == "lines" else 0 for row in rows]

    return Table(file.path, table.num_rows, columns, lines)


def _read_text_of_any_age(
    file: SourceFile, dialect: Dialect, names: Sequence[str], wanted: Sequence[str] | None, limits: Limits
) -> Table:
    """A text table; where UTF-8 was expected but does not hold to the end, in an older encoding, and that is noted."""
    try:
        return read_text(file, dialect, names, wanted, limits)
    except EncodingError as error:
        encoding = older_encoding(file.head(_LONG_HEAD))
        table = read_text(file, replace(dialect, encoding=encoding), names, wanted, limits)
        return replace(table, notes=(f"{str(error).split(';', maxsplit=1)[0]}; it was read as {encoding}",))


def is_text(file: SourceFile) -> bool:
    """Whether the file is a text table rather than Parquet or JSON."""
    return _kind(file) == "text"


def _kind(file: SourceFile) -> str:
    head = file.head(64)
    if not head:
        raise DataError(f"{file.path} is empty.")
    if head.startswith(_PARQUET):
        return "parquet"
    for magic, what in _FOREIGN:
        if head.lower().startswith(magic.lower()):
            raise DataError(f"{file.path} is {what}.")
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if begin.startswith((b'{"', b"{ ")):
        return "lines"
    return "array" if begin.startswith(b"[") and begin[1:].lstrip().startswith(b"{") else "text"


def _read_binary(
    file: SourceFile, kind: str, wanted: Sequence[str] | None, limits: Limits, n_rows: int | None = None
) -> pa.Table:
    """A Parquet or JSON table; with ``n_rows`` at least its first rows, if that is less work than all."""
    try:
        table = _read_parquet(file, wanted, limits, n_rows) if kind == "parquet" else _read_json(file, kind, n_rows)
        table.validate(full=True)  # neither format promises that its texts are UTF-8
        names = table.column_names
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        what = "a Parquet file" if kind == "parquet" else "JSON with one record per row"
        raise DataError(
            f"{file.path} cannot be read as {what}: {in_short(error)}. Export it again, or as CSV."
        ) from error
    if table.num_columns > limits.max_columns:
        raise DataError(f"{file.path} has {table.num_columns:,} columns; at most {limits.max_columns:,} are read.")
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise DataError(f"{file.path} has two columns called {twice!r}; give them different names.")
    missing = [name for name in wanted or () if name not in names]
    if missing:
        raise DataError(
            f"{file.path} has no column {missing[0]!r}; its columns are {', '.join(table.column_names[:20])}."
        )
    return table


def _read_parquet(file: SourceFile, wanted: Sequence[str] | None, limits: Limits, n_rows: int | None) -> pa.Table:
    with file.open() as stream:
        source = stream if stream.seekable() else pa.BufferReader(stream.read())
        reader = pyarrow.parquet.ParquetFile(source)
        groups = [reader.metadata.row_group(k) for k in range(reader.metadata.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > limits.max_unpacked:
            raise DataError(
                f"{file.path} unpacks to more than {in_bytes(limits.max_unpacked)}; take a part of the ratings."
            )
        if n_rows is not None:
            batch = next(reader.iter_batches(batch_size=n_rows), None)
            return pa.Table.from_batches([batch]) if batch is not None else reader.schema_arrow.empty_table()
        known = reader.schema_arrow.names
        return reader.read(columns=[name for name in wanted if name in known] if wanted is not None else None)


def _read_json(file: SourceFile, kind: str, n_rows: int | None) -> pa.Table:
    if kind == "lines":
        with file.open() as stream:
            if n_rows is not None:
                return _first_records(file.head(2**20))
            return pyarrow.json.read_json(stream, pyarrow.json.ReadOptions(block_size=2**24))
    content = file.head(_MAX_JSON + 1)
    if len(content) > _MAX_JSON:
        raise DataError(f"{file.path} is one JSON value of more than {in_bytes(_MAX_JSON)}; write one record per line.")
    records = json.loads(content)
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("its entries are not records")
    return pa.Table.from_pylist(records)


def _first_records(head: bytes) -> pa.Table:
    lines = [line for line in head.splitlines()[:-1] or [head] if line.strip()]
    records = [json.loads(line) for line in lines]
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("its lines are not records")
    return pa.Table.from_pylist(records)


def _as_cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, list):
        return "[" + ", ".join(map(repr, value)) + "]"
    return str(value)
