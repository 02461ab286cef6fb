"""``fenchel train``: one learner, one stream, one table."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import click

from fenchel.certificates import Certificate
from fenchel.cli import models
from fenchel.cli.building import build, natural_tasks, refuse_wrong
from fenchel.cli.certifying import Kept, as_json, tell_certificates, tell_regret
from fenchel.cli.errors import STOPPED
from fenchel.cli.holdout import HeldOut
from fenchel.cli.output import announcing, counted, fact, say
from fenchel.cli.process import compiling_ahead
from fenchel.cli.progress import ProgressTable, Rate
from fenchel.cli.results import Lines, figures, tell_score, tell_skipped, write_json
from fenchel.cli.signals import Interruption
from fenchel.cli.sources import Data, Reading, open_data, started
from fenchel.cli.tasks import LabelCheck, guess_task, labels_of, mapping, with_queries
from fenchel.cli.train_options import Wishes
from fenchel.evaluate import Certified, Run, learn, whole_queries
from fenchel.learners import Learner
from fenchel.rows import Block

SHOWN = 6  # columns of categories, by name


def train(data: str, **given: Any) -> None:
    """Run the command."""
    reading = Reading.of(given)
    wishes = Wishes(**given)
    wishes.check(reading, data)
    if wishes.resume:
        model = models.load(wishes.resume)
        reading = reading.like(model.reading, data)
        source = open_data(data, reading, model.names)
        models.refuse_other_columns(wishes.resume, model, source)
        learner, blocks = model.learner, announcing(started(source), wishes.quiet)
    else:
        source = open_data(data, reading)
        refuse_wrong(wishes.specification, wishes.task, wishes.loss, not wishes.no_intercept)
        blocks = announcing(started(source), wishes.quiet)
        first = next(blocks)
        learner, blocks = _chosen(source, first, wishes), chain([first], blocks)
    if learner.task == "ranking":
        wishes.check_ranking()
        blocks = whole_queries(with_queries(source.name, blocks))
    blocks = compiling_ahead(blocks, [learner], source.width)
    training = Training(learner, source, reading, wishes)
    with training.interruption.in_force():
        try:
            training.learn(blocks)
        except KeyboardInterrupt:
            training.finish(stopped=True)
            click.get_current_context().exit(STOPPED)
        training.finish()


def _chosen(source: Data, first: Block, wishes: Wishes) -> Learner:
    """The learner asked for, of the task asked for or guessed."""
    specification = wishes.specification
    task = wishes.task
    if task is None:
        labels = labels_of(source.name, first)
        task = guess_task(labels)
        # Numbers are what a regression learner is named for, however few they are.
        if labels.dtype.kind != "O" and task not in natural_tasks(specification):
            task = natural_tasks(specification)[0]
    learner = build(specification, task, wishes.loss, not wishes.no_intercept, wishes.certify)
    learner.forget_rows()  # the command keeps them
    return learner


class Training:
    """A learner on its way through one or more passes."""

    def __init__(self, learner: Learner, source: Data, reading: Reading, wishes: Wishes) -> None:
        self.interruption = Interruption()
        self._learner, self._source, self._reading = learner, source, reading
        self._wishes, self._quiet = wishes, wishes.quiet
        self._run = Run(learner, source.width)
        self._held = HeldOut(learner, wishes.passes)
        self._labels = LabelCheck(source.name, [learner])
        self._kept = Kept(source)
        self._certified = Certified(self._kept, source.width)
        self._table = ProgressTable(learner, self._now if wishes.certify else None)
        self._predictions = Lines(wishes.predictions)
        self._seen = 0
        self._began = time.perf_counter()

    def learn(self, blocks: Iterable[Block]) -> None:
        """Every pass."""
        with Rate(self._quiet) as rate, self._predictions:
            for _ in range(self._wishes.passes):
                self._held.begin_pass()
                for block in blocks:
                    self._see_labels(block)
                    for part in self._between_checkpoints(block):
                        with self.interruption.shielded():
                            self._learn(self._held.to_learn(part))
                    rate.advance(len(block))
                self._held.tell(self._quiet)
                blocks = self._source.stream

    def _see_labels(self, block: Block) -> None:
        """Check the labels, and say once what they were taken for."""
        self._labels.see(block)
        if self._seen or self._quiet:
            return
        told = self._wishes.task or self._wishes.resume
        fact("task", self._learner.task + ("" if told else " (guessed from the labels)"))
        if self._learner.labels is not None:
            fact("classes", mapping(self._learner, block.labels))
        fact("learner", self._learner.specification)
        self._tell_categories()

    def _tell_categories(self) -> None:
        """Which columns were taken for categories: a column of numbers among them is a mistake."""
        stream = self._source.stream
        found = [n for n, kind in stream.kinds.items() if kind == "category" and n != stream.label]
        if found:
            more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            fact("categories", ", ".join(found[:SHOWN]) + more)

    def _between_checkpoints(self, block: Block) -> Iterator[Block]:
        """The block, cut where the model is to be saved, or certified."""
        start = 0
        while start < len(block):
            stop = min(len(block), start + self._room())
            self._seen += stop - start
            yield block.part(start, stop)
            every = self._wishes.checkpoint_every
            if every and self._seen % every == 0:
                self._save()
            start = stop

    def _room(self) -> int:
        """How many rounds there are to the next cut: a checkpoint, or a power of two."""
        every = self._wishes.checkpoint_every
        room = every - self._seen % every if every else sys.maxsize
        if self._wishes.certify:
            room = min(room, (1 << self._seen.bit_length()) - self._seen)
        return room

    def _now(self) -> Certificate | None:
        """The tightest certificate so far against the weights of this moment, while rows are few."""
        return self._certified.now(self._learner) if self._kept.whole else None

    def _learn(self, block: Block) -> None:
        if not len(block):
            return
        if self._held.score is not None:  # a later pass: these rows were learned from before
            learn(self._learner, block, self._source.width)
            return
        step = self._run.learn(block)
        if self._wishes.certify:
            self._kept.see(block)
        if not self._quiet:
            self._table.see(block, step)
        self._predictions.write(self._learner.decode_many(step.margins))

    def _save(self) -> None:
        assert self._wishes.save is not None
        models.save(self._learner, self._wishes.save, self._source.stream, self._reading)

    def finish(self, stopped: bool = False) -> None:
        """Totals, and what --save and --json asked for."""
        seconds = time.perf_counter() - self._began
        if not self._quiet:
            say()
            tell_score(self._run, self._source.stream, seconds)
            tell_skipped(self._source.stream.skipped)
        if self._wishes.save:
            self._save()
            rounds = counted(self._learner.rounds, "round")
            ctrl_c = f" after {rounds}: stopped by Ctrl-C" if stopped else ""
            fact("saved", self._wishes.save + ctrl_c, self._quiet and not stopped)
        elif stopped:
            fact("stopped", "by Ctrl-C; nothing was saved, since --save was not given")
        resumed = self._wishes.resume is not None
        name = self._learner.specification if resumed else self._wishes.specification
        promised = {name: self._certify()} if self._wishes.certify and not stopped else None
        if self._wishes.json_file:
            self._run.score.seconds = seconds
            told = figures(self._source.name, {name: self._run}, self._held.score, promised)
            write_json(self._wishes.json_file, told)

    def _certify(self) -> dict[str, Any] | None:
        """Tell what the theorems promised; the tightest as JSON."""
        (learner,) = self._kept.learners({"": self._learner}, self._quiet).values()
        if not (self._quiet and self._wishes.json_file):  # asked for by name: told somewhere
            tell_certificates(self._certified.all(learner))
            tell_regret(learner.name, self._certified.regret(learner))
        return as_json(self._certified.best(learner))
