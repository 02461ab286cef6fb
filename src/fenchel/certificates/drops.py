"""Σ f_{t−1}(w_t) − f_t(w_t) of eq. (residue), from the margins and coefficients of a run repeated.

Known where a round's term needs no weight: the ledger stays as it is, and costs what it did.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._kernel.state import Array
from fenchel.certificates.blocks import Block
from fenchel.regularizers import Composite, FullQuadratic, Whole


class MatrixDrops:
    """f_t = ½·wᵀA_t·w with A_t = A_{t−1} + h_t·x_t·x_tᵀ/r: −h_t·⟨w_t, x_t⟩²/(2r) in each round kept."""

    def __init__(self, f: Any) -> None:
        self.f = f
        self._total = 0.0

    def add(self, block: Block, margins: Array, c: Array) -> None:
        """What one block adds."""
        kept = block.weights * ((c != 0.0) | self.f.always)
        self._total -= 0.5 * float(kept @ margins**2) / self.f.r

    def total(self) -> float:
        """The sum over the run."""
        return self._total


class ScaledDrops:
    """f_t = a_t/2·‖w‖²: (a_{t−1} − a_t)/2·‖θ_t‖²/a_t², with ⟨θ_t, x_t⟩ = a_t·⟨w_t, x_t⟩.

    A round of importance 0 is none: a_{t−1} is that of the last that counts.
    """

    def __init__(self, f: Any, intercept: bool) -> None:
        self.f, self.intercept = f, intercept
        self._total = 0.0
        self._rounds = 0.0
        self._square = 0.0  # ‖θ_t‖²
        self._before = 0.0  # a_{t−1}

    def add(self, block: Block, margins: Array, c: Array) -> None:
        """What one block adds."""
        a = self._curvatures(self._rounds + np.arange(1.0, len(c) + 1.0))
        growth = c * (2.0 * a * margins + c * (block.squares() + self.intercept))
        squares = self._square + np.concatenate([[0.0], np.cumsum(growth)])
        counts = block.weights > 0.0
        self._charge(a[counts], squares[:-1][counts])
        self._rounds += len(c)
        self._square = float(squares[-1])

    def total(self) -> float:
        """The sum over the run, up to the f_T that rounds of importance 0 at its end have left."""
        self._charge(self._curvatures(np.array([self._rounds])), np.array([self._square]))
        return self._total

    def _curvatures(self, rounds: Array) -> Array:
        t = rounds - self.f.lag
        return np.asarray(self.f.root * np.sqrt(np.maximum(t, 1.0)) + self.f.eta * t * self.f.l2)

    def _charge(self, a: Array, squares: Array) -> None:
        before = np.concatenate([[self._before], a])
        # a = 0 in Xiao's first round alone, where θ = 0.
        norms = squares / np.where(a > 0.0, a, 1.0) ** 2
        self._total += 0.5 * float((before[:-1] - a) @ norms)
        self._before = float(before[-1])


def drops_of(f: Any, intercept: bool) -> MatrixDrops | ScaledDrops | None:
    """What sums them up for runs of this regularizer, None where that takes the weights."""
    if isinstance(f, FullQuadratic) and f.tentative:
        return MatrixDrops(f)
    if isinstance(f, Composite) and f.l1 == 0.0 and isinstance(f.domain, Whole):
        return ScaledDrops(f, intercept)
    return None
