"""The quick way through a large plain table: one compiled pass that splits rows and numbers the texts it meets.

It only knows tables without quotes in which every row has the same number of columns. Whatever else it meets, it gives
up, and the careful reader takes over; so it never has to explain anything.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from nnm_core.datasets.coded import Coded

Bytes = NDArray[np.uint8]

_ORDINARY, _DELIMITER, _NEWLINE, _RETURN, _STRANGE = 0, 1, 2, 3, 4  # kinds of bytes; all but the first end a field
_ODD = -1
_PARTS = 2
_WINDOW = 2**16
_BATCH = 2048
"""Rows that are split before their texts are looked up, column by column: the processor can wait for the memory of many
lookups at once if nothing else stands between them."""

_EXACT = 16
"""Texts up to this many bytes are held in two words, longer ones have to be compared byte by byte."""

_LONG = np.uint64(0xFF)
"""The first byte of the second word of a long text; no UTF-8 text has it."""

_WORD = 8
_EVERY_BYTE, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_MIX_A, _MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_ONE, _THREE, _EIGHT, _SIXTEEN = np.uint64(1), np.uint64(3), np.uint64(8), np.uint64(16)
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
    kinds[delimiter[0]], kinds[ord("\n")], kinds[ord("\r")], kinds[0] = _DELIMITER, _NEWLINE, _RETURN, _STRANGE
    if quote:
        kinds[quote[0]] = _STRANGE
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
        codes = np.empty((n_wanted, _count_lines(self.text[self.begin : self.end]) + 1), dtype=np.int32)
        while at < self.end:
            at, n_rows = _split_rows(self.text, at, self.end, kinds, width, positions, words, places)
            if at == _ODD:
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
def _count_lines(text: Bytes) -> int:
    """How many lines end in the text."""
    count = 0
    for byte in text:
        count += byte == 10
    return count


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
) -> tuple[int, int]:
    """Split a batch of rows, the wanted fields as words and as start and length: next byte or _ODD, and rows."""
    n_columns, row = len(positions), 0
    delimiter = quote = _HIGH_BITS | _EVERY_BYTE  # no byte of UTF-8 text, unless one is found
    for byte in range(16, 256):
        if kinds[byte] == _DELIMITER:
            delimiter = np.uint64(byte) * _EVERY_BYTE
        elif kinds[byte] == _STRANGE:
            quote = np.uint64(byte) * _EVERY_BYTE
    while at < end and row < _BATCH:
        line, column = at, 0
        while True:
            k = positions[column] if column < n_columns else -1
            begin = at
            at, kind, first, second = _field(text, at, end, kinds, width, delimiter, quote)
            if kind == _STRANGE:
                return _ODD, row
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
                return _ODD, row
            at += 1
        at += 1
        if column == n_columns and filled:
            row += 1
        elif column != 1 or filled:
            return _ODD, row
    return at, row


@njit(nogil=True, cache=True)
def _field(
    text: Bytes, at: int, end: int, kinds: Bytes, width: int, delimiter: np.uint64, quote: np.uint64
) -> tuple[int, int, np.uint64, np.uint64]:
    """Where a field ends, what ends it, and its content in two words, the second mixed if it is long.

    Eight bytes are looked at at once: those that may end the field get their high bit flagged.
    """
    begin, first, second = at, np.uint64(0), np.uint64(0)
    while True:
        word = _load_word(text, at) if at + _WORD <= end else _last_word(text, at, end)
        flags = _zero_bytes(word ^ delimiter) | _zero_bytes(word ^ quote) | _control_bytes(word)
        n_bytes, kind = _before_end(text, at, end, flags, kinds, width)
        if n_bytes < _WORD:
            word &= (_ONE << (np.uint64(n_bytes) << _THREE)) - _ONE
        if at == begin:
            first = word
        elif at == begin + _WORD:
            second = word
        else:
            second = (second ^ word) * _MIX_A
        at += n_bytes
        if n_bytes < _WORD:
            break
    if at - begin > _EXACT:
        second = (second >> _EIGHT) | (_LONG << _TOP)
    return at, kind, first, second


@njit(nogil=True, cache=True)
def _before_end(text: Bytes, at: int, end: int, flags: np.uint64, kinds: Bytes, width: int) -> tuple[int, int]:
    """How many of the next eight bytes, of which some are flagged, belong to the field; and what ends it."""
    while flags != np.uint64(0):
        n_bytes: Any = np.int64(_trailing_zeros(flags) >> _THREE)
        stop = at + n_bytes
        if stop >= end:
            return n_bytes, _NEWLINE
        kind: Any = np.int64(kinds[text[stop]])
        if kind == _DELIMITER and width == 2 and not (stop + 1 < end and text[stop + 1] == text[stop]):
            kind = _ORDINARY
        if kind != _ORDINARY:
            return n_bytes, kind
        flags &= flags - _ONE
    return _WORD, _ORDINARY


@njit(nogil=True, cache=True)
def _zero_bytes(word: np.uint64) -> np.uint64:
    """The high bits of the bytes that are zero; above the lowest of them there may be more."""
    return (word - _EVERY_BYTE) & ~word & _HIGH_BITS


@njit(nogil=True, cache=True)
def _control_bytes(word: np.uint64) -> np.uint64:
    """The high bits of the bytes below 16, among them the ends of lines; above the lowest of them there may be more."""
    return (word - _SIXTEEN * _EVERY_BYTE) & ~word & _HIGH_BITS


@njit(nogil=True, cache=True)
def _last_word(text: Bytes, at: int, end: int) -> np.uint64:
    """The bytes up to the end of the text, which counts as the end of a line."""
    word = np.uint64(0)
    for k in range(_WORD):
        byte = text[at + k] if at + k < end else np.uint8(10)
        word |= np.uint64(byte) << (np.uint64(k) << _THREE)
    return word


def _emit_load_word(_context: Any, text: Any, _at: Any) -> tuple[Any, Any]:
    """Eight bytes of the text as one number, the first byte the lowest; they must all be there."""

    def emit(target: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        data = target.make_array(signature.args[0])(target, builder, value=values[0]).data
        place = builder.bitcast(builder.gep(data, [values[1]]), ir.IntType(64).as_pointer())
        word = builder.load(place, align=1)
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(text, types.intp), emit


def _emit_trailing_zeros(_context: Any, word: Any) -> tuple[Any, Any]:
    """How many zeros the number ends in; it must not be 0."""

    def emit(_target: Any, builder: ir.IRBuilder, _signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(word), emit


_load_word: Any = intrinsic(_emit_load_word)
_trailing_zeros: Any = intrinsic(_emit_trailing_zeros)


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
    for j in range(len(codes)):
        length = places[j, 1]
        if length == 0:
            codes[j] = -1
            continue
        first, second = words[j, 0], words[j, 1]
        value = _hash(first, second)
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
                if likely and (second >> _TOP != _LONG or _same_text(text, known_places[code], places[j])):
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
