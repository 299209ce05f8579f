"""Text tables, parsed by pyarrow, with every malformed row and the line it stands on."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from nnm_core.datasets.report import N_EXAMPLES, Example, Finding, Note, note
from nnm_core.datasets.sources import SourceFile
from nnm_core.datasets.tables import (
    WHITESPACE,
    Dialect,
    Table,
    check_columns,
    line_too_long,
    older_encoding,
)
from nnm_core.errors import DataError, in_short

_UNIT = "\x1f"
"""What delimiters of several characters become before a table is parsed: ASCII's own unit separator."""

_END = "\x1e"
"""A row of its own behind the last one; inside a quote that is never closed it is none."""

_BLOCK = 2**20
_HEAD = 2**15
_NEWLINE = 10


def read_text(file: SourceFile, dialect: Dialect | None, columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the wanted columns of a text table, in one pass unless there is something unusual about it.

    A table with malformed or very long rows is read again, row by row. A text that turns out not to be UTF-8 is read
    again in an older encoding, and one whose quotes first occur far below its beginning with cells that may go over
    several lines. Where a quote is never closed, cells may not, so that only rows near the quote are lost.
    """
    dialect = dialect or Dialect()
    check_columns(file.path, len(columns), file.limits.max_columns)
    max_line = file.limits.max_line
    position_of = {name: position for position, name in enumerate(columns)}
    positions = [position_of[name] for name in wanted]
    has_quotes = bool(dialect.quote) and dialect.quote.encode() in file.head(_HEAD)
    notes: list[Note] = []
    text = _DelimitedText(file, dialect, len(columns), positions, has_quotes=has_quotes)
    if text.error:
        text = _DelimitedText(file, dialect, len(columns), positions, has_quotes=has_quotes, block_size=max_line)
    if line := text.plain.invalid_line:
        encoding = older_encoding(file.head(max_line))
        notes.append(note(Finding.OLDER_ENCODING_BELOW, file=file.path, line=line, encoding=encoding))
        dialect = replace(dialect, encoding=encoding)
        text = _DelimitedText(file, dialect, len(columns), positions, has_quotes=has_quotes, block_size=max_line)
    if text.plain.n_quotes and not has_quotes:
        text = _DelimitedText(file, dialect, len(columns), positions, has_quotes=True, block_size=max_line)
    unclosed = text.find_unclosed_quote()
    if unclosed is not None:
        notes.append(unclosed)
        text = _DelimitedText(file, dialect, len(columns), positions, has_quotes=False, block_size=4 * _BLOCK)
    if text.table is None:
        raise DataError(
            f"{unclosed}."
            if unclosed is not None
            else f"{file.path} cannot be read as a table: {text.error}. Check the delimiter and the quotes."
        )
    parsed, text.table = text.table, None  # so that whoever asks for line numbers does not keep the cells
    if dialect.header and not text.malformed.forget_header():
        parsed = parsed.slice(1)
    return Table(
        path=file.path,
        n_rows=parsed.num_rows,
        columns={columns[position]: parsed.column(str(position)) for position in positions},
        line_numbers=text.line_numbers,
        n_malformed=text.malformed.count,
        malformed=tuple(text.malformed_examples()),
        notes=tuple(notes),
    )


class _PlainText(io.RawIOBase):
    """A text file as UTF-8 without byte order mark, whose columns are split by one character.

    While it is read, ``n_quotes`` counts quotes, and ``invalid_line`` becomes the first line that is not valid UTF-8;
    what comes after that line is left out.
    """

    def __init__(self, file: SourceFile, dialect: Dialect) -> None:
        super().__init__()
        self.n_quotes = 0
        self.invalid_line = 0
        self._file, self._dialect = file, dialect
        self._stream = file.open()
        self._blocks = self._rewritten(self._checked(self._decoded()))
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        taken = min(len(buffer), len(self._rest))
        buffer[:taken] = self._rest[:taken]
        self._rest = self._rest[taken:]
        return taken

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _decoded(self) -> Iterator[bytes]:
        """The bytes as UTF-8."""
        encoding = self._dialect.encoding
        if _is_utf8(self._dialect):
            yield self._stream.read(_BLOCK).removeprefix(codecs.BOM_UTF8)
            while block := self._stream.read(_BLOCK):
                yield block
            return
        decoder = codecs.getincrementaldecoder(encoding)()
        n_read = 0
        try:
            while block := self._stream.read(_BLOCK):
                yield decoder.decode(block).removeprefix("\ufeff").encode("utf-8", "replace")
                n_read += len(block)
            yield decoder.decode(b"", True).encode("utf-8", "replace")
        except UnicodeError as error:
            raise DataError(
                f"{self._file.path} is not {encoding} text (near byte {n_read:,}: {in_short(error)}); choose another "
                "encoding."
            ) from error

    def _checked(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The same bytes; refuse NUL bytes and endless lines, count quotes, stop where the text is not UTF-8."""
        path, max_line = self._file.path, self._file.limits.max_line
        quote = self._dialect.quote.encode()
        n_lines = line_length = 0
        tail = b""  # a character that the end of a block cuts in two
        for piece in blocks:
            block, tail = tail + piece, b""
            if (at := block.find(b"\x00")) >= 0:
                raise DataError(
                    f"{path}, line {n_lines + block.count(_NEWLINE, 0, at) + 1:,}, contains a NUL byte, so it is not a "
                    "text table (or it is UTF-16 without a byte order mark); export it again as UTF-8 text."
                )
            if not block.isascii():
                try:
                    _, n_whole = codecs.utf_8_decode(block, "strict", False)
                except UnicodeDecodeError as error:
                    self.invalid_line = n_lines + block.count(_NEWLINE, 0, error.start) + 1
                    return
                block, tail = block[:n_whole], block[n_whole:]
            if quote:
                self.n_quotes += block.count(quote)
            n_lines += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == _NEWLINE))
            end = max(block.rfind(b"\n"), block.rfind(b"\r"))
            line_length = len(block) - end - 1 if end >= 0 else line_length + len(block)
            if line_length > max_line:
                raise line_too_long(self._file)
            yield block
        if tail:
            self.invalid_line = n_lines + 1

    def _rewritten(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The same rows with a delimiter of one byte."""
        dialect = self._dialect
        delimiter = dialect.delimiter.encode()
        if dialect.item_blocks:
            return _items_in_front(_whole_lines(blocks), delimiter)
        if dialect.delimiter == WHITESPACE:
            return map(_white_space_as_unit, _whole_lines(blocks))
        if len(delimiter) > 1:
            return (block.replace(delimiter, _UNIT.encode()) for block in _whole_lines(blocks))
        return blocks


def _is_utf8(dialect: Dialect) -> bool:
    return codecs.lookup(dialect.encoding).name in ("utf-8", "utf-8-sig", "ascii")


def _whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, cut at the ends of lines, so that no delimiter lies across a cut."""
    held: list[bytes] = []
    for block in blocks:
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if end:
            yield b"".join([*held, block[:end]])
            held = []
        held.append(block[end:])
    yield b"".join(held)


def _white_space_as_unit(block: bytes) -> bytes:
    stripped = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", block)
    return re.sub(rb"[ \t]+", _UNIT.encode(), stripped)


def _items_in_front(blocks: Iterator[bytes], delimiter: bytes) -> Iterator[bytes]:
    """Each line with its block's item in front; the line that names it is left blank, so that line numbers stay."""
    item = b""
    for block in blocks:
        lines = block.split(b"\n")
        for k, line in enumerate(lines):
            bare = line.rstrip()
            if bare.endswith(b":") and bare[:-1].isdigit():
                item, lines[k] = bare[:-1] + delimiter, b""
            elif bare:
                lines[k] = item + line
        yield b"\n".join(lines)


@dataclass(slots=True)
class _Malformed:
    """Rows with the wrong number of columns; ``records`` counts rows from 0, header included, blank lines not."""

    count: int = 0
    records: list[int] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)
    has_header: bool = False

    def skip(self, row: Any) -> str:
        """Count a row that pyarrow could not split, and go on."""
        self.count += 1 + row.text.rstrip("\n").count("\n")
        self.records.append(row.number - 1)
        if len(self.texts) <= N_EXAMPLES:
            self.texts.append((row.actual_columns, row.text[:200]))
        return "skip"

    def forget_header(self) -> bool:
        """Take the header off the list, if it is there: it may be shorter or longer than the rows below it."""
        self.has_header = self.records[:1] == [0]
        if self.has_header:
            self.count -= 1
            del self.texts[0]
        return self.has_header


class _DelimitedText:
    """One reading of a text table.

    ``table``: all rows that are not malformed, header included; None if pyarrow cannot make a table of the text, and
    then ``error`` says why. ``malformed``: the other rows. ``plain``: the text that was parsed.
    ``block_size``: bytes parsed at a time, row by row, so that the numbers of malformed rows are known. Without
    it the text is parsed quickly, on several threads, and a malformed row is an error.
    """

    def __init__(
        self,
        file: SourceFile,
        dialect: Dialect,
        n_columns: int,
        positions: Sequence[int],
        *,
        has_quotes: bool,
        block_size: int = 0,
    ) -> None:
        self.file, self.dialect, self.n_columns = file, dialect, n_columns
        is_rewritten = dialect.delimiter == WHITESPACE or len(dialect.delimiter.encode()) > 1
        self.delimiter = _UNIT if is_rewritten else dialect.delimiter
        self.malformed = _Malformed()
        self.plain = _PlainText(file, dialect)
        self.table: pa.Table | None = None
        self.error = ""
        with io.BufferedReader(self.plain, buffer_size=_BLOCK) as stream:
            try:
                self.table = self._parse(stream, positions, has_quotes, block_size)
            except pa.ArrowInvalid as error:
                self.error = in_short(error)

    def _parse(self, stream: IO[bytes], positions: Sequence[int], has_quotes: bool, block_size: int) -> pa.Table:
        wanted = [str(position) for position in positions]
        return pyarrow.csv.read_csv(
            stream,
            read_options=pyarrow.csv.ReadOptions(
                column_names=[str(position) for position in range(self.n_columns)],
                use_threads=not block_size,
                block_size=block_size or min(_BLOCK, self.file.limits.max_line),
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char=self.dialect.quote or False,
                double_quote=bool(self.dialect.quote),
                escape_char=self.dialect.escape or False,
                newlines_in_values=has_quotes,
                invalid_row_handler=self.malformed.skip if block_size else None,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=wanted,
                column_types={name: pa.string() for name in wanted},
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                null_values=[""],
            ),
        )

    def line_numbers(self, rows: Sequence[int]) -> list[int]:
        """Return the line on which each row begins; rows are counted from 0 among those that are not malformed."""
        header = int(self.dialect.header and not self.malformed.has_header)
        records = np.asarray(rows, dtype=np.int64) + header
        for record in self.malformed.records:
            if record > records.max(initial=0):
                break
            records[records >= record] += 1
        return self._lines_of_records(records.tolist())

    def malformed_examples(self) -> list[Example]:
        """Return the first malformed rows for the report."""
        records = self.malformed.records[int(self.malformed.has_header) :][: len(self.malformed.texts)]
        lines = self._lines_of_records(records)
        return [
            Example(self.file.path, line, f"{self.n_columns} columns expected, {n_found} found in {text[:80]!r}")
            for line, (n_found, text) in zip(lines, self.malformed.texts, strict=True)
        ][:N_EXAMPLES]

    def _lines_of_records(self, records: Sequence[int]) -> list[int]:
        """Find the lines on which records begin with Python's own reader, which is slow but knows its lines."""
        found: dict[int, int] = {}
        wanted, last = set(records), max(records, default=-1)
        record, begin = 0, 1
        with self._as_text() as text:
            reader = self._csv_reader(text)
            try:
                while record <= last:
                    if next(reader):
                        if record in wanted:
                            found[record] = begin
                        record += 1
                    begin = reader.line_num + 1
            except (csv.Error, StopIteration):  # a cell too long for Python's reader: one line per record after it
                pass
        return [found.get(record, record + 1) for record in records]

    def find_unclosed_quote(self) -> Note | None:
        """Return a note on the quote that is open when the text ends, if there is one."""
        if not self.dialect.quote or self.dialect.escape or (self.plain.n_quotes % 2 == 0 and not self.error):
            return None
        begin, following = 1, 1
        last: list[str] = []
        with self._as_text() as text:
            reader = self._csv_reader(chain(text, ["\n", _END]))
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

    def _csv_reader(self, lines: Iterable[str]) -> Any:
        dialect = self.dialect
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=dialect.quote or None,
            escapechar=dialect.escape or None,
            quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        )
