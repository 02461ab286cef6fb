"""What commands leave behind: totals for people, JSON for programs, predictions by line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from fenchel.cli.errors import as_option
from fenchel.cli.output import counted, fact, number, say
from fenchel.cli.tasks import constant_label, shown
from fenchel.evaluate import Run, Score
from fenchel.report.text import json_text
from fenchel.streams import Skipped, Stream


def tell_score(run: Run, stream: Stream, seconds: float) -> None:
    """Tell the totals of one learner."""
    score = run.score
    fact("rounds", f"{score.rounds:,}")
    kind = "squared" if score.mistakes is None else counted(score.mistakes, "mistake")
    ranks = run.learner.task == "ranking"
    if ranks:
        kind = "pairs in the wrong order, by row"
    if score.margin_errors:
        kind += f", {counted(score.margin_errors, 'margin error')}"
    fact("average loss", f"{number(score.loss)} ({kind})")
    if ranks:
        fact("AUC", number(run.learner.auc))
        fact("NDCG", number(run.learner.ndcg))
    else:
        fact("best constant", f"{number(run.constant.loss)} ({constant_label(run)})")
    if score.updates is not None:
        fact("updates", f"{score.updates:,}")
    names = stream.names
    shared = f", {names.collisions:,} shared by several names" if names and names.collisions else ""
    fact("features", f"{run.learner.columns:,}{shared}")
    fact("seconds", f"{seconds:.2f}")


def tell_skipped(skipped: Skipped) -> None:
    """Tell which lines were left out."""
    if skipped.count:
        fact("skipped", counted(skipped.count, "line"))
        for error in skipped.errors:
            say(f"  {error.message(as_option)}")


# ── for programs ────────────────────────────────────────────────────────────────────────────────


def figures(
    data: str,
    runs: Mapping[str, Run],
    held: Score | None = None,
    certificates: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Collect the figures of one or more learners over the same rounds, as JSON has them."""
    promised = {name: {"certificate": c} for name, c in (certificates or {}).items()}
    some = next(iter(runs.values()))
    found: dict[str, Any] = {
        "data": data,
        "task": some.learner.task,
        "rounds": some.score.rounds,
        "features": some.learner.columns,
        "best_constant_loss": None if some.learner.task == "ranking" else some.constant.loss,
        "learners": [
            {"spec": name, **_score(run), **promised.get(name, {})} for name, run in runs.items()
        ],
    }
    if held is not None:
        found["held_out"] = {"rounds": held.rounds, "loss": held.loss, "mistakes": held.mistakes}
    return found


def _score(run: Run) -> dict[str, Any]:
    names = ("loss", "error", "mistakes", "margin_errors", "updates", "seconds")
    found = {name: getattr(run.score, name) for name in names}
    if run.learner.task == "ranking":  # how well it ordered queries before it learned from them
        found |= {"auc": run.learner.auc, "ndcg": run.learner.ndcg}
    return found


def write_json(file: str, content: Any) -> None:
    """Write JSON to a file, or to standard output for ``-``; numbers that it does not have are null."""
    with blame(file), click.open_file(file, "w") as output:
        output.write(json_text(content))


@contextmanager
def prediction_lines(file: str) -> Iterator[Callable[[Iterable[Any]], None]]:
    """Open a file (or ``-``) for predictions, one a line; yields the function that writes some."""
    with blame(file), click.open_file(file, "w") as output:
        yield lambda predictions: output.writelines(f"{shown(p)}\n" for p in predictions)


@contextmanager
def prediction_table(file: str) -> Iterator[Callable[[Iterable[tuple[Any, ...]]], None]]:
    """Open a file (or ``-``) for CSV of identifiers and predictions; yields what writes some."""
    with blame(file), click.open_file(file, "w") as output:
        table = csv.writer(output, lineterminator="\n")
        table.writerow(("id", "prediction"))
        yield lambda found: table.writerows((name, shown(p)) for name, p in found)


# ── files that are written ──────────────────────────────────────────────────────────────────────


@contextmanager
def blame(file: str) -> Iterator[None]:
    """Name the file in a failure to write it, which the system does not."""
    try:
        yield
    except OSError as error:
        if error.filename is None and file != "-":
            error.filename = file
        raise


def refuse_wrong_place(option: str, file: str | None, *read: str) -> None:
    """Refuse, before the work, a file that cannot be written, or that the command is to ``read``."""
    if not file:
        return
    place, message = Path(file), None
    if not place.absolute().parent.is_dir():
        message = "there is no such folder."
    elif place.is_dir():
        message = "this is a directory; name a file in it."
    elif place.is_file() and any(Path(it).is_file() and place.samefile(it) for it in read):
        message = "this is what is read; name another file."
    if message:
        raise click.BadParameter(f"{file}: {message}", param_hint=f"'--{option}'")
