"""The quick way through a large plain table: one compiled pass that splits rows and numbers the texts it meets.

It only knows tables without quotes in which every row has the same number of columns. Whatever else it meets, it gives
up, and the careful reader takes over; so it never has to explain anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from nnm_core.datasets.coded import Coded
from nnm_core.datasets.splitting import DELIMITER, LONG, NEWLINE, ODD, RETURN, STRANGE, Bytes, count_lines, split_rows
from nnm_core.prefetch import fetch

_PARTS = 2
_WINDOW = 2**16
_BATCH = 2048
"""Rows that are split before their texts are looked up, column by column: the processor can wait for the memory of many
lookups at once if nothing else stands between them."""

_MIX_A, _MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HALF, _TOP, _LOW = np.uint64(32), np.uint64(56), np.uint64(0xFFFFFFFF)


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
    kinds[delimiter[0]], kinds[ord("\n")], kinds[ord("\r")], kinds[0] = DELIMITER, NEWLINE, RETURN, STRANGE
    if quote:
        kinds[quote[0]] = STRANGE
    parts = [_Part(text, begin, end, len(wanted)) for begin, end in _cut_at_rows(text, first)]
    with ThreadPoolExecutor(max_workers=_PARTS) as pool:
        plain = list(pool.map(lambda part: part.run(kinds, len(delimiter), positions), parts))
        if not all(plain):
            return None
        columns = [column for column in pool.map(lambda k: _joined(parts, k), range(len(wanted))) if column is not None]
    return columns if len(columns) == len(wanted) else None


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


class _Texts:
    """The distinct texts of one column, numbered as they come.

    ``slots`` (n_slots,): hash table; half a hash, and the code plus one in the other half; 0 is free. Per code,
    ``words`` (n, 2) hold the text or its beginning, ``places`` (n, 2) its start and length.
    """

    def __init__(self) -> None:
        self.size = 0
        self.slots = np.zeros(4 * _BATCH, dtype=np.uint64)
        self.words = np.empty((2 * _BATCH, 2), dtype=np.uint64)
        self.places = np.empty((2 * _BATCH, 2), dtype=np.int64)

    def code(self, text: Bytes, words: NDArray[np.uint64], places: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        """Write the code of each given text to ``codes``; new texts get new codes, empty ones -1."""
        self._make_room(len(codes))
        self.size = _look_up(text, words, places, self.slots, self.words, self.places, self.size, codes)

    def _make_room(self, n_more: int) -> None:
        n_slots = len(self.slots)
        while 2 * (self.size + n_more) > n_slots:
            n_slots *= 2
        if n_slots > len(self.slots):
            self.slots = np.zeros(n_slots, dtype=np.uint64)
            self.words = np.concatenate([self.words, np.empty((n_slots // 2 - len(self.words), 2), dtype=np.uint64)])
            self.places = np.concatenate([self.places, np.empty((n_slots // 2 - len(self.places), 2), dtype=np.int64)])
            _rehash(self.words[: self.size], self.slots)


class _Part:
    """One part of the text: its ``texts`` per wanted column, and after ``run`` its ``codes`` (k, n_rows)."""

    def __init__(self, text: Bytes, begin: int, end: int, n_wanted: int) -> None:
        self.text, self.begin, self.end = text, begin, end
        self.texts = [_Texts() for _ in range(n_wanted)]
        self.codes = np.empty((n_wanted, 0), dtype=np.int32)

    def run(self, kinds: Bytes, width: int, positions: NDArray[np.int64]) -> bool:
        """Scan the part; False if it is not plain."""
        n_wanted, at, row = len(self.texts), self.begin, 0
        words = np.empty((n_wanted, _BATCH, 2), dtype=np.uint64)
        places = np.empty((n_wanted, _BATCH, 2), dtype=np.int64)
        codes = np.empty((n_wanted, count_lines(self.text[self.begin : self.end]) + 1), dtype=np.int32)
        while at < self.end:
            at, n_rows = split_rows(self.text, at, self.end, kinds, width, positions, words, places)
            if at == ODD:
                return False
            for k, texts in enumerate(self.texts):
                texts.code(self.text, words[k], places[k], codes[k, row : row + n_rows])
            row += n_rows
        self.codes = codes[:, :row]
        return True


def _joined(parts: Sequence[_Part], k: int) -> Coded | None:
    """One column of all parts under common codes; None if a text is not UTF-8."""
    main, *others = parts
    texts = main.texts[k]
    codes = np.empty(sum(part.codes.shape[1] for part in parts), dtype=np.int32)
    row = main.codes.shape[1]
    codes[:row] = main.codes[k]
    for part in others:
        theirs = part.texts[k]
        new = np.full(theirs.size + 1, -1, dtype=np.int32)  # the last entry is that of the code -1
        texts.code(main.text, theirs.words[: theirs.size], theirs.places[: theirs.size], new[: theirs.size])
        n_rows = part.codes.shape[1]
        np.take(new, part.codes[k], out=codes[row : row + n_rows], mode="wrap")
        row += n_rows
    names = _gathered(main.text, texts.places[: texts.size])
    return None if names is None else Coded(codes, names)


def _gathered(text: Bytes, places: NDArray[np.int64]) -> pa.Array | None:
    """The texts as an arrow array, None if one is not UTF-8."""
    offsets = np.concatenate([[0], np.cumsum(places[:, 1])])
    if offsets[-1] >= 2**31:
        return None
    data = np.empty(int(offsets[-1]), dtype=np.uint8)
    _copy(text, places, data)
    names = pa.StringArray.from_buffers(len(places), pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data))
    try:
        names.validate(full=True)
    except pa.ArrowInvalid:
        return None
    return names


@njit(nogil=True, cache=True)
def _hash(first: np.uint64, second: np.uint64) -> np.uint64:
    value = (first * _MIX_A) ^ ((second + _MIX_A) * _MIX_B)
    value ^= value >> _HALF
    return value * _MIX_A


@njit(nogil=True, cache=True)
def _look_up(
    text: Bytes,
    words: NDArray[np.uint64],
    places: NDArray[np.int64],
    slots: NDArray[np.uint64],
    known_words: NDArray[np.uint64],
    known_places: NDArray[np.int64],
    size: int,
    codes: NDArray[np.int32],
) -> int:
    """Code the texts, taking in those that are new; the number of known texts afterwards. There must be room."""
    mask = len(slots) - 1
    hashes = np.empty(len(codes), dtype=np.uint64)
    for j in range(len(codes)):
        hashes[j] = _hash(words[j, 0], words[j, 1])
        fetch(slots, np.int64(hashes[j] & _LOW) & mask)
    for j in range(len(codes)):
        length = places[j, 1]
        if length == 0:
            codes[j] = -1
            continue
        first, second, value = words[j, 0], words[j, 1], hashes[j]
        tag, slot = value & ~_LOW, np.int64(value & _LOW) & mask
        while True:
            entry = slots[slot]
            if entry == np.uint64(0):
                slots[slot] = tag | np.uint64(size + 1)
                known_words[size, 0], known_words[size, 1] = first, second
                known_places[size, 0], known_places[size, 1] = places[j, 0], length
                codes[j] = size
                size += 1
                break
            if entry & ~_LOW == tag:
                code = np.int64(entry & _LOW) - 1
                likely = known_words[code, 0] == first and known_words[code, 1] == second
                if likely and (second >> _TOP != LONG or _same_text(text, known_places[code], places[j])):
                    codes[j] = code
                    break
            slot = (slot + 1) & mask
    return size


@njit(nogil=True, cache=True)
def _same_text(text: Bytes, one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    if one[1] != other[1]:
        return False
    j = 0
    while j < one[1] and text[one[0] + j] == text[other[0] + j]:
        j += 1
    return bool(j == one[1])


@njit(nogil=True, cache=True)
def _rehash(words: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Fill an empty hash table with the known texts."""
    mask = len(slots) - 1
    for code in range(len(words)):
        value = _hash(words[code, 0], words[code, 1])
        slot = np.int64(value & _LOW) & mask
        while slots[slot] != np.uint64(0):
            slot = (slot + 1) & mask
        slots[slot] = (value & ~_LOW) | np.uint64(code + 1)


@njit(nogil=True, cache=True)
def _copy(text: Bytes, places: NDArray[np.int64], data: Bytes) -> None:
    """Texts laid end to end."""
    at = 0
    for k in range(len(places)):
        for j in range(places[k, 1]):
            data[at] = text[places[k, 0] + j]
            at += 1
