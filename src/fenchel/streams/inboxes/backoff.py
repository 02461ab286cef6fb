"""Trying again: at once, then after times that double, up to five seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

FIRST, LONGEST = 0.05, 5.0
Result = TypeVar("Result")


class Backoff:
    """Waits between attempts; tells when a place cannot be reached, and when it can again."""

    def __init__(self, place: str, tell: Callable[[str], None]) -> None:
        self._place, self._tell = place, tell
        self._wait = 0.0

    def failed(self, error: Exception) -> float:
        """Tell the first failure of a series; returns how many seconds to wait."""
        if not self._wait:
            why = " ".join(str(error).split()) or type(error).__name__
            self._tell(f"{self._place}: {why[:200]}; trying again until it answers")
        self._wait = min(LONGEST, 2.0 * self._wait or FIRST)
        return self._wait

    def succeeded(self) -> None:
        """Tell that a series of failures is over."""
        if self._wait:
            self._wait = 0.0
            self._tell(f"{self._place}: answers again")

    def repeat(
        self,
        attempt: Callable[[], Result],
        failures: tuple[type[Exception], ...],
        leave: Callable[[], bool] = lambda: False,
    ) -> Result:
        """Return what an attempt returns that does not fail; the last failure where asked to ``leave``."""
        while True:
            try:
                found = attempt()
            except failures as error:
                if leave():
                    raise
                time.sleep(self.failed(error))
                continue
            self.succeeded()
            return found
