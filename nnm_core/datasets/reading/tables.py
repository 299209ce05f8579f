"""What a table is: columns by name, a sample of the first rows and, for text, the dialect it is written in."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from nnm_core.datasets.reading.sources import SourceFile
from nnm_core.datasets.report import Example, Note
from nnm_core.errors import DataError, InputError
from nnm_core.phrases import as_text

WHITESPACE = " "  # the delimiter that stands for any run of spaces and tabs
UNIT = "\x1f"  # what delimiters of several characters become before a table is parsed


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    ``delimiter``: up to eight characters; a space stands for any run of white space. ``quote`` and ``escape``: one
    character, or empty for none. ``header``: whether the first row names the columns. ``item_blocks``: a line such as
    ``17:`` names the item of all lines up to the next such line, as in the Netflix Prize; it becomes the first column.
    ``n_above``: lines above the table, such as its title, which are passed over. ``n_below``: rows below the header
    that explain its names, as the exports of Qualtrics and SurveyMonkey have.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    header: bool = True
    encoding: str = "utf-8"
    item_blocks: bool = False
    n_above: int = 0
    n_below: int = 0

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

    @property
    def plain_delimiter(self) -> str:
        """The delimiter of one byte that ``plain_rows`` leaves between columns."""
        return UNIT if self.delimiter == WHITESPACE or len(self.delimiter.encode()) > 1 else self.delimiter


@dataclass(frozen=True, slots=True)
class TableSample:
    """The beginning of a table: its columns, sample rows, dialect (None if it is not text), and notes.

    ``profiles``: what ``profile_columns`` found, once it was asked for.
    """

    file: str
    columns: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    dialect: Dialect | None = None
    notes: tuple[Note, ...] = ()
    profiles: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

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
        present = set(table.column_names)
        missing = [name for name in wanted if name not in present]
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
