"""Numba's cache of compiled functions, in our folder and with an index for each signature."""

# mypy: disallow-untyped-calls=False
# Numba has no types to tell.

from __future__ import annotations

import hashlib
from typing import Any

from numba.core import caching

from fenchel._numba.cache import cache_folder, is_keyed, source_hash


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
        return caching.IndexDataCacheFile(self._folder, name, source_hash())

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
        super().__init__(function)
        shelf: Any = _Shelf(str(self.cache_path), self._impl.filename_base)
        self._cache_file = shelf

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except OSError:
            self.disable()

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(signature, target_context)
        except Exception:  # a damaged file that could be read, or a folder that cannot be written
            return None


def attach(dispatcher: Any) -> None:
    """Give a dispatcher its place on disk, where there is one and its sources are in the key."""
    if is_keyed(dispatcher.py_func) and cache_folder() is not None:
        dispatcher._cache = SourceKeyedCache(dispatcher.py_func)
