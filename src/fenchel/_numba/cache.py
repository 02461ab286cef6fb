"""Compiled code on disk: found again by the next process, never stale.

Numba looks only at the file of the cached function, so a change in another file (a regularizer
that the loop inlines) would go unseen and the old code would run. Here the folder's name is a hash
of every source file that compiled code can reach: any change there opens a new folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

PACKAGE = Path(__file__).resolve().parent.parent

# Kernels live in these rooms, and the layers of the house let them import from no other.
ROOMS = ("_numba", "parts", "rows", "losses", "regularizers", "rules", "loops", "streams")


@cache
def source_hash() -> str:
    """A hash of the sources that compiled code can reach, and of Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(file for room in ROOMS for file in (PACKAGE / room).rglob("*.py")):
        digest.update(str(file.relative_to(PACKAGE)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


@cache
def cache_folder() -> Path | None:
    """The folder for this state of the sources, or None where none can be written."""
    folder = base_folder() / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return folder


def base_folder() -> Path:
    """Where compiled code is kept: ``FENCHEL_CACHE_DIR``, or a place by the XDG convention."""
    named = os.environ.get("FENCHEL_CACHE_DIR")
    return Path(named) if named else _default_base()


def _default_base() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "fenchel"
    except RuntimeError:  # no home folder can be found
        return Path(tempfile.gettempdir()) / "fenchel"


class _Locator(caching._CacheLocator):
    """Where one function's compiled code lies: the folder of the sources' hash."""

    def __init__(self, function: Any, source: str) -> None:
        self._line = function.__code__.co_firstlineno
        self._module = function.__module__

    def ensure_cache_path(self) -> None:
        """Nothing: ``cache_folder`` has tried it, once for all kernels."""

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return source_hash()

    def get_disambiguator(self) -> str:
        return f"{self._module}.{self._line}"

    @classmethod
    def from_function(cls, function: Any, source: str) -> Any:
        return None if cache_folder() is None else cls(function, source)


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 (Numba's own attribute)


class _Shelf:
    """The files of one function: an index for each of its signatures.

    In one index for all, two processes that compile at the same time give two codes the same name.
    """

    def __init__(self, folder: str, name: str) -> None:
        self._folder, self._name = folder, name

    def _asked(self, key: Any) -> Any:
        signature = hashlib.sha256(str(key).encode()).hexdigest()[:16]
        name = f"{self._name}.{signature}"
        return caching.IndexDataCacheFile(self._folder, name, source_hash())  # type: ignore[no-untyped-call]

    def load(self, key: Any) -> Any:
        """What was compiled for this signature, or None."""
        file = self._asked(key)
        try:
            return file.load(key)
        except Exception:  # unpickling a damaged file may raise anything
            file.flush()
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled for this signature."""
        self._asked(key).save(key, data)


class SourceKeyedCache(caching.FunctionCache):
    """Numba's function cache in our folder; a full or vanished disk costs time, nothing else."""

    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        shelf: Any = _Shelf(str(self.cache_path), self._impl.filename_base)
        self._cache_file = shelf

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]
        except OSError:
            self.disable()  # type: ignore[no-untyped-call]

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(signature, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # a damaged file that could be read, or a folder that cannot be written
            return None


def attach(dispatcher: Any) -> None:
    """Give a dispatcher its place on disk, where there is one and its sources are in the key."""
    home = dispatcher.py_func.__module__
    known = any(home.startswith(f"fenchel.{room}.") for room in ROOMS)
    if known and cache_folder() is not None:
        dispatcher._cache = SourceKeyedCache(dispatcher.py_func)
