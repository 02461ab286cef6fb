"""The same learner, with the ledger that certificates need."""

from __future__ import annotations

from typing import Any

from fenchel.learners.composed import Composed
from fenchel.learners.learner import Learner
from fenchel.learners.registry import from_parameters
from fenchel.loops import Ledger


def certified(learner: Learner) -> Learner:
    """A learner of the same specification with ``certify=True``, before its first round.

    >>> from fenchel import learners
    >>> certified(learners.one_against_rest(learners.arow(r=0.1)))
    <one_against_rest:learner=arow:r=0.1,certify=yes, 0 rounds, 0 features>
    """
    if learner.certifies:
        return learner.fresh()
    if learner.name == "custom" and isinstance(learner, Composed):
        parts = learner._parts._replace(ledger=Ledger())
        return Composed(parts, intercept=learner.intercept, classes=learner.classes or None)
    changed: dict[str, Any] = dict(learner.parameters)
    if "learner" in changed:
        changed["learner"] = certified(changed["learner"])
    else:
        changed["certify"] = True
    return from_parameters(learner.name, changed)
