"""Numba's cache of compiled functions, in our folder and with a sealed file for each signature."""

# mypy: disallow-untyped-calls=False
# Numba has no types to tell.

from __future__ import annotations

import hashlib
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from numba.core import caching
from numba.core.serialize import dumps

from fenchel._numba import sealed
from fenchel._numba.cache import TRIED, cache_folder, is_keyed, source_hash


class _Locator(caching._CacheLocator):
    """The place of one function's compiled code: the folder of the sources' hash."""

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
    """The files of one function: one for each of its signatures, sealed by a digest.

    In one index for all, as Numba has it, two processes that compile at the same time give two codes
    the same name; and damaged machine code is run as if it were sound.
    """

    def __init__(self, folder: str, name: str) -> None:
        self._folder, self._name = Path(folder), name

    def _asked(self, key: Any) -> Path:
        signature = hashlib.sha256(str(key).encode()).hexdigest()[:16]
        return self._folder / f"{self._name}.{signature}.nbc"

    def holds(self, key: Any) -> bool:
        """Whether there is a file for this signature."""
        return self._asked(key).exists()

    def tried(self, key: Any) -> Path:
        """Where it is kept how long Python took for this signature."""
        return self._asked(key).with_suffix(TRIED)

    def load(self, key: Any) -> Any:
        """The code compiled for this signature, or None."""
        path = self._asked(key)
        content = sealed.read(path)
        if content is None:
            return None
        try:
            told, data = pickle.loads(content)
        except Exception:  # unpickling what another program put there may raise anything
            sealed.remove(path)
            return None
        return data if told == key else None

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled for this signature."""
        sealed.write(self._asked(key), dumps((key, data)))


class SourceKeyedCache(caching.FunctionCache):
    """Numba's function cache in our folder; a full or read-only disk costs time, nothing else."""

    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        shelf: Any = _Shelf(str(self.cache_path), self._impl.filename_base)
        self._cache_file = shelf

    def save_overload(self, signature: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(signature, data)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(signature, target_context)
        except Exception:  # code of another machine that could be read
            return None

    def shelf_and_key(self, signature: Any, target_context: Any) -> tuple[Any, Any]:
        """The files of the function, and what a signature is asked by."""
        return self._cache_file, self._index_key(signature, target_context.codegen())


class Candidate(NamedTuple):
    """A kernel and the types of its arguments, for which it may have been compiled, or may be."""

    kernel: Any
    kinds: tuple[Any, ...]

    def is_on_disk(self) -> bool:
        """Whether it need not be compiled, but only be loaded."""
        found = self._shelf_and_key()
        return found is not None and bool(found[0].holds(found[1]))

    def seconds_before(self) -> float:
        """How long it ran as Python in earlier processes."""
        found = self._shelf_and_key()
        if found is None:
            return 0.0
        try:
            return float(found[0].tried(found[1]).read_text())
        except (OSError, ValueError):  # there is none, or a damaged one
            return 0.0

    def keep_seconds(self, seconds: float) -> None:
        """Keep for later processes how long it ran as Python."""
        found = self._shelf_and_key()
        if found is not None:
            with suppress(OSError):
                found[0].tried(found[1]).write_text(f"{seconds:.3f}")

    def _shelf_and_key(self) -> tuple[Any, Any] | None:
        kept = self.kernel._cache
        if not isinstance(kept, SourceKeyedCache):
            return None
        return kept.shelf_and_key(self.kinds, self.kernel.targetctx)


def attach(dispatcher: Any) -> None:
    """Give a dispatcher its place on disk, where there is one and its sources are in the key."""
    if is_keyed(dispatcher.py_func) and cache_folder() is not None:
        dispatcher._cache = SourceKeyedCache(dispatcher.py_func)
