"""What ``fenchel train`` was asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from fenchel.cli.sources import Reading


@dataclass(frozen=True)
class Wishes:
    """The options of the command, those of reading aside."""

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

    def check(self, reading: Reading) -> None:
        """Refuse options that contradict each other, before any work is done."""
        chosen = self.learner or self.loss or self.no_intercept or self.task
        if self.resume and (chosen or reading.bits):
            raise click.UsageError("--resume goes on with the learner and its options as saved.")
        if self.checkpoint_every and not self.save:
            raise click.UsageError("--checkpoint-every needs --save: where should it write?")
        if self.predictions and self.passes > 1:
            raise click.UsageError("--predictions are of one pass; afterwards: fenchel predict.")
        for option in ("save", "predictions", "json_file"):
            file = getattr(self, option)
            if file and not Path(file).absolute().parent.is_dir():
                hint = f"'--{option.removesuffix('_file')}'"
                raise click.BadParameter(f"{file}: there is no such folder.", param_hint=hint)
