"""Rows without a label in a stream that is learned: they are predicted where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.cli.tasks import labels_of
from fenchel.evaluate.progressive import Step
from fenchel.learners import Learner
from fenchel.rows import Block
from fenchel.streams import BadInput


def missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Find the labels that are missing: NaN, or None among texts.

    >>> missing(np.array([1.0, np.nan])), missing(np.array(["spam", None], dtype=object))
    (array([False,  True]), array([False,  True]))
    """
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind in "biuU":  # which have no place for it
        return np.zeros(len(labels), bool)
    return np.array([label is None or label != label for label in labels.tolist()], bool)


def some_labels(file: str, block: Block) -> NDArray[Any]:
    """Return the labels of the rows that have one, which some must."""
    labels = labels_of(file, block)
    found = labels[~missing(labels)]
    if not len(found):
        what = f"none of the first {len(labels):,} rows has a label"
        raise BadInput(what, "begin with some that have one", file=file)
    return found


def runs(block: Block) -> Iterator[tuple[Block, bool]]:
    """Cut a block where rows with a label and rows without meet; say of each part which it is."""
    gaps = np.zeros(len(block), bool) if block.labels is None else missing(block.labels)
    if not gaps.any():
        yield block, True
        return
    cuts = [0, *(np.flatnonzero(np.diff(gaps)) + 1).tolist(), len(block)]
    for start, stop in pairwise(cuts):
        part = block.part(start, stop)
        if gaps[start]:
            yield part.replace(labels=None), False
        else:  # texts after gaps are texts again
            assert part.labels is not None
            yield part.replace(labels=np.array(part.labels.tolist(), part.labels.dtype)), True


def predictions_of(learner: Learner, step: Step, labels: NDArray[Any] | None) -> Any:
    """The predictions of a step; "" in a round that decided nothing, which counts as a mistake.

    Such are the first round, whose class was not known, and margins of exactly 0.
    """
    found = learner.decode_many(step.margins)
    wrong = step.outcome.mistakes
    if wrong is None or labels is None or not (undecided := wrong & (found == labels)).any():
        return found
    told = found.astype(object)
    told[undecided] = ""
    return told
