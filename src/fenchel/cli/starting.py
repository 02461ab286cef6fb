"""What a command does before its work begins, so that it begins soon."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

from fenchel.cli.allocating import keep_freed_memory

# SciPy, which the compiler loads, asks NumPy for all it has, f2py included; narwhals is for frames
# and Parquet alone.
SELDOM_USED = frozenset({"numpy.f2py", "narwhals"})


class Later(MetaPathFinder):
    """Loads seldom used modules when something of theirs is used, not when they are imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where the module is, with a loader that waits."""
        spec = PathFinder.find_spec(name, path, target) if name in SELDOM_USED else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


@cache
def make_ready() -> None:
    """Settings of the process, made once, that suit a command which loads a compiler and shares its cores."""
    # Loading the compiler makes half a million objects that stay; by default the collector looks
    # at them again and again, for a quarter of the time of a short command.
    gc.set_threshold(200_000, 20, 100)
    atexit.register(gc.freeze)  # and not at the end either, when all is given back at once
    sys.meta_path.insert(0, Later())
    keep_freed_memory()
    # A thread that has parsed or learned its part wants to hand it over now, not in 5 ms.
    sys.setswitchinterval(0.0005)
