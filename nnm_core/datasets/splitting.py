"""Rows of a plain table split into fields, 64 bytes at a time, in compiled code."""

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

_BLOCK = 64
_CONTROL = 16
"""Bytes below this are control characters, among them the ends of lines."""

_ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def split_rows(
    text: Bytes, at: int, end: int, kinds: Bytes, width: int, positions: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[int, int]:
    """Split a batch of rows: write start and length of the wanted fields, give the next byte or ODD, and the rows.

    ``positions`` (n_columns,): where in ``places`` (n_wanted, n_batch, 2) a column goes, -1 if nowhere.
    """
    delimiter = quote = np.uint8(0xFF)  # no byte of UTF-8 text, unless one is found
    for byte in range(_CONTROL, 256):
        if kinds[byte] == DELIMITER:
            delimiter = np.uint8(byte)
        elif kinds[byte] == STRANGE:
            quote = np.uint8(byte)
    n_columns, row, column, line, begin = len(positions), 0, 0, at, at
    while at <= end:
        flags = _flags(text, at, delimiter, quote) if at + _BLOCK <= end else _last_flags(text, at, end, kinds)
        while flags != np.uint64(0):
            stop = at + _trailing_zeros(flags)
            flags &= flags - _ONE
            kind = kinds[text[stop]] if stop < end else NEWLINE
            if stop < begin or kind == ORDINARY:
                continue
            if kind == DELIMITER and width == 2 and (stop + 1 >= end or text[stop + 1] != text[stop]):
                continue
            if kind == STRANGE or (kind == RETURN and (stop + 1 >= end or text[stop + 1] != 10)):
                return ODD, row
            k = positions[column] if column < n_columns else -1
            if k >= 0:
                places[k, row, 0], places[k, row, 1] = begin, stop - begin
            column += 1
            if kind == DELIMITER:
                begin = stop + width
                continue
            if column == n_columns and stop > line:
                row += 1
            elif column != 1 or stop > line:
                return ODD, row
            line = begin = stop + (2 if kind == RETURN else 1)
            column = 0
            if row == places.shape[1]:
                return begin, row
        at += _BLOCK
    return end, row


@njit(nogil=True, cache=True)
def _last_flags(text: Bytes, at: int, end: int, kinds: Bytes) -> np.uint64:
    """As ``_flags``, where fewer bytes are left; the end of the text counts as the end of a line."""
    flags = _ONE << np.uint64(end - at)
    for k in range(end - at):
        if kinds[text[at + k]] != ORDINARY:
            flags |= _ONE << np.uint64(k)
    return flags


def _emit_flags(_context: Any, text: Any, _at: Any, _delimiter: Any, _quote: Any) -> tuple[Any, Any]:
    """Which of the next 64 bytes may end a field, the first byte the lowest bit; they must all be there."""

    def emit(target: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        byte, block = ir.IntType(8), ir.VectorType(ir.IntType(8), _BLOCK)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), _BLOCK), None)

        def repeated(value: Any) -> Any:
            first = builder.insert_element(ir.Constant(block, ir.Undefined), value, ir.IntType(32)(0))
            return builder.shuffle_vector(first, first, everywhere)

        data = target.make_array(signature.args[0])(target, builder, value=values[0]).data
        place = builder.bitcast(builder.gep(data, [values[1]]), block.as_pointer())
        content = builder.load(place, align=1)
        ends = builder.icmp_unsigned("<", content, repeated(byte(_CONTROL)))
        for value in values[2:]:
            ends = builder.or_(ends, builder.icmp_unsigned("==", content, repeated(value)))
        flags = builder.bitcast(ends, ir.IntType(64))
        return flags if sys.byteorder == "little" else builder.bitreverse(flags)

    return types.uint64(text, types.intp, types.uint8, types.uint8), emit


def _emit_trailing_zeros(_context: Any, word: Any) -> tuple[Any, Any]:
    """How many zeros the number ends in; it must not be 0."""

    def emit(_target: Any, builder: ir.IRBuilder, _signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(word), emit


_flags: Any = intrinsic(_emit_flags)
_trailing_zeros: Any = intrinsic(_emit_trailing_zeros)
