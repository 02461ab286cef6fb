"""Progressive validation of one learner: predict, then see the label, then learn."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fenchel.evaluate.curve import Curve
from fenchel.evaluate.inputs import blocks_of, learner_of, naming
from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.evaluate.measures import Flags, Outcome, outcome
from fenchel.evaluate.metrics import Mean, Seen
from fenchel.evaluate.own_loss import best_constant, own_loss
from fenchel.evaluate.previous import PreviousLabel
from fenchel.evaluate.queries import whole_queries
from fenchel.evaluate.scoring import Scoring
from fenchel.evaluate.watch import Watch
from fenchel.learners import Learner
from fenchel.learners.block_cutting import joined, learn_block
from fenchel.learners.ranking import targets_of_queries
from fenchel.parts.state import Array
from fenchel.rows import Block


@dataclass
class Score:
    """Totals over the rounds so far, of predictions made before the label was seen."""

    average: MeanLoss = field(default_factory=MeanLoss)
    mistakes: int | None = 0
    margin_errors: int | None = 0
    updates: int | None = 0
    seconds: float = 0.0
    metrics: dict[str, float] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """The number of rounds counted."""
        return self.average.rounds

    @property
    def loss(self) -> float:
        """The average loss, each round counted by its importance."""
        return self.average.mean

    @property
    def error(self) -> float | None:
        """The share of mistakes; None for regression."""
        return None if self.mistakes is None else self.mistakes / max(self.rounds, 1)

    def count_updates(self, before: int | None, after: int | None) -> None:
        """Count in the updates of a block, where the learner counts them."""
        unknown = self.updates is None or before is None or after is None
        self.updates = None if unknown else self.updates + after - before  # type: ignore[operator]

    def add(self, scored: Outcome, importance: Array | None) -> None:
        """Count in a block."""
        self.average = self.average.plus(scored.losses, importance)
        self.mistakes = _more(self.mistakes, scored.mistakes)
        self.margin_errors = _more(self.margin_errors, scored.margin_errors)


def _more(count: int | None, flags: Flags | None) -> int | None:
    return None if count is None or flags is None else count + int(np.count_nonzero(flags))


class Step(NamedTuple):
    """The result of one block: the margins, the outcome, and the average loss before it."""

    margins: Array
    outcome: Outcome
    before: MeanLoss
    targets: Array
    seen: tuple[Seen, ...] = ()


class Run:
    """Leads a learner through a stream; keeps its score, and the loss along the way.

    ``loss`` is what numbers are scored in, where it is not the learner's own.
    """

    def __init__(
        self,
        learner: Learner,
        width: int = 0,
        metrics: Sequence[str] = (),
        *,
        watched: bool = False,
        loss: Mean | None = None,
    ) -> None:
        self.learner = learner
        self.loss = own_loss(learner) if loss is None else loss
        self.watch = Watch(learner, self.loss) if watched else None
        self.score = Score()
        self.scoring = Scoring(learner, metrics)
        self.curve = Curve()
        self.constant = best_constant(learner.task, self.loss)
        self.previous = PreviousLabel(learner.task == "regression", self.loss)
        self._width = width

    def learn(self, block: Block, taught: Block | None = None) -> Step:
        """Predict and learn the block's rows in turn, and keep the score.

        ``taught`` are the same rows with the importance that they are learned with, where it is not
        the one that they are scored with.
        """
        taught = block if taught is None else taught
        if self.watch is None:
            return self._learn(block, taught)
        steps = []
        for begin, end in self.watch.pieces(len(block)):
            part = block.part(begin, end)
            steps.append(self._learn(part, taught.part(begin, end)))
            self.watch.see(part, steps[-1].targets, steps[-1].outcome.losses)
        return steps[0] if len(steps) == 1 else _joined_steps(steps)

    def _learn(self, block: Block, taught: Block) -> Step:
        known, before = len(self.learner.classes), self.score.average
        updates = self.learner.updates
        began = time.perf_counter()
        margins, targets = learn_block(self.learner, taught, self._width)
        self.score.seconds += time.perf_counter() - began
        self.score.count_updates(updates, self.learner.updates)
        scored = outcome(self.learner, margins, targets, known, self.loss)
        return self._counted(block, taught, margins, targets, scored, before)

    @property
    def frozen_loss(self) -> float | None:
        """The loss of the model frozen on rows ahead; None where it is not watched, or not known."""
        meter = None if self.watch is None else self.watch.frozen
        measured = None if meter is None else meter.measured
        return measured.mean if measured is not None and measured.rounds else None

    def finish(self) -> None:
        """Learn from what still waits for its turn: nothing, unless labels come late."""

    def _counted(
        self,
        block: Block,
        taught: Block,
        margins: Array,
        targets: Array,
        scored: Outcome,
        before: MeanLoss,
    ) -> Step:
        """Count a block in."""
        self.score.add(scored, block.importance)
        self.curve.see(before, scored.losses, block.importance)
        seen: tuple[Seen, ...] = ()
        if targets.ndim == 1:  # no constant orders the rows of a query
            self.constant.see(targets, block.importance)
            self._see_baseline(block, targets)
            if self.scoring.metrics.each:
                told = block.importance, taught.importance
                seen = (self.scoring.see(margins, targets, *told),)
        return Step(margins, scored, before, targets, seen)

    def _see_baseline(self, block: Block, targets: Array) -> None:
        """Let the label before each row predict it."""
        self.previous.see(targets, block.importance)

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics that were asked for, by name."""
        return self.scoring.metrics.values()


def _joined_steps(steps: list[Step]) -> Step:
    """One step of several that follow each other."""
    flags: list[Any] = [
        None if parts[0] is None else np.concatenate(parts)
        for parts in zip(*(step.outcome for step in steps), strict=True)
    ]
    targets = np.concatenate([step.targets for step in steps])
    margins, seen = joined([step.margins for step in steps]), sum((s.seen for s in steps), ())
    return Step(margins, Outcome(*flags), steps[0].before, targets, seen)


def targets_of(learner: Learner, block: Block) -> Array:
    """Turn a block's labels into the learner's numbers: ±1, 0 1 2 …, or as they are."""
    assert block.labels is not None, "scoring needs labels"
    if learner.task == "ranking":
        return targets_of_queries(block)
    return learner.encode(block.labels, len(block))


def progressive(
    learner: Learner | str, blocks: Iterable[Block], width: int = 0, metrics: Sequence[str] = ()
) -> Score:
    """Run a learner over the blocks of a stream, and score its predictions along the way.

    ``metrics`` are names of ``fenchel.evaluate.metrics``: the score has their values.

    The learner keeps the names of a stream that has some. A specification is enough where only
    the score is wanted.

    >>> from fenchel import learners
    >>> from fenchel.streams import from_arrays
    >>> score = progressive(
    ...     learners.perceptron(), from_arrays([[1.0], [-1.0], [2.0]], [1, -1, 1])
    ... )
    >>> score.rounds, score.mistakes, score.updates, score.error
    (3, 2, 2, 0.6666666666666666)

    >>> import pandas
    >>> from fenchel.streams import from_frame
    >>> frame = pandas.DataFrame({"age": [41.0, 52.0], "job": ["cook", "lawyer"], "y": [1, -1]})
    >>> learner = learners.perceptron()
    >>> progressive(learner, from_frame(frame, label="y")).rounds, learner.weights()
    (2, {'age': -11.0, 'job=cook': 1.0, 'job=lawyer': -1.0})
    """
    run = Run(learner_of(learner), width, metrics)
    found = blocks_of(blocks)
    with naming([run.learner], blocks):
        for block in whole_queries(found) if run.learner.task == "ranking" else found:
            run.learn(block)
    run.score.metrics = run.metrics
    return run.score
