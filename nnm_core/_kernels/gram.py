"""Sums of outer products, the innermost loop of every fit, in vector instructions.

A row's least-squares problem needs Σ f fᵀ, Σ y f and Σ y² over its ratings, f being the partner's factor and y the
target. Partners' rows lie scattered over memory, so a chunk of them is first copied into a block that the first cache
holds; the sums over the block are then taken a tile of the matrix at a time, each in registers. Compiled from plain
loops the same takes several times as long, so the tiles are emitted by hand. The vectors are LLVM's own, and
no processor's in particular. ``tests/kernels/test_gram.py`` holds the result to numpy's.
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
from nnm_core._kernels.vectors import LANES, VECTOR, array_at, number, spread, vector_at
from nnm_core.types import FloatArray

CHUNK = 128
"""Ratings summed up at a time: their partners' rows and their targets stay in the first cache."""

_AT_ONCE = 16
"""Numbers that a compiled loop takes at once."""

SIDES = 2
"""Numbers that a rating has beside its partner's factor: s and the target y."""


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
    """Room for the sums over factors of length ``dim``: a square matrix, SIDES larger than the factors' vectors.

    Σ f fᵀ is its upper triangle, ``gram[a, b]`` for a ≤ b < dim. The last row is Σ y f and, in its last two entries,
    Σ s y and Σ y²; the row before it is Σ s f and, for whoever adds it up, Σ s² in its last entry but one.
    """
    size = whole_vectors(dim) + SIDES
    return np.zeros((size, size))


@njit(nogil=True, cache=True)
def empty_block(dim: int) -> tuple[FloatArray, FloatArray]:
    """Room for a chunk: the partners' factors (CHUNK, width), and s, which is 1, and y of each (SIDES, CHUNK)."""
    return np.zeros((CHUNK, whole_vectors(dim))), np.ones((SIDES, CHUNK))


@njit(nogil=True, forceinline=True)
def add_outer_products(
    rows: FloatArray,
    partners: NDArray[np.int32],
    first: int,
    last: int,
    dim: int,
    block: tuple[FloatArray, FloatArray],
    gram: FloatArray,
) -> None:
    """Add the sums over the partners from ``first`` to ``last``, at most CHUNK of them, to ``gram``.

    ``rows``, as made by :func:`partner_rows`: the partners' factors are its first ``dim`` columns. ``block``, as made
    by :func:`empty_block`: its second part has s and y of each. (Ranges, not slices, which cost more than a short sum.)
    """
    factors, sides = block
    n, width = last - first, whole_vectors(dim)
    _gather(rows, partners, first, last, factors)
    for left in range(0, dim, LANES):
        rest = dim - left
        for right in range(left, width, 2 * LANES):  # below the diagonal nothing is needed
            is_wide = right + 2 * LANES <= width
            if left == 0:
                if is_wide:
                    _add_wide_tile_and_sides(factors, n, sides, 0, right, gram)
                elif rest <= LANES // 2:
                    _add_half_tile_and_sides(factors, n, sides, 0, right, gram)
                else:
                    _add_tile_and_sides(factors, n, sides, 0, right, gram)
            elif is_wide:
                _add_wide_tile(factors, n, sides, left, right, gram)
            elif rest <= LANES // 2:
                _add_half_tile(factors, n, sides, left, right, gram)
            else:
                _add_tile(factors, n, sides, left, right, gram)
    _add_squares(sides, n, gram)


@njit(nogil=True, cache=True)
def add_targets(
    rows: FloatArray,
    partners: NDArray[np.int32],
    first: int,
    last: int,
    dim: int,
    block: tuple[FloatArray, FloatArray],
    gram: FloatArray,
) -> None:
    """Add the sums with s and y alone, the last rows of ``gram``."""
    factors, sides = block
    _gather(rows, partners, first, last, factors)
    for right in range(0, whole_vectors(dim), LANES):
        _add_sides(factors, last - first, sides, 0, right, gram)
    _add_squares(sides, last - first, gram)


@njit(nogil=True, cache=True, fastmath={"contract", "nsz", "reassoc"})
def _add_squares(sides: FloatArray, n: int, gram: FloatArray) -> None:
    whole = (n + _AT_ONCE - 1) // _AT_ONCE * _AT_ONCE
    for j in range(n, whole):  # nothing is left for the rest of the loop, which would take numbers one by one
        sides[1, j] = 0.0
    sy, yy = 0.0, 0.0
    for j in range(whole):
        sy += sides[0, j] * sides[1, j]
        yy += sides[1, j] * sides[1, j]
    end = len(gram) - 1
    gram[end, end - 1] += sy
    gram[end, end] += yy


def _emit_gather(_context: Any, rows: Any, partners: Any, _first: Any, _last: Any, block: Any) -> tuple[Any, Any]:
    """Copy the rows of some partners into a block."""

    def emit(target: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        source, indices, into = (array_at(target, builder, signature, values, at) for at in (0, 1, 4))
        width = builder.extract_value(source.shape, 1)
        with cgutils.for_range(builder, values[3], values[2]) as loop:
            partner = builder.zext(builder.load(builder.gep(indices.data, [loop.index])), ir.IntType(64))
            row = builder.gep(source.data, [builder.mul(partner, width)])
            copy = builder.gep(into.data, [builder.mul(builder.sub(loop.index, values[2]), width)])
            with cgutils.for_range_slice(builder, number(0), width, number(LANES), inc=True) as (column, _):
                vector = builder.load(vector_at(builder, row, column), align=8)
                builder.store(vector, vector_at(builder, copy, column), align=8)
        return target.get_dummy_value()

    return types.void(rows, partners, types.intp, types.intp, block), emit


_gather: Any = intrinsic(_emit_gather)

_FUSED = ("contract",)  # a product and a sum may become one instruction


def _tile(n_left: int, n_right: int, with_sides: bool) -> Any:
    """A function that adds to one tile of the matrix, holding its sums in registers.

    The tile has ``n_left`` rows from the row ``left`` on, and, ``with_sides``, the last rows of the matrix too; it is
    as wide as ``n_right`` vectors, from the column ``right`` on.
    """

    def emit(target: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        block, sides, gram = (array_at(target, builder, signature, values, at) for at in (0, 2, 5))
        n, left, right = (values[at] for at in (1, 3, 4))
        stride, gram_stride = builder.extract_value(block.shape, 1), builder.extract_value(gram.shape, 1)
        end = builder.extract_value(gram.shape, 0)
        sum_rows = [builder.add(left, number(k)) for k in range(n_left)]
        sum_rows += [builder.sub(end, number(SIDES - k)) for k in range(SIDES)] * with_sides
        alloca: Any = cgutils.alloca_once_value  # the compiler turns these into registers
        sums = [[alloca(builder, ir.Constant(VECTOR, None)) for _ in range(n_right)] for _ in sum_rows]

        with cgutils.for_range(builder, n) as loop:
            row = builder.gep(block.data, [builder.mul(loop.index, stride)])
            factors = [builder.gep(row, [column]) for column in sum_rows[:n_left]]
            if with_sides:
                factors += [builder.gep(sides.data, [builder.add(number(k * CHUNK), loop.index)]) for k in range(SIDES)]
            columns = [builder.add(right, number(v * LANES)) for v in range(n_right)]
            vectors = [builder.load(vector_at(builder, row, column), align=8) for column in columns]
            for factor, row_of_sums in zip(factors, sums, strict=True):
                times = spread(builder, builder.load(factor))
                for by, total in zip(vectors, row_of_sums, strict=True):
                    product = builder.fmul(times, by, flags=_FUSED)
                    builder.store(builder.fadd(builder.load(total), product, flags=_FUSED), total)

        for sum_row, row_of_sums in zip(sum_rows, sums, strict=True):
            line = builder.gep(gram.data, [builder.mul(sum_row, gram_stride)])
            for v, total in enumerate(row_of_sums):
                at = vector_at(builder, line, builder.add(right, number(v * LANES)))
                builder.store(builder.fadd(builder.load(at, align=8), builder.load(total)), at, align=8)
        return target.get_dummy_value()

    def add_tile(_context: Any, block: Any, _n: Any, sides: Any, _left: Any, _right: Any, gram: Any) -> tuple[Any, Any]:
        return types.void(block, types.intp, sides, types.intp, types.intp, gram), emit

    return intrinsic(add_tile)


_add_tile, _add_tile_and_sides = _tile(LANES, 1, False), _tile(LANES, 1, True)
_add_wide_tile, _add_wide_tile_and_sides = _tile(LANES, 2, False), _tile(LANES, 2, True)
_add_half_tile, _add_half_tile_and_sides = _tile(LANES // 2, 1, False), _tile(LANES // 2, 1, True)
_add_sides = _tile(0, 1, True)
