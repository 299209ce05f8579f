"""The quick way through a large plain table: one compiled pass that splits rows and numbers the texts it meets.

It only knows tables without quotes in which every row has the same number of columns. Whatever else it meets, it gives
up, and the careful reader takes over; so it never has to explain anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from nnm_core.datasets.coded import Coded

Bytes = NDArray[np.uint8]
Count = int | np.signedinteger[Any]

_DONE, _FULL, _ODD = 0, 1, 2
_ORDINARY, _DELIMITER, _NEWLINE, _RETURN, _STRANGE = 0, 1, 2, 3, 4
_FIRST_SLOTS = 2**13
_BATCH = 512
_PARTS = 2
_WINDOW = 2**16
_EXACT = 16
"""Texts up to this many bytes are compared as two whole words, longer ones byte by byte."""

_MIX_A, _MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_EIGHT, _HALF = np.uint64(8), np.uint64(32)


def scan(
    text: Bytes, delimiter: bytes, quote: bytes, n_columns: int, wanted: Sequence[int], *, header: bool
) -> list[Coded] | None:
    """The wanted columns of a table, coded; None if the table is not as plain as it must be.

    ``delimiter`` is one byte, or the same byte twice. Blank lines are passed over.
    """
    positions = np.full(n_columns, -1, dtype=np.int64)
    positions[list(wanted)] = np.arange(len(wanted))
    first = _after_first_row(text) if header else 0
    if first < 0:
        return None
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[delimiter[0]], kinds[ord("\n")], kinds[ord("\r")], kinds[0] = _DELIMITER, _NEWLINE, _RETURN, _STRANGE
    if quote:
        kinds[quote[0]] = _STRANGE
    parts = [_Part(text, begin, end, len(wanted)) for begin, end in _cut_at_rows(text, first)]
    with ThreadPoolExecutor(max_workers=_PARTS) as pool:
        plain = list(pool.map(lambda part: part.run(kinds, len(delimiter), positions), parts))
    return _joined(parts, len(wanted)) if all(plain) else None


def _after_first_row(text: Bytes) -> int:
    """Where the second line begins, -1 if the first is blank or quoted."""
    head = text[:_WINDOW].tobytes()
    end = head.find(b"\n")
    return end + 1 if end > 0 and head[:end].strip() and b'"' not in head[:end] else -1


def _cut_at_rows(text: Bytes, first: int) -> list[tuple[int, int]]:
    """The text in parts of similar size that end where a row ends."""
    middle = first + (len(text) - first) // _PARTS
    newline = text[middle : middle + _WINDOW].tobytes().find(b"\n")
    if newline < 0:
        return [(first, len(text))]
    return [(first, middle + newline + 1), (middle + newline + 1, len(text))]


@dataclass(slots=True)
class _Part:
    """One part of the text while it is scanned, with a hash table of texts for each wanted column.

    ``slots`` (k, n_slots, 4): per text its first and second word, where it starts, and length and code in one number,
    which is 0 in a free slot; ``sizes`` (k,): how many texts there are; ``codes`` (k, n_rows).
    """

    text: Bytes
    begin: int
    end: int
    n_wanted: int
    slots: NDArray[np.uint64] = field(init=False)
    sizes: NDArray[np.int64] = field(init=False)
    codes: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self.slots = np.zeros((self.n_wanted, _FIRST_SLOTS, 4), dtype=np.uint64)
        self.sizes = np.zeros(self.n_wanted, dtype=np.int64)

    def run(self, kinds: Bytes, width: int, positions: NDArray[np.int64]) -> bool:
        """Scan the part; False if it is not plain."""
        n_lines = _count_lines(self.text, self.begin, self.end)
        self.codes = np.empty((self.n_wanted, n_lines + 1), dtype=np.int32)
        status, at, row = _FULL, self.begin, 0
        while status == _FULL:
            self.make_room(0)
            status, at, row = _scan_rows(
                self.text, at, self.end, kinds, width, positions, self.slots, self.sizes, self.codes, row
            )
        self.codes = self.codes[:, :row]
        return bool(status == _DONE)

    def make_room(self, n_more: int) -> None:
        """Larger tables, if so many more texts would fill them by half."""
        n_slots = self.slots.shape[1]
        while 2 * (int(self.sizes.max()) + n_more + _BATCH) >= n_slots:
            n_slots *= 2
        if n_slots > self.slots.shape[1]:
            larger = np.zeros((self.n_wanted, n_slots, 4), dtype=np.uint64)
            _rehash(self.slots, larger)
            self.slots = larger


def _joined(parts: Sequence[_Part], n_wanted: int) -> list[Coded] | None:
    """The columns of all parts under common codes; None if a text is not UTF-8."""
    main, *others = parts
    renumbered = []
    for part in others:
        main.make_room(int(part.sizes.max()))
        renumbered.append(_merge(main.text, main.slots, main.sizes, part.slots, part.sizes))
    columns = []
    for k in range(n_wanted):
        pieces = [main.codes[k], *(new[k][part.codes[k]] for new, part in zip(renumbered, others, strict=True))]
        starts, lengths = _places(main.slots[k], int(main.sizes[k]))
        names = _gathered(main.text, starts, lengths)
        if names is None:
            return None
        columns.append(Coded(np.concatenate(pieces), names))
    return columns


def _gathered(text: Bytes, starts: NDArray[np.int64], lengths: NDArray[np.int32]) -> pa.Array | None:
    """The texts as an arrow array, None if one is not UTF-8."""
    ends = np.cumsum(lengths, dtype=np.int64)
    if len(ends) and ends[-1] >= 2**31:
        return None
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    data = np.empty(int(offsets[-1]), dtype=np.uint8)
    _copy(text, starts, lengths, data)
    names = pa.StringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(data))
    try:
        names.validate(full=True)
    except pa.ArrowInvalid:
        return None
    return names


@njit(nogil=True, cache=True)
def _count_lines(text: Bytes, begin: int, end: int) -> int:
    """How many lines end in a range of bytes."""
    count = 0
    for k in range(begin, end):
        count += text[k] == 10
    return count


@njit(nogil=True, cache=True)
def _scan_rows(
    text: Bytes,
    at: int,
    end: int,
    kinds: Bytes,
    width: int,
    positions: NDArray[np.int64],
    slots: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    codes: NDArray[np.int32],
    row: int,
) -> tuple[int, int, int]:
    """Code rows until the text ends, a table is half full or a row is odd: status, next byte, next row.

    Rows are split in batches, whose texts are then looked up column by column: a table's memory is slow to come, and
    the processor can wait for many lookups at once if nothing else stands between them.
    """
    n_wanted = len(sizes)
    words = np.empty((n_wanted, _BATCH, 2), dtype=np.uint64)
    places = np.empty((n_wanted, _BATCH, 2), dtype=np.int64)
    most = slots.shape[1] // 2 - _BATCH
    while at < end:
        if sizes.max() >= most:
            return _FULL, at, row
        status, at, n_rows = _split_rows(text, at, end, kinds, width, positions, words, places)
        if status == _ODD:
            return _ODD, at, row
        for k in range(n_wanted):
            for j in range(n_rows):
                code: Count = np.int64(-1)
                if places[k, j, 1] > 0:
                    code = _code_of(
                        text, places[k, j, 0], places[k, j, 1], words[k, j, 0], words[k, j, 1], slots[k], sizes, k
                    )
                codes[k, row + j] = code
        row += n_rows
    return _DONE, at, row


@njit(nogil=True, cache=True)
def _split_rows(
    text: Bytes,
    at: int,
    end: int,
    kinds: Bytes,
    width: int,
    positions: NDArray[np.int64],
    words: NDArray[np.uint64],
    places: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Split up to a batch of rows, the wanted fields as words and as start and length: status, next byte, rows."""
    n_columns, row = len(positions), 0
    while at < end and row < _BATCH:
        line, column = at, 0
        while True:
            k = positions[column] if column < n_columns else -1
            begin = at
            at, kind, first, second = _field(text, at, end, kinds, width, k >= 0)
            if kind == _STRANGE:
                return _ODD, at, row
            if k >= 0:
                words[k, row, 0], words[k, row, 1] = first, second
                places[k, row, 0], places[k, row, 1] = begin, at - begin
            column += 1
            if kind != _DELIMITER:
                break
            at += width
        filled = at > line
        if kind == _RETURN:
            if at + 1 >= end or text[at + 1] != 10:
                return _ODD, at, row
            at += 1
        at += 1
        if column == n_columns and filled:
            row += 1
        elif column != 1 or filled:
            return _ODD, at, row
    return _DONE, at, row


@njit(nogil=True, cache=True, inline="always")
def _field(
    text: Bytes, at: int, end: int, kinds: Bytes, width: int, is_wanted: bool
) -> tuple[int, int, np.uint64, np.uint64]:
    """Where a field ends, what ends it, and its content in two words, the second mixed if it is long."""
    begin, kind = at, _NEWLINE
    first, second = np.uint64(0), np.uint64(0)
    while at < end:
        byte = text[at]
        kind = kinds[byte]
        if kind != _ORDINARY and (kind != _DELIMITER or width == 1 or (at + 1 < end and text[at + 1] == byte)):
            return at, kind, first, second
        if is_wanted:
            if at - begin < 8:
                first = (first << _EIGHT) | np.uint64(byte)
            elif at - begin < _EXACT:
                second = (second << _EIGHT) | np.uint64(byte)
            else:
                second = (second ^ np.uint64(byte)) * _MIX_A
        at += 1
    return at, _NEWLINE, first, second


@njit(nogil=True, cache=True, inline="always")
def _slot_of(first: np.uint64, second: np.uint64, n_slots: int) -> Count:
    value = (first * _MIX_A) ^ ((second + _MIX_A) * _MIX_B)
    value ^= value >> _HALF
    return np.int64((value * _MIX_A) >> _HALF) & (n_slots - 1)


@njit(nogil=True, cache=True)
def _code_of(
    text: Bytes,
    begin: Count,
    length: Count,
    first: np.uint64,
    second: np.uint64,
    slots: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    k: int,
) -> Count:
    """The number of a text among those met so far, a new one for a new text; the table must have room."""
    n_slots = len(slots)
    slot = _slot_of(first, second, n_slots)
    while True:
        entry = slots[slot, 3]
        if entry == np.uint64(0):
            code: Count = sizes[k]
            slots[slot, 0], slots[slot, 1], slots[slot, 2] = first, second, np.uint64(begin)
            slots[slot, 3] = (np.uint64(length) << _HALF) | np.uint64(code)
            sizes[k] = code + 1
            return code
        likely = slots[slot, 0] == first and slots[slot, 1] == second and np.int64(entry >> _HALF) == length
        if likely and (length <= _EXACT or _same_bytes(text, np.int64(slots[slot, 2]), begin, length)):
            return np.int64(entry & np.uint64(0xFFFFFFFF))
        slot = (slot + 1) & (n_slots - 1)


@njit(nogil=True, cache=True)
def _same_bytes(text: Bytes, a: Count, b: Count, length: Count) -> bool:
    j = 0
    while j < length and text[a + j] == text[b + j]:
        j += 1
    return bool(j == length)


@njit(nogil=True, cache=True)
def _rehash(old: NDArray[np.uint64], new: NDArray[np.uint64]) -> None:
    """Move all texts into empty tables."""
    n_slots = new.shape[1]
    for k in range(old.shape[0]):
        for j in range(old.shape[1]):
            if old[k, j, 3] != np.uint64(0):
                slot = _slot_of(old[k, j, 0], old[k, j, 1], n_slots)
                while new[k, slot, 3] != np.uint64(0):
                    slot = (slot + 1) & (n_slots - 1)
                new[k, slot] = old[k, j]


@njit(nogil=True, cache=True)
def _merge(
    text: Bytes,
    slots: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    other_slots: NDArray[np.uint64],
    other_sizes: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Take in the texts of another part; gives the new code of each of its codes, and in the last entry -1 for -1."""
    renumbered = np.full((len(sizes), other_sizes.max() + 1), -1, dtype=np.int32)
    for k in range(len(sizes)):
        for j in range(other_slots.shape[1]):
            first, second, begin, entry = other_slots[k, j]
            if entry != np.uint64(0):
                code = np.int64(entry & np.uint64(0xFFFFFFFF))
                length = np.int64(entry >> _HALF)
                renumbered[k, code] = _code_of(text, np.int64(begin), length, first, second, slots[k], sizes, k)
    return renumbered


@njit(nogil=True, cache=True)
def _places(slots: NDArray[np.uint64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Start and length of each text, in the order of the codes."""
    starts, lengths = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int32)
    for j in range(len(slots)):
        if slots[j, 3] != np.uint64(0):
            code = np.int64(slots[j, 3] & np.uint64(0xFFFFFFFF))
            starts[code], lengths[code] = slots[j, 2], slots[j, 3] >> _HALF
    return starts, lengths


@njit(nogil=True, cache=True)
def _copy(text: Bytes, starts: NDArray[np.int64], lengths: NDArray[np.int32], data: Bytes) -> None:
    """Texts laid end to end."""
    at = 0
    for k in range(len(starts)):
        for j in range(lengths[k]):
            data[at] = text[starts[k] + j]
            at += 1
