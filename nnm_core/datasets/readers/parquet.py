"""Parquet files."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet

from nnm_core.datasets.sources import SourceFile, format_bytes
from nnm_core.datasets.tables import Dialect, Table, TableSample, check_columns
from nnm_core.errors import DataError

NAME = "a Parquet file"
_SAMPLE = 1000


def matches(head: bytes) -> bool:
    """Whether a file that begins so is a Parquet file."""
    return head.startswith(b"PAR1")


def sniff(file: SourceFile, _dialect: Dialect | None = None) -> TableSample:
    """Return columns and first rows."""
    with _open(file) as reader:
        batch = next(reader.iter_batches(batch_size=_SAMPLE), None)
        table = pa.Table.from_batches([batch]) if batch is not None else reader.schema_arrow.empty_table()
        table.validate(full=True)  # the format does not promise that its texts are UTF-8
        return TableSample.from_arrow(file, table, _SAMPLE)


def read(file: SourceFile, _dialect: Dialect | None, _columns: Sequence[str], wanted: Sequence[str]) -> Table:
    """Read the wanted columns."""
    with _open(file) as reader:
        table = reader.read(columns=[name for name in wanted if name in reader.schema_arrow.names])
        table.validate(full=True)
        return Table.from_arrow(file, table, wanted, one_line_each=False)


def _open(file: SourceFile) -> pa.parquet.ParquetFile:
    stream = file.open()
    source = stream if stream.seekable() else pa.BufferReader(stream.read())
    reader = pyarrow.parquet.ParquetFile(source)
    names, metadata = reader.schema_arrow.names, reader.metadata
    check_columns(file.path, len(names), file.limits.max_columns)
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise DataError(f"{file.path} has two columns called {twice!r}; give them different names.")
    size = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    if size > file.limits.max_unpacked:
        raise DataError(
            f"{file.path} unpacks to more than {format_bytes(file.limits.max_unpacked)}; take a part of the ratings."
        )
    return reader
