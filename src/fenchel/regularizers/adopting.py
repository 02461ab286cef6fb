"""Weights that were found elsewhere: what they minimise, and the θ that stands for them.

A learner minimises Σ ℓ_t(w) + F(w). ``penalty`` is F, and ``adopt`` sets θ so that the next round reads
given weights. A regularizer that answers both can be polished by passes over all rows
(``fenchel.cluster.polish``); any other is refused by its name.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._numba import required_verb
from fenchel.parts.state import Array


class Penalty(NamedTuple):
    """F(w) = n·(l1·‖w‖₁ + l2/2·‖w‖₂²), with n the number of rounds (``each_round``) or 1."""

    l1: float = 0.0
    l2: float = 0.0
    each_round: bool = True

    def over(self, rounds: float) -> tuple[float, float]:
        """The factors of ‖w‖₁ and of ½‖w‖₂² after so many rounds."""
        times = rounds if self.each_round else 1.0
        return times * self.l1, times * self.l2


@required_verb
def penalty(f: Any) -> Any:
    """F, the part of f_t that belongs to the objective: a ``Penalty``."""


@required_verb
def adopt(f: Any, w: Array) -> Any:
    """Set θ so that the next round reads the weights w, slot by slot; what else f keeps stays."""
