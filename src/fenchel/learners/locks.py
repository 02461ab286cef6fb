"""Who has a learner: one thread at a time, and no fork while somebody has it."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any

from fenchel._numba import way
from fenchel._numba.undisturbed import undisturbed


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
