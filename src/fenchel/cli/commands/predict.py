"""``fenchel predict``: a model's predictions, one a line."""

from __future__ import annotations

from typing import Any

from fenchel.cli import models
from fenchel.cli.output import announce_compiling, say
from fenchel.cli.results import prediction_lines, refuse_wrong_place
from fenchel.cli.sources import Reading, open_data
from fenchel.evaluate import predict as margins_of
from fenchel.models import ModelRefused


def _absent(reading: Reading, kinds: dict[str, str]) -> list[str]:
    """List the columns that the model has learned from and the data, if it has such, lacks."""
    if not kinds:
        return []
    learned = {name for name, kind in reading.kinds.items() if kind != "ignored"}
    return sorted(learned - kinds.keys() - {reading.label})


def predict(model: str, data: str, output: str | None, quiet: bool, **given: Any) -> None:
    """Run the command."""
    refuse_wrong_place("output", output, model, data)
    loaded = models.load(model)
    learner = loaded.learner
    if learner.rounds == 0:
        raise ModelRefused(f"{model}: it has learned nothing; train it first")
    reading = Reading.of(given).like(loaded.reading, data)
    source = open_data(data, reading, loaded.names, labelled=False)
    models.refuse_other_columns(model, loaded, source)
    rows, met = 0, False
    with prediction_lines(output or "-") as write:
        for block in source.stream:
            if not rows:  # a bad file is told alone
                announce_compiling(quiet)
            write(learner.decode_many(margins_of(learner, block)))
            rows += len(block)
            met = met or bool((block.indices < learner.columns).any())
    if rows and not met:
        say(f"{data}: {model} knows none of its features; check that it is the right model")
    elif absent := _absent(reading, source.stream.kinds):
        say(f"{data}: there is no column {', '.join(absent)}, which {model} has learned from")
