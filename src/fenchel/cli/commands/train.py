"""``fenchel train``: one learner, one stream, one table."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any

import click

from fenchel.cli import models
from fenchel.cli.certify import RunCertificates
from fenchel.cli.column_advice import tell_kinds, tell_odd_categories
from fenchel.cli.errors import STOPPED
from fenchel.cli.holdout import HeldOut
from fenchel.cli.live_options import LiveOptions
from fenchel.cli.live_train import train_live
from fenchel.cli.moving import horizon_of, moving_figures, tell_moving, with_moving
from fenchel.cli.output import counted, fact, say
from fenchel.cli.places import ModelClaim
from fenchel.cli.process import FirstRun
from fenchel.cli.progress import ProgressTable, rate_line
from fenchel.cli.results import figures, prediction_lines, tell_score, tell_skipped, write_json
from fenchel.cli.signals import Interruption
from fenchel.cli.sources import Data, Reading, begin, column_name, open_data
from fenchel.cli.tasks import LabelCheck, mapping, with_queries
from fenchel.cli.train_options import TrainOptions
from fenchel.cli.unlabelled import predictions_of, runs, some_labels
from fenchel.evaluate import Run, learn, predict, whole_queries
from fenchel.evaluate.class_weights import Balance
from fenchel.evaluate.contest import run_of
from fenchel.evaluate.late_run import AgainRun, DelayedRun
from fenchel.learners import Learner
from fenchel.live.bookmarks import all_of
from fenchel.rows import Block
from fenchel.streams.inboxes import is_address

APART = ("workers", "scheduler", "rounds", "checkpoint", "polish")


def train(data: tuple[str, ...], **given: Any) -> None:
    """Run the command: on one process, or on shards of the data where workers are asked for."""
    apart = {key: given.pop(key) for key in APART}
    if apart["workers"] or apart["scheduler"]:
        from fenchel.cli.commands.train_apart import train_apart

        train_apart(data, given, apart)
        return
    if len(data) > 1 or apart["rounds"] > 1 or apart["checkpoint"] or apart["polish"]:
        what = "several files" if len(data) > 1 else "--rounds, --checkpoint and --polish"
        raise click.UsageError(f"{what} are for shards learned apart: say --workers N.")
    _train(data[0], given)


def _train(data: str, given: dict[str, Any]) -> None:
    if given["delay"]:  # the reader keeps one column beside the features
        if given["id"]:
            raise click.UsageError("--delay and --id are one column each: give one of them.")
        given["id"] = given["delay"]
    reading = Reading.of(given)
    live = LiveOptions.of(given)
    options = TrainOptions(**given)
    if is_address(data):
        train_live(data, reading, options, live)
        return
    live.refuse()
    options.check(reading, data)
    claim = ModelClaim(options.claimed)
    compiler = click.get_current_context().with_resource(FirstRun())
    if options.resume:
        learner = models.load(options.resume)
        compiler.start([learner], data)
        source = open_data(data, reading, learner, labelled=options.labelled)
        models.refuse_other_columns(options.resume, learner, source)
        _, blocks = begin(source, options.quiet)
    else:
        source = open_data(data, reading, labelled=options.labelled)
        early = options.build_early()
        compiler.start([early], data)
        first, blocks = begin(source, options.quiet, options.rows_to_guess_from)
        learner = options.build(early, some_labels(source.name, first))
        learner.forget_rows()  # the command keeps them
    if learner.task == "ranking":
        options.check_ranking()
        blocks = whole_queries(with_queries(source.name, blocks))
    blocks = compiler.ahead(blocks, [learner], source.width)
    training = Training(learner, source, options, claim)
    with training.interruption.in_force():
        try:
            training.learn(blocks)
        except KeyboardInterrupt:
            training.finish(stopped=True)
            click.get_current_context().exit(STOPPED)
        training.finish()


class Training:
    """Leads a learner through one or more passes."""

    def __init__(
        self, learner: Learner, source: Data, options: TrainOptions, claim: ModelClaim
    ) -> None:
        self.interruption, self._claim = Interruption(), claim
        self._learner, self._source = learner, source
        self._options, self._quiet = options, options.quiet
        self._places = all_of(options.resume) if options.resume else None  # in live sources
        told = "delay" if options.delay else "late" if options.late else None
        self._horizon = told or horizon_of(options.horizon)
        try:
            self._run = self._new_run()
        except ValueError as error:
            raise click.BadParameter(f"{error}.", param_hint="'--metric'") from None
        if options.class_weight and learner.task not in ("binary", "multiclass"):
            raise click.UsageError(f"--class-weight is for classes; the task is {learner.task}.")
        self._balance = Balance() if options.class_weight else None
        if self._run.watch is not None:
            stream = source.stream
            self._run.watch.name = partial(column_name, stream.names, stream.schema.index_base)
        self._held = HeldOut(learner, options.passes)
        self._labels = LabelCheck(source.name, learner)
        self._certificates = RunCertificates(learner, source) if options.certify else None
        now = self._certificates.now if self._certificates is not None else None
        self._table = ProgressTable(learner, now, options.progress_every)
        self._write: Any = None  # predictions, if they are asked for
        self._seen = 0
        self._began = time.perf_counter()

    def _new_run(self) -> Run:
        """The run that keeps the score: labels come at once, late by so many rounds, or again."""
        learner, width, options = self._learner, self._source.width, self._options
        if options.delay:
            return DelayedRun(learner, width, options.metrics, file=self._source.name)
        if options.late:
            return AgainRun(learner, width, options.metrics)
        if self._horizon not in (0, "rest"):
            return run_of(learner, width, self._horizon, options.metrics)
        return Run(learner, width, options.metrics, watched=True)

    def learn(self, blocks: Iterable[Block]) -> None:
        """Learn every pass."""
        file = self._options.predictions
        predictions = prediction_lines(file) if file else nullcontext()
        with rate_line(self._quiet) as count, predictions as self._write:
            for _ in range(self._options.passes):
                self._held.begin_pass()
                for block in blocks:
                    for part, labelled in runs(block):
                        (self._see if labelled else self._predict)(part)
                    count(len(block))
                self._held.tell(self._quiet)
                blocks = self._source.stream

    def _see(self, block: Block) -> None:
        """Learn from rows that have labels."""
        self._labels.see(block)
        if not (self._seen or self._quiet):
            self._tell_task(block)
        for part in self._between_checkpoints(block):
            with self.interruption.shielded():
                self._learn(self._held.to_learn(part))

    def _predict(self, block: Block) -> None:
        """Predict rows without labels, as the next round would; nothing before the first round."""
        if isinstance(self._run, AgainRun):
            with self.interruption.shielded():
                self._run.ask(block)
            return
        found: Iterable[Any] = [""] * len(block)
        if self._learner.rounds:
            found = self._learner.decode_many(predict(self._learner, block))
        self._write(found)

    def _tell_task(self, block: Block) -> None:
        """Say what the labels were taken for, and which columns for categories."""
        told = self._options.task or self._options.resume
        fact("task", self._learner.task + ("" if told else " (guessed from the labels)"))
        if self._learner.labels is not None:
            fact("classes", mapping(self._learner, block.labels))
        fact("learner", self._learner.specification)
        tell_kinds(self._source.stream)
        if not self._options.resume:
            tell_odd_categories(self._source.stream, len(block))

    def _between_checkpoints(self, block: Block) -> Iterator[Block]:
        """Cut the block where the model is to be saved, or certified."""
        every = self._options.checkpoint_every
        start = 0
        while start < len(block):
            room = every - self._seen % every if every else sys.maxsize
            if self._certificates is not None:  # at powers of two
                room = min(room, (1 << self._seen.bit_length()) - self._seen)
            stop = min(len(block), start + room)
            self._seen += stop - start
            yield block.part(start, stop)
            if every and self._seen % every == 0:
                self._save()
            start = stop

    def _learn(self, block: Block) -> None:
        if not len(block):
            return
        taught = block if self._balance is None else self._balance.weighed(block)
        if self._held.score is not None:  # a later pass: these rows were learned from before
            learn(self._learner, taught, self._source.width)
            return
        step = self._run.learn(block, taught)
        if self._certificates is not None:
            self._certificates.see(taught)
        if not self._quiet:
            self._table.see(block, step)
        if self._write is not None:
            self._write(predictions_of(self._learner, step, block.labels))

    def _save(self) -> None:
        assert self._options.save is not None
        self._claim.check()
        models.save(self._learner, self._options.save, self._source.stream, self._places)
        self._claim.renew()

    def finish(self, stopped: bool = False) -> None:
        """Tell the totals, and write what --save and --json ask for."""
        self._run.finish()
        seconds = time.perf_counter() - self._began
        if not self._quiet:
            say()
            tell_score(self._run, self._source.stream.names, seconds, self._horizon == "rest")
            tell_moving(self._run, self._horizon)
            tell_skipped(self._source.stream.skipped)
        if self._options.save:
            self._save()
            rounds = counted(self._learner.rounds, "round")
            ctrl_c = f" after {rounds}: stopped by Ctrl-C" if stopped else ""
            fact("saved", self._options.save + ctrl_c, self._quiet and not stopped)
        elif stopped:
            fact("stopped", "by Ctrl-C; nothing was saved, since --save was not given")
        options, promised = self._options, None
        name = self._learner.specification if options.resume else options.specification
        if self._certificates is not None and not stopped:
            told = not (self._quiet and options.json_file)  # asked for by name: told somewhere
            promised = {name: self._certificates.finish(self._quiet, told)}
        if options.json_file:
            self._run.score.seconds = seconds
            found = figures(self._source.name, {name: self._run}, self._held.score, promised)
            moving = moving_figures(self._run, self._horizon)
            write_json(options.json_file, with_moving(found, moving))
