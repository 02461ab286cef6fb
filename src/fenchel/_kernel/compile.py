"""The house decorators: everything compiled in this package goes through one of the two."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import numba
from numba import types
from numba.core import config

from fenchel._kernel import cache

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not config.DISABLE_JIT  # type: ignore[attr-defined]

# No fastmath: it breaks the checks for NaN and the reproducibility of sums.
OPTIONS: Any = {"nogil": True, "error_model": "numpy"}
# A call passes every array of a part as seven arguments, which costs more than most bodies do.
INLINED: Any = {**OPTIONS, "forceinline": True}


def helper(function: F) -> F:
    """A small function that kernels call; compiled into each of them, never cached by itself."""
    compiled: Any = numba.njit(**INLINED)(function)
    return compiled  # type: ignore[no-any-return]


def kernel(function: F) -> F:
    """An entry point from Python into compiled code, kept on disk for the next process.

    Two twins of it: ``function.fresh`` is not kept, for parts defined outside the package, whose
    source is not in the cache's key; ``function.lean`` is for parts that make no array, and counts
    no references: an atomic addition for every array that a row's view holds.
    """
    return _entry(function, OPTIONS)


def locked_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that keeps the interpreter's lock, since it looks into Python's objects."""
    return _entry(function, {**OPTIONS, "nogil": False})


def _entry(function: F, options: Any) -> F:
    compiled: Any = numba.njit(**options)(function)
    if not COMPILED:
        compiled.fresh = compiled.lean = compiled
        return compiled  # type: ignore[no-any-return]
    cache.attach(compiled)
    compiled.fresh = numba.njit(**options)(function)
    compiled.lean = numba.njit(**{**options, "_nrt": False})(_renamed(function))
    cache.attach(compiled.lean)
    return compiled  # type: ignore[no-any-return]


def settled(compiled: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A kernel for arguments of the types of these, without a look at their types in each call.

    A class stands for any object of Python's of that class, which has no other type here.

    With parts of nested tuples the look takes 4 µs, the call itself under 1. The caller answers for
    the types: of an array also for its order in memory, which nobody asks about again.
    """
    if not COMPILED:
        return compiled  # type: ignore[no-any-return]
    signature = tuple(map(_type_of, arguments))
    compiled.compile(signature)
    return compiled.overloads[signature].entry_point  # type: ignore[no-any-return]


def _type_of(argument: Any) -> Any:
    kind: Any = types.Object if isinstance(argument, type) else numba.typeof
    return kind(argument)


def _renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function under another name: the cache tells functions apart by theirs."""
    twin = FunctionType(
        function.__code__, function.__globals__, f"{function.__name__}_lean", function.__defaults__
    )
    twin.__qualname__, twin.__module__ = twin.__name__, function.__module__
    return twin
