"""The distinct texts of a column, numbered as they come, in compiled code."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pyarrow as pa
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from nnm_core._kernels.prefetch import fetch
from nnm_core.datasets.splitting import Bytes

WORD = 8
"""Bytes that are read at once; no text may be shorter as a whole."""

_EXACT = 2 * WORD
"""Texts up to this many bytes are held in two words, longer ones have to be compared byte by byte."""

_LONG = np.uint64(0xFF)
"""The first byte of the second word of a long text; no UTF-8 text has it."""

_AHEAD = 16
_FEW = 64
"""Up to so many texts are looked up in a small table first, as of a column of ratings; it needs no comparison."""

_N_FEW = 256
_MERGED = 4096
_MIX_A, _MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_EIGHT, _HALF, _TOP, _LOW = np.uint64(8), np.uint64(32), np.uint64(56), np.uint64(0xFFFFFFFF)
_FREE = np.uint64(0)
_MASKS = np.array([[256 ** min(n, WORD) - 1, 256 ** max(n - WORD, 0) - 1] for n in range(_EXACT + 1)], dtype=np.uint64)
"""Per number of bytes: which bits of two words belong to a text of that length."""


class Texts:
    """The distinct texts of one column of a table, numbered as they come.

    ``slots`` (n_slots,): hash table; half a hash, and the code plus one in the other half; 0 is free. Per code,
    ``words`` (n, 2) hold the text or its beginning, ``places`` (n, 2) its start and length. ``few_words`` and
    ``few_codes`` (256,): the first word and the code of some short texts, while there are few; a word of 0 is no text.
    """

    def __init__(self, text: Bytes, n_expected: int) -> None:
        self.text, self.size = text, 0
        self.few_words = np.zeros(_N_FEW, dtype=np.uint64)
        self.few_codes = np.full(_N_FEW, -1, dtype=np.int32)
        self.slots = np.zeros(2 * n_expected, dtype=np.uint64)
        self.words = np.empty((n_expected, 2), dtype=np.uint64)
        self.places = np.empty((n_expected, 2), dtype=np.int64)

    def code(self, places: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        """Write the code of the text at each place to ``codes``; new texts get new codes, empty ones -1."""
        if self.size <= _FEW and _look_up_few(self.text, places, self.few_words, self.few_codes, codes):
            return
        self._take_in(places, _words(self.text, places), codes)
        if self.size <= _FEW:
            short = np.flatnonzero(self.words[: self.size, 1] == _FREE)
            words = self.words[short, 0]
            few = (words * _MIX_A) >> _TOP
            self.few_words[few], self.few_codes[few] = words, short

    def merge(self, other: Texts) -> NDArray[np.int32]:
        """Take in the texts of another part of the table; which code each of them has here."""
        codes = np.empty(other.size, dtype=np.int32)
        for begin in range(0, other.size, _MERGED):  # few at a time: most are known, and will need no room
            rows = slice(begin, min(begin + _MERGED, other.size))
            self._take_in(other.places[rows], other.words[rows], codes[rows])
        return codes

    def _take_in(self, places: NDArray[np.int64], words: NDArray[np.uint64], codes: NDArray[np.int32]) -> None:
        self._make_room(len(codes))
        self.size = _look_up(self.text, places, words, self.slots, self.words, self.places, self.size, codes)

    def _make_room(self, n_more: int) -> None:
        n_slots = len(self.slots)
        while 2 * (self.size + n_more) > n_slots:
            n_slots *= 2
        if n_slots > len(self.slots):
            self.slots = np.zeros(n_slots, dtype=np.uint64)
            self.words = np.concatenate([self.words, np.empty((n_slots // 2 - len(self.words), 2), dtype=np.uint64)])
            self.places = np.concatenate([self.places, np.empty((n_slots // 2 - len(self.places), 2), dtype=np.int64)])
            _rehash(self.words[: self.size], self.slots)

    def gathered(self) -> pa.Array | None:
        """The texts as an arrow array, None if one is not UTF-8."""
        places = self.places[: self.size]
        offsets = np.concatenate([[0], np.cumsum(places[:, 1])])
        if offsets[-1] >= 2**31:
            return None
        data = np.empty(int(offsets[-1]), dtype=np.uint8)
        _copy(self.text, places, data)
        names = pa.StringArray.from_buffers(len(places), pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data))
        try:
            names.validate(full=True)
        except pa.ArrowInvalid:
            return None
        return names


@njit(nogil=True, cache=True)
def _look_up_few(
    text: Bytes,
    places: NDArray[np.int64],
    few_words: NDArray[np.uint64],
    few_codes: NDArray[np.int32],
    codes: NDArray[np.int32],
) -> bool:
    """Code the texts from the small table; False once one is not in it."""
    for j in range(len(codes)):
        begin, length = places[j, 0], places[j, 1]
        if length > WORD or begin + WORD > len(text):
            return False
        word = np.uint64(_load_word(text, begin)) & _MASKS[length, 0]
        few = (word * _MIX_A) >> _TOP
        if few_words[few] != word:
            return False
        codes[j] = few_codes[few]
    return True


@njit(nogil=True, cache=True)
def _words(text: Bytes, places: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Two words for each text: all of it, or the first eight bytes and a mixture of the others, marked as such."""
    words = np.empty((len(places), 2), dtype=np.uint64)
    longest = 0
    for j in range(len(places)):
        begin, length = places[j, 0], min(places[j, 1], _EXACT)
        longest = max(longest, places[j, 1])
        if begin + _EXACT <= len(text):
            words[j, 0], words[j, 1] = _load_word(text, begin), _load_word(text, begin + WORD)
        else:
            words[j, 0], words[j, 1] = _last_word(text, begin), _last_word(text, begin + WORD)
        words[j, 0] &= _MASKS[length, 0]
        words[j, 1] &= _MASKS[length, 1]
    if longest > _EXACT:
        for j in range(len(places)):
            if places[j, 1] > _EXACT:
                words[j, 1] = _mixed(text, places[j, 0], places[j, 1])
    return words


@njit(nogil=True, cache=True)
def _last_word(text: Bytes, at: int) -> np.uint64:
    """As ``_load_word``, where bytes may lie beyond the end of the text; what stands for those is arbitrary."""
    excess = max(at + WORD - len(text), 0)
    return np.uint64(_load_word(text, at - excess)) >> (_EIGHT * np.uint64(min(excess, WORD - 1)))


@njit(nogil=True, cache=True)
def _mixed(text: Bytes, begin: int, length: int) -> np.uint64:
    """The second word of a long text."""
    word = np.uint64(0)
    for at in range(WORD, length, WORD):
        word = (word ^ (_last_word(text, begin + at) & _MASKS[min(length - at, WORD), 0])) * _MIX_A
    return (word >> _EIGHT) | (_LONG << _TOP)


@njit(nogil=True, cache=True)
def _hash(first: np.uint64, second: np.uint64) -> np.uint64:
    value = (first * _MIX_A) ^ ((second + _MIX_A) * _MIX_B)
    value ^= value >> _HALF
    return value * _MIX_A


@njit(nogil=True, cache=True)
def _look_up(
    text: Bytes,
    places: NDArray[np.int64],
    words: NDArray[np.uint64],
    slots: NDArray[np.uint64],
    known_words: NDArray[np.uint64],
    known_places: NDArray[np.int64],
    size: int,
    codes: NDArray[np.int32],
) -> int:
    """Code the texts, taking in those that are new; the number of known texts afterwards. There must be room."""
    mask, last = len(slots) - 1, len(codes) - 1
    hashes = np.empty(len(codes), dtype=np.uint64)
    for j in range(len(codes)):
        hashes[j] = _hash(words[j, 0], words[j, 1])
    for j in range(len(codes)):
        fetch(slots, np.int64(hashes[min(j + 2 * _AHEAD, last)] & _LOW) & mask)
        likely_entry = slots[np.int64(hashes[min(j + _AHEAD, last)] & _LOW) & mask]
        fetch(known_words, max(np.int64(likely_entry & _LOW) - 1, 0))
        length = places[j, 1]
        if length == 0:
            codes[j] = -1
            continue
        first, second, value = words[j, 0], words[j, 1], hashes[j]
        tag, slot = value & ~_LOW, np.int64(value & _LOW) & mask
        while True:
            entry = slots[slot]
            if entry == _FREE:
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
        while slots[slot] != _FREE:
            slot = (slot + 1) & mask
        slots[slot] = (value & ~_LOW) | np.uint64(code + 1)


@njit(nogil=True, cache=True)
def _copy(text: Bytes, places: NDArray[np.int64], data: Bytes) -> None:
    """Texts laid end to end."""
    at = 0
    for k in range(len(places)):
        fetch(text, places[min(k + _AHEAD, len(places) - 1), 0])
        for j in range(places[k, 1]):
            data[at] = text[places[k, 0] + j]
            at += 1


def _emit_load_word(_context: Any, text: Any, _at: Any) -> tuple[Any, Any]:
    """Eight bytes of the text as one number, the first byte the lowest; they must all be there."""

    def emit(target: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        data = target.make_array(signature.args[0])(target, builder, value=values[0]).data
        place = builder.bitcast(builder.gep(data, [values[1]]), ir.IntType(64).as_pointer())
        word = builder.load(place, align=1)
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(text, types.intp), emit


_load_word: Any = intrinsic(_emit_load_word)
