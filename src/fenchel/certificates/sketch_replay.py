"""A run with frequent directions again, its matrix written out: nothing of the compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel.certificates.record import RunRecord, Sums
from fenchel.losses.protocol import value
from fenchel.parts import state
from fenchel.parts.state import Array


class SketchReplay:
    """The online Newton step with A = BᵀB + α·I; singular values tell which half of B is given up."""

    def __init__(self, parts: Sequence[Any], dimension: int, u: Array) -> None:
        self.loss, self.f, rule = parts[:3]
        self.rule, self.u, self.sums = state.start(rule, 1), u, Sums()
        self.rows, self.theta = np.zeros((0, dimension)), np.zeros(dimension)
        self.tail = self.steps = 0.0

    def widen(self, dimension: int) -> None:
        """Columns that no row has touched change nothing."""

    @property
    def matrix(self) -> Array:
        """A."""
        ridge = (self.f.a + self.tail) * np.eye(len(self.theta))
        return np.asarray(ridge + self.rows.T @ self.rows)

    def learn(self, x: Array, y: float, h: float) -> None:
        """One round."""
        s, A = self.sums, self.matrix
        w = np.linalg.solve(A, self.theta)
        m, v = float(w @ x), float(self.u @ x)
        c = float(self.rule.step(self.loss, self.f, x, h, m, y))
        s.rounds += 1.0
        s.loss += h * value(self.loss, m, y)
        s.loss_u += h * value(self.loss, v, y)
        s.pairs += c * m
        s.pairs_u += c * v
        s.step_squares_u += (c * (m - v)) ** 2
        g = -c * x
        if g.any():
            self.theta = self.theta + (float(g @ w) - self.f.eta) * g
            self.steps += float(g @ np.linalg.solve(A + np.outer(g, g), g))
            self.rows = np.vstack([self.rows, g])
            if len(self.rows) == self.f.rank:
                self._empty_half()

    def _empty_half(self) -> None:
        half = len(self.rows) // 2
        _, singular, directions = np.linalg.svd(self.rows, full_matrices=False)
        moments = np.pad(singular**2, (0, len(self.rows) - len(singular)))
        delta = float(moments[half])
        kept = np.zeros((half, len(self.theta)))
        for i in range(min(half, len(singular))):
            kept[i] = np.sqrt(max(moments[i] - delta, 0.0)) * directions[i]
        self.rows, self.tail = kept, self.tail + delta

    def finish(self, comparator: str = "u") -> RunRecord:
        """The run as the inequalities see it."""
        f = self.f._replace(
            gram=self.rows @ self.rows.T, tail=np.array([self.tail]), steps=np.array([self.steps])
        )
        return RunRecord(self.loss, f, self.rule, self.sums, self.u, comparator)
