"""``fenchel compare``: learners side by side, one reading of the data, one recommendation."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import click

from fenchel.cli.advice import advice
from fenchel.cli.building import build, refuse_wrong
from fenchel.cli.certifying import Kept, as_json, certificate_lines
from fenchel.cli.output import announcing, counted, number, say, seconds, size
from fenchel.cli.process import compiling_ahead
from fenchel.cli.progress import Rate
from fenchel.cli.reporting import write_report
from fenchel.cli.results import constant_label, figures, tell_skipped, write_json
from fenchel.cli.sources import Data, Reading, open_data, started
from fenchel.cli.tables import table
from fenchel.cli.tasks import LabelCheck, guess_task, labels_of, mapping
from fenchel.cli.train_options import refuse_wrong_place
from fenchel.evaluate import Comparison, Contest, Run, best_certificates, learners_for
from fenchel.evaluate.default_learners import MOST_FULL
from fenchel.learners import Learner
from fenchel.learners.catalogue import parameters_of
from fenchel.learners.specification import name_of
from fenchel.report.stream_stats import StreamStats
from fenchel.rows import Block


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
    **given: Any,
) -> None:
    """Run the command."""
    if task == "ranking":
        raise click.UsageError("compare is for classes and numbers; train one ranker at a time.")
    refuse_wrong_place("json", json_file, data)
    refuse_wrong_place("report", report, data)
    reading = Reading.of(given)
    source = open_data(data, reading)
    for text in specifications:
        refuse_wrong(text, task, loss, not no_intercept)
    blocks = announcing(started(source), quiet)
    first = next(blocks)
    task = task or guess_task(labels_of(source.name, first))
    columns = max(source.width, first.rows.used_columns)
    chosen = list(specifications) or _suitable(task, columns, loss, not no_intercept, certify)
    learners = _learners(chosen, task, loss, not no_intercept, certify)
    contest = Contest(learners, source.width, None if specifications else MOST_FULL)
    labels = LabelCheck(source.name, list(learners.values()))
    kept = Kept(source)
    blocks = compiling_ahead(chain([first], blocks), list(learners.values()), source.width)
    watched = StreamStats()
    if report:
        blocks = watched.through(blocks)
    _run(contest, labels, kept.watching(blocks) if certify else blocks, quiet)
    if not quiet:
        for name in contest.withdrawn:
            say(f"{name} was left out: more than {MOST_FULL} columns")
        tell_skipped(source.stream.skipped)
    _report(source, contest, json_file, kept if certify else None, quiet)
    if report:
        write_report(report, source, contest, watched, reading.index_base)


def _suitable(
    task: str, columns: int, loss: str | None, intercept: bool, certify: bool
) -> list[str]:
    """All that suit the task, and take the loss or keep the ledger where that is asked for."""
    chosen = learners_for(task, columns)
    if certify:
        chosen = [text for text in chosen if name_of(text) != "max_margin"]
    if loss is not None:
        chosen = [text for text in chosen if "loss" in parameters_of(text.partition(":")[0])]
    return chosen if intercept else [text for text in chosen if text != "auto"]


def _learners(
    chosen: list[str], task: str, loss: str | None, intercept: bool, certify: bool
) -> dict[str, Learner]:
    learners: dict[str, Learner] = {}
    for text in chosen:
        if text in learners:
            raise click.UsageError(f"--learner {text} is there twice.")
        learners[text] = build(text, task, loss, intercept, certify)
        learners[text].forget_rows()  # the command keeps them once for all
    return learners


def _run(contest: Contest, labels: LabelCheck, blocks: Iterable[Block], quiet: bool) -> None:
    """Every block; a line whenever the rounds have doubled."""
    told = rounds = 0
    with Rate(quiet) as rate:
        for block in blocks:
            labels.see(block)
            if told == 0:
                told = rounds
            elif rounds >= 2 * told and not quiet:
                told = rounds
                best = contest.result().best
                found = f"{best.specification}, loss {number(best.score.loss)}"
                say(f"{rounds:>12,} rounds, best so far: {found}")
            contest.learn(block)
            rounds += len(block)
            rate.advance(len(block))


def _report(
    source: Data, contest: Contest, json_file: str | None, kept: Kept | None, quiet: bool
) -> None:
    result = contest.result()
    runs = {
        entrant.specification: contest.runs[entrant.specification] for entrant in result.entrants
    }
    best = None
    if kept is not None:
        learners = kept.learners({name: run.learner for name, run in runs.items()}, quiet)
        best = best_certificates(learners, kept, source.width)
    if json_file:
        told = None if best is None else {name: as_json(c) for name, c in best.items()}
        write_json(json_file, figures(source.name, runs, certificates=told))
    if json_file != "-":  # standard output is the program's then
        click.echo(_page(source, runs, result, [] if best is None else certificate_lines(best)))


def _page(source: Data, runs: dict[str, Run], result: Comparison, promised: list[str]) -> str:
    best = runs[result.best.specification]
    learner = best.learner
    facts = [counted(result.rounds, "round"), counted(learner.columns, "feature"), learner.task]
    head = [f"{source.name}: {', '.join(facts)}"]
    if learner.labels is not None:
        head.append(f"classes: {mapping(learner)}")
    lines = _of_classes(result) if learner.labels is not None else _of_numbers(result)
    constant = f"best constant: {constant_label(best)}, loss {number(best.constant.loss)}"
    closing = ["", constant, "", advice(result, regression=learner.labels is None)]
    certified = ["", *promised] if promised else []
    return "\n".join([*head, "", *lines, *certified, *closing])


def _of_classes(result: Comparison) -> list[str]:
    headings = ["learner", "error", "mistakes", "margin\nerrors", "updates", "seconds", "memory"]
    rows = []
    for name, score, memory in result.entrants:
        counts = [score.mistakes, score.margin_errors, score.updates]
        cells = ["–" if count is None else f"{count:,}" for count in counts]
        rows.append([name, f"{score.error:.2%}", *cells, seconds(score.seconds), size(memory)])
    if all(row[4] == "–" for row in rows):
        headings, rows = headings[:4] + headings[5:], [row[:4] + row[5:] for row in rows]
    return table(headings, rows)


def _of_numbers(result: Comparison) -> list[str]:
    headings = ["learner", "loss", "share of\nconstant", "seconds", "memory"]
    rows = []
    for name, score, memory in result.entrants:
        share = score.loss / result.constant.loss if result.constant.loss else float("nan")
        relative = f"{share:.3f}" if share < 1e4 else f"{share:.1g}"
        rows.append([name, number(score.loss), relative, seconds(score.seconds), size(memory)])
    return table(headings, rows)
