"""``fenchel predict``: a model's predictions, one a line, or as a table of what was asked for."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

import click

from fenchel.cli import models
from fenchel.cli.column_advice import tell_other_columns
from fenchel.cli.output import announce_compiling, counted, fact, number, say
from fenchel.cli.prediction_tables import Wanted, decided, table_file
from fenchel.cli.process import FirstRun
from fenchel.cli.results import prediction_lines, refuse_wrong_place, tell_skipped
from fenchel.cli.sources import Reading, open_data
from fenchel.cli.testing import Tested
from fenchel.evaluate import predict as margins_of
from fenchel.models import ModelRefused


def predict(
    model: str,
    data: str,
    output: str | None,
    quiet: bool,
    proba: bool = False,
    margin: bool = False,
    interval: float | None = None,
    top: int | None = None,
    cost: tuple[float, float] | None = None,
    **given: Any,
) -> None:
    """Run the command."""
    refuse_wrong_place("output", output, model, data)
    click.get_current_context().with_resource(FirstRun())
    learner = models.load(model)
    if learner.rounds == 0:
        raise ModelRefused(f"{model}: it has learned nothing; train it first")
    reading = Reading.of(given)
    wanted = Wanted(proba, margin, interval, top, cost, reading.id is not None)
    wanted.check(learner)
    source = open_data(data, reading, learner, frozen=True, beside=not quiet)
    models.refuse_other_columns(model, learner, source)
    rows, met, tested = 0, False, Tested(learner, cost=cost)
    blocks = iter(source.stream)
    first = list(islice(blocks, 1))  # a bad file is told alone
    if wanted.id and first and first[0].ids is None:
        raise click.UsageError(f"--id: {model} knows of no identifier; name its column.")
    announce_compiling(quiet)
    with (prediction_lines if wanted.is_plain else table_file)(output or "-") as write:
        for block in chain(first, blocks):
            margins = margins_of(learner, block)
            if wanted.is_plain:
                chances = learner.probabilities(margins) if cost else None
                write(decided(learner, margins, chances, cost))
            else:
                write(wanted.columns(learner, block, margins))
            tested.see_if_labelled(block, margins)
            rows += len(block)
            met = met or bool((block.indices < learner.columns).any())
    tell_skipped(source.stream.skipped)
    if tested.rounds and not quiet:
        _tell_metrics(tested, rows)
    if rows and not met:
        say(f"{data}: {model} knows none of its features; check that it is the right model")
    else:
        tell_other_columns(data, model, learner, source.stream)


def _tell_metrics(tested: Tested, rows: int) -> None:
    """Tell how good the predictions are, and of how many rows where some have no label."""
    if tested.rounds < rows:
        fact("labelled", f"{tested.rounds:,} of {counted(rows, 'row')}")
    for name, value in tested.metrics().items():
        fact(name.replace("_", " "), number(value))
