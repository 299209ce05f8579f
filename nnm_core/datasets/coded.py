"""A column as its distinct values and, for every row, which of them it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from nnm_core.ratings import canonical_order

_MAX_DIGITS = 18
"""Whole numbers of so many digits fit into 64 bits."""

_MAX_SHORT = 16
"""Texts of so many bytes are sorted sooner as two numbers."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of text: ``codes`` (n_rows,) int32 are positions in ``texts``; -1 is an empty cell.

    ``all_used``: every text is known to stand in some row.
    """

    codes: NDArray[np.int32]
    texts: pa.Array
    all_used: bool = False

    @classmethod
    def of(cls, codes: NDArray[np.int32], names: Sequence[str]) -> Coded:
        """A column from codes and a list of names."""
        return cls(codes, pa.array(names, type=pa.string()))

    @cached_property
    def names(self) -> list[str]:
        """The distinct texts."""
        names: list[str] = self.texts.to_pylist()
        return names

    def __len__(self) -> int:
        return len(self.codes)

    def stripped(self) -> tuple[Coded, int]:
        """The same column without white space around its texts, and how many of the distinct texts had some."""
        bare = pc.utf8_trim_whitespace(self.texts)
        if bare.equals(self.texts):
            return self, 0
        n_changed: int = pc.sum(pc.not_equal(bare, self.texts)).as_py()
        return renamed(self, bare.to_pylist()), n_changed

    def canonical(self) -> tuple[list[str], NDArray[np.int32]]:
        """The texts in use, in the canonical order of ids, and each row's position among them; no cell is empty."""
        texts, used = self.texts, np.arange(len(self.texts))
        if not self.all_used:
            used = np.flatnonzero(np.bincount(self.codes, minlength=len(texts)))
            texts = texts.take(pa.array(used))
        order = _order(texts)
        position = np.full(len(self.texts), -1, dtype=np.int32)
        position[used[order]] = np.arange(len(order), dtype=np.int32)
        names: list[str] = texts.take(pa.array(order)).to_pylist()
        return names, np.take(position, self.codes)


def _order(texts: pa.Array) -> NDArray[np.int64]:
    """The order that ``canonical_order`` gives, which arrow finds sooner: UTF-8 sorts as its characters do."""
    digits = pc.all(pc.ascii_is_decimal(texts)).as_py()
    if digits and pc.max(pc.binary_length(texts)).as_py() > _MAX_DIGITS:
        return np.asarray(canonical_order(texts.to_pylist()), dtype=np.int64)
    padded = pc.and_(pc.starts_with(texts, "0"), pc.greater(pc.binary_length(texts), 1))
    if digits and not pc.any(padded).as_py():
        texts = texts.cast(pa.int64())
    elif (keys := _keys(texts)) is not None:
        return _order_of_keys(keys)
    order: NDArray[np.int64] = pc.array_sort_indices(texts).to_numpy().astype(np.int64)
    return order


def _order_of_keys(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The order of numbers of 128 bits, (2, n) with the lower half first."""
    low, high = keys
    n_common = 64 - int(np.bitwise_or.reduce(high ^ high[0])).bit_length()
    if 0 < n_common < 64:
        # why: ids often begin alike, and then the 64 bits after that tell all of them apart; one sort will do.
        key = (high << np.uint64(n_common)) | (low >> np.uint64(64 - n_common))
        order = np.argsort(key)
        if np.all(np.diff(key[order])):
            return order
    return np.lexsort(keys)


def _keys(texts: pa.Array) -> NDArray[np.uint64] | None:
    """Short texts of one length as numbers that sort as they do, the last eight bytes first; None for other texts."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    length = int(ends[1] - ends[0])
    if length > _MAX_SHORT or (np.diff(ends) != length).any():
        return None
    padded = np.zeros((len(texts), _MAX_SHORT), dtype=np.uint8)
    padded[:, :length] = np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]].reshape(-1, length)
    return padded.view(">u8").astype(np.uint64).T[::-1]


def renamed(column: Coded, names: Sequence[str]) -> Coded:
    """The column with other texts for its distinct values; equal texts become one, an empty text an empty cell."""
    distinct = list(dict.fromkeys(name for name in names if name))
    position = {name: k for k, name in enumerate(distinct)}
    new_code = np.array([position.get(name, -1) for name in names] + [-1], dtype=np.int32)
    return Coded.of(new_code[column.codes], distinct)


def encode_all(columns: Sequence[pa.ChunkedArray]) -> list[Coded]:
    """The same columns, coded; side by side, because arrow lets go of the interpreter meanwhile."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(encode, columns))


def encode(column: pa.ChunkedArray) -> Coded:
    """A column of any type as coded text; numbers are written without a ``.0`` that only their type added."""
    if len(column) == 0:
        return Coded.of(np.empty(0, dtype=np.int32), [])
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type):
        column = pa.chunked_array([[None if value is None else str(value) for value in column.to_pylist()]])
    coded = column.combine_chunks().dictionary_encode()
    indices = coded.indices.fill_null(-1) if coded.indices.null_count else coded.indices
    codes = indices.to_numpy().astype(np.int32, copy=False)
    if pa.types.is_string(coded.dictionary.type) and not pc.any(pc.equal(coded.dictionary, "")).as_py():
        return Coded(codes, coded.dictionary, all_used=True)
    return renamed(Coded(codes, coded.dictionary), _as_text(coded.dictionary))


def _as_text(values: pa.Array) -> list[str]:
    if pa.types.is_floating(values.type):
        return [_number_as_text(value) for value in values.to_numpy(zero_copy_only=False)]
    return ["" if value is None else str(value) for value in values.to_pylist()]


def _number_as_text(value: np.floating[Any]) -> str:
    """A number as short as it can be said in its own precision; empty for NaN."""
    number = float(value)
    if math.isnan(number):
        return ""
    return f"{number:.0f}" if number.is_integer() else str(value)
