"""Open workbooks and databases: each sheet becomes a file of delimited text, each table an Arrow file."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import datetime, time
from functools import lru_cache, partial
from typing import Any

import pyarrow as pa
import python_calamine

from nnm_core.errors import DataError, in_short
from nnm_core.phrases import as_text

Part = tuple[str, Callable[[], bytes]]  # the path of a sheet or table, and what reads it

SQLITE = b"SQLite format 3\x00"
_SHEET_NAME = "{file}, sheet {name}"
_TABLE_NAME = "{file}, table {name}"


def open_workbook(file: str, content: bytes) -> list[Part]:
    """Return the sheets of an Excel or OpenDocument workbook that have cells."""
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        names = book.sheet_names
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise _unreadable(file, "an Excel workbook", "save the sheet as CSV", error) from error

    def sheet(name: str) -> bytes:
        try:
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
        except (python_calamine.CalamineError, OSError, ValueError) as error:
            raise _unreadable(file, "an Excel workbook", "save the sheet as CSV", error) from error
        text = io.StringIO()
        csv.writer(text).writerows([_cell(value) for value in row] for row in _without_heading(rows))
        return text.getvalue().encode("utf-8", "replace")

    return _parts(file, [name for name in names if book.get_sheet_by_name(name).height], sheet, _SHEET_NAME)


def _without_heading(rows: list[list[Any]]) -> list[list[Any]]:
    """The rows without titles and remarks above the table, which fill few of its columns, and without blank ones."""
    filled = [sum(cell != "" for cell in row) for row in rows]
    begin = next((k for k, n_filled in enumerate(filled) if n_filled > 0.5 * max(filled)), 0)
    return [row for row, n_filled in zip(rows[begin:], filled[begin:], strict=True) if n_filled]


def _cell(value: Any) -> str:
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return as_text(value)


def open_database(file: str, content: bytes) -> list[Part]:
    """Return the tables of an SQLite database."""
    advice = "export the table as CSV"
    try:
        names = [name for (name,) in _query(content, _TABLES)[1]]
    except sqlite3.Error as error:
        raise _unreadable(file, "an SQLite database", advice, error) from error
    if not names:
        raise DataError(f"{file} is an SQLite database without tables.")

    def table(name: str) -> bytes:
        try:
            columns, rows = _query(content, f"SELECT * FROM {_quoted(name)}")  # noqa: S608 - quoted
        except sqlite3.Error as error:
            raise _unreadable(file, "an SQLite database", advice, error) from error
        cells = list(zip(*rows, strict=True)) or [()] * len(columns)
        arrow = pa.table({column: _array(values) for column, values in zip(columns, cells, strict=True)})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, arrow.schema) as writer:
            writer.write_table(arrow)
        return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]

    return _parts(file, names, table, _TABLE_NAME)


_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"


def _query(content: bytes, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run a query on a database that is held in memory, so that nothing can be written."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(content)
        connection.execute("PRAGMA trusted_schema = OFF")
        cursor = connection.execute(query)
        return [column for column, *_ in cursor.description], cursor.fetchall()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _array(values: Iterable[Any]) -> pa.Array:
    """One column; as text where its values are of several types."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int} or kinds <= {float, int} or kinds <= {str}:
        try:
            return pa.array(values)
        except (pa.ArrowException, OverflowError):  # whole numbers and others mixed, or beyond 64 bits
            pass
    return pa.array([None if value is None else as_text(value) for value in values], type=pa.string())


def _parts(file: str, names: list[str], read: Callable[[str], bytes], label: str) -> list[Part]:
    """Parts that are read when they are first opened; a single one goes by the name of the whole."""
    read = lru_cache(maxsize=8)(read)
    return [(file if len(names) == 1 else label.format(file=file, name=name), partial(read, name)) for name in names]


def _unreadable(file: str, what: str, advice: str, error: Exception) -> DataError:
    return DataError(f"{file} cannot be read as {what} ({in_short(error)}); {advice}.")
