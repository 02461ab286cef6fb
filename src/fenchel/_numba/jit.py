"""The house decorators, through which everything compiled in this package goes, and twins of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

import numba

from fenchel._numba import way
from fenchel._numba.choice import COMPILED
from fenchel._numba.trial import trial
from fenchel.parts.state import from_package

F = TypeVar("F", bound=Callable[..., Any])


def helper(function: F) -> F:
    """A small function that kernels call; compiled into each of them, in Python as it is written."""
    return _inside(function, way.INLINED)


def leaf(function: F) -> F:
    """A helper that makes no array: compiled without counting references to those it is given.

    Each call of an ordinary helper counts every array among its arguments up and down, atomically;
    where a call handles a few bytes, that costs several times the work itself.
    """
    return _inside(function, way.LEAN)


def inlined(function: F) -> F:
    """A leaf whose code is put in the place of each call.

    For functions of several arrays, each of which is seven arguments to a call.
    """
    return _inside(function, way.LEAN | way.INLINED)


def _inside(function: F, options: Any) -> F:
    """The function, which in kernels means itself."""
    way.inside(function, lambda *arguments, **named: function, options)
    return function


def in_kernels_for(other: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a leaf that kernels call where another function is called, which is for Python."""

    def stand_in(function: F) -> F:
        way.inside(other, lambda *arguments, **named: function, way.LEAN)
        return function

    return stand_in


def kernel(function: F) -> F:
    """An entry point from Python into compiled code, kept on disk for the next process."""
    return way.kept(function, way.OPTIONS)  # type: ignore[no-any-return]


def locked_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that keeps the interpreter's lock, since it looks into Python's objects."""
    return way.kept(function, {**way.OPTIONS, **way.LEAN, "nogil": False})


@cache
def fresh(kernel: Any) -> Any:
    """A kernel's twin that is not kept on disk: what it inlines is not in the cache's key."""
    return numba.njit(**way.OPTIONS)(kernel.py_func) if COMPILED else kernel


@cache
def lean(kernel: Any) -> Any:
    """A kernel's twin for parts that make no array: it counts no references, where that can be had."""
    if not (COMPILED and way.LEAN):
        return kernel
    return way.kept(_renamed(kernel.py_func), way.OPTIONS | way.LEAN)


def suited(kernel: Any, *parts: Any) -> Any:
    """The kernel itself for the package's own parts, its fresh twin where one is from outside."""
    return kernel if all(map(from_package, parts)) else fresh(kernel)


def settled(compiled: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A kernel for arguments of the types of these, without type dispatch in each call.

    A class stands for any object of Python's of that class, which has no other type here.

    With parts of nested tuples dispatch takes 4 µs, the call itself under 1. The caller answers for
    the types, of an array also for its order in memory: they go unchecked.
    """
    may_be_python = not COMPILED or trial.is_on
    found: Callable[..., Any] = compiled if may_be_python else way.settled(compiled, arguments)
    return found


def in_one_step(calls: Sequence[tuple[Any, tuple[Any, ...]]]) -> Callable[[], None]:
    """Kernels with their arguments bound: what is returned calls one after the other, in one step.

    Arrays are read and written where they lie now: who replaces one has to bind anew.
    """
    if COMPILED:
        return way.in_one_step(calls)
    bound = list(calls)

    def step() -> None:
        for function, arguments in bound:
            function(*arguments)

    return step


def _renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function under another name: the cache tells functions apart by theirs."""
    twin = FunctionType(
        function.__code__, function.__globals__, f"{function.__name__}_lean", function.__defaults__
    )
    twin.__qualname__, twin.__module__ = twin.__name__, function.__module__
    return twin
