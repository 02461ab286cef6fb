"""Predictions as a table: which columns were asked for, and the form of the file they go to."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from fenchel.cli.places import written_whole
from fenchel.cli.results import blame
from fenchel.cli.tasks import shown
from fenchel.learners import Learner
from fenchel.models.atomic import replacing
from fenchel.parts.state import Array
from fenchel.rows import Block

Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Wanted:
    """The columns that ``fenchel predict`` was asked for beside the prediction."""

    proba: bool = False
    margin: bool = False
    interval: float | None = None
    top: int | None = None
    cost: tuple[float, float] | None = None
    id: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether one prediction a line is all that is wanted."""
        return not (self.proba or self.margin or self.interval or self.top or self.id)

    def check(self, learner: Learner) -> None:
        """Refuse what the learner cannot give, before any row is read."""
        classes = learner.task in ("binary", "multiclass")
        if (self.proba or self.top or self.cost) and not classes:
            option = "--proba" if self.proba else "--top" if self.top else "--cost"
            raise click.UsageError(f"{option} is for classes; this model is for {learner.task}.")
        if self.cost and learner.task != "binary":
            raise click.UsageError("--cost is of the two errors of two classes.")
        if self.interval is None:
            return
        coverage = getattr(learner.engine, "coverage", None)
        if coverage is None:
            raise click.UsageError("--interval: train the model with --interval first.")
        if abs(coverage - self.interval) > 1e-12:
            raise click.UsageError(
                f"--interval {self.interval:g}: this model has intervals of {coverage:g}."
            )

    def columns(self, learner: Learner, block: Block, margins: Array) -> Columns:
        """Compute the columns asked for, of one block and its margins."""
        chances = None
        if self.proba or self.top or self.cost:
            chances = learner.probabilities(margins)
        found: Columns = {}
        if self.id:
            found["id"] = list(block.ids or ())
        found["prediction"] = [shown(p) for p in decided(learner, margins, chances, self.cost)]
        if self.margin:
            found |= _of_classes("margin", learner, margins)
        if self.proba:
            assert chances is not None
            found |= _of_classes("proba", learner, chances)
        if self.top:
            assert chances is not None
            found |= _top(learner, chances, self.top)
        if self.interval is not None:
            found |= _intervals(learner, block)
        return found


def decided(
    learner: Learner, margins: Array, chances: Array | None, cost: tuple[float, float] | None
) -> Any:
    """The labels predicted; with ``cost`` of a false alarm and of a miss, those that cost least."""
    if cost is None or chances is None:
        return learner.decode_many(margins)
    alarm, miss = cost
    return learner.decode_many(chances[:, 1] * miss - chances[:, 0] * alarm)


def _of_classes(what: str, learner: Learner, values: Array) -> Columns:
    if values.ndim == 1:
        return {what: values.tolist()}
    names = [shown(label) for label in learner.outcomes()]
    return {f"{what}:{name}": values[:, k].tolist() for k, name in enumerate(names)}


def _top(learner: Learner, chances: Array, count: int) -> Columns:
    names = np.array([shown(label) for label in learner.outcomes()], dtype=object)
    order = np.argsort(-chances, axis=1, kind="stable")[:, :count]
    found: Columns = {}
    for k in range(order.shape[1]):
        found[f"class:{k + 1}"] = names[order[:, k]].tolist()
        found[f"chance:{k + 1}"] = chances[np.arange(len(order)), order[:, k]].tolist()
    return found


def _intervals(learner: Learner, block: Block) -> Columns:
    bounds = learner.read_rows(block.rows, "bounds")
    if learner.labels is None:
        return {"lower": bounds[:, 0].tolist(), "upper": bounds[:, 1].tolist()}
    names = [shown(label) for label in learner.outcomes()]
    sets = [[n for n, on in zip(names, row, strict=False) if on] for row in bounds]
    return {"set": [" ".join(inside) for inside in sets]}


@contextmanager
def table_file(file: str) -> Iterator[Callable[[Columns], None]]:
    """Open a file for tables, by its name CSV, JSON lines or Parquet; yields what writes some rows."""
    if file.endswith(".parquet"):
        with blame(file), _parquet(file) as write:
            yield write
        return
    with blame(file), written_whole(file) as output:
        if file.endswith((".jsonl", ".ndjson")):
            yield lambda columns: output.writelines(
                json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(columns)
            )
            return
        table, begun = csv.writer(output, lineterminator="\n"), False

        def write(columns: Columns) -> None:
            nonlocal begun
            if not begun:
                table.writerow(columns)
                begun = True
            table.writerows(zip(*columns.values(), strict=True))

        yield write


def _rows(columns: Columns) -> Iterator[dict[str, Any]]:
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


@contextmanager
def _parquet(file: str) -> Iterator[Callable[[Columns], None]]:
    """Write row groups to a Parquet file."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise click.UsageError("Parquet needs pyarrow: pip install fenchel[arrow].") from None
    writer: Any = None

    def write(columns: Columns) -> None:
        nonlocal writer
        table = pyarrow.table(columns)
        if writer is None:
            writer = parquet.ParquetWriter(raw, table.schema)
        writer.write_table(table)

    with replacing(file) as raw:
        try:
            yield write
        finally:
            if writer is not None:
                writer.close()
