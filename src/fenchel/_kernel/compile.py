"""The house decorators: everything compiled in this package goes through one of the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import config

from fenchel._kernel import cache

F = TypeVar("F", bound=Callable[..., Any])

# No fastmath: it breaks the checks for NaN and the reproducibility of sums.
OPTIONS: Any = {"nogil": True, "error_model": "numpy"}


def helper(function: F) -> F:
    """A small function that kernels call; compiled into each of them, never cached by itself."""
    compiled: Any = numba.njit(**OPTIONS)(function)
    return compiled  # type: ignore[no-any-return]


def kernel(function: F) -> F:
    """An entry point from Python into compiled code, kept on disk for the next process.

    ``function.fresh`` is its uncached twin, for parts defined outside the package: their source is
    not in the cache's key, so a cached kernel could run an old version of them.
    """
    compiled: Any = numba.njit(**OPTIONS)(function)
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled.fresh = compiled
        return compiled  # type: ignore[no-any-return]
    cache.attach(compiled)
    compiled.fresh = numba.njit(**OPTIONS)(function)
    return compiled  # type: ignore[no-any-return]
