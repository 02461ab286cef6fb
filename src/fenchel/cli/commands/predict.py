"""``fenchel predict``: a model's predictions, one a line, or beside the rows' identifiers."""

from __future__ import annotations

from typing import Any

import click

from fenchel.cli import models
from fenchel.cli.column_advice import tell_other_columns
from fenchel.cli.output import announce_compiling, say
from fenchel.cli.results import prediction_lines, prediction_table, refuse_wrong_place, tell_skipped
from fenchel.cli.sources import Reading, open_data
from fenchel.evaluate import predict as margins_of
from fenchel.models import ModelRefused


def predict(model: str, data: str, output: str | None, quiet: bool, **given: Any) -> None:
    """Run the command."""
    refuse_wrong_place("output", output, model, data)
    learner = models.load(model)
    if learner.rounds == 0:
        raise ModelRefused(f"{model}: it has learned nothing; train it first")
    reading = Reading.of(given)
    source = open_data(data, reading, learner, frozen=True)
    models.refuse_other_columns(model, learner, source)
    rows, met, with_ids = 0, False, reading.id is not None
    table = prediction_table if with_ids else prediction_lines
    with table(output or "-") as write:
        for block in source.stream:
            if not rows:  # a bad file is told alone
                announce_compiling(quiet)
            if with_ids and block.ids is None:
                raise click.UsageError(f"--id: {model} knows of no identifier; name its column.")
            found = learner.decode_many(margins_of(learner, block))
            write(zip(block.ids or (), found, strict=True) if with_ids else found)
            rows += len(block)
            met = met or bool((block.indices < learner.columns).any())
    tell_skipped(source.stream.skipped)
    if rows and not met:
        say(f"{data}: {model} knows none of its features; check that it is the right model")
    else:
        tell_other_columns(data, model, learner, source.stream)
