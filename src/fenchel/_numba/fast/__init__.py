"""The fast way of compiling: through internals of Numba, on releases where that was checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from fenchel._numba.choice import COMPILED
from fenchel._numba.fast import fours as _fours
from fenchel._numba.fast.function_cache import Candidate, attach
from fenchel._numba.fast.inline import INLINED, LEAN, OPTIONS, inside
from fenchel._numba.fast.instructions import byte_at, expected, fetched
from fenchel._numba.fast.records import side_by_side
from fenchel._numba.fast.sequence import in_one_step
from fenchel._numba.trial import trial
from fenchel._numba.undisturbed import undisturbed

__all__ = [
    "INLINED",
    "LEAN",
    "OPTIONS",
    "byte_at",
    "compiling",
    "expected",
    "fetched",
    "fours",
    "in_one_step",
    "inside",
    "kept",
    "settled",
    "side_by_side",
    "when_compiling",
]


fours: Any = _fours
# One thread compiles at a time, as Numba has it; none while the process forks.
compiling: Any = global_compiler_lock


def kept(function: Callable[..., Any], options: Any) -> Any:
    """A kernel that the next process finds on disk."""
    compiled: Any = numba.njit(**options)(function)
    if COMPILED:
        attach(compiled)
        compiled.compile = whole(compiled.compile)
        if options["nogil"]:  # else it looks into Python's objects
            compiled._compile_for_args = on_trial(compiled)
    return compiled


def on_trial(compiled: Any) -> Callable[..., Any]:
    """What is called where there is no code for arguments of these types: it finds some, or does without."""
    compile_for_these = compiled._compile_for_args

    def find(*arguments: Any) -> Any:
        if trial.is_on:
            candidate = Candidate(compiled, tuple(map(numba.typeof, arguments)))
            if not candidate.is_on_disk() and trial.admits(candidate, arguments):
                return lambda *given: trial.run(candidate, compiled.py_func, given)
        return compile_for_these(*arguments)

    return find


def whole(compile: Callable[..., Any]) -> Callable[..., Any]:
    """Signals wait while Numba compiles: what they raise could leave its lock to a thread for ever."""

    def compile_whole(signature: Any) -> Any:
        with undisturbed:
            return compile(signature)

    return compile_whole


def settled(compiled: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A kernel for arguments of the types of these: its entry point, which looks at no type."""
    signature = tuple(map(_type_of, arguments))
    compiled.compile(signature)
    return compiled.overloads[signature].entry_point  # type: ignore[no-any-return]


def _type_of(argument: Any) -> Any:
    """The type of an argument; a class stands for any object of Python's of that class."""
    kind: Any = types.Object if isinstance(argument, type) else numba.typeof
    return kind(argument)


def when_compiling(call: Callable[[], None]) -> None:
    """Have this called whenever something begins to be compiled."""

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            call()

        def on_end(self, event: Any) -> None:
            """Nothing to tell."""

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
