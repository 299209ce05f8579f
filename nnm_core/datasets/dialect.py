"""How a text table is written down, and its bytes as plain UTF-8 with one-character delimiters."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits, in_bytes
from nnm_core.datasets.sources import SourceFile
from nnm_core.errors import DataError, InputError, in_short

WHITESPACE = " "
"""The delimiter that stands for any run of spaces and tabs."""

UNIT = "\x1f"
"""What longer delimiters become before a table is parsed: ASCII's own unit separator."""

_BLOCK = 2**20
_NEWLINE = 10


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    ``delimiter``: one character, ``::``, or a space for any run of white space. ``quote`` and ``escape``: one
    character, or empty for none. ``header``: whether the first row names the columns. ``encoding``: as Python calls it.
    ``item_blocks``: a line such as ``17:`` names the item of all lines up to the next of its kind, as in the Netflix
    Prize; it becomes the first column.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    header: bool = True
    encoding: str = "utf-8"
    item_blocks: bool = False

    def __post_init__(self) -> None:
        if not self.delimiter or len(self.delimiter) > 8 or set(self.delimiter) & set('\r\n"\x00'):
            raise InputError(
                f"{self.delimiter!r} cannot delimit columns; use for example ',', ';', '|', '\\t' or '::'."
            )
        if len(self.quote) > 1 or len(self.escape) > 1:
            raise InputError(f"Quote {self.quote!r} and escape {self.escape!r} must be single characters or empty.")
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            raise InputError(f"{self.encoding!r} is no known text encoding; try 'utf-8' or 'latin-1'.") from error

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes can be parsed as they are."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii")

    @property
    def parsed_delimiter(self) -> str:
        """The single character between columns after ``plain_text``."""
        return UNIT if self.is_rewritten else self.delimiter

    @property
    def is_rewritten(self) -> bool:
        """Whether the delimiter is replaced before the table is parsed."""
        return len(self.delimiter.encode()) > 1 or self.delimiter == WHITESPACE


def plain_text(file: SourceFile, dialect: Dialect, limits: Limits = DEFAULT_LIMITS) -> IO[bytes]:
    """The file as a UTF-8 stream without byte order mark whose columns are split by one ASCII character."""
    return io.BufferedReader(_Blocks(file, dialect, limits), buffer_size=_BLOCK)


class _Blocks(io.RawIOBase):
    """A chain of generators over blocks of bytes, seen as a file."""

    def __init__(self, file: SourceFile, dialect: Dialect, limits: Limits) -> None:
        super().__init__()
        self._stream = file.open()
        self._blocks = _chain(self._stream, file.path, dialect, limits.max_line)
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


def _chain(stream: IO[bytes], path: str, dialect: Dialect, max_line: int) -> Iterator[bytes]:
    blocks = _read(stream)
    blocks = _without_mark(blocks) if dialect.is_utf8 else _recoded(blocks, path, dialect.encoding)
    blocks = _without_nul(blocks, path)
    if dialect.item_blocks:
        return _blocks_as_rows(_whole_lines(blocks, path, max_line), dialect.delimiter.encode())
    if dialect.delimiter == WHITESPACE:
        return _white_space_as_unit(_whole_lines(blocks, path, max_line))
    if dialect.is_rewritten:
        return _delimiter_as_unit(_whole_lines(blocks, path, max_line), dialect.delimiter.encode())
    return blocks


def _read(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(_BLOCK):
        yield block


def _without_mark(blocks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(blocks, b"")
    yield first.removeprefix(codecs.BOM_UTF8)
    yield from blocks


def _recoded(blocks: Iterator[bytes], path: str, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    n_read = 0
    try:
        for block in blocks:
            yield decoder.decode(block).removeprefix("\ufeff").encode("utf-8", "replace")
            n_read += len(block)
        yield decoder.decode(b"", True).encode("utf-8", "replace")
    except UnicodeError as error:
        raise DataError(
            f"{path} is not {encoding} text (near byte {n_read:,}: {in_short(error)}); choose another encoding."
        ) from error


def _without_nul(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    n_lines = 0
    for block in blocks:
        at = block.find(b"\x00")
        if at >= 0:
            n_lines += block.count(b"\n", 0, at)
            raise DataError(
                f"{path}, line {n_lines + 1:,}, contains a NUL byte, so it is not a text table (or it is UTF-16 "
                "without a byte order mark); export it again as UTF-8 text."
            )
        n_lines += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == _NEWLINE))
        yield block


def _delimiter_as_unit(blocks: Iterator[bytes], delimiter: bytes) -> Iterator[bytes]:
    for block in blocks:
        yield block.replace(delimiter, UNIT.encode())


def _white_space_as_unit(blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        stripped = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", block)
        yield re.sub(rb"[ \t]+", UNIT.encode(), stripped)


def _blocks_as_rows(blocks: Iterator[bytes], delimiter: bytes) -> Iterator[bytes]:
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


def _whole_lines(blocks: Iterator[bytes], path: str, max_line: int) -> Iterator[bytes]:
    """The same bytes, cut at the ends of lines, so that no delimiter lies across a cut."""
    held: list[bytes] = []
    for block in blocks:
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if end:
            yield b"".join([*held, block[:end]])
            held = []
        held.append(block[end:])
        if sum(map(len, held)) > max_line:
            raise line_too_long(path, max_line)
    yield b"".join(held)


def line_too_long(path: str, max_line: int) -> DataError:
    """The error for a line that no table of ratings has."""
    return DataError(
        f"{path} has a line of more than {in_bytes(max_line)}, so it is not a table with one rating, item or person "
        "per line; check how it was exported."
    )
