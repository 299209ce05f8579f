"""Read any table: Parquet, Arrow, JSON or delimited text, each a ``Format`` in ``FORMATS``.

To add a format, write its two functions here, with ``from_arrow`` of ``Table`` and ``TableSample``, and put it into
``FORMATS`` before the delimited text, which takes everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet

from nnm_core.datasets.reading.delimited import read_text
from nnm_core.datasets.reading.dialects import sniff_text
from nnm_core.datasets.reading.json_tables import is_json, read_json, sniff_json
from nnm_core.datasets.reading.sources import SourceFile, format_bytes
from nnm_core.datasets.reading.tables import Dialect, Table, TableSample, check_columns
from nnm_core.errors import DataError, in_short

_SAMPLE = 1000
_ARROW, _ARROW_STREAM = b"ARROW1", b"\xff\xff\xff\xff"
_ARCHIVE = "archive, which is not read here; unpack it, or pack it as zip, gzip, bzip2 or xz"
_AS_CSV = "which is not read here; write the table as CSV"
_UNSUPPORTED = (
    (b"7z\xbc\xaf\x27\x1c", f"a 7-Zip {_ARCHIVE}"),
    (b"Rar!", f"a RAR {_ARCHIVE}"),
    (b"\x28\xb5\x2f\xfd", f"a Zstandard {_ARCHIVE}"),
    ((b"$FL2", b"$FL3"), f"an SPSS file, {_AS_CSV} (in SPSS: Save As; in Python: pandas.read_spss)"),
    ((b"RDX2", b"RDX3", b"RDA2", b"X\n\x00\x00\x00", b"A\n2\n", b"A\n3\n"), f"an R file, {_AS_CSV} (in R: write.csv)"),
    (b"MATLAB 5.0 MAT", f"a MATLAB file, {_AS_CSV} (in MATLAB: writetable)"),
    (b"<stata_dta>", f"a Stata file, {_AS_CSV} (in Stata: export delimited)"),
    (b"version https://git-lfs", "only the pointer to a file in Git LFS; fetch the file itself (git lfs pull)"),
    (b"<?xml", f"an XML file, {_AS_CSV}"),
    (b"FEA1", f"a Feather file of the first version, {_AS_CSV} or as Parquet"),
    (b"\x89HDF", "an HDF5 file; export the table as CSV or Parquet"),
    (b"\x93NUMPY", "a NumPy array; write its rows as CSV"),
    ((b"\x80\x04", b"\x80\x05"), "a Python pickle, which is not safe to open; write the table as CSV"),
    (b"%PDF", "a PDF; give the table itself"),
    ((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "a picture; give the table itself"),
    ((b"<!DOCTYPE", b"<!doctype", b"<html", b"<HTML"), "a web page; download the data itself"),
    (b"{\\rtf", "a text document; save the table as CSV"),
)


class Format(NamedTuple):
    """A file format: its name in messages, whether a file that begins so has it, and how such files are read."""

    name: str
    matches: Callable[[bytes], bool]
    sniff: Callable[[SourceFile, Dialect | None], TableSample]
    read: Callable[[SourceFile, Dialect | None, Sequence[str], Sequence[str]], Table]


def sniff_table(file: SourceFile, dialect: Dialect | None = None) -> TableSample:
    """Return columns and first rows of a table; a given ``dialect`` is followed, otherwise it is guessed."""
    with _format_of(file) as found:
        return found.sniff(file, dialect)


def read_table(file: SourceFile, dialect: Dialect | None, columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the ``wanted`` columns of a table whose ``columns`` are known."""
    with _format_of(file) as found:
        return found.read(file, dialect, columns, wanted)


@contextmanager
def _format_of(file: SourceFile) -> Iterator[Format]:
    """Give the format of a file; what goes wrong while it is read becomes DataError."""
    head = file.head(64)
    if not head:
        raise DataError(f"{file.path} is empty.")
    for magic, what in _UNSUPPORTED:
        if head.startswith(magic):
            raise DataError(f"{file.path} is {what}.")
    found = next(candidate for candidate in FORMATS if candidate.matches(head))
    try:
        yield found
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        what = f"cannot be read as {found.name}: {in_short(error)}"
        raise DataError(f"{file.path} {what}. Export it again, or as CSV.") from error


def _sniff_parquet(file: SourceFile, _dialect: Dialect | None) -> TableSample:
    with _open_parquet(file) as reader:
        batch = next(reader.iter_batches(batch_size=_SAMPLE), None)
        table = pa.Table.from_batches([batch]) if batch is not None else reader.schema_arrow.empty_table()
        table.validate(full=True)  # the format does not promise that its texts are UTF-8
        return TableSample.from_arrow(file, table)


def _read_parquet(file: SourceFile, _dialect: Dialect | None, _columns: Sequence[str], wanted: Sequence[str]) -> Table:
    with _open_parquet(file) as reader:
        present = set(reader.schema_arrow.names)
        table = reader.read(columns=[name for name in wanted if name in present])
        table.validate(full=True)
        return Table.from_arrow(file, table, wanted, one_line_each=False)


def _open_parquet(file: SourceFile) -> pa.parquet.ParquetFile:
    stream = file.open()
    reader = pyarrow.parquet.ParquetFile(stream if stream.seekable() else pa.BufferReader(stream.read()))
    metadata = reader.metadata
    _check_names(file, reader.schema_arrow.names)
    size = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    if size > (most := file.limits.max_unpacked):
        raise DataError(f"{file.path} unpacks to more than {format_bytes(most)}; take a part of the ratings.")
    return reader


def _sniff_arrow(file: SourceFile, _dialect: Dialect | None) -> TableSample:
    return TableSample.from_arrow(file, _read_batches(file, _SAMPLE))


def _read_arrow(file: SourceFile, _dialect: Dialect | None, _columns: Sequence[str], wanted: Sequence[str]) -> Table:
    return Table.from_arrow(file, _read_batches(file, None), wanted, one_line_each=False)


def _read_batches(file: SourceFile, most_rows: int | None) -> pa.Table:
    """Read an Arrow or Feather file, or so many of its rows, as long as it fits."""
    with file.open() as stream:
        content = pa.BufferReader(stream.read(file.limits.max_unpacked))
    if file.head(6) == _ARROW:
        reader = pa.ipc.open_file(content)
        batches = (reader.get_batch(k) for k in range(reader.num_record_batches))
    else:
        reader = batches = pa.ipc.open_stream(content)
    _check_names(file, reader.schema.names)
    read: list[pa.RecordBatch] = []
    for batch in batches:
        read.append(batch)
        if sum(batch.nbytes for batch in read) > (most := file.limits.max_unpacked):
            raise DataError(f"{file.path} unpacks to more than {format_bytes(most)}; take a part of the ratings.")
        if most_rows is not None and sum(batch.num_rows for batch in read) >= most_rows:
            break
    table = pa.Table.from_batches(read, reader.schema)
    table.validate(full=True)
    return table


def _check_names(file: SourceFile, names: Sequence[str]) -> None:
    check_columns(file.path, len(names), file.limits.max_columns)
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise DataError(f"{file.path} has two columns called {twice!r}; give them different names.")


FORMATS = (
    Format("a Parquet file", lambda head: head.startswith(b"PAR1"), _sniff_parquet, _read_parquet),
    Format("an Arrow file", lambda head: head.startswith((_ARROW, _ARROW_STREAM)), _sniff_arrow, _read_arrow),
    Format("JSON", is_json, sniff_json, read_json),
    Format("a table", lambda _head: True, sniff_text, read_text),
)
