"""``fenchel export``: a model for a place without fenchel."""

from __future__ import annotations

import sys

from fenchel.cli import models
from fenchel.cli.output import announce_compiling, fact
from fenchel.cli.places import refuse_unwritable
from fenchel.cli.results import blame, refuse_wrong_place
from fenchel.export import ExportRefused, portable
from fenchel.export import export as written
from fenchel.models.atomic import replacing


def export(model: str, to: str, output: str | None, weights: bool) -> None:
    """Run the command."""
    refuse_wrong_place("output", output, model)
    refuse_unwritable("output", output)
    learner = models.load(model)
    announce_compiling(quiet=False)
    try:
        content = written(learner, to, weights)
    except ExportRefused as error:
        raise ExportRefused(f"{model}: {error}") from None
    if output is None or output == "-":
        sys.stdout.buffer.write(content)
        return
    with blame(output), replacing(output) as file:
        file.write(content)
    fact("exported", f"{output}, {len(content):,} bytes of {to}")
    form = portable(learner).form
    if form.task in ("binary", "multiclass") and form.sharpness is None:
        fact("probabilities", "none there, labels alone; fenchel predict --proba has them")
