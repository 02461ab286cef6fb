"""``fenchel train --workers N`` and ``--scheduler ADDRESS``: shards learned apart, and merged."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from fenchel.cli import models
from fenchel.cli.errors import as_option
from fenchel.cli.live_options import LiveOptions
from fenchel.cli.moving import unwatched_figures, with_moving
from fenchel.cli.output import counted, fact, number, say
from fenchel.cli.results import figures_apart, write_json
from fenchel.cli.sources import Data, Reading, begin, extended, open_data, refuse_idle_options
from fenchel.cli.spread import executor_of, how_to_read
from fenchel.cli.tasks import labels_of
from fenchel.cli.train_options import TrainOptions
from fenchel.cluster import Polishing, Shard, ShardedRun, shards
from fenchel.cluster import polish as polish_shards
from fenchel.cluster import train as train_shards
from fenchel.cluster.files import is_remote
from fenchel.cluster.work import blocks_of
from fenchel.evaluate import Score
from fenchel.evaluate.own_loss import own_loss, told_as
from fenchel.learners import Learner
from fenchel.learners.polishing import refuse_unpolishable

ALONE = {
    "passes": "several passes over shards are --rounds R",
    "predictions": "afterwards: fenchel predict",
    "checkpoint_every": "say --checkpoint DIR: it keeps whole shards",
    "metrics": "afterwards: fenchel test",
    "certify": "certificates speak of one run",
    "horizon": "labels come late on one machine",
    "delay": "labels come late on one machine",
    "late": "labels come late on one machine",
    "class_weight": "labels are counted on one machine",
    "progress_every": "every shard is told once it is done",
}
SPELLED = {"metrics": "metric"}


def train_apart(data: tuple[str, ...], given: dict[str, Any], apart: dict[str, Any]) -> None:
    """Run the command."""
    typed = click.get_current_context().params["metrics"]  # not those that go with the task
    given = {**given, "metrics": typed}
    for option, why in ALONE.items():
        if given[option] and not (option == "passes" and given[option] == 1):
            name = SPELLED.get(option, option.replace("_", "-"))
            raise click.UsageError(f"--{name} is for one process: {why}.")
    reading = Reading.of(given)
    LiveOptions.of(given).refuse()
    options = TrainOptions(**given)
    workers = apart["workers"] or os.cpu_count() or 1
    how = how_to_read(reading)
    with executor_of(apart["scheduler"]) as executor:
        if apart["scheduler"] and not apart["workers"]:
            workers = sum(executor.nthreads().values()) or 1
        cut = shards(data, workers, reading.format)
        options.check(reading, *dict.fromkeys(shard.path for shard in cut))
        learner = _learner(cut, reading, options, how)
        if learner.task == "ranking":
            cut = shards(data, 1, reading.format)  # no query is cut in two
        if apart["polish"]:
            refuse_unpolishable(learner)
        began, told = time.perf_counter(), _Telling(options.quiet)
        if not options.quiet:
            fact("task", learner.task)
            fact("learner", learner.specification)
            fact("shards", f"{len(cut)} of {counted(len({s.path for s in cut}), 'file')}")
        learner = train_shards(
            cut, learner, executor,
            rounds=apart["rounds"], workers=workers, checkpoint=apart["checkpoint"],
            tell=told, **how,
        )  # fmt: skip
        if apart["polish"]:
            learner = polish_shards(
                cut, learner, executor,
                iterations=apart["polish"], workers=workers, tell=told.polished, **how,
            )  # fmt: skip
    seconds = time.perf_counter() - began
    _finish(learner, told, options, seconds)
    if options.json_file:
        found = _found(" ".join(data), learner, told, options, seconds)
        write_json(options.json_file, found)


def _learner(
    cut: list[Shard], reading: Reading, options: TrainOptions, how: dict[str, Any]
) -> Learner:
    """The learner that all shards begin with, for the labels of the first rows."""
    if options.resume:
        learner = models.load(options.resume)
        refuse_idle_options(cut[0].path, reading)
        learner.schema = extended(learner.schema, reading.schema())
        return learner
    early = options.build_early()
    source = _source(_with_rows(cut, reading, early, how), reading, early, how)
    first, _ = begin(source, options.quiet)
    learner = options.build(early, labels_of(source.name, first))
    learner.schema = reading.schema()
    return learner


def _with_rows(cut: list[Shard], reading: Reading, early: Learner, how: dict[str, Any]) -> Shard:
    """The first shard that has rows; the first of all where none has."""
    for shard in cut:
        source = _source(shard, reading, early, how)
        if any(len(block) for block in source.stream):
            return shard
    return cut[0]


def _source(shard: Shard, reading: Reading, early: Learner, how: dict[str, Any]) -> Data:
    """Open the file of a shard; of a remote one the shard alone."""
    if not is_remote(shard.path):
        return open_data(shard.path, reading)
    refuse_idle_options(shard.path, reading)
    twin = early.copy()
    twin.schema = reading.schema()
    return Data(shard.path, blocks_of(shard, twin, how).stream)


class _Telling:
    """Tells each shard that is done, and keeps the latest state of the run."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self.training, self.polishing = quiet, None, None

    training: ShardedRun | None
    polishing: Polishing | None

    def __call__(self, training: ShardedRun) -> None:
        self.training = training
        if not self._quiet:
            total = len(training.shards) * training.rounds
            average = training.tally.average
            say(
                f"{training.done:>6} of {total} shards  {average.rounds:>12,} rows  "
                f"average loss {number(average.mean)}"
            )

    def polished(self, polishing: Polishing) -> None:
        """Tell how far the objective has come down."""
        self.polishing = polishing
        if not self._quiet:
            objective = number(polishing.objective)
            say(f"{polishing.passes:>6} passes  objective {objective} a row")


def _finish(learner: Learner, told: _Telling, options: TrainOptions, seconds: float) -> None:
    assert told.training is not None, "there is at least one shard"
    tally = told.training.tally
    if not options.quiet:
        wrong = tally.mistakes
        kind = told_as(own_loss(learner)) if wrong is None else counted(wrong, "mistake")
        if learner.task == "ranking":
            kind = "pairs in the wrong order, by row"
        fact("rounds", f"{learner.rounds:,}")
        fact("average loss", f"{number(tally.average.mean)} ({kind}, of the first round)")
        fact("features", f"{learner.columns:,}")
        if (polishing := told.polishing) is not None:
            fact("objective", f"{number(polishing.first)} to {number(polishing.objective)} a row")
        fact("work", f"{sum(told.training.costs.values()):.2f} seconds in shards")
        fact("seconds", f"{seconds:.2f}")
        if tally.skipped:
            fact("skipped", counted(tally.skipped, "line"))
            for error in tally.errors:
                say(f"  {error.message(as_option)}")
    if options.save:
        learner.save(options.save)
        fact("saved", options.save, options.quiet)


def _found(
    data: str, learner: Learner, told: _Telling, options: TrainOptions, seconds: float
) -> dict[str, Any]:
    """The figures of the run, for programs: as of one process, and what shards have beside it."""
    assert told.training is not None, "there is at least one shard"
    tally, costs = told.training.tally, told.training.costs
    names = dict.fromkeys(shard.name for shard in told.training.shards)
    score = Score(tally.average, tally.mistakes, None, None, seconds)
    specification = learner.specification if options.resume else options.specification
    found = figures_apart(data, specification, learner, score)
    return {
        **with_moving(found, unwatched_figures(score.loss)),
        "rounds_learned": learner.rounds,
        "skipped": tally.skipped,
        "polish": None if told.polishing is None else _figures(told.polishing),
        "shards": [{"name": name, "seconds": costs[name]} for name in names],
    }


def _figures(polishing: Polishing) -> dict[str, Any]:
    """The figures of the polish, for programs."""
    return {
        "passes": polishing.passes,
        "objective_before": polishing.first,
        "objective": polishing.objective,
        "gradient": polishing.slope,
    }
