"""Machine instructions for ``intrinsics``: a branch seldom taken, a byte without a bounds question,
memory asked for ahead of its use."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _expect(context: Any, condition: Any) -> Any:
    """Typing and code of ``expected``: the condition, with the hint that it hardly ever holds."""

    def hint(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (held,) = arguments
        kind = held.type
        expect = builder.module.declare_intrinsic(
            "llvm.expect", [kind], ir.FunctionType(kind, [kind, kind])
        )
        return builder.call(expect, [held, kind(0)])

    return types.boolean(types.boolean), hint


def _load(context: Any, data: Any, position: Any) -> Any:
    """Typing and code of ``byte_at``."""

    def load(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        place = cgutils.gep_inbounds(builder, array.data, arguments[1])  # type: ignore[no-untyped-call]
        return builder.load(place)

    return types.uint8(data, types.intp), load


def _fetch(context: Any, data: Any, position: Any) -> Any:
    """Typing and code of ``fetch``."""

    def fetch(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        to_read, often, as_data = number(0), number(3), number(1)
        builder.call(call, [place, to_read, often, as_data])
        return target.get_dummy_value()

    return types.none(data, types.uint64), fetch


_expected: Any = intrinsic(_expect)
_fetched: Any = intrinsic(_fetch)
_loaded: Any = intrinsic(_load)


def expected(condition: Any) -> Any:
    """In kernels: the condition, which seldom holds."""
    return _expected(condition)


def fetched(data: Any, position: Any) -> Any:
    """In kernels: ask for data[position], an array without gaps; any position will do."""
    return _fetched(data, position)


def byte_at(data: Any, position: Any) -> Any:
    """In kernels: data[position], which is not before the first."""
    return _loaded(data, position)
