"""A column as its distinct values and, for every row, which of them it is."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of text: ``codes`` (n_rows,) int32 are positions in ``names``; -1 is an empty cell."""

    codes: NDArray[np.int32]
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)


def encode_all(columns: Sequence[pa.ChunkedArray]) -> list[Coded]:
    """The same columns, coded; side by side, because arrow lets go of the interpreter meanwhile."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(encode, columns))


def encode(column: pa.ChunkedArray) -> Coded:
    """A column of any type as coded text; whole numbers lose a trailing ``.0`` that only their type added."""
    if len(column) == 0:
        return Coded(np.empty(0, dtype=np.int32), [])
    coded = column.dictionary_encode().combine_chunks()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.chunk(0)
    indices = coded.indices.fill_null(-1) if coded.indices.null_count else coded.indices
    names = coded.dictionary
    return Coded(indices.to_numpy().astype(np.int32, copy=False), _as_text(names))


def _as_text(values: pa.Array) -> list[str]:
    if pa.types.is_floating(values.type):
        return [f"{value:.0f}" if value == int(value) else repr(value) for value in values.to_pylist()]
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        texts: list[Any] = values.to_pylist()
        return texts
    return [str(value) for value in values.to_pylist()]
