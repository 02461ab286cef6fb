"""What commands were asked to do, checked before anything is done."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from fenchel.cli.sources import Reading


@dataclass(frozen=True)
class Wishes:
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

    @property
    def specification(self) -> str:
        """The learner named, or the one taken where none is."""
        if self.learner is not None:
            return self.learner
        return "arow" if self.task == "ranking" else "auto"

    def check(self, reading: Reading, data: str) -> None:
        """Refuse options that contradict each other, before any work is done."""
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


def refuse_wrong_place(option: str, file: str | None, *read: str) -> None:
    """What cannot be written is better known before the work than after; nor is data written over.

    ``read`` are the files that the command reads.
    """
    if not file:
        return
    place, message = Path(file), None
    if not place.absolute().parent.is_dir():
        message = "there is no such folder."
    elif place.is_dir():
        message = "this is a directory; name a file in it."
    elif place.is_file() and any(Path(it).is_file() and place.samefile(it) for it in read):
        message = "this is what is read; name another file."
    if message:
        raise click.BadParameter(f"{file}: {message}", param_hint=f"'--{option}'")
