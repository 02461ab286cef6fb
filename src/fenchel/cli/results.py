"""What commands leave behind: totals for people, JSON for programs, predictions by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import IO, Any

import click

from fenchel.cli.errors import as_option
from fenchel.cli.output import counted, fact, number, say
from fenchel.cli.tasks import shown
from fenchel.evaluate import Run, Score
from fenchel.report.text import json_text
from fenchel.streams import Skipped, Stream


def tell_score(run: Run, stream: Stream, seconds: float) -> None:
    """The totals of one learner."""
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


def constant_label(run: Run) -> str:
    """The best constant as users write their labels."""
    value = run.constant.value
    if run.learner.task == "regression":
        return f"always {value:.6g}"
    if run.learner.task == "multiclass":
        return f"always {shown(run.learner.classes[int(value)])}"
    assert run.learner.labels is not None
    return f"always {shown(run.learner.labels.decode(value))}"


def tell_skipped(skipped: Skipped) -> None:
    """Tell which lines were left out."""
    if skipped.count:
        fact("skipped", counted(skipped.count, "line"))
        for error in skipped.errors:
            say(f"  {error.message(as_option)}")


def figures(
    data: str,
    runs: Mapping[str, Run],
    held: Score | None = None,
    certificates: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The figures of one or more learners over the same rounds, as JSON has them."""
    promised = {name: {"certificate": c} for name, c in (certificates or {}).items()}
    some = next(iter(runs.values()))
    found: dict[str, Any] = {
        "data": data,
        "task": some.learner.task,
        "rounds": some.score.rounds,
        "features": some.learner.columns,
        "best_constant_loss": None if some.learner.task == "ranking" else some.constant.loss,
        "learners": [
            {"spec": name, **_score(run.score), **_order(run), **promised.get(name, {})}
            for name, run in runs.items()
        ],
    }
    if held is not None:
        found["held_out"] = {"rounds": held.rounds, "loss": held.loss, "mistakes": held.mistakes}
    return found


def _score(score: Score) -> dict[str, Any]:
    return {
        "loss": score.loss,
        "error": score.error,
        "mistakes": score.mistakes,
        "margin_errors": score.margin_errors,
        "updates": score.updates,
        "seconds": score.seconds,
    }


def _order(run: Run) -> dict[str, float]:
    """How well a ranker ordered queries before it learned from them."""
    ranker = run.learner
    return {"auc": ranker.auc, "ndcg": ranker.ndcg} if ranker.task == "ranking" else {}


def write_json(file: str, content: Any) -> None:
    """To a file, or to standard output for ``-``; numbers that JSON does not have become null."""
    with naming(file), click.open_file(file, "w") as output:
        output.write(json_text(content))


@contextmanager
def naming(file: str) -> Iterator[None]:
    """A failure to write says which file it was, which the system does not tell."""
    try:
        yield
    except OSError as error:
        if error.filename is None and file != "-":
            error.filename = file
        raise


class Lines:
    """A file of predictions, one a line; without a name nothing is written."""

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._stack = ExitStack()
        self._output: IO[Any] | None = None

    def __enter__(self) -> Lines:
        if self._file is not None:
            self._stack.enter_context(naming(self._file))
            self._output = self._stack.enter_context(click.open_file(self._file, "w"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def write(self, predictions: Iterable[Any]) -> None:
        """Some more predictions."""
        if self._output is not None:
            self._output.writelines(f"{shown(prediction)}\n" for prediction in predictions)
