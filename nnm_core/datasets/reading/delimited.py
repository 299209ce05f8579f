"""Text tables, parsed by pyarrow, with every malformed row and the line it stands on."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from nnm_core.datasets.reading.dialects import (
    HEAD,
    blank_above,
    csv_reader,
    line_too_long,
    older_encoding,
    plain_rows,
)
from nnm_core.datasets.reading.sources import SourceFile
from nnm_core.datasets.reading.tables import Dialect, Table, check_columns
from nnm_core.datasets.report import N_EXAMPLES, Example, Finding, Note, note
from nnm_core.errors import DataError, in_short

_END = "\x1e"  # a row of its own behind the last one; inside a quote that is never closed it is none
_BLOCK = 2**20
_MANY = 5000  # columns, for each of which every block costs a call
_DOUBLE = ("::", "||", ";;")  # delimiters that are two times the same sign


def read_text(file: SourceFile, dialect: Dialect | None, columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the wanted columns of a text table, in one pass unless there is something unusual about it.

    It is read again row by row for malformed or very long rows, in an older encoding if it is not UTF-8, with cells
    over several lines if quotes first occur far below, and without them if a quote is never closed.
    """
    dialect = dialect or Dialect()
    max_line = file.limits.max_line
    check_columns(file.path, len(columns), file.limits.max_columns)
    position_of = {name: position for position, name in enumerate(columns)}
    read = partial(_DelimitedText, file, n_columns=len(columns), positions=[position_of[name] for name in wanted])
    has_quotes = bool(dialect.quote) and dialect.quote.encode() in file.head(HEAD)
    notes: list[Note] = []
    text = read(dialect, has_quotes, 0)
    if text.error:
        text = read(dialect, has_quotes, max_line)
    if line := text.plain.invalid_line:
        encoding = older_encoding(file.head(max_line))
        notes.append(note(Finding.OLDER_ENCODING_BELOW, file=file.path, line=line, encoding=encoding))
        dialect = replace(dialect, encoding=encoding)
        text = read(dialect, has_quotes, max_line)
    if text.plain.n_quotes and not has_quotes:
        text = read(dialect, True, max_line)
    unclosed = text.find_unclosed_quote()
    if unclosed is not None:
        notes.append(unclosed)
        text = read(dialect, False, 4 * _BLOCK)
    if text.table is None:
        why = f"{file.path} cannot be read as a table: {text.error}. Check the delimiter and the quotes."
        raise DataError(why if unclosed is None else f"{unclosed}.")
    parsed = text.take_rows()
    return Table(
        path=file.path,
        n_rows=parsed.num_rows,
        columns=dict(zip(wanted, parsed.columns, strict=False)),
        line_numbers=text.line_numbers,
        n_malformed=text.n_malformed,
        malformed=tuple(text.malformed_examples()),
        notes=tuple(notes),
    )


class _PlainText(io.RawIOBase):
    """A text file as UTF-8 without byte order mark, with delimiters of one byte.

    ``n_quotes`` counts quotes so far; ``invalid_line`` is the first that is not UTF-8, after which the text ends.
    """

    def __init__(self, file: SourceFile, dialect: Dialect) -> None:
        super().__init__()
        self.n_quotes = 0
        self.invalid_line = 0
        self.failure: Exception | None = None  # what ended the text early, to be raised once pyarrow is done
        self._file, self._dialect = file, dialect
        self._stream = file.open()
        self._blocks = plain_rows(self._checked(self._decoded()), dialect)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = _BLOCK) -> bytes:
        if not self._rest and self.failure is None:
            try:
                self._rest = next(filter(None, self._blocks), b"")
            except Exception as error:  # why: pyarrow reads on threads of its own, which an exception can crash
                self.failure = error
        taken, self._rest = self._rest[:size], self._rest[size:]  # most blocks go on whole, without a copy
        return taken

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        taken = self.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _decoded(self) -> Iterator[bytes]:
        """Yield the bytes as UTF-8."""
        encoding = self._dialect.encoding
        if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii"):
            yield blank_above(self._stream.read(_BLOCK).removeprefix(codecs.BOM_UTF8), self._dialect.n_above)
            while block := self._stream.read(_BLOCK):
                yield block
            return
        decoder = codecs.getincrementaldecoder(encoding)()
        block, n_read = b" ", 0
        try:
            while block:
                block = self._stream.read(_BLOCK)
                plain = decoder.decode(block, not block).removeprefix("\ufeff").encode("utf-8", "replace")
                yield plain if n_read else blank_above(plain, self._dialect.n_above)
                n_read += len(block)
        except UnicodeError as error:
            where = f"near byte {n_read:,}: {in_short(error)}"
            raise DataError(f"{self._file.path} is not {encoding} text ({where}); choose another encoding.") from error

    def _checked(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the same bytes; refuse NUL bytes and endless lines, count quotes, stop where the text is not UTF-8."""
        quote = self._dialect.quote.encode()
        n_bytes = line_length = 0
        tail = b""  # a character that the end of a block cuts in two
        for piece in blocks:
            block, tail = tail + piece, b""
            if (at := block.find(b"\x00")) >= 0:
                raise DataError(
                    f"{self._file.path}, line {self._line_at(n_bytes + at):,}, contains a NUL byte, so it is not a "
                    "text table (or it is UTF-16 without a byte order mark); export it again as UTF-8 text."
                )
            if not block.isascii():
                try:
                    _, n_whole = codecs.utf_8_decode(block, "strict", False)
                except UnicodeDecodeError as error:
                    self.invalid_line = self._line_at(n_bytes + error.start)
                    return
                block, tail = block[:n_whole], block[n_whole:]
            if quote:
                self.n_quotes += block.count(quote)
            n_bytes += len(block)
            end = max(block.rfind(b"\n"), block.rfind(b"\r"))
            line_length = len(block) - end - 1 if end >= 0 else line_length + len(block)
            if line_length > self._file.limits.max_line:
                raise line_too_long(self._file)
            yield block
        if tail:
            self.invalid_line = self._line_at(n_bytes)

    def _line_at(self, n_bytes: int) -> int:
        """Count lines up to a byte of the text; only messages need that, so the text is read again for it."""
        line = 1
        for block in _PlainText(self._file, self._dialect)._decoded():
            line += block[: max(n_bytes, 0)].count(b"\n")
            n_bytes -= len(block)
        return line


class _DelimitedText:
    """One reading of a text table.

    ``table``: rows that are not malformed, header included; None if there is an ``error``. ``records``: the numbers of
    the malformed ones, blank lines not counted; ``texts``: the first few, each with its number of columns.
    ``quotes``: whether cells may go over several lines. ``block_size``: bytes parsed at a time, row by row; if 0,
    the text is parsed on several threads and a malformed row is an error.
    """

    def __init__(
        self,
        file: SourceFile,
        dialect: Dialect,
        quotes: bool,
        block_size: int,
        *,
        n_columns: int,
        positions: Sequence[int],
    ) -> None:
        # A double sign such as :: is read as two single ones with an empty column between, which is a third faster.
        self.is_halved = not block_size and not dialect.quote and dialect.delimiter in _DOUBLE
        dialect = replace(dialect, delimiter=dialect.delimiter[0]) if self.is_halved else dialect
        self.file, self.dialect, self.n_columns = file, dialect, n_columns
        self.n_malformed = 0
        self.records: list[int] = []
        self.texts: list[tuple[int, str]] = []
        self.header_is_malformed = False
        self.plain = _PlainText(file, dialect)
        self.table: pa.Table | None = None
        self.error = ""
        # the quick way may take blocks as they come; the other one needs them as long as it asks for
        with io.BufferedReader(self.plain, _BLOCK) if block_size else self.plain as stream:
            try:
                self.table = self._parse(stream, [str(position) for position in positions], quotes, block_size)
            except pa.ArrowInvalid as error:
                self.error = in_short(error)
        if self.plain.failure is not None:
            raise self.plain.failure

    def _parse(self, stream: io.IOBase, wanted: list[str], quotes: bool, block_size: int) -> Any:
        names = [str(position) for position in range(self.n_columns)]
        gaps = [f"{name} to next" for name in names[:-1]] if self.is_halved else []
        quick_block = min(_BLOCK if self.n_columns < _MANY else 16 * _BLOCK, self.file.limits.max_line)
        return pyarrow.csv.read_csv(
            stream,
            read_options=pyarrow.csv.ReadOptions(
                use_threads=not block_size and self.n_columns < _MANY,
                block_size=block_size or quick_block,
                column_names=[name for pair in zip_longest(names, gaps) for name in pair if name],
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self.dialect.plain_delimiter,
                quote_char=self.dialect.quote or False,
                double_quote=bool(self.dialect.quote),
                escape_char=self.dialect.escape or False,
                newlines_in_values=quotes,
                invalid_row_handler=self._skip if block_size else None,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                check_utf8=False,  # that was checked on the way
                include_columns=wanted + gaps,
                column_types=dict.fromkeys(wanted, pa.string()) | dict.fromkeys(gaps, pa.null()),
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                null_values=[""],
            ),
        )

    def _skip(self, row: Any) -> str:
        """Count a row that pyarrow could not split, and go on."""
        self.n_malformed += 1 + row.text.rstrip("\n").count("\n")
        self.records.append(row.number - 1)
        if len(self.texts) <= N_EXAMPLES:
            self.texts.append((row.actual_columns, row.text[:200]))
        return "skip"

    def take_rows(self) -> pa.Table:
        """Return the rows below the header, once; the header may be shorter or longer than they are."""
        rows: Any = self.table
        self.table = None  # so that whoever asks for line numbers does not keep the cells
        self.header_is_malformed = self.dialect.header and self.records[:1] == [0]
        if self.header_is_malformed:
            self.n_malformed -= 1
            del self.texts[0]
        return rows.slice(self._n_header_rows)

    @property
    def _n_header_rows(self) -> int:
        return int(self.dialect.header and not self.header_is_malformed) + self.dialect.n_below

    def line_numbers(self, rows: Sequence[int]) -> list[int]:
        """Return the line on which each row begins; rows are counted from 0 among those that are not malformed."""
        records = np.asarray(rows, dtype=np.int64) + self._n_header_rows
        for record in self.records:
            if record > records.max(initial=0):
                break
            records[records >= record] += 1
        return self._lines_of_records(records.tolist())

    def malformed_examples(self) -> list[Example]:
        """Return the first malformed rows for the report."""
        records = self.records[int(self.header_is_malformed) :][: len(self.texts)]
        lines = self._lines_of_records(records)
        return [
            Example(self.file.path, line, f"{self.n_columns} columns expected, {n_found} found in {text[:80]!r}")
            for line, (n_found, text) in zip(lines, self.texts, strict=True)
        ][:N_EXAMPLES]

    def _lines_of_records(self, records: Sequence[int]) -> list[int]:
        """Find the lines on which records begin with Python's own reader, which is slow but knows its lines."""
        found: dict[int, int] = {}
        wanted, last = set(records), max(records, default=-1)
        record, begin = 0, 1
        with self._as_text() as text:
            reader = csv_reader(text, self.dialect)
            # a cell may be too long for it: one line per record from there
            with contextlib.suppress(csv.Error, StopIteration):
                while record <= last:
                    if next(reader):
                        if record in wanted:
                            found[record] = begin
                        record += 1
                    begin = reader.line_num + 1
        return [found.get(record, record + 1) for record in records]

    def find_unclosed_quote(self) -> Note | None:
        """Return a note on the quote that is open when the text ends, if there is one."""
        if not self.dialect.quote or self.dialect.escape or (self.plain.n_quotes % 2 == 0 and not self.error):
            return None
        begin, following = 1, 1
        last: list[str] = []
        with self._as_text() as text:
            reader = csv_reader(chain(text, ["\n", _END]), self.dialect)
            try:
                for row in reader:
                    begin, following, last = following, reader.line_num + 1, row
            except csv.Error:  # a cell too long for Python's reader
                begin, last = following, []
        if last == [_END]:
            return None
        return note(Finding.UNCLOSED_QUOTE, file=self.file.path, line=begin, quote=self.dialect.quote)

    def _as_text(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BufferedReader(_PlainText(self.file, self.dialect)), "utf-8", "replace", newline="")
