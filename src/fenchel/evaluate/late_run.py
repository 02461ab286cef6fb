"""Runs whose labels come after their predictions: so many rounds later, or when their row comes again."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from fenchel.evaluate.measures import outcome
from fenchel.evaluate.metrics import Mean
from fenchel.evaluate.progressive import Run, Step
from fenchel.learners import Learner
from fenchel.learners.block_cutting import joined
from fenchel.learners.tickets import ask_row
from fenchel.parts.state import Array
from fenchel.rows import Block
from fenchel.streams import BadInput


class AskedRun(Run):
    """Asks rows one by one, and learns from each when its label is there; as exact as it is slow."""

    def __init__(
        self,
        learner: Learner,
        width: int = 0,
        metrics: Sequence[str] = (),
        *,
        loss: Mean | None = None,
    ) -> None:
        super().__init__(learner, width, metrics, loss=loss)
        self._latest: Any = None  # label that has come
        self._said: list[Any] = []  # which label that was when each row of the block was asked

    def _learn(self, block: Block, taught: Block) -> Step:
        """Score the margins of the time when the rows were asked."""
        assert block.labels is not None
        known, before = len(self.learner.classes), self.score.average
        updates, self._said = self.learner.updates, []
        began = time.perf_counter()
        margins = self._margins(taught)
        self.score.seconds += time.perf_counter() - began
        self.score.count_updates(updates, self.learner.updates)
        targets = self.learner.encode(block.labels, len(block))
        told = joined(margins)
        if told.ndim == 2:
            width = max(told.shape[1], int(targets.max(initial=-1)) + 1)
            told = np.pad(told, ((0, 0), (0, width - told.shape[1])), constant_values=-np.inf)
        scored = outcome(self.learner, told, targets, known, self.loss)
        return self._counted(block, taught, told, targets, scored, before)

    def _see_baseline(self, block: Block, targets: Array) -> None:
        """Let the label that came last before each row was asked predict it."""
        there = np.array([label is not None for label in self._said], bool)
        if there.any():
            right = np.asarray(block.labels)[there]
            said = np.array([label for label in self._said if label is not None], right.dtype)
            amounts = None if block.importance is None else block.importance[there]
            self.previous.see_said(said, right, amounts)

    def _margins(self, block: Block) -> list[Array]:
        raise NotImplementedError

    def _ask(self, block: Block, t: int, id: Any = None) -> Any:
        return ask_row(self.learner, block.rows[t : t + 1].compact(), id)


class LateRun(AskedRun):
    """Answers every row ``horizon`` rows later."""

    def __init__(
        self,
        learner: Learner,
        width: int = 0,
        metrics: Sequence[str] = (),
        *,
        horizon: int,
        loss: Mean | None = None,
    ) -> None:
        super().__init__(learner, width, metrics, loss=loss)
        self._horizon, self._asked = horizon, 0
        self._waiting: list[tuple[int, int, Any, Any, float]] = []  # what is due first comes first

    def _delays(self, block: Block) -> Sequence[int]:
        """The number of rounds from each prediction to its label."""
        return [self._horizon] * len(block)

    def _margins(self, block: Block) -> list[Array]:
        """Ask the block's rows in turn; those whose labels have come are learned from."""
        assert block.labels is not None
        margins = []
        for t, delay in enumerate(self._delays(block)):
            self._said.append(self._latest)
            ticket = self._ask(block, t)
            margins.append(np.asarray(ticket.margin)[None])
            amount = 1.0 if block.importance is None else float(block.importance[t])
            due = self._asked + delay
            heappush(self._waiting, (due, self._asked, ticket.id, block.labels[t], amount))
            self._answer(self._asked)
            self._asked += 1
        return margins

    def _answer(self, now: float) -> None:
        """Learn from what is due, in the order of coming, and of asking."""
        while self._waiting and self._waiting[0][0] <= now:
            _, _, ticket, label, amount = heappop(self._waiting)
            self.learner.answer(ticket, label, amount)
            self._latest = label

    def finish(self) -> None:
        """Answer what still waits."""
        self._answer(math.inf)


class DelayedRun(LateRun):
    """Answers each row as many rows later as its identifier says: ``--delay``."""

    def __init__(
        self, learner: Learner, width: int = 0, metrics: Sequence[str] = (), *, file: str = ""
    ) -> None:
        super().__init__(learner, width, metrics, horizon=0)
        self._file = file

    def _delays(self, block: Block) -> Sequence[int]:
        return [self._delay(block, t) for t in range(len(block))]

    def _delay(self, block: Block, t: int) -> int:
        text = "" if block.ids is None else block.ids[t]
        try:
            found = math.ceil(float(text))
        except (ValueError, OverflowError):
            found = -1
        if found < 0:
            what = f"row {block.first_row + t + 1}: the delay {text!r} is no number of rounds"
            raise BadInput(what, "write 0 or more", file=self._file)
        return found


class AgainRun(AskedRun):
    """Asks rows without a label; each comes again with its label, under the same identifier.

    A row with a label whose identifier waits for none is asked and answered at once. What never comes
    again stays among the learner's tickets, and is saved with them.
    """

    def __init__(self, learner: Learner, width: int = 0, metrics: Sequence[str] = ()) -> None:
        super().__init__(learner, width, metrics)
        self._told: dict[str, tuple[Array, Any]] = {}  # the margin, and the latest label then

    def ask(self, block: Block) -> None:
        """Ask rows without labels; one that is asked again already waits."""
        for t, id in enumerate(block.ids or ()):
            if id not in self.learner.tickets.waiting:
                self._told[id] = np.asarray(self._ask(block, t, id).margin), self._latest

    def _margins(self, block: Block) -> list[Array]:
        """Answer rows that waited, with what was predicted for them then; the others at once."""
        assert block.labels is not None
        margins = []
        for t, label in enumerate(block.labels):
            id = "" if block.ids is None else block.ids[t]
            waiting = self.learner.tickets.waiting.get(id)
            told, said = self._told.pop(id, (None, None))
            if waiting is None:
                ticket = self._ask(block, t)
                id, told, said = ticket.id, np.asarray(ticket.margin), self._latest
            elif told is None:  # asked before the model was saved
                told = self.learner.engine.margins_when_asked(waiting.memo)[0]
            margins.append(np.asarray(told)[None])
            self._said.append(said)
            amount = 1.0 if block.importance is None else float(block.importance[t])
            self.learner.answer(id, label, amount)
            self._latest = label
        return margins
