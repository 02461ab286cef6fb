"""Labels that come late: a ticket keeps a row and the margin of its prediction until the label is known.

    ticket = learner.ask(x)            predicts, and keeps what the step will need
    learner.answer(ticket, y)          learns

Stepping with the derivative at the *old* margin, that of the prediction, is mirror descent on the sum
of what has arrived: its regret grows like √(T + Σ delays) for Lipschitz losses, and what was promised
along a run can be measured (``certificates``). ``step="fresh"`` steps from the margin of today, which has no
theorem and loses less: mixtures take it, other learners where they are asked to.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np

from fenchel import models
from fenchel.learners import raw_input
from fenchel.loops import check_rows
from fenchel.parts.state import Array
from fenchel.rows import Rows, validate

STEPS = ("old", "fresh")
PREFIX = "tickets."  # before the arrays of a model file
LONGEST = 1024  # bits of a whole number that is an id
# The places of ``Tickets.ledger``: Σ ℓ of the predictions, Σ ‖z‖², Σ ‖z_t‖·Σ ‖z_s‖ over the steps s taken
# while t waited, Σ ‖z‖, how many answers, and how many of them by a fresh step.
LOSS, SQUARES, LAGS, SIZES, ANSWERS, FRESH = range(6)


class Ticket(NamedTuple):
    """A prediction whose label is still to come."""

    id: Any
    prediction: Any
    margin: Any


@dataclass
class Waiting:
    """The ingredients of a later step on one row."""

    rows: Rows
    memo: Array
    asked: int
    sizes: float = 0.0  # Σ ‖z‖ of the steps taken before it was asked


@dataclass
class Tickets:
    """The rows that wait for their labels, oldest first; more than ``most``, or older ones, expire."""

    most: int = 100_000
    age: int | None = None
    clock: int = 0  # how many were asked
    expired: int = 0
    skipped: int = 0  # numbers that were not given, since an id of the caller's waited under them
    waiting: dict[Any, Waiting] = field(default_factory=dict)
    ledger: Array = field(default_factory=lambda: np.zeros(6))

    def __len__(self) -> int:
        return len(self.waiting)

    def issue(self, id: Any, rows: Rows, memo: Array) -> Any:
        """Keep a row under its id, or under the next number; what is too old expires."""
        id = self.admit(id)
        if id is None:
            id = self._next_number()
            self.skipped = id - self.clock
        self.waiting[id] = Waiting(rows, memo, self.clock, float(self.ledger[SIZES]))
        self.clock += 1
        self.expire()
        return id

    def admit(self, id: Any) -> Any:
        """Return an id as it is kept; one that waits already, or that no file can hold, is refused."""
        id = None if id is None else as_id(id)
        if id is not None and id in self.waiting:
            raise ValueError(
                f"id={id!r} waits for its label already: answer it, or ask by another id"
            )
        return id

    def _next_number(self) -> int:
        """Return the number that follows the last one given, or the first after it that is free."""
        number = self.clock + self.skipped
        while number in self.waiting:
            number += 1
        return number

    def expire(self) -> None:
        """Forget what is beyond the number or the age that may wait."""
        for id in list(self.waiting):
            old = self.age is not None and self.clock - self.waiting[id].asked > self.age
            if not (old or len(self.waiting) > self.most):
                break
            del self.waiting[id]
            self.expired += 1

    def find(self, id: Any) -> Waiting:
        """Return what waits under an id."""
        if id not in self.waiting:
            raise ValueError(
                f"no ticket {id!r:.60} is waiting: it was answered, has expired or was never asked"
            )
        return self.waiting[id]

    def copy(self) -> Tickets:
        """Copy: independent from then on (rows that wait never change)."""
        told = {**self.__dict__, "waiting": dict(self.waiting), "ledger": self.ledger.copy()}
        return Tickets(**told)

    # ── in a model file ─────────────────────────────────────────────────────────────────────────

    @property
    def used(self) -> bool:
        """Whether there is anything to save."""
        return self.clock > 0

    def metadata(self) -> dict[str, Any]:
        """The entries of a model file beside the arrays."""
        return {
            name: getattr(self, name) for name in ("most", "age", "clock", "expired", "skipped")
        }

    def arrays(self) -> dict[str, Any]:
        """The rows that wait, as named arrays."""
        kept = list(self.waiting.values())
        views = [one.rows.csr() for one in kept]
        text, ends = models.pack_strings(json.dumps(id) for id in self.waiting)
        arrays = {
            "ids": text,
            "ends": ends,
            "columns": _joined([v.indices[v.indptr[0] : v.indptr[1]] for v in views], np.uint32),
            "values": _joined([v.values[v.indptr[0] : v.indptr[1]] for v in views], np.float64),
            "lengths": np.array([v.indptr[1] - v.indptr[0] for v in views], np.int64),
            "widths": np.array([one.rows.width for one in kept], np.int64),
            "memos": _joined([one.memo for one in kept], np.float64),
            "memo_lengths": np.array([len(one.memo) for one in kept], np.int64),
            "asked": np.array([one.asked for one in kept], np.int64),
            "sizes": np.array([one.sizes for one in kept], np.float64),
            "ledger": self.ledger,
        }
        return {PREFIX + name: array for name, array in arrays.items()}

    @classmethod
    def restored(cls, told: Mapping[str, Any] | None, arrays: Mapping[str, Any]) -> Tickets:
        """The tickets of a model file; none where it has no such section."""
        if told is None:
            return cls()
        made = cls(**{key: told[key] for key in ("most", "age", "clock", "expired")})
        made.skipped = int(told.get("skipped", 0))  # older files have none
        found = {name: arrays[PREFIX + name] for name in ("ids", "ends", "columns", "values")}
        ids = models.unpack_strings(found["ids"], found["ends"])
        numbers = [arrays[PREFIX + name] for name in ("lengths", "memo_lengths", "widths", "asked")]
        lengths, memo_lengths, widths, asked = (a.astype(np.int64) for a in numbers)
        rows, memos = np.cumsum([0, *lengths]), np.cumsum([0, *memo_lengths])
        memo, sizes = arrays[PREFIX + "memos"], arrays[PREFIX + "sizes"]
        counts = {len(ids), *(len(a) for a in (lengths, memo_lengths, widths, asked, sizes))}
        ledger = np.array(arrays[PREFIX + "ledger"], np.float64)
        negative = (lengths < 0).any() or (memo_lengths < 0).any() or (widths < 0).any()
        fits = rows[-1] == len(found["columns"]) == len(found["values"]) and memos[-1] == len(memo)
        if len(counts) != 1 or negative or not fits or ledger.shape != (6,):
            raise ValueError("its tickets do not fit their arrays")
        for k, text in enumerate(ids):
            part = slice(rows[k], rows[k + 1])
            row = Rows.sparse(
                np.array([0, lengths[k]]),
                np.array(found["columns"][part], np.uint32),
                np.array(found["values"][part], np.float64),
                int(widths[k]),
            )
            if int(check_rows(row.view, 1, row.width)) >= 0:
                raise ValueError(f"ticket {text:.40} has a row that cannot be learned from")
            kept = np.array(memo[memos[k] : memos[k + 1]], np.float64)
            made.waiting[_id(text)] = Waiting(row, kept, int(asked[k]), float(sizes[k]))
        made.ledger = ledger
        return made


def _joined(parts: list[Any], kind: Any) -> Any:
    return np.concatenate([np.zeros(0, kind), *parts]).astype(kind)


def as_id(id: Any) -> Hashable:
    """Return an id as a model file gives it back; one that a file cannot hold is refused.

    >>> as_id(np.int64(5)), as_id(("a", np.str_("b")))
    (5, ('a', 'b'))
    """
    plain = id.item() if isinstance(id, np.generic) else id
    if isinstance(plain, tuple):
        return tuple(as_id(part) for part in plain)
    whole = isinstance(plain, int) and plain.bit_length() <= LONGEST
    number = isinstance(plain, float) and not math.isnan(plain)
    if not (whole or number or isinstance(plain, str)):
        raise ValueError(f"id={id!r:.60} cannot be kept in a model file: give a string or a number")
    return cast(Hashable, plain)


def _id(text: str) -> Hashable:
    return _hashable(json.loads(text))


def _hashable(found: Any) -> Hashable:
    return tuple(_hashable(part) for part in found) if isinstance(found, list) else found


# ── asking and answering, for a learner ─────────────────────────────────────────────────────────


def ask(learner: Any, x: Any, id: Any) -> Ticket:
    """Predict one row, and keep it."""
    id = learner.tickets.admit(id)  # what is refused is refused before its names are known
    return ask_row(learner, _row(learner, x).compact(), id)


def ask_row(learner: Any, rows: Rows, id: Any) -> Ticket:
    """Predict one sound row, and keep it."""
    id = learner.tickets.admit(id)
    learner.engine.take_up(rows.width)
    margins, memo = learner.engine.ask(rows)
    known = learner.tickets.issue(id, rows, memo)
    unknown = margins.ndim == 2 and not margins.shape[1]  # no class was ever seen
    margin = margins[0] if margins.ndim > 1 else float(margins[0])
    engine, coding = learner.engine, learner._coding
    prediction = None if unknown else coding.decode(engine.present(margin))
    return Ticket(known, prediction, margin)


def _row(learner: Any, x: Any) -> Rows:
    """One row in arrays of its own; its names and columns are known from now on."""
    if not isinstance(x, Mapping):
        x = raw_input.as_one_row(x)
    if isinstance(x, Mapping):
        names, single = learner._named(), learner._single
        new = single.fill(x, names, learner.schema, True)
        rows = Rows(single.rows, 1, len(names) + len(new)).copy()
        learner.names = names
        names.add(new)
        learner.schema.recognise_all(single.met)
        return rows
    rows = learner._block_of(x, learning=True).rows
    if len(rows) != 1:
        raise ValueError(f"x has {len(rows)} rows: ask for one at a time")
    bad = int(check_rows(rows.view, 1, rows.width))
    return (rows if bad < 0 else validate.mended(rows, bad)).copy()


def answer(learner: Any, ticket: Any, y: Any, w: float, step: str | None) -> None:
    """Learn from a row that was asked, now that its label is known."""
    step = learner.engine.late_step if step is None else step
    if step not in STEPS:
        raise ValueError(f"step={step!r}: choose 'old', the theorem's, or 'fresh'")
    tickets = learner.tickets
    id = ticket.id if isinstance(ticket, Ticket) else ticket
    one = tickets.find(id)
    importance = validate.as_importance([w], 1)
    z = learner._learn_late(one.rows, one.memo, [y], importance, fresh=step == "fresh")
    del tickets.waiting[id]
    if learner.certifies and z is not None:
        size, loss = z
        tickets.ledger += [
            loss,
            size * size,
            size * (tickets.ledger[SIZES] - one.sizes),
            size,
            1.0,
            float(step == "fresh"),
        ]
