"""Rows of dicts as blocks: as long as nothing in them is new, they are learned or predicted at once.

A row with a feature, a column or a label that the model does not know yet ends its block, and goes alone.
So a block changes neither names nor columns, and gives what its rows give one by one, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel.learners import Learner
from fenchel.learners.features import SingleRow
from fenchel.rows import Block, Rows
from fenchel.serve.one_row import REFUSALS, Learned, decoded, learn_row, loss_of, margin_of

FEW = 3  # rows for which a block does not pay


class Blocks:
    """Makes blocks for one learner."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._single = SingleRow()

    def learn(self, rows: Sequence[Any]) -> list[Learned | Exception]:
        """Learn rows that have x, y and weight, in turn; what is refused is its error."""
        found: list[Learned | Exception] = []
        while len(found) < len(rows):
            known = self._known_rows(rows, len(found), learning=True)
            if known is None:
                row = rows[len(found)]
                found.append(_or_error(learn_row, self._learner, row.x, row.y, row.weight))
            else:
                found += self._learn_block(known, rows[len(found) : len(found) + len(known)])
        return found

    def _learn_block(self, known: Rows, rows: Sequence[Any]) -> list[Learned | Exception]:
        learner, labels = self._learner, [row.y for row in rows]
        try:
            margins, _ = learner.learn_block(Block(known, _array(labels)))
        except REFUSALS:  # labels of several kinds: nothing was learned
            return [_or_error(learn_row, learner, row.x, row.y, row.weight) for row in rows]
        if learner.task == "binary":
            negative, positive = learner.labels.known
            pairs = zip(margins.tolist(), labels, strict=True)
            guesses = [(positive if m > 0.0 else negative, m, y) for m, y in pairs]
            return [Learned(p, 1.0 if p != y or m == 0.0 else 0.0) for p, m, y in guesses]
        return [self._outcome(m, y) for m, y in zip(_each(margins), labels, strict=True)]

    def _outcome(self, margin: Any, y: Any) -> Learned:
        prediction = decoded(self._learner, margin)
        return Learned(prediction, loss_of(self._learner, margin, prediction, y))

    def margins(self, rows: Sequence[Any]) -> list[Any]:
        """The margins of rows that have x, in turn; what is refused is its error."""
        found: list[Any] = []
        while len(found) < len(rows):
            known = self._known_rows(rows, len(found), learning=False)
            if known is None:
                found.append(_or_error(margin_of, self._learner, rows[len(found)].x))
            else:
                found += _each(self._learner.decision_rows(known))
        return found

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _known_rows(self, rows: Sequence[Any], begin: int, learning: bool) -> Rows | None:
        """The longest run of rows from a place on in which nothing is new; None where that is short."""
        learner, single = self._learner, self._single
        names, columns = learner.names, learner.columns
        if names is None or len(rows) - begin <= FEW or len(names) != columns:
            return None
        recall = None if not learning else learner.labels and learner.labels.recall
        indices, values, ends = [], [], [0]
        for k in range(begin, len(rows)):
            row = rows[k]
            if type(row.x) is not dict or (learning and not self._is_usual(row, recall)):
                break
            try:
                single.met = {}
                if single.fill(row.x, names, learner.schema, learning) or single.met:
                    break
            except REFUSALS:
                break
            size = int(single.rows.indptr[1])
            indices.append(single.rows.indices[:size].copy())
            values.append(single.rows.values[:size].copy())
            ends.append(ends[-1] + size)
        if len(ends) - 1 <= FEW:
            return None
        return Rows.sparse(ends, np.concatenate(indices), np.concatenate(values), columns)

    @staticmethod
    def _is_usual(row: Any, recall: Any) -> bool:
        """Whether a row counts once, and its label is known, or a number where numbers are learned."""
        if row.weight != 1.0:
            return False
        return type(row.y) in (int, float) if recall is None else recall(row.y) is not None


def _array(labels: list[Any]) -> Any:
    """Labels as an array; of several kinds as they are."""
    kinds = {type(label) for label in labels}
    return np.array(labels, dtype=None if len(kinds) == 1 else object)


def _each(margins: Any) -> Any:
    return margins.tolist() if margins.ndim == 1 else margins


def _or_error(function: Any, *given: Any) -> Any:
    try:
        return function(*given)
    except REFUSALS as error:
        return error
