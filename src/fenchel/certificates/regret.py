"""Regret against the best u in hindsight: its value, how it grew, and what a batch model would do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fenchel.certificates.hindsight import MOST_HELD, NEAR, Hindsight
from fenchel.certificates.problem import Problem, problem_of
from fenchel.certificates.rerun import losses, targets_of, traced
from fenchel.parts.state import Array
from fenchel.rows import Block, ReadBlocks

# The growth is measured from here on: before, chance decides.
FIRST = 16


@dataclass(frozen=True)
class Regret:
    """The losses of a run and of the best fixed u of the same rounds, after 1, 2, 4, … rounds.

    ``gap`` is how much less than the last of ``best`` another u could have: 0 where the minimum is exact,
    NaN where it was sought on a sample of the rows.
    """

    rounds: tuple[int, ...]
    run: tuple[float, ...]  # Σ ℓ_t(w_t)
    best: tuple[float, ...]  # min Σ ℓ_t(u)
    gap: float = 0.0

    @property
    def value(self) -> float:
        """R_T: what the run lost beyond the best fixed u."""
        return self.run[-1] - self.best[-1]

    @property
    def curve(self) -> list[tuple[int, float]]:
        """(T, R_T) after 1, 2, 4, … rounds and at the end."""
        values = (a - b for a, b in zip(self.run, self.best, strict=True))
        return list(zip(self.rounds, values, strict=True))

    @property
    def slope(self) -> float:
        """a of R_T ≈ c·T^a, by least squares in log-log; NaN where the regret is not positive."""
        seen = [(t, r) for t, r in self.curve if t >= FIRST and r > 0.0]
        if len(seen) < 2:
            return math.nan
        logs = np.log(np.array(seen))
        x = logs[:, 0] - logs[:, 0].mean()
        return float(x @ logs[:, 1] / (x @ x))

    @property
    def words(self) -> str:
        """Whether a batch model would have won, in words."""
        rounds = self.rounds[-1]
        ours, batch = self.run[-1] / rounds, self.best[-1] / rounds
        told = (
            f"a linear model fitted to all {rounds:,} rows afterwards has average loss {batch:.4g}"
        )
        if ours <= batch:
            return f"{told}, this run {ours:.4g}: {self._none_better()}"
        share = ""
        if batch > 0.0:
            times = ours / batch
            share = f" ({times - 1.0:.1%} more)" if times < 2.0 else f" ({times:.3g} times as much)"
        growth = "" if math.isnan(self.slope) else f"; its regret grew like T^{self.slope:.2f}"
        return f"{told}, this run {ours:.4g}{share}: it would have won{growth}"

    def _none_better(self) -> str:
        """The words where no better fixed model was found."""
        if math.isnan(self.gap):
            return "no better one was found on a sample of the rows"
        if self.run[-1] <= self.best[-1] - self.gap:
            return "no fixed model would have done better"
        return f"none was found that did better (one could, by at most {self.gap:.3g} in all)"

    def __str__(self) -> str:
        told = f"regret {self.value:.6g} after {self.rounds[-1]:,} rounds: {self.words}"
        return told if math.isnan(self.gap) else f"{told} (duality gap {self.gap:.3g})"


def regret(
    parts: Sequence[Any],
    read: ReadBlocks,
    past: Hindsight,
    intercept: bool,
    starts: Sequence[Array] = (),
) -> Regret:
    """Measure the regret of a run of these parts over a stream, in bounded memory.

    After each power of two rounds the best u of the rounds so far is sought, as long as their rows
    take less than 50 MB; at the end that of the whole stream.
    """
    loss, columns = parts[0], past.columns
    minimum = past.minimum(loss, intercept, starts)
    finals = [minimum.u, *past.best(loss, intercept).values(), *starts]
    fixed = np.zeros(len(finals))  # Σ ℓ_t(u) of each
    run: dict[int, float] = {}  # by T
    held: list[Block] = []
    total, seen, size = 0.0, 0, 0
    for block, margins, _ in traced(parts, read(), columns, intercept):
        sums = total + np.cumsum(_weighed(loss, block, margins))
        run.update((t, float(sums[t - seen - 1])) for t in _powers(seen, seen + len(sums)))
        for k, u in enumerate(finals):
            fixed[k] += float(_weighed(loss, block, block.rows.margins(u, intercept)).sum())
        total, seen, size = float(sums[-1]), seen + len(sums), size + block.nbytes
        if size <= MOST_HELD or seen == len(sums):  # the first block is somebody's already
            held.append(block)
    run[seen] = total
    best = _prefix_minima(problem_of(held, columns, intercept), loss, list(run))
    best[seen] = min(best.get(seen, math.inf), float(fixed.min()))
    rounds = tuple(t for t in run if t in best)
    gap = minimum.gap if past.gathered()[1] == 1.0 else math.nan
    return Regret(rounds, tuple(run[t] for t in rounds), tuple(best[t] for t in rounds), gap)


def _weighed(loss: Any, block: Block, margins: Array) -> Array:
    """h_t·ℓ_t of each row."""
    return np.asarray(block.weights * losses(loss, margins, targets_of(block))[0])


def _prefix_minima(rows: Problem, loss: Any, rounds: list[int]) -> dict[int, float]:
    """min Σ_{t ≤ T} ℓ_t(u), near enough, for the T of ``rounds`` that the rows reach."""
    found: dict[int, float] = {}
    u = np.zeros(rows.dimension)
    for t in rounds:
        first = rows.first(t)
        if first is None:
            break
        from fenchel.certificates.minimise import least  # deferred: it loads SciPy's optimisers

        minimum = least(first, loss, [u], NEAR)
        u, found[t] = minimum.u, minimum.loss
    return found


def _powers(after: int, until: int) -> Iterator[int]:
    """The powers of two in (after, until]."""
    t = 1
    while t <= until:
        if t > after:
            yield t
        t *= 2
