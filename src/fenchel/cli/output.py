"""Messages of commands on standard error: facts in two columns, and when something is compiled."""

from __future__ import annotations

import re
import sys
import threading
from typing import Any

import click

LABEL_WIDTH = 15


# What moves a terminal's cursor, changes its colours or turns the reading order round.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: Any) -> str:
    """Write text from outside on one line: what a terminal would obey is escaped.

    >>> printable("red\x1b[31m\\nnext line")
    'red\\\\x1b[31m\\\\nnext line'
    """
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), str(text))


def say(text: str = "") -> None:
    """Print lines on standard error; a progress line there makes room for them."""
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)


def tell(text: str = "") -> None:
    """Print lines on standard output."""
    click.echo("\n".join(map(printable, text.split("\n"))))


def fact(name: str, value: Any, quiet: bool = False) -> None:
    """Print a name and its value, in two columns."""
    if not quiet:
        say(f"{name:<{LABEL_WIDTH}}{printable(value)}")


_announced = threading.Event()


def announce_compiling(quiet: bool) -> None:
    """Say so when compiled code is not found on the disk: the first run is the slow one."""
    if quiet:
        return
    from fenchel._numba.way import when_compiling  # deferred: loads the compiler

    def announce() -> None:
        if not _announced.is_set():
            _announced.set()
            say(_waiting_for())

    when_compiling(announce)


def _waiting_for() -> str:
    from fenchel._numba.cache import base_folder, cache_folder

    if cache_folder() is None:
        what = f"compiling, as in every run: nothing can be kept in {base_folder()}"
        return f"{what}; set FENCHEL_CACHE_DIR to a folder that can be written …"
    return "compiling once: the first run takes a while, later ones do not …"


def counted(count: int, what: str) -> str:
    """Write ``1 mistake``, ``12,345 mistakes``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def size(count: float) -> str:
    """Write a number of bytes for people: 992 B, 15 kB, 1.2 MB."""
    for unit in ("B", "kB", "MB"):
        if count < 999.5:
            digits = 1 if unit != "B" and count < 9.95 else 0
            return f"{count:.{digits}f} {unit}"
        count /= 1000.0
    return f"{count:.1f} GB"


def number(value: float) -> str:
    """Write a loss: six digits that matter, in at most nine characters."""
    return f"{value:.6f}" if 1e-4 <= abs(value) < 100.0 or value == 0.0 else f"{value:.4g}"


def seconds(value: float) -> str:
    """Write a time for people: tenths of milliseconds below a second."""
    return f"{value:.4f}" if value < 1.0 else f"{value:.2f}"
