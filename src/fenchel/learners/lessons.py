"""What a calibration is to learn, kept until somebody asks for probabilities or saves them.

Many rows at once are quicker than one by one, and a run whose probabilities nobody reads does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel.learners.calibration import Calibration, Lessons
from fenchel.learners.engine import ONE
from fenchel.parts.state import Array

# So many single rows wait to become one lesson; so many lessons, and so many rows of them, wait at the most.
MOST_ROWS = MOST_LESSONS = 256
MOST_TAUGHT = 1 << 14


class WaitingLessons:
    """The rows and lessons that wait; ``given`` turns margins into probabilities where the loss does."""

    def __init__(self) -> None:
        self._rows: list[tuple[Any, Array]] = []
        self._lessons: list[Lessons] = []
        self._taught = 0  # rows in these lessons

    def add_row(self, margin: Any, target: Array) -> bool:
        """Keep a single row; returns whether so many wait that ``gather`` should be called."""
        self._rows.append((margin, target))
        return len(self._rows) >= MOST_ROWS

    def add(
        self,
        calibration: Calibration,
        margins: Array,
        targets: Array,
        importance: Array,
        given: Any,
    ) -> None:
        """Make a lesson of a block, after one of the rows that came before it."""
        self.gather(calibration, given)
        self._add(calibration, margins, targets, importance, given)

    def gather(self, calibration: Calibration, given: Any) -> None:
        """Make a lesson of the single rows."""
        if self._rows:
            margins, targets = zip(*self._rows, strict=True)
            self._rows.clear()
            self._add(calibration, _padded(margins), np.concatenate(targets), ONE, given)

    def teach(self, calibration: Calibration, given: Any) -> None:
        """Let the calibration learn from all that waits."""
        self.gather(calibration, given)
        lessons, self._lessons, self._taught = self._lessons, [], 0
        for lesson in lessons:
            calibration.teach(lesson)

    def __len__(self) -> int:
        return len(self._rows) + len(self._lessons)

    def _add(
        self,
        calibration: Calibration,
        margins: Array,
        targets: Array,
        importance: Array,
        given: Any,
    ) -> None:
        lesson = calibration.lessons(margins, targets, importance, given)
        if len(lesson.labels):
            self._lessons.append(lesson)
            self._taught += len(lesson.labels)
        if self._taught >= MOST_TAUGHT or len(self._lessons) >= MOST_LESSONS:
            self.teach(calibration, given)


def _padded(margins: Sequence[Any]) -> Array:
    """The margins of single rows as one array; classes that came later were not known: −∞."""
    if np.ndim(margins[0]) == 0:
        return np.array(margins)
    out = np.full((len(margins), max(map(len, margins))), -np.inf)
    for row, found in enumerate(margins):
        out[row, : len(found)] = found
    return out
