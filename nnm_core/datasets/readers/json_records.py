"""JSON with one record per row: one record on each line, or one array of records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.json

from nnm_core.datasets.sources import SourceFile, format_bytes
from nnm_core.datasets.tables import Dialect, Table, TableSample, check_columns
from nnm_core.errors import DataError

NAME = "JSON with one record per row"
_MAX_ARRAY = 2**29
_BOM = b"\xef\xbb\xbf"


def matches(head: bytes) -> bool:
    """Whether a file that begins so has records of JSON."""
    return _starts_with_record(head) or _is_array(head)


def sniff(file: SourceFile, _dialect: Dialect | None = None) -> TableSample:
    """Return columns and first rows."""
    if _is_array(file.head(64)):
        return TableSample.from_arrow(file, _read_array(file))
    head = file.head(2**20)
    lines = [line for line in head.splitlines()[:-1] or [head] if line.strip()]
    return TableSample.from_arrow(file, _checked(file, _as_table([json.loads(line) for line in lines])))


def read(file: SourceFile, _dialect: Dialect | None, _columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the wanted columns."""
    if _is_array(file.head(64)):
        return Table.from_arrow(file, _read_array(file), wanted, one_line_each=False)
    with file.open() as stream:
        table = pyarrow.json.read_json(stream, pyarrow.json.ReadOptions(block_size=2**24))
    return Table.from_arrow(file, _checked(file, table), wanted, one_line_each=True)


def _starts_with_record(head: bytes) -> bool:
    return head.removeprefix(_BOM).lstrip().startswith((b'{"', b"{ "))


def _is_array(head: bytes) -> bool:
    begin = head.removeprefix(_BOM).lstrip()
    return begin.startswith(b"[") and begin[1:].lstrip().startswith(b"{")


def _read_array(file: SourceFile) -> pa.Table:
    content = file.head(_MAX_ARRAY + 1)
    if len(content) > _MAX_ARRAY:
        raise DataError(
            f"{file.path} is one JSON value of more than {format_bytes(_MAX_ARRAY)}; write one record per line."
        )
    return _checked(file, _as_table(json.loads(content)))


def _as_table(records: list[Any]) -> pa.Table:
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("its entries are not records")
    return pa.Table.from_pylist(records)


def _checked(file: SourceFile, table: pa.Table) -> pa.Table:
    table.validate(full=True)  # texts may be no valid UTF-8
    check_columns(file.path, table.num_columns, file.limits.max_columns)
    return table
