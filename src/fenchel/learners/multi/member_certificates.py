"""Certificates of several learners over one reading of the rows, each for a target of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel.certificates import Certificate, Hindsight, seen_through, tightest
from fenchel.certificates.aggregate import every_member, speaks_for_all
from fenchel.learners.engine import Engine
from fenchel.parts.state import Array
from fenchel.rows import Block, ReadBlocks

if TYPE_CHECKING:
    from fenchel.learners.multi.base import Members


def of_members(
    engine: Members, read: ReadBlocks, past: Hindsight | None, u: ArrayLike | None
) -> list[Certificate]:
    """Sums over all members, then the certificates of each over its targets, from its first row on."""
    points = None if u is None else _columns(u, len(engine.members))
    by_member: dict[str, list[Certificate]] = {}
    for k, member in enumerate(engine.members):
        late = engine.rounds - _rounds(member)
        seen_as = partial(own_rows, own=type(engine).own_targets, number=k, late=late)
        then = None if past is None else past.seen_as(("member", k, late), seen_as)
        one = None if points is None else points[:, k]
        found = member.certify(seen_as(read), then, one)
        by_member[str(k)] = [seen_through(c, seen_as) for c in found]
    return every_member(by_member, *engine.member_of)


def headline(found: Iterable[Certificate]) -> Certificate:
    """The tightest of the sums over all members."""
    return tightest(filter(speaks_for_all, found))


def missing(members: Sequence[Engine]) -> dict[str, list[str]]:
    """Every theorem, with what it misses of one member or another."""
    told = [member.missing() for member in members]
    return {name: list(dict.fromkeys(w for each in told for w in each[name])) for name in told[0]}


def own_rows(
    read: ReadBlocks, own: Callable[[Array, int], Array], number: int, late: int
) -> ReadBlocks:
    """The rows as one member saw them: with its own targets, from its first row on."""

    def changed() -> Iterator[Block]:
        waiting = late
        for block in read():
            if waiting < len(block):
                part = block.part(waiting, len(block))
                assert part.labels is not None, "rows to certify have targets"
                if part.labels.ndim == 2 and part.labels.shape[1] <= number:
                    raise ValueError(
                        f"the stream has {part.labels.shape[1]} targets a row, the learner more: "
                        "give the rows that were learned"
                    )
                yield part.replace(labels=np.ascontiguousarray(own(part.labels, number)))
            waiting = max(0, waiting - len(block))

    return changed


def _columns(u: ArrayLike, members: int) -> Array:
    """u with one column a member."""
    points = np.asarray(u, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != members:
        raise ValueError(f"u has shape {points.shape}: give columns × {members}, a u for each")
    return points


def _rounds(member: Any) -> int:
    """The number of rounds a member has seen, by its ledger: that is in model files too."""
    if hasattr(member, "experts"):
        return max(_rounds(expert) for expert in member.experts if expert.certifies)
    return int(member.parts.ledger.rounds[0])
