"""What a table is, and how a text table is written: its dialect, guessed from the beginning of the file."""

from __future__ import annotations

import codecs
import contextlib
import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from nnm_core.datasets.profiles import declared_type, role_of
from nnm_core.datasets.report import Example, Finding, Note, note
from nnm_core.datasets.sources import SourceFile, format_bytes
from nnm_core.errors import DataError, InputError, in_short

WHITESPACE = " "  # the delimiter that stands for any run of spaces and tabs


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    ``delimiter``: up to eight characters; a space stands for any run of white space. ``quote`` and ``escape``: one
    character, or empty for none. ``header``: whether the first row names the columns. ``item_blocks``: a line such as
    ``17:`` names the item of all lines up to the next such line, as in the Netflix Prize; it becomes the first column.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    header: bool = True
    encoding: str = "utf-8"
    item_blocks: bool = False

    def __post_init__(self) -> None:
        if not self.delimiter or len(self.delimiter) > 8 or set(self.delimiter) & set('\r\n"\x00'):
            others = "use for example ',', ';', '|', '\\t' or '::'"
            raise InputError(f"{self.delimiter!r} cannot delimit columns; {others}.")
        if len(self.quote) > 1 or len(self.escape) > 1:
            raise InputError(f"Quote {self.quote!r} and escape {self.escape!r} must be single characters or empty.")
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            raise InputError(f"{self.encoding!r} is no known text encoding; try 'utf-8' or 'latin-1'.") from error


@dataclass(frozen=True, slots=True)
class TableSample:
    """The beginning of a table: its columns, sample rows, dialect (None if it is not text), and notes."""

    file: str
    columns: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    dialect: Dialect | None = None
    notes: tuple[Note, ...] = ()

    @classmethod
    def from_arrow(cls, file: SourceFile, table: pa.Table) -> TableSample:
        """Sample the first rows of an Arrow table."""
        columns = table.slice(0, 1000).to_pydict().values()
        rows = zip(*([as_text(value) for value in column] for column in columns), strict=True)
        return cls(file.path, tuple(table.column_names), tuple(rows))

    @property
    def named(self) -> bool:
        """Whether the columns have names of their own."""
        return self.dialect is None or self.dialect.header

    def cells(self, column: str) -> list[str]:
        """Return the sample of one column."""
        position = self.columns.index(column)
        return [row[position] for row in self.sample]


@dataclass(frozen=True, slots=True)
class Table:
    """Some columns of a table, by name; empty cells are nulls, header and malformed rows are left out.

    ``line_numbers`` gives the line on which each of the given rows begins, 0 in a format without lines.
    """

    path: str
    n_rows: int
    columns: dict[str, pa.ChunkedArray]
    line_numbers: Callable[[Sequence[int]], list[int]]
    n_malformed: int = 0
    malformed: tuple[Example, ...] = ()
    notes: tuple[Note, ...] = ()

    @classmethod
    def from_arrow(cls, file: SourceFile, table: pa.Table, wanted: Sequence[str], *, one_line_each: bool) -> Table:
        """Take the wanted columns of an Arrow table; ``one_line_each``: its file has one line for every row."""
        missing = [name for name in wanted if name not in table.column_names]
        if missing:
            found = ", ".join(table.column_names[:20])
            raise DataError(f"{file.path} has no column {missing[0]!r}; its columns are {found}.")

        def line_numbers(rows: Sequence[int]) -> list[int]:
            return [row + 1 if one_line_each else 0 for row in rows]

        return cls(file.path, table.num_rows, {name: table.column(name) for name in wanted}, line_numbers)


def check_columns(path: str, n_columns: int, most: int) -> None:
    """Raise DataError for a table with more columns than are read."""
    if n_columns > most:
        raise DataError(f"{path} has {n_columns:,} columns; at most {most:,} are read.")


def as_text(value: Any) -> str:
    """Write a value without a ``.0`` that only its type added; empty for null and NaN."""
    if value is None or value != value:
        return ""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return f"{value:.0f}" if is_whole else str(value)


_HEAD = 2**15
_LONG_HEAD = 2**22
_MAX_SAMPLE = 200
_DELIMITERS = ("\t", "::", ";", ",", "|", "\x1f", "\x01")  # candidates in the order of preference
_NETFLIX = re.compile(r"\d+:\s*")


def sniff_text(file: SourceFile, dialect: Dialect | None = None) -> TableSample:
    """Return dialect, columns and first rows; a given ``dialect`` is followed as it is."""
    head = _head(file)
    encoding, notes = (dialect.encoding, ()) if dialect else guess_encoding(head)
    lines = _lines(head, encoding, file.path)
    guess = dialect or _guess_dialect(lines, encoding)
    rows = [row for row in split_rows(lines, guess) if row]
    if not rows:
        raise DataError(f"{file.path} has no rows.")
    n_columns = Counter(len(row) for row in rows[1:] or rows).most_common(1)[0][0]
    check_columns(file.path, max(n_columns, len(rows[0])), file.limits.max_columns)
    body = [row for row in rows if len(row) == n_columns]
    if dialect is None:
        guess = replace(guess, header=_has_header(rows[0], [row for row in body if row is not rows[0]]))
    columns, more = _column_names(rows[0] if guess.header else [], n_columns)
    sample = [row for row in body if not (guess.header and row is rows[0])][:_MAX_SAMPLE]
    return TableSample(file.path, columns, tuple(map(tuple, sample)), guess, (*notes, *more))


def _head(file: SourceFile) -> bytes:
    """Read a few hundred lines, or at least one if they are long."""
    max_line = file.limits.max_line
    for size in (_HEAD, min(_LONG_HEAD, max_line), max_line):
        head = file.head(size)
        if len(head) < size or head.count(b"\n") + head.count(b"\r") >= 8:
            return head
    if b"\n" in head or b"\r" in head:
        return head
    raise line_too_long(file)


def line_too_long(file: SourceFile) -> DataError:
    """Return the error for a line that no table of ratings has."""
    return DataError(
        f"{file.path} has a line of more than {format_bytes(file.limits.max_line)}, so it is not a table with one "
        "rating, item or person per line; check how it was exported."
    )


def guess_encoding(head: bytes) -> tuple[str, tuple[Note, ...]]:
    """Guess the encoding of a text that begins so; a note tells of an unusual one."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8", ()
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", ()
    even, odd = head[0:2000:2].count(0), head[1:2000:2].count(0)
    if max(even, odd) > 0.3 * len(head[:2000]) / 2 and min(even, odd) == 0:
        encoding = "utf-16-le" if odd > even else "utf-16-be"
        return encoding, (note(Finding.UTF_16, encoding=encoding.upper()),)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        encoding = older_encoding(head)
        line = head.count(b"\n", 0, error.start) + 1
        return encoding, (note(Finding.OLDER_ENCODING, line=line, encoding=encoding),)
    return "utf-8", ()


def older_encoding(head: bytes) -> str:
    """Return Windows' own Western encoding if its extra characters occur, else latin-1, which reads everything."""
    if any(0x80 <= byte < 0xA0 for byte in set(head)):
        with contextlib.suppress(UnicodeDecodeError):
            codecs.getincrementaldecoder("cp1252")().decode(head)
            return "cp1252"
    return "latin-1"


def _lines(head: bytes, encoding: str, path: str) -> list[str]:
    """The complete lines of the beginning."""
    try:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    except UnicodeError as error:
        raise DataError(f"{path} is not {encoding} text ({in_short(error)}); choose another encoding.") from error
    text = text.removeprefix("\ufeff")
    if (at := text.find("\x00")) >= 0:
        where = f"{path}, line {text.count(chr(10), 0, at) + 1:,}"
        raise DataError(f"{where}, contains a NUL byte, so it is not a text table; export it as UTF-8 text.")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(lines) > 1 and len(head) >= _HEAD:
        lines.pop()
    return lines


def _guess_dialect(lines: Sequence[str], encoding: str) -> Dialect:
    lines = [line for line in lines if line.strip()][:_MAX_SAMPLE]
    if lines and _NETFLIX.fullmatch(lines[0]):
        return Dialect(",", quote="", encoding=encoding, header=False, item_blocks=True)
    best, best_score = Dialect(",", encoding=encoding), (0.0, False, 0)
    for delimiter in _DELIMITERS:
        if not any(delimiter in line for line in lines):
            continue
        dialect = _with_quotes(Dialect(delimiter, encoding=encoding), lines)
        usual, n_usual, widths = _widths(lines, dialect)
        score = (round(n_usual / len(widths), 1), widths[0] in (usual, usual - 1), usual) if usual > 1 else best_score
        if score > best_score:
            best, best_score = dialect, score
    if best_score[0] >= 0.8:
        return best
    blank = Dialect(WHITESPACE, quote="", encoding=encoding)
    usual, n_usual, widths = _widths(lines, blank)
    return blank if usual > 1 and n_usual / len(widths) >= max(best_score[0], 0.8) else best


def _widths(lines: Sequence[str], dialect: Dialect) -> tuple[int, int, list[int]]:
    """Return how many cells most rows have, how many rows have so many, and how many each row has."""
    widths = [len(row) for row in split_rows(lines, dialect) if row]
    usual, n_usual = Counter(widths).most_common(1)[0] if widths else (1, 0)
    return usual, n_usual, widths


def _with_quotes(dialect: Dialect, lines: Sequence[str]) -> Dialect:
    """The dialect with the quotes that its lines use: commas imply them, in other tables a cell must show them."""
    if dialect.delimiter in (",", ";"):
        return _with_escape(dialect, lines)
    between = re.escape(dialect.delimiter)
    quoted = re.compile(rf'(^|{between})"([^"]|"")*"($|{between})')
    stray = re.compile(rf'(^|{between})"[^"]*($|{between})|(^|{between})"[^"]*"(?!"|$|{between})')
    uses = any(quoted.search(line) for line in lines) and not any(stray.search(line) for line in lines)
    return _with_escape(dialect, lines) if uses else replace(dialect, quote="")


def _with_escape(dialect: Dialect, lines: Sequence[str]) -> Dialect:
    """The dialect with a backslash as escape if its lines need one: a cell may also just end in a backslash."""
    if not any('\\"' in line for line in lines):
        return dialect
    escaped = replace(dialect, escape="\\")
    return escaped if _widths(lines, escaped)[1] >= _widths(lines, dialect)[1] else dialect


def split_rows(lines: Sequence[str], dialect: Dialect) -> list[list[str]]:
    """Lines as cells; blank lines give empty lists."""
    rows: list[list[str]] = []
    if dialect.item_blocks:
        item = ""
        for line in lines:
            if _NETFLIX.fullmatch(line):
                item = line.strip().rstrip(":")
            elif line:
                rows.append([item, *line.split(",")])
        return rows
    if dialect.delimiter == WHITESPACE:
        return [line.split() for line in lines]
    if not dialect.quote:
        return [line.split(dialect.delimiter) if line else [] for line in lines]
    delimiter = dialect.delimiter
    if len(delimiter.encode()) > 1:
        lines = [line.replace(delimiter, "\x1f") for line in lines]
        delimiter = "\x1f"
    reader = csv.reader(lines, delimiter=delimiter, quotechar=dialect.quote, escapechar=dialect.escape or None)
    with contextlib.suppress(csv.Error):  # a cell beyond what Python's reader takes; the rows so far are enough
        rows.extend(reader)
    return rows


def _has_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: it says so, or it has words where all other rows have numbers."""
    cells = [cell.strip() for cell in first]
    if any(declared_type(cell) for cell in cells):
        return True
    if not body:
        return sum(role_of(cell) is not None for cell in cells) >= 2
    known = sum(role_of(cell) is not None for cell in cells if not _is_number(cell))
    if known >= 2 or (known and not any(_is_number(cell) for cell in cells if cell)):
        return True
    columns = list(zip(*body, strict=True)) if len(first) == len(body[0]) else []
    for cell, column in zip(cells, columns, strict=False):
        given = [other for other in column if other.strip()]
        if cell and not _is_number(cell) and given and all(_is_number(other) for other in given):
            return True
    return len(first) == len(body[0]) - 1 and not any(_is_number(cell) for cell in cells)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?\s*", text) is not None


def _column_names(header: Sequence[str], n_columns: int) -> tuple[tuple[str, ...], list[Note]]:
    """Return distinct names for all columns, and notes on what was changed for it."""
    cells = [cell.strip() for cell in header]
    if len(cells) == n_columns - 1:
        cells = ["row", *cells]
    cells = cells[:n_columns] + [""] * (n_columns - len(cells))
    names: list[str] = []
    notes: list[Note] = []
    taken = Counter[str]()
    for k, cell in enumerate(cells):
        name = cell or f"column {k + 1}"
        taken[name] += 1
        if taken[name] > 1:
            while f"{name} ({taken[name]})" in taken:
                taken[name] += 1
            if len(notes) < 3:
                notes.append(note(Finding.SAME_COLUMN_NAME, name=name[:40], later=f"{name[:40]} ({taken[name]})"))
            name = f"{name} ({taken[name]})"
            taken[name] += 1
        names.append(name)
    return tuple(names), notes
