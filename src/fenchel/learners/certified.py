"""The same learner, with the ledger that certificates need."""

from __future__ import annotations

from typing import Any

from fenchel.learners.composed import Composed
from fenchel.learners.learner import Learner
from fenchel.learners.registry import from_parameters, parameters_of
from fenchel.loops import Ledger


def certified(learner: Learner) -> Learner:
    """A learner of the same specification with ``certify=True``, before its first round.

    One that no theorem here speaks of, and that has no such parameter, stays as it is.

    >>> from fenchel import learners
    >>> certified(learners.one_against_rest(learners.arow(r=0.1)))
    <one_against_rest:learner=arow:r=0.1,certify=yes, 0 rounds, 0 features>
    """
    changed: dict[str, Any] = dict(learner.parameters)
    theorems = "learner" in changed or "certify" in parameters_of(learner.name)
    if learner.certifies or not (theorems or learner.name == "custom"):
        return learner.fresh()
    if learner.name == "custom" and isinstance(learner, Composed):
        parts = learner._parts._replace(ledger=Ledger())
        return Composed(parts, intercept=learner.intercept, classes=learner.classes or None)
    if "learner" in changed:
        changed["learner"] = certified(changed["learner"])
    else:
        changed["certify"] = True
    return from_parameters(learner.name, changed)
