"""The loss along a run, logged to MLflow while learners learn: nothing in the program changes."""

from __future__ import annotations

import functools
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.evaluate.measures import outcome
from fenchel.learners import Learner
from fenchel.parts.state import Array
from fenchel.tracking.flavor import mlflow_of

PER_DOUBLING = 4  # points each time the rounds double
LONGEST = 500  # of a parameter's value

_logs: WeakKeyDictionary[Learner, RunLog] = WeakKeyDictionary()
_learners: Counter[str] = Counter()  # how many a run has seen
_plain: dict[str, Callable[..., Any]] = {}  # the learner's methods, while others stand before
_met = threading.local()  # the blocks that a call has learned


class RunLog:
    """The averages of one learner in one run of MLflow."""

    def __init__(self, run: str, prefix: str) -> None:
        self.run, self.prefix = run, prefix
        self._now, self._last, self._next = MeanLoss(), MeanLoss(), 1

    def see(self, losses: Array, importance: Array | None) -> list[MeanLoss]:
        """Count in some rounds; returns how it stood at those that are to be logged."""
        due = []
        while self._next <= self._now.rounds + len(losses):
            due.append(self._next)
            self._next = max(self._next + 1, round(self._next * 2.0 ** (1.0 / PER_DOUBLING)))
        found = self._now.at(due, losses, importance)
        self._now = self._now.plus(losses, importance)
        return found

    def since(self, now: MeanLoss) -> MeanLoss:
        """The rounds after those logged last."""
        found, self._last = now.since(self._last), now
        return found


def autolog(disable: bool = False) -> None:
    """Log the progressive loss of every learner to MLflow from now on; ``disable`` ends it.

    It is seen wherever rows are learned in blocks: ``learn_many``, estimators, ``progressive``; not in
    ``learn_one``. Metrics of the active run (MLflow starts one where there is none) are ``loss``, the
    average over all rounds of predictions made before the label was seen, and ``recent_loss``, since the
    point before; the step is the round, four each time the rounds double. Learner, task and parameters
    are logged once; a second learner in the same run has its name before all of these. A failure to log
    is a warning, and learning goes on.
    """
    mlflow_of()
    while disable and _plain:
        setattr(Learner, *_plain.popitem())
    if not (disable or _plain):
        _put("_learn", _remembering)
        _put("learn_many", _logging)
        _put("learn_block", _logging)


def _put(name: str, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    _plain[name] = getattr(Learner, name)
    setattr(Learner, name, functools.wraps(_plain[name])(wrapper(_plain[name])))


def _remembering(learn: Callable[..., tuple[Array, Array]]) -> Callable[..., tuple[Array, Array]]:
    """The step inside, under the learner's lock: its outcome is kept for later."""

    def remembering(
        self: Learner, rows: Any, y: Any, importance: Any, *more: Any, **named: Any
    ) -> tuple[Array, Array]:
        known = len(self.classes)
        margins, targets = learn(self, rows, y, importance, *more, **named)
        if (blocks := getattr(_met, "blocks", None)) is not None:
            blocks.append((margins, targets, known, importance))
        return margins, targets

    return remembering


def _logging(learn: Callable[..., Any]) -> Callable[..., Any]:
    """A call from outside: what it learned is logged once the lock is given back."""

    def logging(self: Learner, *given: Any, **named: Any) -> Any:
        _met.blocks = []
        try:
            answer = learn(self, *given, **named)
            blocks = _met.blocks
        finally:
            _met.blocks = None
        try:
            for margins, targets, known, importance in blocks:
                _log(self, outcome(self, margins, targets, known).losses, importance)
        except Exception as error:
            warnings.warn(f"not logged to MLflow: {error}", stacklevel=2)
        return answer

    return logging


def _log(learner: Learner, losses: Array, importance: Array | None) -> None:
    mlflow = mlflow_of()
    run = (mlflow.active_run() or mlflow.start_run()).info.run_id
    log = _logs.get(learner)
    if log is None or log.run != run:
        _learners[run] += 1
        number = _learners[run]
        log = _logs[learner] = RunLog(run, f"{learner.name}_{number}." if number > 1 else "")
        mlflow.log_params({log.prefix + k: v for k, v in _parameters(learner).items()})
    moment, metrics = int(1000 * time.time()), []
    for now in log.see(losses, importance):
        told = {"loss": now.mean, "recent_loss": log.since(now).mean}
        for name, value in told.items():
            metrics.append(mlflow.entities.Metric(log.prefix + name, value, moment, now.rounds))
    if metrics:
        mlflow.MlflowClient().log_batch(run, metrics=metrics)


def _parameters(learner: Learner) -> dict[str, str]:
    told = {"learner": learner.specification, "task": learner.task, **learner.get_params()}
    return {name: str(value)[:LONGEST] for name, value in told.items()}
