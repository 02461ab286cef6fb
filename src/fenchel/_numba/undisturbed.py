"""Nothing stops a change half way: signals wait until it is complete.

Python runs the handlers of signals between any two instructions of the main thread, and what they raise
(Ctrl-C's ``KeyboardInterrupt``, a ``TimeoutError``) would leave a change half done. ``undisturbed`` puts
handlers in their place that note what came; those meant are called once the change is complete.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the wrappers around it are slow
import signal
from collections.abc import Callable
from threading import get_ident, main_thread
from typing import Any

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
        self._came: dict[int, Any] = {}  # frames by the numbers of their signals

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
        self._tell()

    def _tell(self) -> None:
        """Call the handlers of all that came; one that raises keeps none of the others waiting."""
        if self._came:
            number, frame = self._came.popitem()
            try:
                self._meant[number](number, frame)
            finally:
                self._tell()

    def _note(self, number: int, frame: Any) -> None:
        if self._depth:
            self._came[number] = frame  # as the system does: twice the same is once
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
