"""How well a model does, as the page and the metrics tell it: losses along time, the last examples."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

WINDOW = 1000  # rows of the window loss
POINTS = 240  # of the curve, at most
LAST = 12  # examples shown
LARGEST = 1e290  # a loss beyond this counts as this: sums stay numbers


class ServedLoss:
    """Keeps the progressive loss: in all, over the last rows, and of always saying the previous label."""

    def __init__(self, squared: bool) -> None:
        self._squared = squared  # whether losses are squared differences, not mistakes
        self.rounds = 0
        self.total = self.baseline_total = 0.0
        self._window: deque[float] = deque(maxlen=WINDOW)
        self._baseline: deque[float] = deque(maxlen=WINDOW)
        self._previous: Any = None
        self.curve: list[list[float]] = []  # round, cumulative, window, baseline
        self._every = 1
        self.last: deque[list[Any]] = deque(maxlen=LAST)

    def see(self, losses: Sequence[float], labels: Sequence[Any]) -> None:
        """Count in some rows; the curve gets a point where it is due."""
        if not losses:
            return
        bases = self._baselines(labels)
        self._previous = labels[-1]
        self.rounds += len(losses)
        self.total += min(sum(losses), LARGEST)
        self.baseline_total += min(sum(bases), LARGEST)
        self._window.extend(losses[-WINDOW:])
        self._baseline.extend(bases[-WINDOW:])
        if not self.curve or self.rounds - self.curve[-1][0] >= self._every:
            self._mark()

    def _baselines(self, labels: Sequence[Any]) -> list[float]:
        """The losses of saying the previous label each time."""
        before = [self._previous, *labels[:-1]]
        if not self._squared:
            return [1.0 if a != b else 0.0 for a, b in zip(before, labels, strict=True)]
        try:
            steps = [float(b) - float(a or 0.0) for a, b in zip(before, labels, strict=True)]
        except TypeError:  # several numbers a row: no such baseline
            return [0.0] * len(labels)
        return [min(step * step, LARGEST) for step in steps]

    def show(self, time: int, x: Any, y: Any, prediction: Any) -> None:
        """Remember an example for the page."""
        self.last.append([time, x, y, prediction])

    def _mark(self) -> None:
        self.curve.append([self.rounds, self.loss or 0.0, self.window or 0.0, self.baseline or 0.0])
        if len(self.curve) > POINTS:
            self.curve = self.curve[1::2]
            self._every *= 2

    @property
    def loss(self) -> float | None:
        """The average loss so far; None before the first row."""
        return self.total / self.rounds if self.rounds else None

    @property
    def window(self) -> float | None:
        """The average loss of the last rows."""
        return _mean(self._window)

    @property
    def baseline(self) -> float | None:
        """The average loss of the last rows, had the previous label been predicted each time."""
        return _mean(self._baseline)

    def to_json(self) -> dict[str, Any]:
        """Everything, for a snapshot."""
        return {
            "rounds": self.rounds,
            "totals": [self.total, self.baseline_total],
            "windows": [list(self._window), list(self._baseline)],
            "previous": self._previous,
            "curve": self.curve,
            "every": self._every,
            "last": [[time, shortened(x), y, p] for time, x, y, p in self.last],
        }

    def lay_in(self, told: dict[str, Any]) -> None:
        """Take over what a snapshot has."""
        self.rounds = told["rounds"]
        self.total, self.baseline_total = told["totals"]
        self._window.extend(told["windows"][0])
        self._baseline.extend(told["windows"][1])
        self._previous, self.curve, self._every = told["previous"], told["curve"], told["every"]
        self.last.extend(told["last"])


def _mean(values: deque[float]) -> float | None:
    return min(sum(values), LARGEST) / len(values) if values else None


def shortened(x: Any) -> Any:
    """The first few features of an example, enough to show."""
    return dict(list(x.items())[:8]) if isinstance(x, dict) else x[:8] if isinstance(x, list) else x
