"""Ctrl-C: never in the middle of learning, at once while waiting for data."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interruption:
    """While it is in force, Ctrl-C waits for the end of what is ``shielded``."""

    def __init__(self) -> None:
        self._shielded = self._pending = False

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Handle Ctrl-C here; only the main thread can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Learn a block, or save a model, whole."""
        self._shielded = True
        try:
            yield
        finally:
            self._shielded = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: Any) -> None:
        if not self._shielded:
            raise KeyboardInterrupt
        self._pending = True
