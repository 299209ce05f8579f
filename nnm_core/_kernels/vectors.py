"""Vectors of LANES numbers in compiled code: what the processor works on in one instruction.

In kernels a vector is a value like any other, with ``+ - * /`` and the functions below, so that a kernel for LANES
problems at once reads like one for a single problem. Conditions are vectors too, of ones and zeros: ``less(a, b)``,
``both`` as their product, ``choose(condition, a, b)`` instead of a branch.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 8 if binding.get_host_cpu_features().get("avx512f") else 4
"""Numbers in a vector: as many as a register of this processor holds. More would be right as well, but slower."""

VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_register: Any = register_model  # numba has no types for these
_typed: Any = signature
_inferred: Any = infer_global
_lowered: Any = lower_builtin
_FUSED = ("contract",)  # a product and a sum may become one instruction


def _compiled(definition: Callable[..., tuple[Any, Any]]) -> Any:
    """Make a function of compiled code, whose arguments here are their types, and the first what they are typed in."""
    return intrinsic(definition)


class _Vector(types.Type):
    def __init__(self) -> None:
        super().__init__(name=f"vector{LANES}")


vector = _Vector()


@_register(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)  # type: ignore[no-untyped-call]


def _arithmetic(symbol: Callable[[Any, Any], Any], emit: Callable[..., ir.Value]) -> None:
    """Define one of the operators."""

    @_inferred(symbol)
    class _Operator(ConcreteTemplate):
        cases = [_typed(vector, vector, vector)]  # noqa: RUF012 - numba's own form

    @_lowered(symbol, vector, vector)
    def _lower(_context: Any, builder: ir.IRBuilder, _signature: Any, values: Any) -> ir.Value:
        return emit(builder, *values, flags=_FUSED)


_arithmetic(operator.add, ir.IRBuilder.fadd)
_arithmetic(operator.sub, ir.IRBuilder.fsub)
_arithmetic(operator.mul, ir.IRBuilder.fmul)
_arithmetic(operator.truediv, ir.IRBuilder.fdiv)


@_compiled
def load(_context: Any, table: Any, _row: Any) -> tuple[Any, Any]:
    """Return a row of a table (n, LANES)."""

    def emit(target: Any, builder: ir.IRBuilder, given: Any, values: Any) -> ir.Value:
        place = vector_at(builder, array_at(target, builder, given, values, 0).data, _start(builder, values[1]))
        return builder.load(place, align=8)

    return vector(table, types.intp), emit


@_compiled
def store(_context: Any, table: Any, _row: Any, _values: Any) -> tuple[Any, Any]:
    """Replace a row of a table (n, LANES)."""

    def emit(target: Any, builder: ir.IRBuilder, given: Any, values: Any) -> Any:
        place = vector_at(builder, array_at(target, builder, given, values, 0).data, _start(builder, values[1]))
        builder.store(values[2], place, align=8)
        return target.get_dummy_value()

    return types.void(table, types.intp, vector), emit


@_compiled
def same(_context: Any, _value: Any) -> tuple[Any, Any]:
    """Return a vector of one and the same number."""
    return vector(types.float64), lambda _target, builder, _given, values: spread(builder, values[0])


@_compiled
def less(_context: Any, _left: Any, _right: Any) -> tuple[Any, Any]:
    """Return 1 where the left number is smaller, else 0."""
    return vector(vector, vector), lambda _target, builder, _given, values: _compare(builder, "<", *values)


@_compiled
def equal(_context: Any, _left: Any, _right: Any) -> tuple[Any, Any]:
    """Return 1 where the numbers are equal, else 0."""
    return vector(vector, vector), lambda _target, builder, _given, values: _compare(builder, "==", *values)


@_compiled
def choose(_context: Any, _condition: Any, _yes: Any, _no: Any) -> tuple[Any, Any]:
    """Return the first where the condition holds, else the second."""

    def emit(_target: Any, builder: ir.IRBuilder, _given: Any, values: Any) -> ir.Value:
        return builder.select(_holds(builder, values[0]), values[1], values[2])

    return vector(vector, vector, vector), emit


@_compiled
def anywhere(_context: Any, _condition: Any) -> tuple[Any, Any]:
    """Return whether the condition holds for any of the numbers."""

    def emit(_target: Any, builder: ir.IRBuilder, _given: Any, values: Any) -> ir.Value:
        bits = builder.bitcast(_holds(builder, values[0]), ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(vector), emit


@_compiled
def larger(_context: Any, _left: Any, _right: Any) -> tuple[Any, Any]:
    """Return the larger of two numbers each."""
    return vector(vector, vector), lambda _target, builder, _given, values: _pick(builder, ">", *values)


@_compiled
def smaller(_context: Any, _left: Any, _right: Any) -> tuple[Any, Any]:
    """Return the smaller of two numbers each."""
    return vector(vector, vector), lambda _target, builder, _given, values: _pick(builder, "<", *values)


@_compiled
def square_root(_context: Any, _values: Any) -> tuple[Any, Any]:
    """Return the square roots."""

    def emit(_target: Any, builder: ir.IRBuilder, _given: Any, values: Any) -> ir.Value:
        declare: Any = cgutils.get_or_insert_function
        roots = declare(builder.module, ir.FunctionType(VECTOR, [VECTOR]), f"llvm.sqrt.v{LANES}f64")
        return builder.call(roots, values)

    return vector(vector), emit


def _compare(builder: ir.IRBuilder, comparison: str, left: ir.Value, right: ir.Value) -> ir.Value:
    ones, zeros = (ir.Constant(VECTOR, [value] * LANES) for value in (1.0, 0.0))
    return builder.select(builder.fcmp_ordered(comparison, left, right), ones, zeros)


def _pick(builder: ir.IRBuilder, comparison: str, left: ir.Value, right: ir.Value) -> ir.Value:
    return builder.select(builder.fcmp_ordered(comparison, left, right), left, right)


def _holds(builder: ir.IRBuilder, condition: ir.Value) -> ir.Value:
    return builder.fcmp_ordered("!=", condition, ir.Constant(VECTOR, [0.0] * LANES))


def _start(builder: ir.IRBuilder, row: ir.Value) -> ir.Value:
    return builder.mul(row, number(LANES))


def array_at(target: Any, builder: ir.IRBuilder, given: Any, values: Any, at: int) -> Any:
    """One of the arguments of an intrinsic as an array with ``data`` and ``shape``."""
    return target.make_array(given.args[at])(target, builder, value=values[at])


def number(value: int) -> ir.Constant:
    """An index."""
    return ir.Constant(ir.IntType(64), value)


def vector_at(builder: ir.IRBuilder, line: ir.Value, column: ir.Value) -> ir.Value:
    """Where the vector from a column on lies."""
    return builder.bitcast(builder.gep(line, [column]), VECTOR.as_pointer())


def spread(builder: ir.IRBuilder, scalar: ir.Value) -> ir.Value:
    """A vector of one and the same number."""
    unknown = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(unknown, scalar, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, unknown, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None))
