"""Rows of a plain table split into fields, eight bytes at a time, in compiled code."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

ORDINARY, DELIMITER, NEWLINE, RETURN, STRANGE = 0, 1, 2, 3, 4
"""Kinds of bytes; all but the first may end a field."""

ODD = -1
"""Instead of a place in the text: the table is not plain."""

EXACT = 16
"""Texts up to this many bytes are held in two words, longer ones have to be compared byte by byte."""

LONG = np.uint64(0xFF)
"""The first byte of the second word of a long text; no UTF-8 text has it."""

_WORD = 8
_EVERY_BYTE, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_ONE, _THREE, _EIGHT, _SIXTEEN, _TOP = np.uint64(1), np.uint64(3), np.uint64(8), np.uint64(16), np.uint64(56)


@njit(nogil=True, cache=True)
def count_lines(text: Bytes) -> int:
    """How many lines end in the text."""
    count = 0
    for byte in text:
        count += byte == 10
    return count


@njit(nogil=True, cache=True)
def split_rows(
    text: Bytes,
    at: int,
    end: int,
    kinds: Bytes,
    width: int,
    positions: NDArray[np.int64],
    words: NDArray[np.uint64],
    places: NDArray[np.int64],
) -> tuple[int, int]:
    """Split a batch of rows, the wanted fields as words and as start and length: next byte or ODD, and rows."""
    n_columns, row = len(positions), 0
    delimiter = quote = _HIGH_BITS | _EVERY_BYTE  # no byte of UTF-8 text, unless one is found
    for byte in range(16, 256):
        if kinds[byte] == DELIMITER:
            delimiter = np.uint64(byte) * _EVERY_BYTE
        elif kinds[byte] == STRANGE:
            quote = np.uint64(byte) * _EVERY_BYTE
    while at < end and row < words.shape[1]:
        line, column = at, 0
        while True:
            k = positions[column] if column < n_columns else -1
            begin = at
            at, kind, first, second = _field(text, at, end, kinds, width, delimiter, quote)
            if kind == STRANGE:
                return ODD, row
            if k >= 0:
                words[k, row, 0], words[k, row, 1] = first, second
                places[k, row, 0], places[k, row, 1] = begin, at - begin
            column += 1
            if kind != DELIMITER:
                break
            at += width
        filled = at > line
        if kind == RETURN:
            if at + 1 >= end or text[at + 1] != 10:
                return ODD, row
            at += 1
        at += 1
        if column == n_columns and filled:
            row += 1
        elif column != 1 or filled:
            return ODD, row
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
            second = (second ^ word) * _MIX
        at += n_bytes
        if n_bytes < _WORD:
            break
    if at - begin > EXACT:
        second = (second >> _EIGHT) | (LONG << _TOP)
    return at, kind, first, second


@njit(nogil=True, cache=True)
def _before_end(text: Bytes, at: int, end: int, flags: np.uint64, kinds: Bytes, width: int) -> tuple[int, int]:
    """How many of the next eight bytes, of which some are flagged, belong to the field; and what ends it."""
    while flags != np.uint64(0):
        n_bytes: Any = np.int64(_trailing_zeros(flags) >> _THREE)
        stop = at + n_bytes
        if stop >= end:
            return n_bytes, NEWLINE
        kind: Any = np.int64(kinds[text[stop]])
        if kind == DELIMITER and width == 2 and not (stop + 1 < end and text[stop + 1] == text[stop]):
            kind = ORDINARY
        if kind != ORDINARY:
            return n_bytes, kind
        flags &= flags - _ONE
    return _WORD, ORDINARY


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
