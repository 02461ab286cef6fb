"""Instructions that Python has no words for: a branch seldom taken, a byte without a bounds question."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from fenchel._numba.inline import COMPILED, INLINED, inside


def _typed(context: Any, condition: Any) -> Any:
    """Typing and code of ``seldom``."""

    def expect(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (held,) = arguments
        kind = held.type
        hint = builder.module.declare_intrinsic(
            "llvm.expect", [kind], ir.FunctionType(kind, [kind, kind])
        )
        return builder.call(hint, [held, kind(0)])

    return types.boolean(types.boolean), expect


_expected: Any = intrinsic(_typed)


def seldom(condition: bool) -> bool:
    """The condition, which seldom holds.

    Without the hint the compiler may compute both branches and choose one: where the seldom one
    divides, that adds a quarter to the time of the other.
    """
    return condition


def _hinted(condition: Any) -> Any:
    return _expected(condition)


inside(seldom, lambda *arguments: _hinted, INLINED)


def _load(context: Any, data: Any, position: Any) -> Any:
    """Typing and code of ``byte_at``."""

    def load(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        place = cgutils.gep_inbounds(builder, array.data, arguments[1])  # type: ignore[no-untyped-call]
        return builder.load(place)

    return types.uint8(data, types.intp), load


def _byte(data: Any, position: Any) -> Any:
    return data[position]


# data[position] without the question whether the position counts from the end: a text parser asks
# for every byte several times.
byte_at: Any = intrinsic(_load) if COMPILED else _byte
