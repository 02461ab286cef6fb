"""Four numbers at once: a type for vectors of four floats, and what verbs do with them.

Where a verb has no branches it is compiled for one slot and one entry, and again for four of each: the
same formula, in vector registers. Lanes are rounded each by itself, as scalars are.
"""

# mypy: disallow-untyped-calls=False
# Numba has no types to tell.

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

LANES = 4
DOUBLE, WORD, INDEX = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
VECTOR = ir.VectorType(DOUBLE, LANES)


class Four(types.Type):
    """Four floats."""


class Apart(types.Type):
    """Four slots anywhere."""


class Along(types.Type):
    """Four slots side by side, by the first of them."""


FOUR, APART, ALONG = Four("four"), Apart("four slots"), Along("four slots in a row")


def _model(kind: type, form: Any) -> None:
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, own: Any) -> None:
            super().__init__(manager, own, form)

    register_model(kind)(Model)


_model(Four, VECTOR)
_model(Apart, ir.ArrayType(WORD, LANES))
_model(Along, WORD)


# ── arithmetic ──────────────────────────────────────────────────────────────────────────────────


def _splat(builder: Any, number: Any) -> Any:
    vector: Any = ir.Constant(VECTOR, ir.Undefined)
    for lane in range(LANES):
        vector = builder.insert_element(vector, number, INDEX(lane))
    return vector


def _broadcast(context: Any, builder: Any, given: Any, wanted: Any, number: Any) -> Any:
    return _splat(builder, context.cast(builder, number, given, types.float64))


lower_cast(types.Float, FOUR)(_broadcast)


def _of_fours(*arguments: Any) -> bool:
    return FOUR in arguments and all(a is FOUR or isinstance(a, types.Float) for a in arguments)


def _defined(function: Any, compute: Callable[..., Any]) -> None:
    """Let a function of floats be one of fours too."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, arguments: Any, named: Any) -> Any:
            if not named and _of_fours(*arguments):
                return signature(FOUR, *(FOUR for _ in arguments))
            return None

    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return compute(builder, *arguments)

    infer_global(function, types.Function(Template))

    for count in (1, 2):
        lower_builtin(function, *(count * [FOUR]))(lowered)


def _chosen(comparison: str) -> Callable[..., Any]:
    """The second of two where it compares so with the first, as ``max`` and ``min`` choose."""

    def choose(builder: Any, first: Any, second: Any) -> Any:
        return builder.select(builder.fcmp_ordered(comparison, second, first), second, first)

    return choose


def _absolute(builder: Any, vector: Any) -> Any:
    kind = ir.FunctionType(VECTOR, [VECTOR])
    size = cgutils.get_or_insert_function(builder.module, kind, "llvm.fabs.v4f64")
    return builder.call(size, [vector])


def _root(builder: Any, vector: Any) -> Any:
    kind = ir.FunctionType(VECTOR, [VECTOR])
    root = cgutils.get_or_insert_function(builder.module, kind, "llvm.sqrt.v4f64")
    return builder.call(root, [vector])


_defined(operator.add, lambda builder, a, b: builder.fadd(a, b))
_defined(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_defined(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_defined(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))
for _update, _plain in ((operator.iadd, "fadd"), (operator.isub, "fsub"), (operator.imul, "fmul")):
    _defined(_update, lambda builder, a, b, name=_plain: getattr(builder, name)(a, b))
_defined(max, _chosen(">"))
_defined(min, _chosen("<"))
_defined(abs, _absolute)
_defined(np.sqrt, _root)
_defined(float, lambda builder, vector: vector)


# ── arrays ──────────────────────────────────────────────────────────────────────────────────────


def _places(context: Any, builder: Any, kinds: Any, arguments: Any) -> list[Any]:
    """Where the four numbers of an array lie."""
    array = context.make_array(kinds[0])(context, builder, arguments[0])
    slots = arguments[1]
    if kinds[1] is ALONG:
        firsts = [builder.add(slots, WORD(lane)) for lane in range(LANES)]
    else:
        firsts = [builder.extract_value(slots, lane) for lane in range(LANES)]
    if kinds[0].layout == "C":
        return [builder.gep(array.data, [first]) for first in firsts]
    begin = builder.ptrtoint(array.data, WORD)
    stride = builder.extract_value(array.strides, 0)
    return [
        builder.inttoptr(builder.add(begin, builder.mul(first, stride)), array.data.type)
        for first in firsts
    ]


@infer_global(operator.getitem)
class _Read(AbstractTemplate):
    def generic(self, arguments: Any, named: Any) -> Any:
        array, slots = arguments
        if slots in (APART, ALONG) and isinstance(array, types.Array):
            return signature(FOUR, array, slots)
        return None


@infer_global(operator.setitem)
class _Write(AbstractTemplate):
    def generic(self, arguments: Any, named: Any) -> Any:
        array, slots, _ = arguments
        if slots in (APART, ALONG) and isinstance(array, types.Array):
            return signature(types.none, array, slots, FOUR)
        return None


def _read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array, slots = signature.args
    places = _places(context, builder, signature.args, arguments)
    if slots is ALONG and array.layout == "C":
        return builder.load(builder.bitcast(places[0], VECTOR.as_pointer()), align=8)
    vector: Any = ir.Constant(VECTOR, ir.Undefined)
    for lane, place in enumerate(places):
        vector = builder.insert_element(vector, builder.load(place), INDEX(lane))
    return vector


def _write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array, slots, _ = signature.args
    places, vector = _places(context, builder, signature.args, arguments), arguments[2]
    if slots is ALONG and array.layout == "C":
        builder.store(vector, builder.bitcast(places[0], VECTOR.as_pointer()), align=8)
    else:
        for lane, place in enumerate(places):
            builder.store(builder.extract_element(vector, INDEX(lane)), place)
    return context.get_dummy_value()


for _kind in (APART, ALONG):
    lower_builtin(operator.getitem, types.Array, _kind)(_read)
    lower_builtin(operator.setitem, types.Array, _kind, FOUR)(_write)


# ── made of rows ────────────────────────────────────────────────────────────────────────────────


def _four_at(context: Any, values: Any, position: Any) -> Any:
    def load(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        kind = ir.VectorType(array.data.type.pointee, LANES)
        found = builder.load(builder.bitcast(place, kind.as_pointer()), align=4)
        return found if kind == VECTOR else builder.fpext(found, VECTOR)

    return FOUR(values, types.uint64), load


def _slots_at(context: Any, indices: Any, position: Any) -> Any:
    def load(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        slots: Any = ir.Constant(ir.ArrayType(WORD, LANES), ir.Undefined)
        for lane in range(LANES):
            place = builder.gep(array.data, [builder.add(arguments[1], WORD(lane))])
            column = builder.zext(builder.load(place), WORD)
            slots = builder.insert_value(slots, builder.add(column, WORD(1)), lane)
        return slots

    return APART(indices, types.uint64), load


def _slots_from(context: Any, first: Any) -> Any:
    def begin(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return ALONG(types.uint64), begin


def _four_of(context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    def pack(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector: Any = ir.Constant(VECTOR, ir.Undefined)
        for lane, number in enumerate(arguments):
            vector = builder.insert_element(vector, number, INDEX(lane))
        return vector

    return FOUR(*(4 * [types.float64])), pack


def _lanes_of(context: Any, vector: Any) -> Any:
    def unpack(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = [builder.extract_element(arguments[0], INDEX(lane)) for lane in range(LANES)]
        return target.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.float64, LANES)(FOUR), unpack


def _roots_of(context: Any, vector: Any) -> Any:
    def compute(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(VECTOR, [VECTOR])
        root = cgutils.get_or_insert_function(builder.module, kind, "llvm.sqrt.v4f64")
        return builder.call(root, arguments)

    return FOUR(FOUR), compute


def _compared(context: Any, a: Any, b: Any, lanes: int) -> Any:
    """Typing and code of ``none_above`` and ``all_above``: in which lanes a > b."""

    def compare(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cast = [
            target.cast(builder, v, k, FOUR) for v, k in zip(arguments, signature.args, strict=True)
        ]
        above = builder.bitcast(builder.fcmp_ordered(">", *cast), ir.IntType(LANES))
        return builder.icmp_unsigned("==", above, ir.IntType(LANES)(lanes))

    return types.boolean(a, b), compare


def _none_above(context: Any, a: Any, b: Any) -> Any:
    return _compared(context, a, b, 0)


def _all_above(context: Any, a: Any, b: Any) -> Any:
    return _compared(context, a, b, 2**LANES - 1)


def _where_above(context: Any, a: Any, b: Any, number: Any) -> Any:
    def choose(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        above = builder.fcmp_ordered(">", *arguments[:2])
        return builder.select(above, arguments[2], ir.Constant(VECTOR, LANES * [0.0]))

    return FOUR(FOUR, FOUR, FOUR), choose


# The bits of √½, of the exponent's place, and of 1.5·2⁵², beside which whole numbers are exact.
HALF_ROOT, EXPONENT, WHOLE = 0x3FE6A09E667F3BCD, 52, 0x4338000000000000


def _split_of(context: Any, x: Any) -> Any:
    """Typing and code of ``split``, of a float or of four."""
    if x not in (FOUR, types.float64):
        return None
    number = VECTOR if x is FOUR else DOUBLE
    word = ir.VectorType(WORD, LANES) if x is FOUR else WORD

    def all_lanes(value: int) -> Any:
        return ir.Constant(word, LANES * [value] if x is FOUR else value)

    def split(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(arguments[0], word)
        power = builder.ashr(builder.sub(bits, all_lanes(HALF_ROOT)), all_lanes(EXPONENT))
        rest = builder.sub(bits, builder.shl(power, all_lanes(EXPONENT)))
        shifted = builder.bitcast(builder.add(power, all_lanes(WHOLE)), number)
        zero = builder.bitcast(all_lanes(WHOLE), number)
        found = [builder.bitcast(rest, number), builder.fsub(shifted, zero)]
        return target.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(x, 2)(x), split


_split: Any = intrinsic(_split_of)
_where: Any = intrinsic(_where_above)
_numbers: Any = intrinsic(_four_of)
_values: Any = intrinsic(_four_at)
_slots: Any = intrinsic(_slots_at)
_slots_along: Any = intrinsic(_slots_from)
_lanes: Any = intrinsic(_lanes_of)
_roots: Any = intrinsic(_roots_of)
_none: Any = intrinsic(_none_above)
_all: Any = intrinsic(_all_above)


def four_numbers(a: Any, b: Any, c: Any, d: Any) -> Any:
    """In kernels: a, b, c, d in one."""
    return _numbers(a, b, c, d)


def four_values_at(values: Any, position: Any) -> Any:
    """In kernels: values[position … position + 3]."""
    return _values(values, position)


def four_slots_at(indices: Any, position: Any) -> Any:
    """In kernels: the slots of indices[position … position + 3]."""
    return _slots(indices, position)


def four_slots_from(first: Any) -> Any:
    """In kernels: four slots in a row."""
    return _slots_along(first)


def lanes(four: Any) -> Any:
    """In kernels: the four numbers, one by one."""
    return _lanes(four)


def four_roots(four: Any) -> Any:
    """In kernels: the root of each."""
    return _roots(four)


def none_above(a: Any, b: Any) -> Any:
    """In kernels: whether a > b in no lane."""
    return _none(a, b)


def all_above(a: Any, b: Any) -> Any:
    """In kernels: whether a > b in every lane."""
    return _all(a, b)


def where_above(a: Any, b: Any, number: Any) -> Any:
    """In kernels: the number in lanes where a > b, else 0."""
    return _where(a, b, number)


def split(x: Any) -> Any:
    """In kernels: the mantissa between √½ and √2, and the power of two."""
    return _split(x)
