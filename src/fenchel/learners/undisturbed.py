"""Nothing stops a learner half way: signals wait until a change is complete, forks until nobody learns.

Python runs the handlers of signals between any two instructions of the main thread, and what they raise
(Ctrl-C's ``KeyboardInterrupt``, a ``TimeoutError``) would leave a change half done. ``undisturbed`` puts
handlers in their place that note what came; those meant are called once the change is complete.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the wrappers around it are slow
import os
import signal
import threading
import weakref
from collections.abc import Callable
from functools import wraps
from threading import get_ident, main_thread
from typing import Any

from fenchel._numba import way

# All that Python code handles somewhere. Those that cannot be caught, or say that the process is broken,
# are not among them.
NAMES = (
    "INT",
    "TERM",
    "ALRM",
    "HUP",
    "USR1",
    "USR2",
    "QUIT",
    "VTALRM",
    "PROF",
    "CHLD",
    "PIPE",
    "IO",
    "BREAK",
)
SIGNALS = tuple(int(found) for name in NAMES if (found := getattr(signal, f"SIG{name}", None)))


class Undisturbed:
    """A context in which no signal handler runs; it may be entered again inside."""

    def __init__(self) -> None:
        self._depth = 0
        self._meant: dict[int, Any] = {}  # handlers by the numbers of their signals
        self._replaced: list[int] = []
        self._came: list[tuple[int, Any]] = []

    def __enter__(self) -> None:
        if get_ident() != main_thread().ident:
            return
        if self._depth:
            self._depth += 1
            return
        self._replaced = []
        for number in SIGNALS:
            handler = _signal.getsignal(number)
            if not callable(handler):  # the system's own way, or none
                continue
            self._replaced.append(number)
            if handler != self._note:
                self._meant[number] = handler
                # One that comes before the last was put in place is raised here: nothing has begun.
                _signal.signal(number, self._note)
        self._depth = 1

    def __exit__(self, *raised: object) -> None:
        if get_ident() != main_thread().ident:
            return
        self._depth -= 1
        if self._depth:
            return
        # From here on a handler may raise again; those not yet in their places call what is meant.
        for number in self._replaced:
            _signal.signal(number, self._meant[number])
        while self._came:
            number, frame = self._came.pop(0)
            self._meant[number](number, frame)

    def _note(self, number: int, frame: Any) -> None:
        if self._depth:
            self._came.append((number, frame))
        else:
            handler = self._meant[number]
            _signal.signal(number, handler)
            handler(number, frame)


undisturbed = Undisturbed()
ATTEMPTS = 100


def surely(change: Callable[[], None]) -> None:
    """Make a change although a signal may come at any instant before it; done twice it is done once."""
    raised: BaseException | None = None
    for _ in range(ATTEMPTS):
        done = False
        try:
            with undisturbed:
                change()
                done = True
        except BaseException as error:
            raised = error
        if done:
            break
    if raised is not None:
        raise raised


def locked(call: Callable[..., Any], lock: Any) -> Callable[..., Any]:
    """The call, made while nobody else has the lock."""

    @wraps(call)
    def called(*given: Any, **named: Any) -> Any:
        with lock:
            return call(*given, **named)

    return called


# ── forks ────────────────────────────────────────────────────────────────────────────────────────

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_registry = threading.Lock()
_held: list[Any] = []


def new_lock() -> Any:
    """A lock of its own for a learner; the process is not forked while another thread has it."""
    lock = threading.RLock()
    with _registry:
        _locks.add(lock)
    return lock


def _before_fork() -> None:
    """Wait until nobody learns or compiles: the child has no thread that would finish it."""
    with undisturbed:
        with _registry:
            locks = list(_locks)
        for lock in [*locks, way.compiling, _registry]:
            lock.acquire()
            _held.append(lock)


def _after_fork() -> None:
    with undisturbed:
        while _held:
            _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
