"""What ``fenchel train`` was asked to do, checked before anything is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
from numpy.typing import NDArray

from fenchel.cli.build import Builder, tasks_of
from fenchel.cli.moving import horizon_of, with_half_life
from fenchel.cli.results import refuse_wrong_place
from fenchel.cli.sources import Reading
from fenchel.cli.tasks import guess_task
from fenchel.learners import Learner


@dataclass(frozen=True)
class TrainOptions:
    """The options of ``fenchel train``, those of reading aside."""

    learner: str | None
    save: str | None
    resume: str | None
    passes: int
    predictions: str | None
    checkpoint_every: int | None
    json_file: str | None
    task: str | None
    loss: str | None
    no_intercept: bool
    quiet: bool
    certify: bool = False
    horizon: str | None = None
    half_life: float | None = None
    progress_every: int | None = None

    @property
    def specification(self) -> str:
        """The learner named, or the one taken where none is."""
        named = self.learner or ("arow" if self.task == "ranking" else "auto")
        return with_half_life(named, self.half_life, self.learner is not None)

    def build_early(self) -> Learner:
        """Build the learner before any data is read, for the task named or the first it can do."""
        return self._builder().build_early(self.specification, self.task)

    def build(self, early: Learner, labels: NDArray[Any]) -> Learner:
        """Return the learner for these labels: the early one, or one for the task that they want."""
        task = self.task
        if task is None:
            task, possible = guess_task(labels), tasks_of(self.specification)
            # Numbers are what a regression learner is named for, however few they are.
            if labels.dtype.kind != "O" and task not in possible:
                task = possible[0]
        return early if early.task == task else self._builder().build(self.specification, task)

    def _builder(self) -> Builder:
        return Builder(self.loss, not self.no_intercept, self.certify)

    def check(self, reading: Reading, data: str) -> None:
        """Refuse options that contradict each other, before any work is done."""
        horizon = horizon_of(self.horizon)
        if horizon not in (0, "rest") and (
            self.certify or self.passes > 1 or self.checkpoint_every
        ):
            raise click.UsageError("--horizon H takes one pass, without --certify and checkpoints.")
        chosen = self.learner or self.loss or self.no_intercept or self.task
        if self.resume and (chosen or reading.bits):
            raise click.UsageError("--resume goes on with the learner and its options as saved.")
        if self.certify and (self.resume or self.passes > 1):
            raise click.UsageError("--certify is for one pass from the start to the end.")
        if self.checkpoint_every and not self.save:
            raise click.UsageError("--checkpoint-every needs --save: where should it write?")
        if self.predictions and self.passes > 1:
            raise click.UsageError("--predictions are of one pass; afterwards: fenchel predict.")
        for option in ("save", "predictions"):
            refuse_wrong_place(option, getattr(self, option), data)
        refuse_wrong_place("json", self.json_file, data)

    def check_ranking(self) -> None:
        """Refuse what would cut a query in two."""
        if self.passes > 1 or self.checkpoint_every or self.certify:
            raise click.UsageError(
                "--task ranking takes one pass, without --checkpoint-every and --certify."
            )
