"""The options of ``fenchel train``, checked before anything is done."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import click
from numpy.typing import NDArray

from fenchel.cli.build import Builder, tasks_of, with_budget
from fenchel.cli.moving import horizon_of, with_half_life
from fenchel.cli.places import refuse_clashes, refuse_standard_output, refuse_unwritable
from fenchel.cli.sources import Reading
from fenchel.cli.tasks import GUESS_ROWS, guess_task
from fenchel.learners import Learner
from fenchel.streams.chunks import Labelled


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
    metrics: tuple[str, ...] = ()
    interval: float | None = None
    class_weight: str | None = None
    device: str = "cpu"
    horizon: str | None = None
    delay: str | None = None
    late: bool = False
    half_life: float | None = None
    time_budget: float | None = None
    progress_every: int | None = None

    @property
    def specification(self) -> str:
        """The learner named, or the one taken where none is; inside an interval where one is asked for."""
        default = "arow" if self.task == "ranking" else "auto"
        named = default if self.learner is None else self.learner
        inner = with_half_life(named, self.half_life, self.learner is not None)
        inner = with_budget(inner, self.time_budget)
        if self.interval is None:
            return inner
        return f"interval:coverage={self.interval:g},learner={inner}"

    @property
    def claimed(self) -> str | None:
        """The model that this run replaces by what it makes of it."""
        again = self.resume and self.save and os.path.realpath(self.save)
        return self.save if again and again == os.path.realpath(self.resume or "") else None

    @property
    def labelled(self) -> Labelled:
        """Whether every row must have a label: one without is predicted where that is asked for."""
        return "some" if self.predictions or self.late else True

    @property
    def rows_to_guess_from(self) -> int:
        """The rows to wait for before the task is guessed; one where there is nothing to guess."""
        settled = self.task is not None or len(tasks_of(self.specification)) == 1
        return 1 if settled else GUESS_ROWS

    def build_early(self) -> Learner:
        """Build the learner before any data is read, for the task named or the first it can do."""
        return self._builder().build_early(self.specification, self.task)

    def build(self, early: Learner, labels: NDArray[Any]) -> Learner:
        """Return the learner for these labels: the early one, or one for the task that they want."""
        task = self.task
        if task is None:
            task, possible = guess_task(labels[:GUESS_ROWS]), tasks_of(self.specification)
            # Numbers are what a regression learner is named for, however few they are.
            if labels.dtype.kind != "O" and task not in possible:
                task = possible[0]
        return early if early.task == task else self._builder().build(self.specification, task)

    def _builder(self) -> Builder:
        return Builder(self.loss, not self.no_intercept, self.certify, self.device)

    def check(self, reading: Reading, *data: str) -> None:
        """Refuse options that contradict each other, before any work is done."""
        horizon = horizon_of(self.horizon)
        if horizon not in (0, "rest") and (
            self.certify or self.passes > 1 or self.checkpoint_every
        ):
            raise click.UsageError("--horizon H takes one pass, without --certify and checkpoints.")
        if self.delay or self.late:
            self._check_late(reading)
        chosen = self.learner or self.loss or self.no_intercept or self.task or self.interval
        chosen = chosen or self.time_budget or self.half_life
        if self.resume and self.class_weight:
            raise click.UsageError(
                "--class-weight counts labels from the first row on: not with --resume."
            )
        if self.resume and (chosen or reading.bits):
            raise click.UsageError("--resume goes on with the learner and its options as saved.")
        if self.resume and self.device != "cpu":
            raise click.UsageError("--resume goes on on the CPU: leave --device out.")
        if self.certify and (self.resume or self.passes > 1):
            raise click.UsageError("--certify is for one pass from the start to the end.")
        if self.checkpoint_every and not self.save:
            raise click.UsageError("--checkpoint-every needs --save: where should it write?")
        if self.predictions and self.passes > 1:
            raise click.UsageError("--predictions are of one pass; afterwards: fenchel predict.")
        refuse_standard_output("save", self.save)
        written = {"save": self.save, "predictions": self.predictions, "json": self.json_file}
        for option, file in written.items():
            refuse_unwritable(option, file)
        read = {f"data {k}": file for k, file in enumerate(data)}
        refuse_clashes(written, {**read, "resume": self.resume})

    def _check_late(self, reading: Reading) -> None:
        """Refuse what does not go with labels that come late."""
        option = "--late" if self.late else "--delay"
        others = self.certify or self.passes > 1 or self.checkpoint_every or self.class_weight
        if others or self.horizon or (self.late and (self.delay or self.predictions)):
            raise click.UsageError(
                f"{option} takes one pass, without --certify, --class-weight, checkpoints, --horizon "
                "and another of its kind; --late also without --predictions."
            )
        if self.late and reading.id is None:
            raise click.UsageError("--late needs --id: which column says that a row comes again?")

    def check_ranking(self) -> None:
        """Refuse what would cut a query in two."""
        if self.passes > 1 or self.checkpoint_every or self.certify:
            raise click.UsageError(
                "--task ranking takes one pass, without --checkpoint-every and --certify."
            )
