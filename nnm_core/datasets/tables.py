"""Text tables as columns of strings, with every row that does not fit and the line it stands on."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from nnm_core.datasets.dialect import Dialect, line_too_long, plain_text
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.report import N_EXAMPLES
from nnm_core.datasets.sources import SourceFile
from nnm_core.errors import DataError

_BLOCK = 2**22


@dataclass(slots=True)
class BadRows:
    """Rows whose number of columns is wrong: how many, and the first few as (record, columns, text)."""

    count: int = 0
    examples: list[tuple[int, int, str]] = field(default_factory=list)
    records: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TextTable:
    """The wanted columns of a text table as strings, empty cells as nulls, header and unfit rows left out."""

    file: SourceFile
    dialect: Dialect
    limits: Limits
    n_rows: int
    columns: dict[int, pa.ChunkedArray]
    bad: BadRows

    def lines(self, rows: Sequence[int]) -> list[int]:
        """The line on which each of the given rows (counted from 0 among the fitting ones) begins."""
        records = np.asarray(rows, dtype=np.int64) + int(self.dialect.header)
        for bad in self.bad.records:
            records[records >= bad] += 1
        return lines_of_records(self.file, self.dialect, records.tolist(), self.limits)

    def bad_lines(self) -> list[tuple[int, int, str]]:
        """The first unfit rows as (line, number of columns, text)."""
        records = [record for record, _, _ in self.bad.examples]
        lines = lines_of_records(self.file, self.dialect, records, self.limits)
        return [(line, n, text) for line, (_, n, text) in zip(lines, self.bad.examples, strict=True)]


def read_table(
    file: SourceFile,
    dialect: Dialect,
    n_columns: int,
    wanted: Sequence[int] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> TextTable:
    """The columns at the ``wanted`` positions (all without it) of a table that has ``n_columns`` columns."""
    if n_columns > limits.max_columns:
        raise DataError(f"{file.path} has {n_columns:,} columns; at most {limits.max_columns:,} are read.")
    positions = range(n_columns) if wanted is None else wanted
    bad = BadRows()
    try:
        table = _parse(file, dialect, n_columns, positions, limits, None)
    except pa.ArrowInvalid:
        # why: the quick parse knows neither rows nor long lines; the careful one says what is the matter and where.
        table = _parse_carefully(file, dialect, n_columns, positions, limits, bad)
    if dialect.header and not (bad.records and bad.records[0] == 0):
        table = table.slice(1)
    elif dialect.header:
        bad.count -= 1
        bad.examples = [example for example in bad.examples if example[0] > 0]
    columns = {position: table.column(str(position)) for position in positions}
    return TextTable(file, dialect, limits, table.num_rows, columns, bad)


def _parse_carefully(
    file: SourceFile, dialect: Dialect, n_columns: int, positions: Sequence[int], limits: Limits, bad: BadRows
) -> pa.Table:
    """The rows that fit; the others are counted in ``bad``."""
    try:
        return _parse(file, dialect, n_columns, positions, limits, bad)
    except pa.ArrowInvalid as error:
        raise _as_data_error(file, dialect, error, limits) from error


def _parse(
    file: SourceFile, dialect: Dialect, n_columns: int, positions: Sequence[int], limits: Limits, bad: BadRows | None
) -> pa.Table:
    """All rows including the header; unfit rows raise ArrowInvalid without ``bad``, and are noted with it."""
    names = [str(position) for position in range(n_columns)]
    wanted = [str(position) for position in positions]

    def note(row: Any) -> str:
        if bad is not None:
            n_lines = 1 + row.text.count("\n")
            bad.count += n_lines
            bad.records.append(row.number - 1)
            if len(bad.examples) < N_EXAMPLES + 1:
                bad.examples.append((row.number - 1, row.actual_columns, row.text[:200]))
        return "skip" if bad is not None else "error"

    with plain_text(file, dialect, limits) as stream:
        return pyarrow.csv.read_csv(
            stream,
            read_options=pyarrow.csv.ReadOptions(
                column_names=names, use_threads=bad is None, block_size=_BLOCK if bad is None else limits.max_line
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=dialect.parsed_delimiter,
                quote_char=dialect.quote or False,
                double_quote=bool(dialect.quote),
                escape_char=dialect.escape or False,
                newlines_in_values=bool(dialect.quote) and bad is not None,
                invalid_row_handler=note if bad is not None else None,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=wanted,
                column_types={name: pa.string() for name in wanted},
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                null_values=[""],
            ),
        )


def _as_data_error(file: SourceFile, dialect: Dialect, error: pa.ArrowInvalid, limits: Limits) -> DataError:
    message = str(error)
    if "straddl" in message:
        return line_too_long(file.path, limits.max_line)
    if "Empty CSV" in message:
        return DataError(f"{file.path} is empty.")
    if "UTF8" in message:
        line = _first_undecodable_line(file)
        where = f", line {line:,}," if line else ""
        return DataError(
            f"{file.path}{where} is not valid {dialect.encoding}; choose another encoding, for example 'latin-1'."
        )
    return DataError(f"{file.path} cannot be read as a table: {_first_line(error)}.")


def _first_undecodable_line(file: SourceFile) -> int:
    with file.open() as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 0


def _first_line(error: Exception) -> str:
    return str(error).split("\n", maxsplit=1)[0][:200].rstrip(".")


def lines_of_records(file: SourceFile, dialect: Dialect, records: Sequence[int], limits: Limits) -> list[int]:
    """The line, counted from 1, on which each record (counted from 0, blank lines not counted) begins."""
    if not records:
        return []
    wanted, last = set(records), max(records)
    found = {record: line for record, line in _record_lines(file, dialect, last, limits) if record in wanted}
    return [found.get(record, record + 1) for record in records]


def _record_lines(file: SourceFile, dialect: Dialect, last: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """Pairs of record and line up to the record ``last``."""
    quote, escape = dialect.quote or None, dialect.escape or None
    with plain_text(file, dialect, limits) as stream, io.TextIOWrapper(stream, "utf-8", "replace", newline="") as text:
        reader = csv.reader(
            text,
            delimiter=dialect.parsed_delimiter,
            quotechar=quote,
            escapechar=escape,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        )
        record, begin = 0, 1
        try:
            for cells in reader:
                if cells:
                    yield record, begin
                    record += 1
                begin = reader.line_num + 1
                if record > last:
                    return
        except csv.Error:
            return
