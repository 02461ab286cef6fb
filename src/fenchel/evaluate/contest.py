"""Several learners side by side, in one reading of the data and in parallel on the cores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fenchel.evaluate.constant import BestConstant
from fenchel.evaluate.inputs import blocks_of, learner_of, naming
from fenchel.evaluate.late_run import LateRun
from fenchel.evaluate.metrics import Mean
from fenchel.evaluate.own_loss import common_loss
from fenchel.evaluate.progressive import Run, Score, Step
from fenchel.evaluate.significance import Pairs, Verdict
from fenchel.learners import Learner
from fenchel.learners.block_cutting import learn
from fenchel.learners.workers import in_parallel
from fenchel.parts.state import Array
from fenchel.rows import Block

# Where a class is rarer, mistakes tell little of learners.
RARE = 0.05


class Entrant(NamedTuple):
    """One learner's part in a comparison."""

    specification: str
    score: Score
    memory: int  # bytes of its state


class Comparison(NamedTuple):
    """The entrants, best first; each one's verdict is that of the best against it.

    Learners ranked by their losses when frozen have no verdicts: those are of samples of the rows.
    """

    entrants: list[Entrant]
    verdicts: list[Verdict]
    constant: BestConstant
    rounds: int
    ranked_by: str = ""  # a metric, or nothing for the task's own loss
    tested_by: str = ""  # what the verdicts are about
    because: str = ""
    loss: str = ""  # that numbers are told in; nothing for classes
    frozen: dict[str, float] | None = None  # the losses that ranked them, where of frozen use

    @property
    def best(self) -> Entrant:
        """The learner with the least loss."""
        return self.entrants[0]

    @property
    def best_loss(self) -> float:
        """The loss of the best learner, in the use that it was chosen for."""
        best = self.best
        return best.score.loss if self.frozen is None else self.frozen[best.specification]


class Trace(NamedTuple):
    """The losses of one learner in each row of a block: the task's own, and that of each metric."""

    losses: Array
    by_metric: dict[str, Array]


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
        metrics: Sequence[str] = (),
        horizon: int | str = 0,
        loss: Mean | None = None,
    ) -> None:
        tasks = {learner.task for learner in learners.values()}
        if len(tasks) != 1:
            raise ValueError(f"learners of {tasks or 'nothing'}: give learners of one task")
        self._asked, self.horizon = tuple(metrics), horizon
        self.loss = common_loss(learners.values()) if loss is None else loss
        settings = width, most_full, tuple(metrics), horizon, self.loss
        self.alone = partial(_alone, learners, settings)
        classes = tasks <= {"binary", "multiclass"}
        kept = (*metrics, "log_loss") if classes else tuple(metrics)
        self.runs = {
            name: run_of(learner, width, horizon, kept, self.loss)
            for name, learner in learners.items()
        }
        self.withdrawn: list[str] = []
        self._told_in = "" if classes else self.loss.name
        self._pairs = Pairs(len(self.runs), regression=not classes)
        self._by_metric = {
            name: Pairs(len(self.runs), regression=True) for name in dict.fromkeys(kept)
        }
        self._width, self._most_full = width, most_full
        self._warm = False

    def learn(self, block: Block) -> dict[str, Trace]:
        """Let every learner predict and learn the block, each in its own thread; what they lost."""
        self._withdraw(block)
        names = [name for name in self.runs if name not in self.withdrawn]
        if not self._warm:
            self._warm = True
            for name in names:  # compiling is not for several threads at once
                self._warm_up(self.runs[name], block)
        steps = in_parallel(lambda name: self.runs[name].learn(block), names)
        traces = {n: self._trace(n, step) for n, step in zip(names, steps, strict=True)}
        self.see(traces, len(block))
        return traces

    def see(self, traces: Mapping[str, Trace], rows: int) -> None:
        """Count in what learners lost on the same rows, wherever they learned them."""
        nothing = np.zeros(rows)
        self._pairs.see([traces[n].losses if n in traces else nothing for n in self.runs])
        for metric, pairs in self._by_metric.items():
            found = [traces[n].by_metric if n in traces else {} for n in self.runs]
            pairs.see([lost.get(metric, nothing) for lost in found])

    def _trace(self, name: str, step: Step) -> Trace:
        """Keep what the pairs of learners differ by; of metrics those that are a mean over rows."""
        by_metric = {}
        for metric in self._by_metric:
            one = self.runs[name].scoring.metrics.each.get(metric)
            parts = [] if one is None else [one.losses(part) for part in step.seen]
            lost = [part for part in parts if part is not None]
            if lost:
                by_metric[metric] = np.concatenate(lost)
        return Trace(step.outcome.losses, by_metric)

    def _ranking(self, some: Run) -> tuple[str, str]:
        """The metric to rank by, and why where nobody asked for it."""
        if self._asked:
            return next(iter(some.scoring.metrics.each)), ""
        rarest = some.constant.rarest
        if rarest < RARE and "log_loss" in some.scoring.metrics.each:
            told = f"a class has {rarest:.2%} of the rows: ranked by log loss, not by error"
            return "log_loss", told
        return "", ""

    def _shown(self, run: Run, ranked_by: str) -> dict[str, float]:
        """The metrics that were asked for, or that the ranking rests on."""
        found = run.metrics
        wanted = len(set(self._asked)) if self._asked else 0
        names = list(found)[:wanted] or ([ranked_by] if ranked_by else [])
        return {name: found[name] for name in names}

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
        """Tell how they stand: by the first metric asked for, else by the task's own loss.

        Where a class has less than 5 % of the rows, by log loss: all that say nothing of it err as rarely.
        Learners for frozen use stand by their losses when frozen, once these are known.
        """
        runs = {n: run for n, run in self.runs.items() if n not in self.withdrawn}
        frozen = frozen_losses(runs)
        if frozen is not None:
            return self._of_frozen(runs, frozen)
        metric, because = self._ranking(next(iter(runs.values())))
        names = sorted(runs, key=lambda name: _cost(runs[name], metric))
        place = {name: k for k, name in enumerate(self.runs)}
        mean = bool(metric) and runs[names[0]].scoring.metrics.each[metric].is_mean
        tested = metric if mean and metric not in ("error", self.loss.name) else ""
        pairs = self._by_metric[tested] if tested else self._pairs
        return Comparison(
            [_entrant(name, runs[name], self._shown(runs[name], metric)) for name in names],
            [pairs.verdict(place[names[0]], place[name]) for name in names],
            runs[names[0]].constant,
            runs[names[0]].score.rounds,
            metric,
            tested,
            because,
            self._told_in,
        )

    def _of_frozen(self, runs: Mapping[str, Run], frozen: dict[str, float]) -> Comparison:
        """Tell how they stand frozen; metrics are those of the next round, and rank nobody."""
        names = sorted(runs, key=frozen.__getitem__)
        some = runs[names[0]]
        return Comparison(
            [_entrant(name, runs[name], self._shown(runs[name], "")) for name in names],
            [],
            some.constant,
            some.score.rounds,
            loss=self._told_in,
            frozen={name: frozen[name] for name in names},
        )


def _alone(learners: Mapping[str, Learner], settings: tuple[Any, ...], name: str) -> Any:
    """A function that begins a contest of the same settings with one of its learners alone."""
    return partial(Contest, {name: learners[name].copy()}, *settings)


def run_of(
    learner: Learner,
    width: int,
    horizon: int | str,
    metrics: Sequence[str] = (),
    loss: Mean | None = None,
) -> Run:
    """Return a run whose labels come so many rounds late; ``rest`` measures frozen use too."""
    if horizon and horizon != "rest":
        return LateRun(learner, width, metrics, horizon=int(horizon), loss=loss)
    return Run(learner, width, metrics, watched=horizon == "rest", loss=loss)


def frozen_losses(runs: Mapping[str, Run]) -> dict[str, float] | None:
    """Return what each learner loses frozen on the rows ahead; None unless that is known of all."""
    found = {name: run.frozen_loss for name, run in runs.items()}
    known = {name: loss for name, loss in found.items() if loss is not None}
    return known if len(known) == len(found) else None


def _cost(run: Run, metric: str) -> float:
    """The figure that ranks learners, the least first: a metric, or the task's own loss."""
    if not metric:
        return run.score.loss
    one = run.scoring.metrics.each[metric]
    cost = -one.value if one.higher_is_better else one.value
    return cost if cost == cost else float("inf")  # NaN last


def _entrant(name: str, run: Run, metrics: dict[str, float]) -> Entrant:
    memory = sum(array.nbytes for array in run.learner.state_arrays().values())
    run.score.metrics = metrics
    return Entrant(name, run.score, memory)


def compare(
    learners: Mapping[str, Learner | str],
    blocks: Iterable[Block],
    width: int = 0,
    metrics: Sequence[str] = (),
) -> Comparison:
    """Run learners, or those of specifications, side by side over one reading of the blocks.

    The first of ``metrics`` (``fenchel.evaluate.metrics``) ranks them.

    >>> from fenchel import learners
    >>> from fenchel.streams import from_arrays
    >>> rows = from_arrays([[1.0, 0.0], [0.0, 1.0]] * 5, [1, -1] * 5)
    >>> result = compare({"a": learners.perceptron(), "b": learners.arow()}, rows)
    >>> result.rounds, result.best.score.mistakes, result.constant.loss
    (10, 2, 0.5)
    """
    contest = Contest(_entrants(learners), width, metrics=metrics)
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
