"""``fenchel merge``: models trained apart become one that has seen all their rows."""

from __future__ import annotations

from fenchel.cli import models
from fenchel.cli.output import fact
from fenchel.cli.places import refuse_standard_output, refuse_unwritable
from fenchel.learners.merging import merge as merged_of


def merge(files: tuple[str, ...], save: str, start: str | None, quiet: bool) -> None:
    """Run the command."""
    refuse_standard_output("save", save)
    refuse_unwritable("save", save)
    begun = None if start is None else models.load(start)
    merged = merged_of([models.load(file) for file in files], begun)
    merged.save(save)
    if not quiet:
        fact("learner", merged.specification)
        fact("merged", f"{len(files)} models")
        fact("rounds", f"{merged.rounds:,}")
        fact("features", f"{merged.columns:,}")
        taken_over = getattr(merged.engine, "taken_over", ())
        if taken_over:
            fact(
                "not merged",
                f"{len(taken_over)} experts (products, curves, waves) are those of one model",
            )
        fact("saved", save)
