"""What the compiler cannot know of a branch."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from fenchel._kernel.inside import INLINED, inside


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
