"""A column as its distinct values and, for every row, which of them it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of text: ``codes`` (n_rows,) int32 are positions in ``names``; -1 is an empty cell."""

    codes: NDArray[np.int32]
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)

    def stripped(self) -> tuple[Coded, int]:
        """The same column without white space around its texts, and how many of the distinct texts had some."""
        bare = [name.strip() for name in self.names]
        n_changed = sum(map(len, bare)) != sum(map(len, self.names))
        if not n_changed:
            return self, 0
        merged = renamed(self, bare)
        return merged, sum(old != new for old, new in zip(self.names, bare, strict=True))


def renamed(column: Coded, names: Sequence[str]) -> Coded:
    """The column with other texts for its distinct values; equal texts become one, an empty text an empty cell."""
    distinct = list(dict.fromkeys(name for name in names if name))
    position = {name: k for k, name in enumerate(distinct)}
    new_code = np.array([position.get(name, -1) for name in names] + [-1], dtype=np.int32)
    return Coded(new_code[column.codes], distinct)


def encode_all(columns: Sequence[pa.ChunkedArray]) -> list[Coded]:
    """The same columns, coded; side by side, because arrow lets go of the interpreter meanwhile."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(encode, columns))


def encode(column: pa.ChunkedArray) -> Coded:
    """A column of any type as coded text; numbers are written without a ``.0`` that only their type added."""
    if len(column) == 0:
        return Coded(np.empty(0, dtype=np.int32), [])
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type):
        column = pa.chunked_array([[None if value is None else str(value) for value in column.to_pylist()]])
    coded = column.combine_chunks().dictionary_encode()
    indices = coded.indices.fill_null(-1) if coded.indices.null_count else coded.indices
    encoded = Coded(indices.to_numpy().astype(np.int32, copy=False), _as_text(coded.dictionary))
    return renamed(encoded, encoded.names) if "" in encoded.names[-1:] or _has_empty(encoded.names) else encoded


def _has_empty(names: Sequence[str]) -> bool:
    return "" in names


def _as_text(values: pa.Array) -> list[str]:
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        texts: list[str] = values.to_pylist()
        return texts
    if pa.types.is_floating(values.type):
        return [_number_as_text(value) for value in values.to_numpy(zero_copy_only=False)]
    return ["" if value is None else str(value) for value in values.to_pylist()]


def _number_as_text(value: np.floating[Any]) -> str:
    """A number as short as it can be said in its own precision; empty for NaN."""
    number = float(value)
    if math.isnan(number):
        return ""
    return f"{number:.0f}" if number.is_integer() else str(value)
