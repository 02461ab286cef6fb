"""Several learners side by side, in one reading of the data and in parallel on the cores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from fenchel.evaluate.block_cutting import learn
from fenchel.evaluate.constant import BestConstant
from fenchel.evaluate.inputs import blocks_of, learner_of, naming
from fenchel.evaluate.late_run import LateRun
from fenchel.evaluate.progressive import Run, Score
from fenchel.evaluate.significance import Pairs, Verdict
from fenchel.learners import Learner
from fenchel.learners.workers import in_parallel
from fenchel.rows import Block


class Entrant(NamedTuple):
    """One learner's part in a comparison."""

    specification: str
    score: Score
    memory: int  # bytes of its state


class Comparison(NamedTuple):
    """The entrants, best first; each one's verdict is that of the best against it."""

    entrants: list[Entrant]
    verdicts: list[Verdict]
    constant: BestConstant
    rounds: int

    @property
    def best(self) -> Entrant:
        """The learner with the least loss."""
        return self.entrants[0]


class Contest:
    """Leads learners of one task through the same stream.

    ``horizon`` is the use they are ranked for: labels that come so many rounds late, or ``rest``, a
    model frozen on the rows ahead.

    A learner that keeps a full matrix is withdrawn once the stream has more than ``most_full``
    columns: the others should not have to wait for it.
    """

    def __init__(
        self,
        learners: Mapping[str, Learner],
        width: int = 0,
        most_full: int | None = None,
        horizon: int | str = 0,
    ) -> None:
        tasks = {learner.task for learner in learners.values()}
        if len(tasks) != 1:
            raise ValueError(f"learners of {tasks or 'nothing'}: give learners of one task")
        self.runs = {name: run_of(learner, width, horizon) for name, learner in learners.items()}
        self._horizon = horizon
        self.withdrawn: list[str] = []
        self._pairs = Pairs(len(self.runs), regression=tasks == {"regression"})
        self._width, self._most_full = width, most_full
        self._warm = False

    def learn(self, block: Block) -> None:
        """Let every learner predict and learn the block, each in its own thread."""
        self._withdraw(block)
        names = [name for name in self.runs if name not in self.withdrawn]
        if not self._warm:
            self._warm = True
            for name in names:  # compiling is not for several threads at once
                self._warm_up(self.runs[name], block)
        steps = in_parallel(lambda name: self.runs[name].learn(block), names)
        losses = dict(zip(names, (step.outcome.losses for step in steps), strict=True))
        nothing = np.zeros(len(block))
        self._pairs.see([losses.get(name, nothing) for name in self.runs])

    def _warm_up(self, run: Run, block: Block) -> None:
        """Load the compiled code on a twin: the seconds shown are those of learning."""
        learn(run.learner.copy(), next(block.parts(1)), self._width)

    def _withdraw(self, block: Block) -> None:
        if self._most_full is None or block.rows.used_columns <= self._most_full:
            return
        for name, run in self.runs.items():
            if name not in self.withdrawn and run.learner.engine.has_matrix:
                self.withdrawn.append(name)

    def result(self) -> Comparison:
        """Tell how they stand."""
        runs = {n: run for n, run in self.runs.items() if n not in self.withdrawn}
        names = sorted(runs, key=lambda name: self._loss(runs[name]))
        place = {name: k for k, name in enumerate(self.runs)}
        return Comparison(
            [_entrant(name, runs[name]) for name in names],
            [self._pairs.verdict(place[names[0]], place[name]) for name in names],
            runs[names[0]].constant,
            runs[names[0]].score.rounds,
        )

    def _loss(self, run: Run) -> float:
        """The loss that learners are ranked by, that of the use asked for."""
        frozen = None if self._horizon != "rest" else run.frozen_loss
        return run.score.loss if frozen is None else frozen


def run_of(learner: Learner, width: int, horizon: int | str) -> Run:
    """Return a run whose labels come so many rounds late; ``rest`` measures frozen use too."""
    if horizon == "rest":
        return Run(learner, width, watched=True)
    return LateRun(learner, width, horizon=int(horizon)) if horizon else Run(learner, width)


def _entrant(name: str, run: Run) -> Entrant:
    memory = sum(array.nbytes for array in run.learner.state_arrays().values())
    return Entrant(name, run.score, memory)


def compare(
    learners: Mapping[str, Learner | str], blocks: Iterable[Block], width: int = 0
) -> Comparison:
    """Run learners, or those of specifications, side by side over one reading of the blocks.

    >>> from fenchel import learners
    >>> from fenchel.streams import from_arrays
    >>> rows = from_arrays([[1.0, 0.0], [0.0, 1.0]] * 5, [1, -1] * 5)
    >>> result = compare({"a": learners.perceptron(), "b": learners.arow()}, rows)
    >>> result.rounds, result.best.score.mistakes, result.constant.loss
    (10, 2, 0.5)
    """
    contest = Contest(_entrants(learners), width)
    with naming([run.learner for run in contest.runs.values()], blocks):
        for block in blocks_of(blocks):
            contest.learn(block)
    return contest.result()


def _entrants(given: Any) -> dict[str, Learner]:
    if not isinstance(given, Mapping):
        raise ValueError(
            f"the learners are a {type(given).__name__}: give them by name, as in "
            "{'arow': learners.arow(), 'pa': 'passive_aggressive:C=0.1'}"
        )
    return {name: learner_of(learner) for name, learner in given.items()}
