"""A run whose labels come H rounds after their predictions: each is scored as it was asked."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel.evaluate.block_cutting import joined
from fenchel.evaluate.measures import outcome
from fenchel.evaluate.progressive import Run, Step
from fenchel.learners import Learner
from fenchel.learners.tickets import ask_row
from fenchel.rows import Block


class LateRun(Run):
    """Asks every row, and answers it ``horizon`` rows later; row by row, as exact as it is slow."""

    def __init__(
        self, learner: Learner, width: int = 0, metrics: Sequence[str] = (), *, horizon: int
    ) -> None:
        super().__init__(learner, width, metrics, lag=horizon + 1)
        self._horizon = horizon
        self._waiting: deque[tuple[Any, Any, float]] = deque()

    def _learn(self, block: Block) -> Step:
        """Ask the block's rows in turn; those asked long enough ago are learned from."""
        assert block.labels is not None
        known, before = len(self.learner.classes), self.score.average
        updates = self.learner.updates
        began = time.perf_counter()
        margins = []
        for t, label in enumerate(block.labels):
            ticket = ask_row(self.learner, block.rows[t : t + 1].compact(), None)
            margins.append(np.asarray(ticket.margin)[None])
            amount = 1.0 if block.importance is None else float(block.importance[t])
            self._waiting.append((ticket.id, label, amount))
            if len(self._waiting) > self._horizon:
                self._answer()
        self.score.seconds += time.perf_counter() - began
        self.score.count_updates(updates, self.learner.updates)
        targets = self.learner.encode(block.labels, len(block))
        told = joined(margins)
        if told.ndim == 2:
            width = max(told.shape[1], int(targets.max(initial=-1)) + 1)
            told = np.pad(told, ((0, 0), (0, width - told.shape[1])), constant_values=-np.inf)
        scored = outcome(self.learner, told, targets, known)
        return self._counted(block, told, targets, scored, before)

    def _answer(self) -> None:
        ticket, label, amount = self._waiting.popleft()
        self.learner.answer(ticket, label, amount)

    def finish(self) -> None:
        """Answer what still waits."""
        while self._waiting:
            self._answer()
