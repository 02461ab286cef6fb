"""``fenchel train`` on a live source: until SIGTERM or Ctrl-C, from where the model stopped."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from fenchel.cli import models
from fenchel.cli.errors import STOPPED
from fenchel.cli.live_figures import LiveFigures, serve_metrics
from fenchel.cli.live_options import SECONDS, LiveOptions
from fenchel.cli.output import announce_compiling, counted, fact, say
from fenchel.cli.places import ModelClaim, refuse_clashes, refuse_unwritable
from fenchel.cli.results import figures, tell_score, write_json
from fenchel.cli.sources import Reading, refuse_idle_options
from fenchel.cli.train_options import TrainOptions
from fenchel.learners import Learner
from fenchel.live import LiveSettings, LiveTraining, bookmarks
from fenchel.models import ModelRefused
from fenchel.streams.inboxes import Address, is_address


def train_live(data: str, reading: Reading, options: TrainOptions, live: LiveOptions) -> None:
    """Run the command."""
    _check(data, reading, options, live)
    claim = ModelClaim(options.save)
    try:
        _train(data, reading, options, live, claim)
    finally:
        claim.release()


def _train(
    data: str, reading: Reading, options: TrainOptions, live: LiveOptions, claim: ModelClaim
) -> None:
    learner, stored = _learner(Address.parse(data).key, options)
    said = reading.schema()
    settings = LiveSettings(
        save=options.save,
        checkpoint_every=options.checkpoint_every,
        checkpoint_seconds=live.checkpoint_seconds or SECONDS,
        predictions=options.predictions,
        dead_letters=live.dead_letters,
        skip=reading.on_error == "skip",
        drain=live.drain,
        metrics=options.metrics,
        tell=say,
        before_save=claim.check,
        after_save=claim.renew,
        after_batch=lambda: shown.tick(),
    )
    announce_compiling(options.quiet)
    schema = learner.schema.extended(said) if learner.columns or stored else said
    given: Any = {"format": reading.format, "schema": schema, "stored": stored}
    training = LiveTraining(
        data, learner, settings, csv=(reading.separator, reading.decimal), **given
    )
    shown = LiveFigures(training, live.every)
    began = time.perf_counter()
    with _signals(training.stop) as caught, _metrics(live.metrics_port, shown):
        if not options.quiet:
            _tell_start(training)
        training.run()
    _finish(training, options, time.perf_counter() - began)
    if signal.SIGINT in caught:
        click.get_current_context().exit(STOPPED)


@contextmanager
def _metrics(place: str | None, shown: LiveFigures) -> Iterator[None]:
    """Answer Prometheus meanwhile, where that is asked for."""
    server = serve_metrics(place, shown) if place else None
    try:
        yield
    finally:
        if server is not None:
            server.shutdown()
            server.server_close()


@contextmanager
def _signals(stop: threading.Event) -> Iterator[list[int]]:
    """Let SIGTERM and Ctrl-C end the run after the batch at hand; a second Ctrl-C ends it at once."""
    caught: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return

    def handle(number: int, frame: Any) -> None:
        if number == signal.SIGINT and caught:
            raise KeyboardInterrupt
        caught.append(number)
        stop.set()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _learner(key: str, options: TrainOptions) -> tuple[Learner, dict[str, Any]]:
    """The learner to go on with, and all places that its file knows; or a new one."""
    path = options.resume
    if path is None and options.save and os.path.exists(options.save):
        if key not in bookmarks.all_of(options.save):
            raise ModelRefused(
                f"{options.save}: is there, and has not learned from {key}; --resume it, or --save elsewhere"
            )
        path = options.save
    if path is None:
        learner = options.build_early()
        learner.forget_rows()
        return learner, {}
    learner = models.load(path)
    wanted = (
        options.task,
        None if options.learner is None else options.build_early().specification,
    )
    there = (learner.task, learner.specification)
    for given, known in zip(wanted, there, strict=True):
        if given is not None and given != known:
            raise ModelRefused(
                f"{path}: is {known}, not {given}; leave the option out, or --save elsewhere"
            )
    return learner, bookmarks.all_of(path)


def _check(data: str, reading: Reading, options: TrainOptions, live: LiveOptions) -> None:
    address = Address.parse(data)
    if options.task is None and options.resume is None and not _exists(options.save):
        raise click.UsageError("--task is needed: labels to come cannot be looked at.")
    if options.task == "ranking":
        raise click.UsageError("--task ranking is for files: a query comes as a whole there.")
    unsuited = {
        "--passes": options.passes > 1,
        "--certify": options.certify,
        "--horizon": options.horizon,
        "--delay": options.delay,
        "--late": options.late,
        "--class-weight": options.class_weight,
        "--shuffle": reading.shuffle is not None,
    }
    for option, given in unsuited.items():
        if given:
            raise click.UsageError(f"{option} is for files, not for {address.shown}.")
    if (options.checkpoint_every or live.checkpoint_seconds) and not options.save:
        raise click.UsageError("--checkpoint-every and --checkpoint-seconds need --save.")
    if options.resume and options.save and options.claimed is None and _exists(options.save):
        raise click.BadParameter("is there already; name the model of --resume, or another.",
                                 param_hint="'--save'")  # fmt: skip
    if not (address.scheme == "tail" and reading.format is None):
        refuse_idle_options(f"x.{reading.format or 'jsonl'}", reading)
    written = {"save": options.save, "json": options.json_file}
    sent = {"predictions": options.predictions, "dead-letters": live.dead_letters}
    written |= {name: place for name, place in sent.items() if not is_address(place)}
    for option, file in written.items():
        refuse_unwritable(option, file)
    refuse_clashes(written, {"resume": options.resume})


def _exists(path: str | None) -> bool:
    return path is not None and os.path.exists(path)


def _tell_start(training: LiveTraining) -> None:
    learner, bookmark = training.learner, training.bookmark
    fact("source", training.address.shown)
    fact("task", learner.task)
    fact("learner", learner.specification)
    if bookmark.messages:
        fact("goes on", f"behind {counted(bookmark.messages, 'message')}")


def _finish(training: LiveTraining, options: TrainOptions, seconds: float) -> None:
    """Tell the totals of this run, and write what --json asks for."""
    run, bookmark = training.messages.run, training.bookmark
    if not options.quiet:
        fact("messages", f"{bookmark.messages:,}, of which {bookmark.refused:,} refused")
        if run.score.rounds:
            tell_score(run, training.messages.names, seconds)
    if options.save:
        fact("saved", options.save, options.quiet)
    if options.json_file:
        run.score.seconds = seconds
        name = training.learner.specification
        found = figures(training.address.shown, {name: run})
        found["live"] = {"messages": bookmark.messages, "refused": bookmark.refused}
        write_json(options.json_file, found)
