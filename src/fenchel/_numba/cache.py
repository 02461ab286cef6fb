"""Compiled code on disk: found again by the next process, never stale.

Numba looks only at the file of the cached function, so a change in another file (a regularizer
that the loop inlines) would go unseen and the old code would run. Here the folder's name is a hash
of every source file that compiled code can reach: any change there opens a new folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba

from fenchel._numba.choice import FAST

PACKAGE = Path(__file__).resolve().parent.parent

TRIED = ".tried"  # files that say how long a kernel ran as Python

# Kernels live in these rooms, and the layers of the house let them import from no other.
ROOMS = ("_numba", "parts", "rows", "losses", "regularizers", "rules", "loops", "streams")


@cache
def source_hash() -> str:
    """A hash of the sources that compiled code can reach, of Numba's version, and of its check of bounds."""
    checked = os.environ.get("NUMBA_BOUNDSCHECK", "")
    digest = hashlib.sha256(f"{numba.__version__}{checked}".encode())
    for file in sorted(file for room in ROOMS for file in (PACKAGE / room).rglob("*.py")):
        digest.update(str(file.relative_to(PACKAGE)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


@cache
def cache_folder() -> Path | None:
    """The folder for this state of the sources, to be read and where possible written; None for none.

    One that somebody else has filled (``fenchel warm``) may be read-only.
    """
    folder = base_folder() / (source_hash() if FAST else f"{source_hash()}-plain")
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder if is_written(folder) or is_read(folder) else None


def is_written(folder: Path) -> bool:
    """Whether files can be made in a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def is_read(folder: Path) -> bool:
    """Whether a folder has something that can be read."""
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def base_folder() -> Path:
    """The folder of compiled code: ``FENCHEL_CACHE_DIR``, or a place by the XDG convention."""
    named = os.environ.get("FENCHEL_CACHE_DIR")
    return Path(named) if named else _default_base()


def _default_base() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "fenchel"
    except RuntimeError:  # no home folder can be found
        return Path(tempfile.gettempdir()) / "fenchel"


def is_keyed(function: Callable[..., Any]) -> bool:
    """Whether the sources of a kernel are in the hash; elsewhere it must not be kept."""
    return any(function.__module__.startswith(f"fenchel.{room}.") for room in ROOMS)


def holds(kernel: str) -> bool:
    """Whether a kernel of this name was ever compiled from these sources, for whatever types."""
    folder = cache_folder()
    found = () if folder is None else folder.rglob(f"*.{kernel}*")
    return any(file.suffix != TRIED for file in found)
