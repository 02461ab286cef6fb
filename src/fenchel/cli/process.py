"""Tricks by which a command starts soon: all that touch its own process are in this file.

``FENCHEL_PLAIN_PROCESS=1`` turns all of them off.

* The garbage collector looks seldom, and not at the end.
* Modules that are seldom used are loaded when something of theirs is used.
* The C library keeps freed memory for the next block.
* Threads change hands after half a millisecond.
* What is not compiled yet runs as Python while that is quicker (``_numba.trial``).
* A first run compiles in two processes, and collects no garbage meanwhile.
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import gc
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from threading import Thread
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fenchel.learners import Learner
    from fenchel.rows import Block

# SciPy, which the compiler loads, asks NumPy for all it has, f2py included; narwhals is for frames
# and Parquet alone.
SELDOM_USED = frozenset({"numpy.f2py", "narwhals"})

# mallopt's names for: from which size on a block is a mapping of its own; how much free memory at
# the end of the heap is given back. 32 MB is the most that it takes for the first.
MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1
LARGEST_BLOCK, MOST_FREE = 1 << 25, 1 << 30

ENOUGH = 256  # rows are enough for the second process
WIDEST = 1 << 20  # columns: the second process holds a state of its own
SMALL = 1 << 16  # bytes of data that may be learned before anything is compiled


def is_plain() -> bool:
    """Tell whether the user wants none of this."""
    return os.environ.get("FENCHEL_PLAIN_PROCESS", "") not in ("", "0")


@cache
def make_ready() -> None:
    """Set the process up, once, before a command loads the compiler."""
    open_standard_streams()
    if is_plain():
        return
    # Loading the compiler makes a quarter of a million objects that stay; by default the collector looks
    # at them again and again, for a quarter of the time of a short command.
    gc.set_threshold(300_000, 20, 100)
    atexit.register(gc.freeze)
    sys.meta_path.insert(0, LazyFinder())
    keep_freed_memory()
    # A thread that has parsed or learned its part wants to hand it over now, not in 5 ms.
    sys.setswitchinterval(0.0005)


def open_standard_streams() -> None:
    """Put something where standard streams were closed, or the next file opened would be one of them.

    What cannot be written in the terminal's letters is escaped there, not refused.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 (until the process ends)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class ClosedOutput(io.TextIOBase):
    """Standard output that was closed: writing there is refused like on a full disk."""

    def writable(self) -> bool:
        """Say so, or nothing would be tried."""
        return True

    def write(self, text: str) -> int:
        """Refuse."""
        raise OSError(errno.EBADF, "it is closed", "standard output")


class LazyFinder(MetaPathFinder):
    """Loads seldom used modules when something of theirs is used, not when they are imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the module, with a loader that waits."""
        spec = PathFinder.find_spec(name, path, target) if name in SELDOM_USED else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def keep_freed_memory() -> None:
    """Let the next block have what the last one left, instead of pages that the system must clear.

    A tenth of the time of reading a file. Where the C library has no ``mallopt``, nothing happens.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(MMAP_THRESHOLD, LARGEST_BLOCK)
    mallopt(TRIM_THRESHOLD, MOST_FREE)


# ── what is not compiled runs as Python while that is quicker, and is then compiled by two processes ──
#
# The two begin at the two ends of the list of what is needed. What one has compiled the other finds on disk,
# so that they meet somewhere in the middle; nothing else passes between them. (The compiler itself works for
# one thread at a time.)


class FirstRun:
    """What a command does about kernels that are not compiled yet.

    They are on trial as long as the command runs. Before large data is read a second process is started,
    which loads the compiler meanwhile.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted = False
        self._task: tuple[Sequence[Learner], Block, int] | None = None

    def __enter__(self) -> FirstRun:
        if not is_plain():
            from fenchel._numba.trial import trial  # deferred: loads the compiler

            trial.begin(self._help)
        return self

    def __exit__(self, *_: object) -> None:
        self._end_helper()
        if not is_plain():
            from fenchel._numba.trial import trial

            trial.end()

    def _end_helper(self) -> None:
        self._wanted, self._task = False, None
        if self._process is not None:
            self._process.kill()  # what it has compiled is on disk
            self._process.wait()
            with suppress(OSError):
                self._process.stdin.close()  # type: ignore[union-attr]
            self._process = None

    def start(self, learners: Sequence[Learner], data: str) -> None:
        """Start the second process where nothing was ever compiled, and these are enough loops for two.

        A small file may need no compiler.
        """
        several = len(learners) != 1 or hasattr(learners[0].engine, "experts")
        self._wanted = several and _is_first_run()
        if self._wanted and not (os.path.isfile(data) and os.path.getsize(data) <= SMALL):
            self._process = _started()

    def ahead(
        self, blocks: Iterable[Block], learners: Sequence[Learner], width: int
    ) -> Iterator[Block]:
        """Yield the same blocks; while the first is learned, loops are compiled from the end."""
        from fenchel._numba.trial import trial

        rest = iter(blocks)
        for first in rest:
            trial.expect(len(first))
            with self._helping(learners, first, width):
                yield first
            for block in rest:
                trial.expect(len(block))
                yield block

    @contextmanager
    def _helping(self, learners: Sequence[Learner], block: Block, width: int) -> Iterator[None]:
        columns = max(width, block.rows.used_columns)
        if self._wanted and columns <= WIDEST:
            self._task = learners, block, columns
        if self._process is not None:
            self._help()
        collecting = gc.isenabled()
        gc.disable()  # a tenth of the time of compiling, for some 150 MB
        try:
            yield
        finally:
            if collecting:
                gc.enable()
            self._end_helper()

    def _help(self) -> None:
        """Have the second process begin, where it is wanted and has not begun."""
        if self._task is None:
            return
        task, self._task = self._task, None
        self._process = self._process or _started()
        if self._process is not None:  # which has to load before it reads
            Thread(target=_send, args=(self._process, _told(*task)), daemon=True).start()


def _is_first_run() -> bool:
    """Tell whether no learner's loop was ever compiled from these sources, and there is a second core."""
    from fenchel._numba.cache import cache_folder, holds  # deferred: loads the compiler

    if is_plain() or (os.cpu_count() or 1) == 1:
        return False
    return cache_folder() is not None and not holds("learn_rows")


def _started() -> subprocess.Popen[bytes] | None:
    """Start the second process; None where there can be none."""
    # -P: modules in the user's folder are not ours.
    command = [sys.executable, "-P", "-m", __name__]
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    return None


def _told(learners: Sequence[Learner], block: Block, columns: int) -> bytes:
    """What the second process is told: what is to be learned, last first."""
    backwards = [_last_first(learner) for learner in reversed(learners)]
    some = block.part(0, min(ENOUGH, len(block)))
    return pickle.dumps((backwards, some, len(block), columns))


def _send(helper: subprocess.Popen[bytes], told: bytes) -> None:
    assert helper.stdin is not None
    with suppress(OSError, ValueError):  # it may have ended, or have been ended
        helper.stdin.write(told)
        helper.stdin.flush()


def _last_first(learner: Learner) -> Learner:
    twin = learner.fresh()
    engine: Any = twin.engine
    if hasattr(engine, "reverse"):
        engine.reverse()
    return twin


def compile_from_the_end() -> None:
    """Do the work of the second process, as long as the first holds the line."""
    gc.disable()
    from fenchel._numba.trial import trial  # deferred: loads the compiler
    from fenchel.evaluate import learn

    learners, some, count, columns = pickle.load(sys.stdin.buffer)
    Thread(target=_leave_at_the_end, daemon=True).start()
    trial.begin()
    trial.expect(count)
    for learner in learners:
        learn(learner, some, columns)


def _leave_at_the_end() -> None:
    os.read(sys.stdin.fileno(), 1)  # os.read, unlike file.read, is safe at interpreter exit
    os._exit(0)


if __name__ == "__main__":
    compile_from_the_end()
