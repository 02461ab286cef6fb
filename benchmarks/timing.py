"""Side-by-side timing: interleaved repetitions, medians, and the spread of the ratio."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Contest:
    """Two ways to do one work, measured in turns: seconds, or MB of memory."""

    work: str
    ours: list[float]
    peer: list[float]
    peer_name: str
    least: float
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """How many times as much the peer takes."""
        return median(self.peer) / median(self.ours)

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the largest ratio of a single repetition."""
        ratios = [p / o for p, o in zip(self.peer, self.ours, strict=True)]
        return min(ratios), max(ratios)

    @property
    def holds(self) -> bool:
        """Whether the ratio is what it must be."""
        return self.ratio >= self.least


def contest(
    work: str,
    ours: Callable[[], object],
    peer: Callable[[], object],
    peer_name: str,
    least: float,
    repeats: int = 7,
) -> Contest:
    """Run both in turns, after one run of each that is not counted."""
    ours()
    peer()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for taken, run in zip(times, (ours, peer), strict=True):
            gc.collect()
            begin = time.perf_counter()
            run()
            taken.append(time.perf_counter() - begin)
    return told(Contest(work, *times, peer_name, least))


def told(outcome: Contest) -> Contest:
    """The same, printed."""
    print(row(outcome), flush=True)
    return outcome


def row(c: Contest) -> str:
    """One line of the table of results."""
    low, high = c.spread
    return (
        f"| {c.work} | {_amount(c.ours, c.unit)} | {c.peer_name} | {_amount(c.peer, c.unit)} "
        f"| {c.ratio:.2f} ({low:.2f} … {high:.2f}) | {c.least:.2f} | {'yes' if c.holds else 'no'} |"
    )


def _amount(values: list[float], unit: str) -> str:
    middle = median(values)
    if unit == "MB":
        return f"{middle:.0f} MB"
    return f"{middle:.2f} s" if middle >= 1.0 else f"{1e3 * middle:.2f} ms"


HEAD = (
    "| work | fenchel | against | it takes | its share of ours (spread) | at least | holds |\n"
    "|---|---:|---|---:|---:|---:|---|"
)
