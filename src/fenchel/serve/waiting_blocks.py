"""Rows of dicts as blocks: as long as nothing in them is new, they are learned or predicted at once.

A row with a feature, a column or a label that the model does not know yet ends its block, and goes alone.
So a block changes neither names nor columns, and gives what its rows give one by one, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fenchel.learners import Learner
from fenchel.learners.features import SingleRow
from fenchel.rows import Block, Rows
from fenchel.serve.one_row import REFUSALS, Learned, decoded, learn_row, loss_of, margin_of
from fenchel.streams import Names

FEW = 3  # rows for which a block does not pay
LOOK = 16  # rows to look at behind one that went alone
COMMON = {bool, int, float, str}  # types of labels


class Blocks:
    """Makes blocks for one learner."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._single = SingleRow()

    def learn(self, rows: Sequence[Any]) -> list[Learned | Exception]:
        """Learn rows that have x, y and weight, in turn; what is refused is its error."""
        found: list[Learned | Exception] = []
        for known, run in self._runs(rows, learning=True):
            if known is None:
                (row,) = run
                found.append(_or_error(learn_row, self._learner, row.x, row.y, row.weight))
            else:
                found += self._learn_block(known, run)
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
        for known, run in self._runs(rows, learning=False):
            if known is None:
                found.append(_or_error(margin_of, self._learner, run[0].x))
            else:
                found += _each(self._learner.decision_rows(known))
        return found

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _runs(self, rows: Sequence[Any], learning: bool) -> Iterator[tuple[Rows | None, Any]]:
        """Yield runs of rows in which nothing is new, and None with each row that goes alone.

        After a run that ended early only as far is looked ahead as it gave reason to: many rows that go alone
        do not cost a look at all that follow, each time.
        """
        begin, reach = 0, len(rows)
        while begin < len(rows):
            some = rows[begin : begin + reach]
            known = self._known_rows(some, learning)
            count = 1 if known is None else len(known)
            yield known, some[:count]
            begin += count
            reach = max(LOOK, 2 * count)

    def _known_rows(self, rows: Sequence[Any], learning: bool) -> Rows | None:
        """The longest run of rows from the first on in which nothing is new; None where that is short."""
        learner = self._learner
        names, columns = learner.names, learner.columns
        if names is None or len(rows) <= FEW or len(names) != columns:
            return None
        raw = [row.x for row in (self._usual(rows) if learning else rows)]
        view = self._single.known_rows(raw, names, learner.schema)
        if view is not None and len(view.indptr) - 1 > FEW:
            return Rows(view, len(view.indptr) - 1, columns)
        return self._one_by_one(raw, names, columns, learning)

    def _usual(self, rows: Sequence[Any]) -> Sequence[Any]:
        """The first rows: those that count once, with labels that are known, or numbers to learn."""
        coding = self._learner.labels
        labels = [row.y for row in rows]
        if {row.weight for row in rows} == {1.0} and set(map(type, labels)) <= COMMON:
            different = {(type(label), label): label for label in labels}.values()
            if all(_is_usual(label, coding) for label in different):
                return rows
        rare = (
            k for k, row in enumerate(rows) if row.weight != 1.0 or not _is_usual(row.y, coding)
        )
        return rows[: next(rare, len(rows))]

    def _one_by_one(
        self, raw: list[Any], names: Names, columns: int, learning: bool
    ) -> Rows | None:
        """The same of rows that only the schema can read."""
        single, schema = self._single, self._learner.schema
        indices, values, ends = [], [], [0]
        for x in raw:
            if type(x) is not dict:
                break
            try:
                single.met = {}
                if single.fill(x, names, schema, learning) or single.met:
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


def _is_usual(label: Any, coding: Any) -> bool:
    """Whether a label is known, or a number where numbers are learned."""
    return type(label) in (int, float) if coding is None else coding.recall(label) is not None


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
