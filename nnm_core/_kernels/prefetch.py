"""Asking for memory before it is needed, in compiled code that walks through more of it than the caches hold."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LINE = 8
"""Numbers of 64 bits in a cache line."""


def _emit_fetch(_context: Any, array: Any, _row: Any) -> tuple[Any, Any]:
    """Ask for an entry of a list, or for a row of a table, of 64-bit numbers."""

    def emit(target: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        table = target.make_array(signature.args[0])(target, builder, value=values[0])
        index, byte, flag = ir.IntType(64), ir.IntType(8).as_pointer(), ir.IntType(32)
        width = builder.extract_value(table.shape, 1) if array.ndim == 2 else index(1)
        row = builder.gep(table.data, [builder.mul(values[1], width)])
        declare: Any = cgutils.get_or_insert_function
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        prefetch = declare(builder.module, kind, "llvm.prefetch.p0")
        with cgutils.for_range_slice(builder, index(0), width, index(LINE), inc=True) as (column, _):
            place = builder.bitcast(builder.gep(row, [column]), byte)
            builder.call(prefetch, [place, flag(0), flag(3), flag(1)])  # to read, to keep, data
        return target.get_dummy_value()

    return types.void(array, types.intp), emit


fetch: Any = intrinsic(_emit_fetch)
