"""One learner for each of several targets, over one reading of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fenchel._kernel.state import Array
from fenchel.learners.learner import Learner
from fenchel.learners.rows import are_many, part_of
from fenchel.learners.workers import in_parallel


class Members(Learner):
    """Copies of one learner, each with a target of its own: classes, labels, outputs.

    Rows are read and checked once; the members learn from them in parallel. A member whose target
    appears mid-stream learns from that row on.
    """

    def __init__(
        self, name: str, learner: Learner, task: str, classes: Sequence[Any] | None = None
    ) -> None:
        super().__init__(
            name=name,
            parameters={"learner": learner},
            task=task,
            intercept=learner.intercept,
            classes=classes,
        )
        self._pattern = learner.copy()
        self.members: list[Learner] = [learner.copy() for _ in self.classes]

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the classes before they are seen: each gets its learner now."""
        super().declare(classes)
        self._add_members(len(self.classes), self.columns)

    def state_arrays(self) -> dict[str, Array]:
        """The members' arrays by number."""
        return {
            f"{number}.{name}": array
            for number, member in enumerate(self.members)
            for name, array in member.state_arrays().items()
        }

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self.columns = width
        self._add_members(len(self.classes), width)
        for member in self.members:
            member.restart(width)

    def lay_in(self, arrays: dict[str, Array], width: int) -> None:
        """Take the state of a model file, with as many members as it has."""
        numbers = {name.partition(".")[0] for name in arrays}
        self.members = []
        self._add_members(sum(number.isdigit() for number in numbers), width)
        super().lay_in(arrays, width)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["members"] = [member.copy() for member in self.members]
        return kept

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _add_members(self, total: int, width: int) -> None:
        while len(self.members) < total:
            member = self._pattern.copy()
            member._take_up(width)
            self.members.append(member)

    def _learn_members(
        self,
        rows: Any,
        count: int,
        width: int,
        begins: Sequence[int],
        target: Callable[[int], Array],
        importance: Array,
    ) -> Array:
        """Member k learns ``target(k)``, one number a row, from row ``begins[k]`` on."""
        known = len(self.members)
        self._add_members(len(begins), width)

        def learn(k: int) -> Array:
            begin = begins[k]
            weights = importance if len(importance) == 1 else importance[begin:]
            part = part_of(rows, begin, count)
            member = self.members[k]
            member.rounds += count - begin
            targets = np.ascontiguousarray(target(k)[begin:])
            return member._learn_rows(part, count - begin, width, targets, weights, True)

        margins = np.full((count, len(begins)), -np.inf)
        learned = in_parallel(learn, range(len(begins)), are_many(rows, count))
        for k, column in enumerate(learned):
            margins[begins[k] :, k] = column
            if k >= known and self.labels is not None:  # at its first row it was not known yet
                margins[begins[k] : begins[k] + 1, k] = -np.inf
        return margins

    def _chances(self, margins: Array) -> Array:
        """Each member's probability of its own class; 0 where it was not known yet."""
        known = ~np.isneginf(margins)
        chances = self._pattern._probabilities(np.where(known, margins, 0.0))[..., 1]
        return np.where(known, chances, 0.0)

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        if not self.members:
            return np.zeros((count, 0))
        read = [member._read_rows(rows, count, width, what) for member in self.members]
        return np.stack(read, axis=1)

    def _all_weights(self) -> Array:
        """One row of weights a slot, one column a member."""
        with self._lock:
            if not self.members:
                return np.zeros((self.columns + 1, 0))
            return np.stack([member._all_weights() for member in self.members], axis=1)

    def _take_up(self, width: int) -> Any:
        taken: list[tuple[Learner, Any]] = []
        before = self.columns, list(self.members), taken
        try:
            taken.extend((member, member._take_up(width)) for member in self.members)
        except Exception:
            self._put_back(before)
            raise
        self.columns = max(self.columns, width)
        return before

    def _put_back(self, before: Any) -> None:
        self.columns, self.members, taken = before
        for member, kept in taken:
            member._put_back(kept)
