"""Compiled functions that are called for each byte or entry of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from fenchel._kernel.compile import COMPILED
from fenchel._kernel.inside import INLINED, LEAN, inside_as_it_is

F = TypeVar("F", bound=Callable[..., Any])


def leaf(function: F) -> F:
    """A helper that makes no array: compiled without counting references to those it is given.

    Each call of an ordinary helper counts every array among its arguments up and down, atomically;
    where a call handles a few bytes, that costs several times the work itself.
    """
    return inside_as_it_is(function, LEAN)


def inlined(function: F) -> F:
    """A leaf whose code is put in the place of each call.

    For functions of several arrays, each of which is seven arguments to a call.
    """
    return inside_as_it_is(function, LEAN | INLINED)


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
