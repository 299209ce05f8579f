"""Tables in JSON: a record per line, a list of records, and ratings nested in people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.json

from nnm_core.datasets.guessing.profiles import role_of
from nnm_core.datasets.reading.sources import SourceFile, format_bytes
from nnm_core.datasets.reading.tables import Dialect, Table, TableSample, check_columns
from nnm_core.errors import DataError

_BOM = b"\xef\xbb\xbf"
_MAX_VALUE = 2**29
_MOST_PARTS = 20  # of a record within a record that become columns


def is_json(head: bytes) -> bool:
    """Whether a file that begins so is JSON."""
    begin = head.removeprefix(_BOM).lstrip()
    return begin.startswith((b'{"', b"{ ", b"{\n", b"{\r")) or (
        begin.startswith(b"[") and begin[1:].lstrip().startswith((b"{", b"["))
    )


def sniff_json(file: SourceFile, _dialect: Dialect | None) -> TableSample:
    """Return columns and first rows."""
    lines = _first_lines(file)
    return TableSample.from_arrow(file, _read_value(file) if lines is None else _as_table(file, lines))


def read_json(file: SourceFile, _dialect: Dialect | None, _columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the wanted columns; plain records on a line each are parsed by pyarrow."""
    lines = _first_lines(file)
    if lines is None or any(_is_nested(record) for record in lines[:20]):
        return Table.from_arrow(file, _read_value(file), wanted, one_line_each=False)
    with file.open() as stream:
        table = pyarrow.json.read_json(stream, pyarrow.json.ReadOptions(block_size=2**24))
    return Table.from_arrow(file, _checked(file, table), wanted, one_line_each=True)


def _first_lines(file: SourceFile) -> list[Any] | None:
    """Return the records on the first lines; None if the file is not written with one record per line."""
    head = file.head(2**20)
    lines = [line for line in head.removeprefix(_BOM).splitlines()[:-1] or [head] if line.strip()]
    if (
        not lines
        or not lines[0].lstrip().startswith(b"{")
        or (len(lines) == 1 and len(head) < 2**20 and _is_map(lines[0]))
    ):
        return None
    try:
        json.loads(lines[0])
    except ValueError:
        return None  # a value over several lines
    return [json.loads(line) for line in lines]


def _is_map(line: bytes) -> bool:
    """Whether a single line holds all the data: ratings by person, or a list under a name."""
    value = json.loads(line)
    return any(isinstance(part, dict | list) for part in value.values()) and not _is_nested(value)


def _read_value(file: SourceFile) -> pa.Table:
    content = file.head(_MAX_VALUE + 1)
    if len(content) > _MAX_VALUE:
        size = format_bytes(_MAX_VALUE)
        raise DataError(f"{file.path} is one JSON value of more than {size}; write one record per line.")
    try:
        value = json.loads(content)
    except ValueError:
        value = [json.loads(line) for line in content.removeprefix(_BOM).splitlines() if line.strip()]
    return _as_table(file, _records(value), unfold=True)


def _records(value: Any) -> list[Any]:
    """Return the records in a value: its entries, those under its longest list, or a record per entry of a dictionary.

    If an id of a person stands beside the list, all its records are that person's.
    """
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        header, *rows = value
        return [dict(zip(map(str, header), row, strict=True)) for row in rows]
    if isinstance(value, list):
        return value
    if _is_nested(value):
        return [value]
    lists = [part for part in value.values() if isinstance(part, list)]
    if (lists and len(lists) < len(value)) or (
        all(isinstance(entry, dict) for part in lists for entry in part) and lists
    ):
        people = {name: part for name, part in value.items() if role_of(name) == "user" and isinstance(part, str | int)}
        longest: list[Any] = max(lists, key=len)
        return [{**people, **row} if isinstance(row, dict) else row for row in longest]
    if any(map(_entries, value.values())):
        return [{"user": user, "ratings": ratings} for user, ratings in value.items()]
    if value and all(isinstance(part, dict) for part in value.values()):
        return [{"id": key, **part} for key, part in value.items()]
    raise ValueError("it holds neither a list of records nor ratings by person")


def _as_table(file: SourceFile, records: list[Any], *, unfold: bool = False) -> pa.Table:
    """Make a table of records; ``unfold``: with columns for what stands in records within them."""
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("its entries are not records")
    if any(_is_nested(record) for record in records[:20]):
        records = [row for record in records for row in _flat(record)]
    records = [_unfolded(record) for record in records] if unfold else records
    try:
        return _checked(file, pa.Table.from_pylist(records))
    except OverflowError as error:
        raise ValueError("it has whole numbers of more than 64 bits; write them as texts") from error


def _is_nested(record: dict[str, Any]) -> bool:
    """Whether a record has all ratings of a person in it, and none of its own."""
    roles = {role_of(name) for name, part in record.items() if not isinstance(part, dict | list)}
    return bool(roles) and not {"item", "rating"} <= roles and any(_entries(part) for part in record.values())


def _flat(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one record per rating of a person."""
    entries = {name: _entries(part) for name, part in record.items()}
    if any(
        rows and isinstance(record[name], list) for name, rows in entries.items()
    ):  # numbers beside it are no ratings
        entries = {name: rows if isinstance(record[name], list) else [] for name, rows in entries.items()}
    own = {name: part for name, part in record.items() if not entries[name]}
    for rows in entries.values():
        yield from ({**own, **row} for row in rows)


def _unfolded(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the parts of a short record in it as its own.

    >>> _unfolded({"rating": 8, "movie": {"title": "Alien", "ids": {"imdb": "tt0078748"}}})
    {'rating': 8, 'movie.title': 'Alien', 'movie.ids.imdb': 'tt0078748'}
    """
    own: dict[str, Any] = {}
    for name, part in record.items():
        is_short = isinstance(part, dict) and 0 < len(part) <= _MOST_PARTS
        own |= {f"{name}.{inner}": value for inner, value in _unfolded(part).items()} if is_short else {name: part}
    return own


def _entries(part: Any) -> list[dict[str, Any]]:
    """Return the ratings in ``{item: rating}`` or in a list of records with items; none in anything else."""
    if isinstance(part, dict) and part and all(isinstance(value, int | float) for value in part.values()):
        return [{"item": item, "rating": rating} for item, rating in part.items()]
    if isinstance(part, list) and part and all(isinstance(entry, dict) for entry in part):
        return part if any(role_of(name) in ("item", "rating") for name in part[0]) else []
    return []


def _checked(file: SourceFile, table: pa.Table) -> pa.Table:
    table.validate(full=True)  # texts may be no valid UTF-8
    check_columns(file.path, table.num_columns, file.limits.max_columns)
    return table
