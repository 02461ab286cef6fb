"""Labels read for what they say: the task, the coding of classes, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from fenchel.cli.output import printable
from fenchel.evaluate import Run
from fenchel.learners import Learner
from fenchel.losses import named
from fenchel.rows import Block
from fenchel.streams import BadInput

# More different whole numbers than this are taken for measurements, not for classes.
MOST_CLASSES = 20
SHOWN_CLASSES = 8
# The rows whose labels tell the task, of a file and of a pipe, whatever its first piece has.
GUESS_ROWS = 1000


def settled(given: dict[str, Any]) -> dict[str, Any]:
    """The options with a task of the library: ``quantile`` and ``count`` are regression with that loss.

    >>> settled({"task": "quantile", "loss": "quantile:0.9", "metrics": ()})
    {'task': 'regression', 'loss': 'quantile:0.9', 'metrics': ('quantile:0.9',)}
    """
    _refuse_unknown(given["loss"])
    if given["task"] == "count":
        if given["loss"] not in (None, "poisson"):
            raise click.UsageError("--task count goes with --loss poisson, or without --loss.")
        metrics = given["metrics"] or ("poisson",)
        return {**given, "task": "regression", "loss": "poisson", "metrics": metrics}
    if given["task"] != "quantile":
        return given
    loss = given["loss"] or "quantile:0.5"
    if loss.partition(":")[0] != "quantile":
        raise click.UsageError(
            "--task quantile goes with --loss quantile:LEVEL, or without --loss."
        )
    loss = loss if ":" in loss else f"{loss}:0.5"
    metrics = given["metrics"] or (loss,)
    return {**given, "task": "regression", "loss": loss, "metrics": metrics}


def _refuse_unknown(loss: str | None) -> None:
    """Refuse a loss that has no meaning, whatever the learner."""
    try:
        if loss is not None:
            named(loss)
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="'--loss'") from None


def guess_task(labels: NDArray[Any]) -> str:
    """Guess the task that labels look like.

    >>> guess_task(np.array([0.0, 1.0, 1.0])), guess_task(np.array([0.2, 1.7, 1.1]))
    ('binary', 'regression')
    >>> guess_task(np.array(["a", "b", "c"], dtype=object))
    'multiclass'
    """
    found = np.unique(labels) if labels.dtype.kind != "O" else np.array(sorted(set(labels)))
    if len(found) <= 2:
        return "binary"
    if found.dtype.kind in "OU":
        return "multiclass"
    counted = np.array_equal(found, np.arange(len(found)) + found[0]) and found[0] in (0.0, 1.0)
    whole = bool(np.all(found == np.round(found)))
    few = len(found) <= MOST_CLASSES and (counted or len(found) <= len(labels) / 2)
    return "multiclass" if whole and few else "regression"


def labels_of(file: str, block: Block) -> NDArray[Any]:
    """Return the labels of rows that must have some."""
    if block.labels is None:
        raise BadInput("the rows have no labels", "give each row its label", file=file)
    return block.labels


def with_queries(file: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the same blocks; all rows must belong to a query."""
    for block in blocks:
        missing = np.zeros(1) if block.groups is None else np.flatnonzero(block.groups < 0)
        if len(missing):
            row = block.first_row + int(missing[0]) + 1
            remedy = "write qid:NUMBER after each label (svmlight)"
            raise BadInput(f"row {row} belongs to no query", remedy, file=file)
        yield block


class LabelCheck:
    """Watches the labels of a stream, and refuses what does not fit the task."""

    def __init__(self, file: str, learner: Learner) -> None:
        self._file, self._task = file, learner.task
        self._resumed = learner.rounds > 0
        self._met = list(learner.classes)
        self._counts = learner.engine.predicts_counts

    def see(self, block: Block) -> None:
        """Look at a block before it is learned."""
        labels = labels_of(self._file, block)
        text = labels.dtype.kind in "OU"
        if self._task in ("regression", "ranking") and text:
            remedy = "use --task binary or --task multiclass"
            raise self._refused(block, 0, "is not a number", remedy)
        if self._counts and (labels < 0.0).any():
            at = int(np.argmax(labels < 0.0))
            raise self._refused(block, at, "is negative, no count", "use --task regression")
        if self._met and isinstance(self._met[0], str) != text:
            what = f"is of another kind than {shown(self._met[0])}"
            raise self._refused(block, 0, what, "use the labels that the model knows")
        if self._task == "binary":
            self._refuse_third(block, labels)
        elif self._task == "multiclass" and not text:
            broken = np.flatnonzero(labels != np.round(labels))
            if len(broken):
                at = int(broken[0])
                raise self._refused(block, at, "looks like regression", "use --task regression")

    def _refuse_third(self, block: Block, labels: NDArray[Any]) -> None:
        strange = np.flatnonzero(unknown(labels, self._met))
        while len(strange) and len(self._met) < 2:
            self._met.append(labels[strange[0]])
            strange = np.flatnonzero(unknown(labels, self._met))
        if not len(strange):
            return
        one, other = self._met
        what = f"is a third class beside {shown(one)} and {shown(other)}"
        remedy = "use --task multiclass"
        if self._resumed:  # its task is settled
            remedy = "use the labels that the model knows"
        elif (
            guess_task(np.concatenate([np.array(self._met, labels.dtype), labels])) == "regression"
        ):
            what, remedy = "looks like regression", "use --task regression"
        raise self._refused(block, int(strange[0]), what, remedy)

    def _refused(self, block: Block, at: int, what: str, remedy: str) -> BadInput:
        assert block.labels is not None
        label = shown(block.labels[at])
        row = block.first_row + at + 1
        return BadInput(f"row {row}: the label {label} {what}", remedy, file=self._file)


def unknown(labels: NDArray[Any], classes: list[Any]) -> NDArray[np.bool_]:
    """Find the labels that are none of these few classes; ``isin`` would sort or tabulate them."""
    strange = np.ones(len(labels), dtype=bool)
    for known in classes:
        strange &= np.asarray(labels != known)
    return strange


def shown(label: Any) -> str:
    """Write a label as users wrote it, on one line: 1.0 is 1.

    >>> shown(1.0), shown(np.float64(-0.5)), shown("spam")
    ('1', '-0.5', 'spam')
    """
    if isinstance(label, float) and label.is_integer() and abs(label) < 1e15:
        return str(int(label))
    return printable(label.item() if isinstance(label, np.generic) else label)


def mapping(learner: Learner, coming: NDArray[Any] | None = None) -> str:
    """Tell which label stands for what: ``ham is −1, spam is +1``; of several classes their names.

    ``coming`` are labels about to be learned, whose classes count too.
    """
    coding = type(learner.labels)(learner.labels.known)
    if coming is not None:
        coding.encode(coming)
    classes = [shown(label) for label in coding.classes]
    if learner.task == "multiclass":
        more = f" and {len(classes) - SHOWN_CLASSES} more" if len(classes) > SHOWN_CLASSES else ""
        return ", ".join(classes[:SHOWN_CLASSES]) + more
    if classes == ["-1", "1"]:
        return "-1 and 1"
    pairs = zip(coding.known, ("−1", "+1"), strict=True)
    return ", ".join(f"{shown(label)} is {sign}" for label, sign in pairs if label is not None)


def constant_label(run: Run) -> str:
    """Write the best constant as users write their labels."""
    value = run.constant.value
    if run.learner.task == "regression":
        return f"always {value:.6g}"
    if run.learner.task == "multiclass":
        return f"always {shown(run.learner.classes[int(value)])}"
    return f"always {shown(run.learner.labels.decode(value))}"
