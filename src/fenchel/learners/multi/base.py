"""One engine for each of several targets, over one reading of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel.certificates import Certificate, Hindsight
from fenchel.learners.engine import Engine, some_of
from fenchel.learners.multi import member_certificates
from fenchel.learners.renumbering import Places
from fenchel.learners.workers import in_parallel
from fenchel.loops.online import ROUNDS
from fenchel.parts.state import Array
from fenchel.rows import Rows


class Members(Engine):
    """Copies of one engine, each with a target of its own: classes, labels, outputs.

    Rows are read and checked once; the members learn from them in parallel. A member whose target
    appears mid-stream learns from that row on.
    """

    # Whether a member's margins mean nothing until its target was met.
    appears = True
    # What a member is for, one and several.
    member_of = ("class", "classes")

    def __init__(self, name: str, learner: Any, task: str) -> None:
        if learner.engine.predicts_counts:
            raise ValueError(f"{name}: learners of counts have one target; make one for each")
        super().__init__(name, {"learner": learner}, task, learner.intercept)
        self.pattern: Engine = learner.engine.copy()
        self.members: list[Engine] = []
        self.certifies = self.pattern.certifies

    def declare(self, outputs: int) -> None:
        """So many targets are known before any is seen: each gets its member now."""
        super().declare(outputs)
        self._add_members(self.outputs, self.columns)

    @property
    def counts_columns(self) -> bool:
        """Whether the number of columns enters the formulas of the members."""
        return self.pattern.counts_columns

    @property
    def has_matrix(self) -> bool:
        """Whether a member's state holds a matrix of columns × columns."""
        return self.pattern.has_matrix

    def learns_by_blocks(self, columns: int) -> bool:
        """Whether the members do."""
        return self.pattern.learns_by_blocks(columns)

    @property
    def column_limits(self) -> tuple[int, ...]:
        """Those of the members."""
        return self.pattern.column_limits

    @property
    def is_linear(self) -> bool:
        """Whether the members' predictions are ⟨weights, x⟩."""
        return self.pattern.is_linear

    @property
    def has_probabilities(self) -> bool:
        """Whether the members' margins give probabilities."""
        return self.pattern.has_probabilities

    @property
    def engines(self) -> int:
        """The number of engines, the pattern of its members counted once."""
        return 1 + self.pattern.engines

    @property
    def engines_a_label(self) -> int:
        """A member for each label."""
        return 1

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
        self._add_members(self.outputs, width)
        for member in self.members:
            member.restart(width)

    def lay_in(self, arrays: Mapping[str, Array], width: int) -> None:
        """Take the state of a model file, with as many members as it has."""
        numbers = {name.partition(".")[0] for name in arrays}
        self.members = []
        self.outputs = sum(number.isdigit() for number in numbers)
        super().lay_in(arrays, width)

    def check_state(self) -> None:
        """Raise for what no run leaves behind in a member."""
        for member in self.members:
            member.check_state()

    def put_in_order(self, absent: set[str]) -> None:
        """Make up for arrays that a model file of an earlier version lacks."""
        for number, inner in enumerate(self.members):
            prefix = f"{number}."
            own = {name.removeprefix(prefix) for name in absent if name.startswith(prefix)}
            if own:
                inner.put_in_order(own)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["members"] = [member.copy() for member in self.members]
        return kept

    @staticmethod
    def own_targets(targets: Array, k: int) -> Array:
        """The targets of member k: its column of them."""
        return targets[:, k]

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> Members:
        """Copy the engine, members and their columns in these places; what was not met is fresh."""
        twin = self.copy()
        assert isinstance(twin, Members), "a copy is of the same class"
        inside = places._replace(outputs=np.zeros(0, np.int64), total=0)
        twin.columns, twin.outputs = places.width, places.total
        met = dict(zip(places.outputs.tolist(), self.members, strict=False))
        nothing = inside._replace(columns=np.zeros(0, np.int64))
        twin.members = [
            met[k].placed(inside) if k in met else self.pattern.placed(nothing)
            for k in range(places.total)
        ]
        return twin

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """Unite the members one by one."""
        self.restart(start.columns)
        for k, member in enumerate(self.members):
            member.unite([engine.members[k] for engine in engines], start.members[k])
        self._unite_counts(engines, start)

    def rescale(self, factors: Array) -> None:
        """Rescale every member."""
        for member in self.members:
            member.rescale(factors)

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    def certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Sums over all members, then the certificates of each; u has one column a member."""
        if not self.certifies:
            return super().certify(read, past, u)
        return member_certificates.of_members(self, read, past, u)

    def headline(self, found: list[Certificate]) -> Certificate:
        """The tightest of the sums over all members."""
        return member_certificates.headline(found)

    def missing(self) -> dict[str, list[str]]:
        """Every theorem, with what it misses of one member or another."""
        return member_certificates.missing(self.members or [self.pattern])

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _add_members(self, total: int, width: int) -> None:
        while len(self.members) < total:
            member = self.pattern.copy()
            member.take_up(width)
            self.members.append(member)

    def _learn_members(
        self,
        rows: Rows,
        begins: Sequence[int],
        targets: Array,
        importance: Array,
    ) -> Array:
        """Member k learns its ``own_targets``, one number a row, from row ``begins[k]`` on."""
        known, count = len(self.members), len(rows)
        self._add_members(len(begins), rows.width)
        self.outputs = len(self.members)

        def learn(k: int) -> Array:
            begin = begins[k]
            own = np.ascontiguousarray(self.own_targets(targets, k)[begin:])
            amounts = some_of(importance, begin, count)
            return self.members[k].learn(rows[begin:], own, amounts, True)

        margins = np.full((count, len(begins)), -np.inf)
        learned = in_parallel(learn, range(len(begins)), rows.are_many)
        for k, column in enumerate(learned):
            margins[begins[k] :, k] = column
            if k >= known and self.appears:  # at its first row it was not known yet
                margins[begins[k] : begins[k] + 1, k] = -np.inf
        self.counts[ROUNDS] += count
        return margins

    def _chances(self, margins: Array) -> Array:
        """Each member's probability of its own class; 0 where it was not known yet."""
        known = ~np.isneginf(margins)
        chances = self.pattern.probabilities(np.where(known, margins, 0.0))[..., 1]
        return np.where(known, chances, 0.0)

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """One column a member."""
        if not self.members:
            return np.zeros((len(rows), 0))
        return np.stack([member.read(rows, what) for member in self.members], axis=1)

    def weights(self) -> Array:
        """One row of weights a slot, one column a member."""
        if not self.members:
            return np.zeros((self.columns + 1, 0))
        return np.stack([member.weights() for member in self.members], axis=1)

    def take_up(self, width: int) -> Any:
        """Make room for so many columns in every member."""
        taken: list[tuple[Engine, Any]] = []
        before = (self.columns, self.outputs), list(self.members), taken
        try:
            taken.extend((member, member.take_up(width)) for member in self.members)
        except Exception:
            self.put_back(before)
            raise
        self.columns = max(self.columns, width)
        return before

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``."""
        (self.columns, self.outputs), self.members, taken = before
        for member, kept in taken:
            member.put_back(kept)
