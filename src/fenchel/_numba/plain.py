"""The plain way of compiling: by public functions of Numba alone, for releases that were not checked.

Verbs and helpers are overloads, each optimised and made machine code by itself, which takes longer;
references are counted, and every call looks at the types of its arguments. The results have the same
bits: rounding is that of the formulas, however they are put together.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any

import numba
from numba.extending import overload, register_jitable

from fenchel._numba.cache import cache_folder, is_keyed
from fenchel._numba.choice import COMPILED

# As in the fast way no fastmath: it breaks the checks for NaN and the reproducibility of sums.
OPTIONS: Any = {"nogil": True, "error_model": "numpy"}
# The fast way's own options have no like here.
LEAN: Any = {}
INLINED: Any = {}


def inside(
    function: Callable[..., Any], choose: Callable[..., Callable[..., Any]], options: Any
) -> None:
    """In kernels a call of this function means that of the one chosen by the arguments' types."""
    overload(function, jit_options=OPTIONS | options, strict=False)(choose)


def expected(condition: Any) -> Any:
    """In kernels: the condition, without a hint."""
    return condition


@register_jitable(**OPTIONS)
def byte_at(data: Any, position: Any) -> Any:
    """data[position]."""
    return data[position]


_compiling: list[Callable[[], None]] = []


def when_compiling(call: Callable[[], None]) -> None:
    """Have this called whenever something begins to be compiled."""
    _compiling.append(call)


class Kernel:
    """A kernel that the next process finds on disk: a function of Numba's for each list of types.

    In one for all, as Numba keeps it, two processes that compile at the same time give two codes the
    same name on disk, and one of the two then runs for the other.
    """

    def __init__(self, function: Callable[..., Any], options: Any) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._options = options
        self._compiled: dict[tuple[Any, ...], Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run it, compiled for arguments of these types."""
        return self.compiled_for(arguments)(*arguments)

    def compiled_for(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The function for arguments of the types of these."""
        kinds = tuple(map(numba.typeof, arguments))
        if kinds not in self._compiled:
            self._compiled[kinds] = compiled(self.py_func, kinds, self._options)
        return self._compiled[kinds]

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        """The lists of types that it was compiled for, as of Numba's own functions."""
        return list(self._compiled)


def kept(function: Callable[..., Any], options: Any) -> Any:
    """A kernel that the next process finds on disk."""
    return Kernel(function, options) if COMPILED else function


def settled(compiled: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A kernel for arguments of the types of these; Numba looks at them in each call."""
    return compiled.compiled_for(arguments) if isinstance(compiled, Kernel) else compiled


def compiled(function: Callable[..., Any], kinds: tuple[Any, ...], options: Any) -> Any:
    """The function for these types, from disk or compiled now."""
    folder = _folder_for(kinds) if is_keyed(function) else None
    if folder is None or not _is_in(folder, function):
        for call in _compiling:
            call()
    if folder is not None:
        try:
            with _keeping_in(folder):
                found = numba.njit(kinds, cache=True, **options)(function)
        except Exception:  # a damaged file may raise anything, a full disk an OSError
            shutil.rmtree(folder, ignore_errors=True)
        else:
            if _is_in(
                folder, function
            ):  # else it came from where no hash of the sources is the key
                return found
    return numba.njit(kinds, **options)(function)


def _folder_for(kinds: tuple[Any, ...]) -> Path | None:
    folder = cache_folder()
    return folder and folder / hashlib.sha256(str(kinds).encode()).hexdigest()[:16]


def _is_in(folder: Path, function: Callable[..., Any]) -> bool:
    return any(folder.rglob(f"*.{function.__name__}-*"))


_lock = RLock()


@contextmanager
def _keeping_in(folder: Path) -> Iterator[None]:
    """Have Numba keep what is compiled meanwhile in this folder, whatever the user's settings say."""
    settings = {"CACHE_DIR": str(folder), "CACHE_LOCATOR_CLASSES": ""}
    with _lock:
        before = {name: getattr(numba.config, name, "") for name in settings}
        vars(numba.config).update(settings)
        try:
            yield
        finally:
            vars(numba.config).update(before)
