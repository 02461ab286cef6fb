"""The house decorators, through which everything compiled in this package goes, and twins of kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

import numba
from numba import types

from fenchel._numba.cache import attach
from fenchel._numba.inline import COMPILED, INLINED, LEAN, OPTIONS, inside_as_it_is
from fenchel.parts.state import from_package

F = TypeVar("F", bound=Callable[..., Any])


def helper(function: F) -> F:
    """A small function that kernels call; compiled into each of them, in Python as it is written."""
    return inside_as_it_is(function, INLINED)


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


def kernel(function: F) -> F:
    """An entry point from Python into compiled code, kept on disk for the next process."""
    return _kept(function, OPTIONS)  # type: ignore[no-any-return]


def locked_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that keeps the interpreter's lock, since it looks into Python's objects."""
    return _kept(function, {**OPTIONS, **LEAN, "nogil": False})


def _kept(function: Callable[..., Any], options: Any) -> Any:
    compiled: Any = numba.njit(**options)(function)
    if COMPILED:
        attach(compiled)
    return compiled


@cache
def fresh(kernel: Any) -> Any:
    """A kernel's twin that is not kept on disk: what it inlines is not in the cache's key."""
    return numba.njit(**OPTIONS)(kernel.py_func) if COMPILED else kernel


@cache
def lean(kernel: Any) -> Any:
    """A kernel's twin for parts that make no array: it counts no references."""
    return _kept(_renamed(kernel.py_func), {**OPTIONS, **LEAN}) if COMPILED else kernel


def suited(kernel: Any, *parts: Any) -> Any:
    """The kernel itself for the package's own parts, its fresh twin where one is from outside."""
    return kernel if all(map(from_package, parts)) else fresh(kernel)


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
