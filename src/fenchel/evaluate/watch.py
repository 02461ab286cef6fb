"""Figures of a run beside its average: the recent loss, frozen use, and changes of the loss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fenchel.evaluate.change_points import Change, ChangePoints
from fenchel.evaluate.frozen_meter import FrozenMeter
from fenchel.evaluate.metrics import Mean
from fenchel.learners import Learner
from fenchel.learners.frozen import next_round
from fenchel.parts.state import Array
from fenchel.rows import Block

RECENT = 1000
MOVED = 3  # features named at a change
RATE = 0.01  # of false alarms, over the whole run


class Watch:
    """Watches one run; its memory does not grow with the rounds."""

    def __init__(self, learner: Learner, loss: Mean | None = None) -> None:
        self.learner = learner
        self.frozen = FrozenMeter(learner, loss) if learner.task != "ranking" else None
        self.changes = ChangePoints(RATE, bounded=learner.task != "regression")
        self.moved: list[list[str]] = []  # by change, the features whose weights moved most
        self.name: Callable[[int], str] = self._own_name  # of a column
        self._latest = np.zeros(0)
        self._weights: dict[int, float] = {}

    @property
    def recent(self) -> float | None:
        """The mean loss of the last rounds; None where there are no more than these."""
        return float(np.mean(self._latest)) if len(self._latest) == RECENT else None

    def pieces(self, rows: int) -> list[tuple[int, int]]:
        """Cut the next rows where the learner is set aside: first and last of each piece."""
        if self.frozen is None:
            return [(0, rows)]
        cuts, begin, rounds = [], 0, self.frozen.rounds
        while begin < rows:
            end = min(rows, begin + next_round(rounds) - rounds)
            cuts.append((begin, end))
            begin, rounds = end, rounds + end - begin
        return cuts

    def see(self, block: Block, targets: Array, losses: Array) -> None:
        """Count in a part of a block, once it is learned."""
        if self.frozen is not None:
            self.frozen.see(block, targets)
            self.frozen.after()
        self._latest = np.concatenate([self._latest, losses])[-RECENT:]
        known = len(self.changes.found)
        self.changes.see(np.nan_to_num(losses))
        for _ in self.changes.found[known:]:
            self.moved.append(self._moved(block))
        if not self._weights or len(self.changes.found) > known:
            self._weights = self._sizes(block)

    def _own_name(self, column: int) -> str:
        names = self.learner.names
        known = {} if names is None else {c: n for n, c in names.first_columns().items()}
        return known.get(column, f"column {column}")

    def _sizes(self, block: Block) -> dict[int, float]:
        """Each feature's weight times its mean size in the block: what it adds to a margin."""
        weights = self.learner.all_weights()[1:]
        single = weights if weights.ndim == 1 else np.linalg.norm(weights, axis=1)
        rows = block.rows.csr()
        size = np.zeros(len(single))
        known = rows.indices < len(single)
        np.add.at(size, rows.indices[known], np.abs(rows.values[known]))
        told = single * size / max(len(block), 1)
        return {c: float(told[c]) for c in np.flatnonzero(size).tolist()}

    def _moved(self, block: Block) -> list[str]:
        now = self._sizes(block)
        by = {column: abs(now[column] - self._weights.get(column, 0.0)) for column in now}
        return [self.name(c) for c in sorted(by, key=by.__getitem__, reverse=True)[:MOVED]]

    @property
    def found(self) -> list[Change]:
        """The changes so far."""
        return self.changes.found
