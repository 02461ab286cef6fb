"""``fenchel test``: a labelled file scored by a model that does not learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fenchel.certificates.tables import text_table
from fenchel.cli import models
from fenchel.cli.output import announce_compiling, counted, number
from fenchel.cli.process import FirstRun
from fenchel.cli.results import blame, refuse_wrong_place, tell_skipped, write_json
from fenchel.cli.sources import Reading, begin, open_data
from fenchel.cli.tasks import labels_of, mapping, shown
from fenchel.cli.testing import Tested
from fenchel.cli.typed import typed_command
from fenchel.models import ModelRefused
from fenchel.report.decisions import Decisions, decisions_page


def test(
    model: str,
    data: str,
    names: tuple[str, ...],
    cost: tuple[float, float] | None,
    json_file: str | None,
    report: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Run the command."""
    refuse_wrong_place("json", json_file, model, data)
    refuse_wrong_place("report", report, model, data)
    click.get_current_context().with_resource(FirstRun())
    learner = models.load(model)
    if learner.rounds == 0:
        raise ModelRefused(f"{model}: it has learned nothing; train it first")
    if cost and learner.task != "binary":
        raise click.UsageError("--cost is of the two errors of two classes.")
    try:
        tested = Tested(learner, names, cost)
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="'--metric'") from None
    if not tested.scored:
        raise click.UsageError(
            f"test is for classes and numbers; this model is for {learner.task}."
        )
    source = open_data(data, Reading.of(given), learner, frozen=True, labelled=True)
    models.refuse_other_columns(model, learner, source)
    announce_compiling(quiet)
    for block in begin(source, quiet)[1]:
        labels_of(source.name, block)
        tested.see(block)
    tell_skipped(source.stream.skipped)
    if json_file:
        write_json(json_file, _figures(source.name, learner.task, tested))
    if json_file != "-":
        click.echo(_text(source.name, model, learner.task, tested))
    if report:
        told = mapping(learner) if learner.labels is not None else ""
        page = decisions_page(Decisions(source.name, model, learner.task, tested.rounds,
                                        tested.metrics(), tested.classes(), tested.calibration(),
                                        tested.area, shown, told, typed_command()))  # fmt: skip
        with blame(report):
            Path(report).write_text(page, encoding="utf-8")


def _figures(data: str, task: str, tested: Tested) -> dict[str, Any]:
    return {
        "data": data,
        "rounds": tested.rounds,
        "task": task,
        "metrics": tested.metrics(),
        "best_constant_loss": tested.constant.loss,
        "previous_label_loss": tested.previous.loss,
        "classes": [
            {"class": shown(label), "rows": rows, "precision": p, "recall": r, "f1": f}
            for label, rows, p, r, f in tested.classes()
        ],
        "calibration": [
            {"weight": w, "mean_probability": p, "share": s} for w, p, s in tested.calibration()
        ],
    }


def _text(data: str, model: str, task: str, tested: Tested) -> str:
    lines = [f"{data}: {counted(tested.rounds, 'row')}, {task}, scored by {model}", ""]
    lines += [
        f"{name.replace('_', ' '):<15}{number(value)}" for name, value in tested.metrics().items()
    ]
    lines += [f"{'best constant':<15}{number(tested.constant.loss)}"]
    if tested.previous.loss is not None:
        lines += [f"{'previous label':<15}{number(tested.previous.loss)}"]
    if tested.classes():
        rows = [
            [shown(label), f"{came:g}", f"{p:.4f}", f"{r:.4f}", f"{f:.4f}"]
            for label, came, p, r, f in tested.classes()
        ]
        lines += ["", *text_table(["class", "rows", "precision", "recall", "F1"], rows)]
        bins = [[f"{w:g}", f"{p:.3f}", f"{s:.3f}"] for w, p, s in tested.calibration()]
        lines += ["", *text_table(["rows", "mean\nprobability", "share\nthat came"], bins)]
    return "\n".join(lines)
