"""``fenchel explain``: what each feature adds to the margins of single predictions."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from fenchel.cli import models
from fenchel.cli.output import announce_compiling, tell
from fenchel.cli.process import FirstRun
from fenchel.cli.sources import Reading, column_name, open_data
from fenchel.cli.tasks import shown
from fenchel.learners.explaining import Attribution, explain_rows
from fenchel.models import ModelRefused


def explain(model: str, data: str, top: int, as_json: bool, **given: Any) -> None:
    """Run the command."""
    click.get_current_context().with_resource(FirstRun())
    learner = models.load(model)
    if learner.rounds == 0:
        raise ModelRefused(f"{model}: it has learned nothing; train it first")
    source = open_data(data, Reading.of(given), learner, frozen=True)
    models.refuse_other_columns(model, learner, source)
    name = partial(column_name, source.stream.names, learner.schema.index_base)
    announce_compiling(quiet=False)
    several = learner.task == "multiclass" and learner.engine.is_calibrated
    what = "probability" if several else "margin"
    number = 0
    for block in source.stream:
        for found in explain_rows(learner, block.rows, name):
            number += 1
            tell(_line(number, found) if as_json else _lines(number, found, top, what))


def _line(number: int, found: Attribution) -> str:
    told = found._asdict()
    for key in ("prediction", "output"):
        told[key] = None if told[key] is None else _plain(told[key])
    return json.dumps({"row": number, **told}, ensure_ascii=False)


def _plain(label: Any) -> Any:
    value = label.item() if hasattr(label, "item") else label
    return value if isinstance(value, (bool, int, float)) else shown(value)


def _lines(number: int, found: Attribution, top: int, what: str) -> str:
    """A heading, and the largest contributions below it."""
    of = "" if found.output is None else f" of {shown(found.output)}"
    head = f"row {number}: {shown(found.prediction)}, {what}{of} {found.margin:+.6g}"
    if not found.is_exact:
        head += (
            f" by the last weights (decided by {found.decision:+.6g}: the row itself counts too)"
        )
    parts = sorted(found.contributions.items(), key=lambda item: -abs(item[1]))
    lines = [f"  {value:+12.6g}  {name}" for name, value in parts[:top]]
    if len(parts) > top:
        rest = sum(value for _, value in parts[top:])
        lines.append(f"  {rest:+12.6g}  ({len(parts) - top} others together)")
    return "\n".join([head, *lines])
