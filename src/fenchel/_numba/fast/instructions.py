"""Machine instructions for ``intrinsics``: a branch seldom taken, a byte without a bounds question."""

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


_expected: Any = intrinsic(_expect)
byte_at: Any = intrinsic(_load)


def expected(condition: Any) -> Any:
    """In kernels: the condition, which seldom holds."""
    return _expected(condition)
