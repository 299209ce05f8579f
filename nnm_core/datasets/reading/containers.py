"""Open workbooks and databases: each sheet becomes a file of delimited text, each table an Arrow file."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from nnm_core.errors import DataError, in_short
from nnm_core.phrases import as_text

Part = tuple[str, Callable[[], bytes]]  # the path of a sheet or table, and what reads it

SQLITE = b"SQLite format 3\x00"
_PATIENCE = 120  # seconds for a workbook
_MAX_CELL = 10**7  # bytes of a cell or row of a database
_SHEET_NAME = "{file}, sheet {name}"
_TABLE_NAME = "{file}, table {name}"


def open_workbook(file: str, content: bytes) -> list[Part]:
    """Return the sheets of an Excel or OpenDocument workbook that have cells."""
    command = [sys.executable, "-I", str(Path(__file__).with_name("read_workbook.py"))]
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=_PATIENCE, check=True)  # noqa: S603
        sheets: dict[str, str] = json.loads(done.stdout)
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        said = error.stderr.decode("utf-8", "replace") if isinstance(error, subprocess.CalledProcessError) else ""
        why = ValueError(said.splitlines()[0] if said.strip() else "it takes too long or too much memory")
        raise _unreadable(file, "an Excel workbook", "save the sheet as CSV", why) from error
    if not sheets:
        raise DataError(f"{file} is a workbook without cells.")
    return _parts(file, list(sheets), lambda name: sheets[name].encode("utf-8", "replace"), _SHEET_NAME)


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
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_CELL)
        cursor = connection.execute(query)
        return [column for column, *_ in cursor.description], cursor.fetchall()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _array(values: Iterable[Any]) -> pa.Array:
    """Return one column; as text where its values are of several types."""
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
