"""The plain way of compiling: by public functions of Numba alone, for releases that were not checked.

Verbs and helpers are overloads, each optimised and made machine code by itself, which takes longer;
references are counted, and every call looks at the types of its arguments. The results have the same
bits: rounding is that of the formulas, however they are put together.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any

import numba
from numba.extending import overload

from fenchel._numba import sealed
from fenchel._numba.cache import cache_folder, is_keyed, is_written
from fenchel._numba.choice import COMPILED
from fenchel._numba.undisturbed import undisturbed

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


def fetched(data: Any, position: Any) -> None:
    """In kernels: nothing; the processor finds out by itself what is read next, if later."""


def side_by_side(part: Any) -> Any:
    """In kernels: the part, of whose records nothing is known."""
    return part


fours: Any = None  # one at a time


def byte_at(data: Any, position: Any) -> Any:
    """In kernels: data[position]."""
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


def in_one_step(calls: Sequence[tuple[Any, tuple[Any, ...]]]) -> Callable[[], None]:
    """Bind (kernel, arguments) in turn; what is returned makes all the calls, each from Python."""
    bound = [(settled(kernel, arguments), arguments) for kernel, arguments in calls]

    def step() -> None:
        for call, arguments in bound:
            call(*arguments)

    return step


def compiled(function: Callable[..., Any], kinds: tuple[Any, ...], options: Any) -> Any:
    """The function for these types, from disk or compiled now.

    Signals wait: what they raise could leave Numba's lock to a thread for ever.
    """
    with undisturbed:
        return _compiled(function, kinds, options)


def _compiled(function: Callable[..., Any], kinds: tuple[Any, ...], options: Any) -> Any:
    folder = _folder_for(kinds) if is_keyed(function) else None
    if folder is None or not _is_sound(folder, function):
        for call in _compiling:
            call()
    if folder is not None:
        try:
            with _keeping_in(folder):
                found = numba.njit(kinds, cache=True, **options)(function)
            if _files(
                folder, function
            ):  # else it came from where no hash of the sources is the key
                _seal(folder, function)
                return found
        except Exception:  # a damaged file may raise anything, a full disk an OSError
            shutil.rmtree(folder, ignore_errors=True)
    return numba.njit(kinds, **options)(function)


def _folder_for(kinds: tuple[Any, ...]) -> Path | None:
    folder = cache_folder()
    if folder is None:
        return None
    whole = folder if is_written(folder) else _own_copy(folder)
    return whole / hashlib.sha256(str(kinds).encode()).hexdigest()[:16]


@cache
def _own_copy(folder: Path) -> Path:
    """A copy for this process: Numba finds nothing in a folder that it cannot write."""
    own = Path(tempfile.mkdtemp(prefix="fenchel-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(shutil.copytree(folder, own / folder.name, copy_function=shutil.copyfile))


def _files(folder: Path, function: Callable[..., Any]) -> list[Path]:
    return sorted(folder.rglob(f"*.{function.__name__}-*"))


def _is_sound(folder: Path, function: Callable[..., Any]) -> bool:
    """Whether the function's code is there and what was sealed; what is not is removed."""
    files = _files(folder, function)
    told = sealed.read(_seal_of(folder, function))
    if told is not None and told == _digest(files):
        return True
    for file in files:
        sealed.remove(file)
    return False


def _seal(folder: Path, function: Callable[..., Any]) -> None:
    sealed.write(_seal_of(folder, function), _digest(_files(folder, function)))


def _seal_of(folder: Path, function: Callable[..., Any]) -> Path:
    return folder / f"{function.__module__}.{function.__name__}.seal"


def _digest(files: list[Path]) -> bytes:
    digest = hashlib.sha256()
    for file in files:
        with suppress(OSError):
            digest.update(file.name.encode() + file.read_bytes())
    return digest.digest()


compiling: Any = RLock()  # one thread at a time, and none while the process forks


@contextmanager
def _keeping_in(folder: Path) -> Iterator[None]:
    """Have Numba keep what is compiled meanwhile in this folder, whatever the user's settings say."""
    settings = {"CACHE_DIR": str(folder), "CACHE_LOCATOR_CLASSES": ""}
    with compiling:
        before = {name: getattr(numba.config, name, "") for name in settings}
        vars(numba.config).update(settings)
        try:
            yield
        finally:
            vars(numba.config).update(before)
