"""``fenchel compare``: learners side by side, one reading of the data, one recommendation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from fenchel.cli.build import Builder
from fenchel.cli.certify import Kept
from fenchel.cli.column_advice import tell_kinds, tell_odd_categories
from fenchel.cli.compare_results import Best, CompareResults
from fenchel.cli.moving import horizon_of
from fenchel.cli.output import number, say, tell
from fenchel.cli.places import refuse_clashes
from fenchel.cli.process import FirstRun
from fenchel.cli.progress import rate_line
from fenchel.cli.results import refuse_wrong_place, tell_skipped
from fenchel.cli.sources import Reading, begin, open_data
from fenchel.cli.tasks import GUESS_ROWS, LabelCheck, guess_task, labels_of
from fenchel.evaluate import Contest, best_certificates, embedded, learners_for
from fenchel.evaluate.default_learners import MOST_FULL
from fenchel.learners import Learner
from fenchel.learners.specification import name_of
from fenchel.losses import with_parameter
from fenchel.report.stream_stats import StreamStats
from fenchel.rows import Block
from fenchel.streams import Skipped
from fenchel.streams.source import STANDARD_INPUT


def compare(
    data: str,
    specifications: tuple[str, ...],
    json_file: str | None,
    task: str | None,
    loss: str | None,
    no_intercept: bool,
    quiet: bool,
    certify: bool,
    report: str | None,
    metrics: tuple[str, ...] = (),
    horizon: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    **given: Any,
) -> None:
    """Run the command."""
    if task == "ranking":
        raise click.UsageError("compare is for classes and numbers; train one ranker at a time.")
    if certify and horizon_of(horizon) != 0:
        raise click.UsageError("--certify is for labels that come at once: leave --horizon out.")
    apart = bool(workers or scheduler)
    if apart and (certify or report or data == STANDARD_INPUT or data in embedded.TABLES):
        raise click.UsageError(
            "--workers and --scheduler are for files, without --certify and --report."
        )
    refuse_wrong_place("json", json_file, data)
    refuse_wrong_place("report", report, data)
    refuse_clashes({"json": json_file, "report": report}, {})
    reading = Reading.of(given)
    source = open_data(data, reading)
    builder = Builder(loss, not no_intercept, certify)
    learners = _named(specifications, task, builder)
    compiler = click.get_current_context().with_resource(FirstRun())
    if not apart:
        compiler.start(list(learners.values()), data)
    first, blocks = begin(source, quiet, 1 if task else GUESS_ROWS)
    task = task or guess_task(labels_of(source.name, first)[:GUESS_ROWS])
    if not quiet:
        tell_kinds(source.stream)
        tell_odd_categories(source.stream, len(first))
    columns = max(source.width, first.rows.used_columns)
    learners = _of_task(learners or _suitable(task, columns, builder), task, builder)
    limit = None if specifications else MOST_FULL
    try:
        contest = Contest(learners, source.width, limit, metrics, horizon_of(horizon))
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="'--metric'") from None
    kept, watched = Kept(source), StreamStats()
    if report:
        blocks = watched.through(blocks)
    if certify:
        blocks = kept.through(blocks)
    if apart:
        skipped = _run_apart(contest, data, reading, scheduler, workers, quiet)
    else:
        blocks = compiler.ahead(blocks, list(learners.values()), source.width)
        _run(contest, LabelCheck(source.name, next(iter(learners.values()))), blocks, quiet)
        skipped = source.stream.skipped
    if not quiet:
        for name in contest.withdrawn:
            say(f"{name} was left out: more than {MOST_FULL} columns")
        tell_skipped(skipped)
    results = CompareResults(source, contest)
    certified = _certified(results, kept, quiet) if certify else None
    if json_file:
        results.write_json(json_file, certified)
    if json_file != "-":  # standard output is the program's then
        tell(results.text(certified))
    if report:
        results.write_page(report, watched)


def _named(
    specifications: tuple[str, ...], task: str | None, builder: Builder
) -> dict[str, Learner]:
    """Build the learners named before any data is read."""
    learners: dict[str, Learner] = {}
    for text in specifications:
        if text in learners:
            raise click.UsageError(f"--learner {text} is there twice.")
        learners[text] = builder.build_early(text, task)
    return learners


def _suitable(task: str, columns: int, builder: Builder) -> dict[str, Learner]:
    """Build all that suit the task, and take the loss or keep the ledger where that is asked for."""
    chosen = learners_for(
        task, columns, None if builder.loss is None else with_parameter(builder.loss)
    )
    if not chosen:
        raise click.BadParameter(
            f"no learner for {task} takes {builder.loss}.", param_hint="'--loss'"
        )
    if builder.certify:
        chosen = [text for text in chosen if name_of(text) != "max_margin"]
    if not builder.intercept:
        chosen = [text for text in chosen if text != "auto"]
    return {text: builder.build(text, task) for text in chosen}


def _of_task(learners: dict[str, Learner], task: str, builder: Builder) -> dict[str, Learner]:
    """Build those anew that were made for another task; the command keeps the rows, once for all."""
    for text, learner in learners.items():
        if learner.task != task:
            learners[text] = builder.build(text, task)
        learners[text].forget_rows()
    return learners


def _run(contest: Contest, labels: LabelCheck, blocks: Iterable[Block], quiet: bool) -> None:
    """Learn every block; tell the best so far whenever the rounds have doubled."""
    told = rounds = 0
    with rate_line(quiet) as count:
        for block in blocks:
            labels.see(block)
            if told == 0:
                told = rounds
            elif rounds >= 2 * told and not quiet:
                told = rounds
                result = contest.result()
                found = f"{result.best.specification}, loss {number(result.best_loss)}"
                say(f"{rounds:>12,} rounds, best so far: {found}")
            contest.learn(block)
            rounds += len(block)
            count(len(block))


def _run_apart(
    contest: Contest,
    data: str,
    reading: Reading,
    scheduler: str | None,
    workers: int | None,
    quiet: bool,
) -> Skipped:
    """Let workers lead the learners through the file, each by itself."""
    from fenchel.cli.spread import executor_of, how_to_read  # deferred: seldom needed
    from fenchel.cluster.contests import compete

    for run in contest.runs.values():
        run.learner.schema = reading.schema()
    with executor_of(scheduler) as executor:
        return compete(
            contest, data, executor, workers=workers,
            tell=lambda name: None if quiet else say(f"{name} is done"), **how_to_read(reading),
        )  # fmt: skip


def _certified(results: CompareResults, kept: Kept, quiet: bool) -> Best:
    """Measure the tightest certificate of each learner."""
    learners = {name: run.learner for name, run in results.runs.items()}
    return best_certificates(kept.learners(learners, quiet), kept, results.source.width)
