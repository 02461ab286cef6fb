"""Rows held out: with several passes, what was learned from cannot be scored honestly again."""

from __future__ import annotations

import numpy as np

from fenchel.cli.output import counted, fact, number
from fenchel.evaluate import Score, outcome, predict
from fenchel.evaluate.own_loss import own_loss
from fenchel.evaluate.progressive import targets_of
from fenchel.learners import Learner
from fenchel.rows import Block

EVERY = 10  # the tenth, the twentieth, … row, as in Vowpal Wabbit


class HeldOut:
    """Keeps every tenth row from being learned; from the second pass on its loss is printed."""

    def __init__(self, learner: Learner, passes: int) -> None:
        self._learner, self._passes = learner, passes
        self._number = 0
        self.score: Score | None = None  # of the pass, from the second on

    def begin_pass(self) -> None:
        """Start counting anew."""
        self._number += 1
        self.score = Score() if self._number > 1 else None

    def to_learn(self, block: Block) -> Block:
        """Return the rows to learn from; those held out are predicted with what was learned so far."""
        if self._passes == 1:
            return block
        held = (block.first_row + np.arange(len(block))) % EVERY == EVERY - 1
        if self.score is not None and held.any():
            self._test(block.select(held), self.score)
        return block.select(~held)

    def _test(self, block: Block, score: Score) -> None:
        known = len(self._learner.classes)
        margins = predict(self._learner, block)
        targets = targets_of(self._learner, block)
        score.add(
            outcome(self._learner, margins, targets, known, own_loss(self._learner)),
            block.importance,
        )

    def tell(self, quiet: bool) -> None:
        """Tell the loss of this pass."""
        if self.score is not None and self.score.rounds:
            rows = counted(self.score.rounds, "row")
            fact(f"pass {self._number}", f"loss {number(self.score.loss)}, {rows} held out", quiet)
