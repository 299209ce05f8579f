"""The columns of a table of ratings, coded: quickly where the table is large and plain, carefully where it is not."""

from __future__ import annotations

import io
import mmap
import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nnm_core.datasets.coded import Coded, encode_all
from nnm_core.datasets.dialect import Dialect
from nnm_core.datasets.formats import is_text, read_columns
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.sources import SourceFile
from nnm_core.datasets.tables import Table, line_finder

_LEAST = 8 * 2**20
"""Below this many bytes the careful reader is quick enough, and no compiled code needs to be loaded."""

_MOST = 2 * 2**30
_MARK = b"\xef\xbb\xbf"


def read_coded(
    file: SourceFile,
    dialect: Dialect | None,
    names: Sequence[str],
    wanted: Sequence[str],
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Table, list[Coded]]:
    """The wanted columns, coded, and the table they come from, for its line numbers and unfit rows."""
    if dialect is not None and _may_be_plain(file, dialect):
        columns = _quickly(file, dialect, names, wanted)
        if columns is not None:
            lines = line_finder(file, dialect, len(names), limits)
            return Table(file.path, len(columns[0]), {}, lines), columns
    table = read_columns(file, dialect, names, wanted, limits)
    return table, encode_all([table.columns[name] for name in wanted])


def _may_be_plain(file: SourceFile, dialect: Dialect) -> bool:
    """Whether the quick way is worth a try."""
    width = len(dialect.delimiter.encode())
    splits = (width == 1 and dialect.delimiter != " ") or (width == 2 and len(set(dialect.delimiter)) == 1)
    plain = dialect.is_utf8 and not dialect.escape and not dialect.item_blocks and splits
    return plain and is_text(file)


def _quickly(file: SourceFile, dialect: Dialect, names: Sequence[str], wanted: Sequence[str]) -> list[Coded] | None:
    content = _content(file)
    if content is None or len(content) < _LEAST:
        return None
    from nnm_core.datasets.scanning import scan  # here, so that compiled code is loaded for large files only

    text = content[len(_MARK) :] if content[: len(_MARK)].tobytes() == _MARK else content
    positions = [names.index(name) for name in wanted]
    return scan(text, dialect.delimiter.encode(), dialect.quote.encode(), len(names), positions, header=dialect.header)


def _content(file: SourceFile) -> NDArray[np.uint8] | None:
    """All bytes of the file, None if they are too many for the quick way."""
    with file.open() as stream:
        if isinstance(stream, io.BytesIO):
            held = stream.getvalue()
            return np.frombuffer(held, dtype=np.uint8) if len(held) <= _MOST else None
        if isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO):
            if os.fstat(stream.fileno()).st_size > _MOST:
                return None
            # Mapped, not read: to make so much room for a copy takes longer than to go through it.
            return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)
    packed = file.head(_MOST + 1)
    return np.frombuffer(packed, dtype=np.uint8) if len(packed) <= _MOST else None
