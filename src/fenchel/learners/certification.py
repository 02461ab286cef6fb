"""A learner's certificates: the rows it keeps for them, and the stream they are measured on again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel import certificates
from fenchel.certificates import Certificate, Hindsight, Regret
from fenchel.certificates.hindsight import MOST_HELD
from fenchel.loops import check_rows
from fenchel.parts.state import Array
from fenchel.rows import Block, validate

if TYPE_CHECKING:
    from fenchel.learners.learner import Learner


class Memory:
    """The rows seen so far, while they are few. It is not saved with a model."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.rounds = 0
        self.bytes = 0
        self.full = False

    def keep(self, block: Block) -> None:
        """Copy the arrays of a block, unless they are too many."""
        self.bytes += block.nbytes
        self.full = self.full or self.bytes > MOST_HELD
        if self.full:
            self.blocks = []
            return
        self.blocks.append(block.copy())
        self.rounds += len(block)

    def close(self) -> None:
        """Keep nothing from here on: the stream will be given again."""
        self.blocks, self.full = [], True

    def copy(self) -> Memory:
        """The same rows in a list of its own."""
        twin = Memory()
        twin.__dict__.update(self.__dict__, blocks=list(self.blocks))
        return twin


class SecondReading:
    """The rows of a learner, read as often as needed: those it kept, or those it is given."""

    def __init__(self, learner: Learner, stream: Any) -> None:
        self.learner = learner
        self.given = stream
        memory = learner._memory
        if stream is None and (memory.full or memory.rounds != learner.rounds):
            raise ValueError(
                "the rows are no longer kept (a loaded model, or more than "
                f"{MOST_HELD // 1_000_000} MB): give stream=(X, y), or stream=[(X, y), …] with the "
                "blocks that were learned, in their order"
            )
        if isinstance(stream, Iterator):
            raise ValueError(
                "stream is an iterator, to be read once: give a list, or arrays (X, y)"
            )

    def __call__(self) -> Iterable[Block]:
        """One reading."""
        if self.given is None:
            return self.learner._memory.blocks
        if callable(self.given):  # blocks that a reader has checked already
            blocks: Iterable[Block] = self.given()
            return blocks
        return self._blocks()

    def _blocks(self) -> Iterator[Block]:
        arrays = isinstance(self.given, tuple)
        for X, y, *importance in [self.given] if arrays else self.given:
            rows = validate.as_rows(X)
            if rows.width > self.learner.columns:
                raise ValueError(
                    f"the stream has {rows.width} columns, the learner {self.learner.columns}: "
                    "give the rows that were learned"
                )
            bad = int(check_rows(rows.view, rows.count, rows.width))
            if bad >= 0:
                rows = validate.mended(rows, bad)
            given = importance[0] if importance else None
            amounts = None if given is None else validate.as_importance(given, len(rows))
            yield Block(rows, self._targets(y, len(rows)), amounts)

    def _targets(self, y: Any, count: int) -> Array:
        """y as it was learned: labels that were not are no part of that run."""
        known = self.learner._coding.known
        targets = self.learner.encode(y, count)
        new = self.learner._coding.known
        if new != known:
            self.learner.adopt_labels(known)
            raise ValueError(
                f"the stream has labels that were not learned ({new}, the learner {known}): "
                "give the rows that were learned"
            )
        return targets


def certify(
    learner: Learner, u: ArrayLike | None, stream: Any, past: Hindsight | None = None
) -> list[Certificate]:
    """Every certificate of the learner's run; without u against the best ones in hindsight.

    ``past`` is the hindsight that several learners of one stream share.
    """
    if not learner.certifies:
        return learner.engine.certify(None, None, u)
    if learner.rounds == 0:
        raise ValueError(f"{learner.name} has learned nothing yet: there is nothing to certify")
    read = SecondReading(learner, stream)
    with np.errstate(over="ignore", invalid="ignore"):  # the verdict says what cannot be known
        found = learner.engine.certify(read, past or Hindsight(read, learner.columns), u)
    return [_named(c, learner.classes) for c in found]


def surviving(learner: Learner) -> list[Certificate]:
    """The certificates that a merge leaves in force; raises where there are none."""
    found = learner.engine.surviving() if learner.merged["start"] == 0 else []
    if not found:
        refuse_merged(learner)
    return found


def refuse_merged(learner: Learner) -> None:
    """Raise for what speaks of one run, where the learner has seen several."""
    if learner.merged:
        raise ValueError(
            f"{learner.name} was merged from {learner.merged['learners']} learners, or polished, and "
            "certificates speak of one run: ask each of them before merging"
        )


def _named(certificate: Certificate, classes: list[Any]) -> Certificate:
    """A certificate of one class or label, which the engine knows by number, by its name.

    Outputs have no names.
    """
    number, colon, rest = certificate.comparator.partition(": ")
    if not (colon and number.isdigit() and int(number) < len(classes)):
        return certificate
    return replace(certificate, comparator=f"{classes[int(number)]}: {rest}")


def theorems(learner: Learner) -> dict[str, list[str]]:
    """Every theorem with what it misses of this learner."""
    return learner.engine.missing()


def verify(learner: Learner, certificate: Certificate, stream: Any = None) -> Certificate:
    """A certificate recomputed from the data by Algorithm 1 in NumPy."""
    return certificates.verify(certificate, SecondReading(learner, stream))


def regret(learner: Learner, stream: Any = None, past: Hindsight | None = None) -> Regret:
    """The regret of a single learner against the best u in hindsight, and how it grew."""
    parts = getattr(learner.engine, "parts", None)
    if parts is None:
        raise ValueError(f"{learner.name} has no loss of its own: ask one of its learners")
    if learner.rounds == 0:
        raise ValueError(f"{learner.name} has learned nothing yet: there is no regret")
    read = SecondReading(learner, stream)
    past = past or Hindsight(read, learner.columns)
    last = learner.all_weights()
    starts = [last if learner.intercept else last[1:]]
    return certificates.regret(parts, read, past, learner.intercept, starts)
