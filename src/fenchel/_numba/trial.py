"""Kernels on trial: run as Python first, and compiled where that would take longer than to compile them.

A kernel is a Python function, and gives the same bits uncompiled: ten rows take it milliseconds, its
compilation a second. While a trial is on, a kernel that is not on disk runs as Python as long as all rows to
come would take it less than ``LIMIT``, at the pace of those so far; what it took in earlier processes counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

FIRST = 2  # rows come by themselves
# Seconds as Python that compiling is not worth: a loop takes one to four to compile.
LIMIT = 1.5
# Python is slow the first times: the pace of a kernel before so many seconds may be ten times its own.
WARM, COLD_PACE = 0.02, 10.0
WORTH_NOTING = 0.01
# Bytes of text, and numbers of arrays, beyond which a single call may take too long.
TEXT, NUMBERS = 100_000, 3_000_000


class OnTrial(Protocol):
    """A kernel for arguments of some types, which is not compiled."""

    def seconds_before(self) -> float:
        """How long it ran as Python in earlier processes."""

    def keep_seconds(self, seconds: float) -> None:
        """Keep for later processes how long it ran as Python."""


class Trial:
    """How long each kernel has run as Python, and how many rows are still to come."""

    def __init__(self) -> None:
        self._ahead: float | None = None  # rows to come for each so far
        self._known = 0
        self._rows: WeakKeyDictionary[object, int] = WeakKeyDictionary()
        self._before: dict[OnTrial, float] = {}
        self._spent: dict[OnTrial, float] = {}
        self._found_slow: Callable[[], None] = lambda: None

    def begin(self, found_slow: Callable[[], None] = lambda: None) -> None:
        """Begin; ``found_slow`` is called whenever a kernel is to be compiled after all."""
        self._found_slow = found_slow
        self._ahead, self._known = 1.0, 0

    def expect(self, rows: int) -> None:
        """Say that so many rows are to come, beyond those said before."""
        self._known += rows

    def end(self) -> None:
        """End it: what is not compiled is compiled when it is called."""
        self._ahead = None
        for candidate, seconds in self._spent.items():
            if seconds > WORTH_NOTING:
                candidate.keep_seconds(self._before[candidate] + seconds)
        self._before, self._spent = {}, {}
        self._rows.clear()

    @property
    def is_on(self) -> bool:
        """Whether kernels that are not compiled may run as Python."""
        return self._ahead is not None

    def pieces(self, learner: object, count: int) -> Iterator[tuple[int, int]]:
        """Cut so many rows for a learner into pieces of growing length: kernels show early what they take.

        One piece where no trial is on.
        """
        if self._ahead is None or count == 0:
            yield 0, count
            return
        begin = 0
        while begin < count:
            done = self._rows.get(learner, 0)
            end = min(count, begin + max(FIRST, 3 * done))
            coming = max(count - begin, self._known - done)
            self._ahead = max(coming / max(done, 1), 1.0)
            self._rows[learner] = done + end - begin
            yield begin, end
            begin = end

    def admits(self, candidate: OnTrial, arguments: tuple[Any, ...]) -> bool:
        """Whether a kernel is to run as Python with these arguments."""
        if candidate not in self._spent:
            self._before[candidate], self._spent[candidate] = candidate.seconds_before(), 0.0
        spent = self._spent[candidate]
        limit = LIMIT if spent > WARM else LIMIT * COLD_PACE
        limit -= self._before[candidate]
        if spent * (1.0 + (self._ahead or 0.0)) < limit and _are_few(arguments):
            return True
        self._found_slow()
        return False

    def run(
        self, candidate: OnTrial, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:
        """Call the Python function, whose numbers overflow as those of compiled code do."""
        began = time.thread_time()
        with np.errstate(all="ignore"):
            result = function(*arguments)
        self._spent[candidate] += time.thread_time() - began
        return result


def arrays_of(arguments: Any) -> Iterator[Any]:
    """All arrays among arguments, which are parts, rows, arrays and numbers."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from arrays_of(argument)
        elif isinstance(argument, np.ndarray):
            yield argument


def _are_few(arguments: tuple[Any, ...]) -> bool:
    """Whether a call can take no longer than a moment, and nothing among the arguments is machine code."""
    if any(hasattr(argument, "is_machine_code") for argument in arguments):
        return False
    numbers = 0
    for array in arrays_of(arguments):
        if array.dtype == np.uint8 and array.size > TEXT:
            return False
        numbers += array.size
    return numbers <= NUMBERS


trial = Trial()
