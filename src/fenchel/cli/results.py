"""Results of commands: totals for people, JSON for programs, predictions by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fenchel.cli.errors import as_option
from fenchel.cli.output import counted, fact, number, say
from fenchel.cli.places import refuse_clashes, refuse_unwritable, written_whole
from fenchel.cli.tasks import constant_label, shown
from fenchel.evaluate import Run, Score
from fenchel.evaluate.own_loss import told_as
from fenchel.learners import Learner
from fenchel.report.text import json_text
from fenchel.streams import Names, Skipped


def tell_score(run: Run, names: Names | None, seconds: float, rest: bool = False) -> None:
    """Tell the totals of one learner; metrics are of the next round, which ``rest`` is not about."""
    score = run.score
    fact("rounds", f"{score.rounds:,}")
    kind = told_as(run.loss) if score.mistakes is None else counted(score.mistakes, "mistake")
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
    for name, value in run.metrics.items():
        fact(name.replace("_", " "), number(value) + (" (next round)" if rest else ""))
    if hasattr(run.learner.engine, "covered"):
        for name, value in run.learner.covered().items():
            fact(name, number(value))
    if score.updates is not None:
        fact("updates", f"{score.updates:,}")
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
        "previous_label_loss": None if some.learner.task == "ranking" else some.previous.loss,
        "learners": [
            {
                "spec": name,
                **_score(run.score, run.learner, run.metrics),
                **promised.get(name, {}),
            }
            for name, run in runs.items()
        ],
    }
    if held is not None:
        found["held_out"] = {"rounds": held.rounds, "loss": held.loss, "mistakes": held.mistakes}
    return found


def figures_apart(data: str, name: str, learner: Learner, score: Score) -> dict[str, Any]:
    """Collect the figures of a learner that was merged, as of one; what nobody measured is None."""
    return {
        "data": data,
        "task": learner.task,
        "rounds": score.rounds,
        "features": learner.columns,
        "best_constant_loss": None,
        "previous_label_loss": None,
        "learners": [{"spec": name, **_score(score, learner, {})}],
    }


def _score(score: Score, learner: Learner, metrics: Mapping[str, float]) -> dict[str, Any]:
    names = ("loss", "error", "mistakes", "margin_errors", "updates", "seconds")
    found: dict[str, Any] = {name: getattr(score, name) for name in names}
    found["metrics"] = dict(metrics)
    if hasattr(learner.engine, "covered"):
        found["metrics"] |= learner.covered()
    if learner.task == "ranking":  # how well it ordered queries before it learned from them
        found |= {"auc": learner.auc, "ndcg": learner.ndcg}
    return found


def write_json(file: str, content: Any) -> None:
    """Write JSON to a file, or to standard output for ``-``; numbers that it does not have are null."""
    with blame(file), written_whole(file) as output:
        output.write(json_text(content))


@contextmanager
def prediction_lines(file: str) -> Iterator[Callable[[Iterable[Any]], None]]:
    """Open a file (or ``-``) for predictions, one a line; yields the function that writes some."""
    with blame(file), written_whole(file) as output:
        yield lambda predictions: output.writelines(f"{shown(p)}\n" for p in predictions)


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
    refuse_unwritable(option, file)
    refuse_clashes({option: file}, dict(enumerate(read)))  # type: ignore[arg-type]
