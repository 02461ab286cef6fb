"""The choice of how kernels are compiled: fast, through Numba's internals, or plain, by its public functions.

The fast way is for the releases of Numba on which it was checked. Another release gets the plain way,
and one warning; so does, without a warning, ``FENCHEL_PLAIN_COMPILER=1``. The results have the same
bits.

Dicts are read by compiled code where the layout of Python's objects was checked and no other thread
may touch them meanwhile; ``FENCHEL_PLAIN_DICTS=1`` turns that off.
"""

from __future__ import annotations

import os
import platform
import sys
import warnings

import numba

from fenchel._numba.internals import CHECKED_NUMBA, CHECKED_PYTHON, is_checked


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


def _is_fast() -> bool:
    if _is_set("FENCHEL_PLAIN_COMPILER"):
        return False
    if is_checked(numba.__version__, CHECKED_NUMBA):
        return True
    warnings.warn(
        f"fenchel was not checked on Numba {numba.__version__} and compiles in a plain way: slower, "
        f"with the same results; install Numba {CHECKED_NUMBA[0]} to {CHECKED_NUMBA[-1]} for the "
        "fast way, or set FENCHEL_PLAIN_COMPILER=1 to be told no more",
        RuntimeWarning,
        stacklevel=2,
    )
    return False


COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
FAST = _is_fast()
READS_DICTS = (
    COMPILED
    and FAST
    and not _is_set("FENCHEL_PLAIN_DICTS")
    and platform.python_implementation() == "CPython"
    and is_checked(platform.python_version(), CHECKED_PYTHON)
    and getattr(sys, "_is_gil_enabled", lambda: True)()
)
