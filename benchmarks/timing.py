"""Side-by-side timing: interleaved repetitions, medians, and the spread of the ratio."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Contest:
    """Two ways to do one work, measured in turns."""

    work: str
    ours: list[float]
    peer: list[float]
    peer_name: str
    must: str
    holds: bool | None

    @property
    def ratio(self) -> float:
        """How many times as long the peer takes."""
        return median(self.peer) / median(self.ours)

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the largest ratio of a single repetition."""
        ratios = [p / o for p, o in zip(self.peer, self.ours, strict=True)]
        return min(ratios), max(ratios)


def contest(
    work: str,
    ours: Callable[[], object],
    peer: Callable[[], object],
    peer_name: str,
    must: str,
    holds: Callable[[float], bool],
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
    result = Contest(work, *times, peer_name, must, None)
    outcome = Contest(work, *times, peer_name, must, holds(result.ratio))
    print(row(outcome), flush=True)
    return outcome


def row(c: Contest) -> str:
    """One line of the table of results."""
    low, high = c.spread
    return (
        f"| {c.work} | {1e3 * median(c.ours):.2f} | {c.peer_name} | {1e3 * median(c.peer):.2f} "
        f"| {c.ratio:.2f} ({low:.2f} … {high:.2f}) | {c.must} | {'yes' if c.holds else 'no'} |"
    )


HEAD = (
    "| work | fenchel, ms | against | ms | its time ÷ ours (spread) | must be | holds |\n"
    "|---|---:|---|---:|---:|---|---|"
)
