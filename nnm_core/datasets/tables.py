"""Text tables as columns of strings, with every row that does not fit and the line it stands on."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from nnm_core.datasets.dialect import Dialect, line_too_long, plain_text
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.report import N_EXAMPLES, Example
from nnm_core.datasets.sources import SourceFile
from nnm_core.errors import DataError, in_short

_BLOCK = 2**22


@dataclass(frozen=True, slots=True)
class Table:
    """Some columns of a table, by name; empty cells are nulls, header and unfit rows are left out.

    ``lines`` gives the line on which each of the given rows begins, 0 in a format without lines.
    ``n_unfit``: rows whose number of columns is wrong, with the first few in ``unfit``. ``notes``: worth telling.
    ``unclosed``: the sentence on a quote that is never closed, empty if there is none.
    """

    path: str
    n_rows: int
    columns: dict[str, pa.ChunkedArray]
    lines: Callable[[Sequence[int]], list[int]]
    n_unfit: int = 0
    unfit: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()
    unclosed: str = ""


def read_text(
    file: SourceFile,
    dialect: Dialect,
    names: Sequence[str],
    wanted: Sequence[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """The ``wanted`` columns (all without it) of a text table whose columns have the given ``names``."""
    if len(names) > limits.max_columns:
        raise DataError(f"{file.path} has {len(names):,} columns; at most {limits.max_columns:,} are read.")
    positions = [names.index(name) for name in wanted] if wanted is not None else list(range(len(names)))
    text = _Text(file, dialect, len(names), positions, limits)
    unfit = _Unfit()
    try:
        parsed = text.parse(None)
    except pa.ArrowInvalid:
        # why: the quick parse knows neither rows nor long lines; the careful one says what is wrong and where.
        parsed = text.parse_carefully(unfit)
    if dialect.header and unfit.records[:1] == [0]:
        unfit.forget_header()
    elif dialect.header:
        parsed = parsed.slice(1)
    return Table(
        path=file.path,
        n_rows=parsed.num_rows,
        columns={names[position]: parsed.column(str(position)) for position in positions},
        lines=lambda rows: text.lines_of_rows(rows, unfit.records),
        n_unfit=unfit.count,
        unfit=tuple(text.examples(unfit)),
        unclosed=text.unclosed_quote(),
    )


def line_finder(
    file: SourceFile, dialect: Dialect, n_columns: int, limits: Limits
) -> Callable[[Sequence[int]], list[int]]:
    """What ``Table.lines`` is for a table in which every row fits."""
    text = _Text(file, dialect, n_columns, [], limits)
    return lambda rows: text.lines_of_rows(rows, [])


@dataclass(slots=True)
class _Unfit:
    """Rows with the wrong number of columns; a record is a row counted from 0, header included, blank lines not."""

    count: int = 0
    records: list[int] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)

    def note(self, row: Any) -> str:
        """Count one such row and go on."""
        self.count += 1 + row.text.rstrip("\n").count("\n")
        self.records.append(row.number - 1)
        if len(self.texts) <= N_EXAMPLES:
            self.texts.append((row.actual_columns, row.text[:200]))
        return "skip"

    def forget_header(self) -> None:
        """A header may be shorter or longer than the rows below it."""
        self.count -= 1
        del self.texts[0]


@dataclass(frozen=True, slots=True)
class _Text:
    """A text table that is about to be parsed."""

    file: SourceFile
    dialect: Dialect
    n_columns: int
    positions: list[int]
    limits: Limits

    def parse_carefully(self, unfit: _Unfit) -> pa.Table:
        """The rows that fit, header included; the others are counted in ``unfit``."""
        undecodable = _first_undecodable_line(self.file) if self.dialect.is_utf8 else 0
        if undecodable:
            raise EncodingError(
                f"{self.file.path}, line {undecodable:,}, is not valid UTF-8; choose another encoding, for example "
                "'latin-1'."
            )
        try:
            return self.parse(unfit)
        except pa.ArrowInvalid as error:
            raise self._as_data_error(error) from error

    def parse(self, unfit: _Unfit | None) -> pa.Table:
        """All rows, header included; one that does not fit raises ArrowInvalid unless it can be noted in ``unfit``."""
        wanted = [str(position) for position in self.positions]
        quick, dialect = unfit is None, self.dialect
        with plain_text(self.file, dialect, self.limits) as stream:
            return pyarrow.csv.read_csv(
                stream,
                read_options=pyarrow.csv.ReadOptions(
                    column_names=[str(position) for position in range(self.n_columns)],
                    use_threads=quick,
                    block_size=_BLOCK if quick else self.limits.max_line,
                ),
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter=dialect.parsed_delimiter,
                    quote_char=dialect.quote or False,
                    double_quote=bool(dialect.quote),
                    escape_char=dialect.escape or False,
                    newlines_in_values=bool(dialect.quote) and not quick,
                    invalid_row_handler=unfit.note if unfit is not None else None,
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    include_columns=wanted,
                    column_types={name: pa.string() for name in wanted},
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                    null_values=[""],
                ),
            )

    def _as_data_error(self, error: pa.ArrowInvalid) -> DataError:
        message, path = str(error), self.file.path
        if unclosed := self.unclosed_quote():
            return DataError(f"{unclosed[0].upper()}{unclosed[1:]}.")
        if "straddl" in message:
            return line_too_long(path, self.limits.max_line)
        if "Empty CSV" in message:
            return DataError(f"{path} is empty.")
        return DataError(f"{path} cannot be read as a table: {in_short(error)}. Check the delimiter and the quotes.")

    def lines_of_rows(self, rows: Sequence[int], unfit_records: Sequence[int]) -> list[int]:
        """The line on which each row begins; rows are counted from 0 among those that fit."""
        header = int(self.dialect.header and 0 not in unfit_records[:1])
        records = np.asarray(rows, dtype=np.int64) + header
        for unfit in unfit_records:
            if unfit > records.max(initial=0):
                break
            records[records >= unfit] += 1
        return self._lines_of_records(records.tolist())

    def examples(self, unfit: _Unfit) -> list[Example]:
        """The first unfit rows for the report."""
        records = [record for record in unfit.records if record or not self.dialect.header][: len(unfit.texts)]
        lines = self._lines_of_records(records)
        return [
            Example(self.file.path, line, f"{self.n_columns} columns expected, {n_found} found in {text[:80]!r}")
            for line, (n_found, text) in zip(lines, unfit.texts, strict=True)
        ][:N_EXAMPLES]

    def _lines_of_records(self, records: Sequence[int]) -> list[int]:
        if not records:
            return []
        wanted, last = set(records), max(records)
        found = {record: line for record, line in self._record_lines(last) if record in wanted}
        return [found.get(record, record + 1) for record in records]

    def unclosed_quote(self) -> str:
        """The sentence on a quote that is open when the text ends, empty if there is none."""
        if not self.dialect.quote or self.dialect.escape or not self._has_odd_quotes():
            return ""
        held: list[str] = []
        record, begin, at = "", 1, 1
        with self._as_text() as text:
            reader = self._reader(_remembered(text, held))
            try:
                for _ in reader:
                    begin, at, record = at, reader.line_num + 1, "".join(held)
                    held.clear()
            except csv.Error:  # a cell too long for Python's reader
                begin, record = at, "".join(held)
        if not self._ends_in_quotes(record):
            return ""
        return (
            f"{self.file.path}, line {begin:,}, opens a quote ({self.dialect.quote}) that is never closed, so rows "
            "after it were lost in one cell; close the quote or delete it, and import the file again"
        )

    def _has_odd_quotes(self) -> bool:
        quote, count = self.dialect.quote.encode(), 0
        with self.file.open() as stream:
            while block := stream.read(_BLOCK):
                count += block.count(quote)
        return count % 2 == 1

    def _ends_in_quotes(self, record: str) -> bool:
        try:
            for _ in self._reader(io.StringIO(record, newline=""), strict=True):
                pass
        except csv.Error as error:
            return "end of data" in str(error) or "field larger" in str(error)
        return False

    def _as_text(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(plain_text(self.file, self.dialect, self.limits), "utf-8", "replace", newline="")

    def _reader(self, lines: Iterable[str], *, strict: bool = False) -> Any:
        """Python's own reader, which is slow but knows its lines."""
        dialect = self.dialect
        return csv.reader(
            lines,
            delimiter=dialect.parsed_delimiter,
            quotechar=dialect.quote or None,
            escapechar=dialect.escape or None,
            quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
            strict=strict,
        )

    def _record_lines(self, last: int) -> Iterator[tuple[int, int]]:
        """Pairs of record and line, up to the record ``last``."""
        with self._as_text() as text:
            reader = self._reader(text)
            record, begin = 0, 1
            try:
                for cells in reader:
                    if cells:
                        yield record, begin
                        record += 1
                    begin = reader.line_num + 1
                    if record > last:
                        return
            except csv.Error:  # a cell too long for Python's reader: later lines are counted as one per record
                return


def _remembered(lines: Iterable[str], held: list[str]) -> Iterator[str]:
    """The same lines, each kept in ``held`` as well."""
    for line in lines:
        held.append(line)
        yield line


class EncodingError(DataError):
    """A text that is not UTF-8; it may be read in an older encoding."""


def _first_undecodable_line(file: SourceFile) -> int:
    """The first line that is not UTF-8, 0 if there is none."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    n_lines, block = 0, b""
    with file.open() as stream:
        try:
            while block := stream.read(_BLOCK):
                decoder.decode(block)
                n_lines += block.count(b"\n")
            decoder.decode(b"", True)
        except UnicodeDecodeError as error:
            return n_lines + block.count(b"\n", 0, error.start) + 1
    return 0
