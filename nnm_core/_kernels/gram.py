"""Sums of outer products, the innermost loop of every fit, in vector instructions.

A row's least-squares problem needs Σ f fᵀ, Σ y f and Σ y² over its ratings, f being the partner's factor and y the
target. This file is the one place where instructions are emitted by hand: compiled from plain loops the same sums take
1.7 times as long, because the compiler keeps no tile of sums in registers while it walks scattered rows. The vectors
are LLVM's own and no processor's in particular. ``tests/kernels/test_gram.py`` holds the result to numpy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from nnm_core._kernels.prefetch import LINE
from nnm_core.types import FloatArray

CHUNK = 128
"""Ratings summed up at a time: their targets and their partners' rows stay in the first cache."""

LANES = 4
"""Numbers in a vector."""


def partner_rows(factors: FloatArray) -> FloatArray:
    """The factors with zeros up to a whole number of vectors, from the beginning of a cache line on.

    Many rows lie scattered over more memory than the caches hold, so that a row should touch as few lines as it can.
    """
    n_rows, dim = factors.shape
    width = whole_vectors(dim)
    memory = np.zeros(n_rows * width + LINE)
    start = -(memory.ctypes.data // memory.itemsize) % LINE
    rows = memory[start : start + n_rows * width].reshape(n_rows, width)
    rows[:, :dim] = factors
    return rows


@njit(nogil=True, cache=True)
def whole_vectors(n: int) -> int:
    """The next multiple of LANES."""
    return (n + LANES - 1) // LANES * LANES


@njit(nogil=True, cache=True)
def empty_gram(dim: int) -> FloatArray:
    """Room for the sums over factors of length ``dim``: a square matrix one larger than the factors' vectors.

    Σ f fᵀ is its upper triangle, ``gram[a, b]`` for a ≤ b < dim; Σ y f its last row; Σ y² the last entry of that.
    """
    size = whole_vectors(dim) + 1
    return np.zeros((size, size))


@njit(nogil=True, cache=True)
def add_outer_products(
    rows: FloatArray,
    partners: NDArray[np.int32],
    first: int,
    last: int,
    targets: FloatArray,
    dim: int,
    gram: FloatArray,
) -> None:
    """Add the sums over the partners from ``first`` to ``last`` to ``gram``.

    ``rows``, as made by :func:`partner_rows`: the partners' factors are its first ``dim`` columns.
    ``targets`` (at least last - first,): y of each. (Ranges instead of slices, which would cost more than a short sum.)
    """
    size = whole_vectors(dim)
    for right in range(0, size, 2 * LANES):
        if right + 2 * LANES <= size:
            _add_wide_tile_and_targets(rows, partners, first, last, targets, 0, right, gram)
        else:
            _add_tile_and_targets(rows, partners, first, last, targets, 0, right, gram)
    for left in range(LANES, dim, LANES):
        if left == dim - 1:  # as with three stereotypes and two of generosity: rows below would be zeros
            _add_row(rows, partners, first, last, targets, left, left, gram)
            break
        for right in range(left, size, 2 * LANES):  # below the diagonal nothing is needed
            if right + 2 * LANES <= size:
                _add_wide_tile(rows, partners, first, last, targets, left, right, gram)
            else:
                _add_tile(rows, partners, first, last, targets, left, right, gram)
    gram[size, size] += _sum_of_squares(targets, last - first)


@njit(nogil=True, cache=True)
def add_targets(
    rows: FloatArray,
    partners: NDArray[np.int32],
    first: int,
    last: int,
    targets: FloatArray,
    dim: int,
    gram: FloatArray,
) -> None:
    """Add the sums with the targets alone, the last row of ``gram``."""
    size = whole_vectors(dim)
    for right in range(0, size, LANES):
        _add_targets(rows, partners, first, last, targets, 0, right, gram)
    gram[size, size] += _sum_of_squares(targets, last - first)


@njit(nogil=True, cache=True, fastmath={"contract", "nsz", "reassoc"})
def _sum_of_squares(targets: FloatArray, n: int) -> float:
    total = 0.0
    for j in range(n):
        total += targets[j] * targets[j]
    return total


_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_FUSED = ("contract",)  # a product and a sum may become one instruction


def _tile(n_left: int, n_right: int, with_targets: bool) -> Any:
    """A function that adds to one tile of the matrix, holding its sums in registers.

    The tile has ``n_left`` rows from the row ``left`` on, and, ``with_targets``, the last row of the matrix too; it is
    as wide as ``n_right`` vectors, from the column ``right`` on.
    """

    def emit(target: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        rows, partners, targets, gram = (_array(target, builder, signature, values, at) for at in (0, 1, 4, 7))
        first, last, left, right = (values[at] for at in (2, 3, 5, 6))
        stride, gram_stride = builder.extract_value(rows.shape, 1), builder.extract_value(gram.shape, 1)
        last_row = builder.sub(builder.extract_value(gram.shape, 0), _number(1))
        sum_rows = [builder.add(left, _number(k)) for k in range(n_left)] + [last_row] * with_targets
        alloca: Any = cgutils.alloca_once_value  # the compiler turns these into registers
        sums = [[alloca(builder, ir.Constant(_VECTOR, None)) for _ in range(n_right)] for _ in sum_rows]

        with cgutils.for_range(builder, last, first) as loop:
            partner = builder.zext(builder.load(builder.gep(partners.data, [loop.index])), ir.IntType(64))
            row = builder.gep(rows.data, [builder.mul(partner, stride)])
            factors = [builder.gep(row, [column]) for column in sum_rows[:n_left]]
            factors += [builder.gep(targets.data, [builder.sub(loop.index, first)])] * with_targets
            vectors = [builder.load(_vector_at(builder, row, right, v), align=8) for v in range(n_right)]
            for factor, row_of_sums in zip(factors, sums, strict=True):
                times = _spread(builder, builder.load(factor))
                for by, total in zip(vectors, row_of_sums, strict=True):
                    product = builder.fmul(times, by, flags=_FUSED)
                    builder.store(builder.fadd(builder.load(total), product, flags=_FUSED), total)

        for sum_row, row_of_sums in zip(sum_rows, sums, strict=True):
            line = builder.gep(gram.data, [builder.mul(sum_row, gram_stride)])
            for v, total in enumerate(row_of_sums):
                at = _vector_at(builder, line, right, v)
                builder.store(builder.fadd(builder.load(at, align=8), builder.load(total)), at, align=8)
        return target.get_dummy_value()

    def add_tile(
        _context: Any,
        rows: Any,
        partners: Any,
        _first: Any,
        _last: Any,
        targets: Any,
        _left: Any,
        _right: Any,
        gram: Any,
    ) -> tuple[Any, Any]:
        index = types.intp
        return types.void(rows, partners, index, index, targets, index, index, gram), emit

    return intrinsic(add_tile)


def _array(target: Any, builder: ir.IRBuilder, signature: Any, values: Any, at: int) -> Any:
    """One of the arguments as an array with ``data`` and ``shape``."""
    return target.make_array(signature.args[at])(target, builder, value=values[at])


def _number(value: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), value)


def _vector_at(builder: ir.IRBuilder, line: ir.Value, column: ir.Value, v: int) -> ir.Value:
    """Where the v-th vector from the column on lies."""
    return builder.bitcast(builder.gep(line, [builder.add(column, _number(v * LANES))]), _VECTOR.as_pointer())


def _spread(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    """A vector of one and the same number."""
    unknown = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(unknown, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, unknown, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None))


_add_tile, _add_tile_and_targets = _tile(LANES, 1, False), _tile(LANES, 1, True)
_add_wide_tile, _add_wide_tile_and_targets = _tile(LANES, 2, False), _tile(LANES, 2, True)
_add_row, _add_targets = _tile(1, 1, False), _tile(0, 1, True)
