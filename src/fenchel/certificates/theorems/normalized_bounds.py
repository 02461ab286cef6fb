"""Eq. (lang), the bound published for normalized adaptive gradients: of a projected variant.

The learner here is Algorithm 2 of Ross, Mineiro & Langford (2013): its steps carry the factor √(t/N),
and its weights are not projected. Both sides are measured, what the variant has beyond the learner
is listed as assumptions that are broken, and nothing is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.certificates.record import RunRecord, Sums
from fenchel.certificates.theorem import Theorem, regularizer
from fenchel.losses.protocol import derivative, value
from fenchel.parts.state import Array
from fenchel.rows import Block


def published_bound(run: RunRecord) -> Certificate:
    """R_T(u) ≤ C/(2√2)·Σ_i (1 + 6Δ_i + Δ_i²)/b_i·√Σ_t ℓ′²_{t,i} for max |⟨u, x_t⟩| ≤ C, eq. (lang).

    b_i is the largest |x_{t,i}|, Δ_i = b_i/|x_{t_i,i}|, t_i the first round where x_{t,i} ≠ 0. C is
    a parameter of the variant, with the step η = √2·C: (1 + Δ)² and 4Δ are then AdaGrad's two terms,
    D²/(2η) for D = (1 + Δ)·C/b, and η·Δ.
    """
    s, f = run.sums, run.f
    seen = s.firsts > 0.0
    growth = f.largest[seen] / s.firsts[seen]
    C = float(f.eta / np.sqrt(2.0))
    # G_i is kept in units of b_i².
    each = (1.0 + 6.0 * growth + growth**2) * np.sqrt(f.squares[seen])
    bound = float(C / (2.0 * np.sqrt(2.0)) * each.sum())
    rate = float(np.sqrt(f.rounds[0] / f.total[0])) if f.total[0] > 0.0 else 1.0
    return Certificate(
        "Normalized adaptive gradient",
        "eq. (lang)",
        "regret",
        run.comparator,
        s.loss - s.loss_u,
        bound,
        s.loss + s.loss_u + bound,
        (
            Assumption(f"max |⟨u, x_t⟩| ≤ C = {C:.6g}", s.reach_u, s.reach_u <= C),
            Assumption("the weights are projected, to |⟨w_t, x_t⟩| ≤ C", s.reach, s.reach <= C),
            Assumption("the step has no factor √(t/N), at the end", rate, False),
        ),
        kind="variant",
    )


class FirstSizes:
    """|x_{t,i}| of the first row where it is not 0, by coordinate."""

    def __init__(self, columns: int, intercept: bool) -> None:
        self.intercept = intercept
        self.firsts = np.zeros(columns + intercept)
        self.firsts[:intercept] = 1.0

    def add(self, block: Block) -> None:
        """Some more rows."""
        from scipy.sparse import coo_array  # deferred: it takes a while to load

        X = coo_array(block.rows.to_matrix())
        columns, values = X.coords[1][X.data != 0.0], X.data[X.data != 0.0]
        columns, at = np.unique(columns, return_index=True)
        firsts = self.firsts[self.intercept :]
        known = firsts[columns]
        firsts[columns] = np.where(known > 0.0, known, np.abs(values[at]))

    def finish(self, sums: Sums) -> None:
        """Put them where the inequality looks."""
        sums.firsts = self.firsts


class NormalizedReplay:
    """Algorithm 2 in NumPy, with the sums of its bound."""

    def __init__(self, parts: Sequence[Any], dimension: int, u: Array) -> None:
        self.loss, self.f, self.rule = parts
        self.u = u
        self.w, self.largest, self.squares = np.zeros((3, dimension))
        self.total = 0.0
        self.sums = Sums(firsts=np.zeros(dimension))

    def widen(self, dimension: int) -> None:
        """So many coordinates from here on: new ones are 0."""

    def learn(self, x: Array, y: float, h: float) -> None:
        """One round: rescale, predict, step."""
        s, size = self.sums, np.abs(x)
        larger = size > self.largest
        self.w[larger] *= self.largest[larger] / size[larger]
        self.largest[larger] = size[larger]
        s.firsts = np.where(s.firsts == 0.0, size, s.firsts)
        m, v = float(self.w @ x), float(self.u @ x)
        s.rounds += 1.0
        s.loss += h * value(self.loss, m, y)
        s.loss_u += h * value(self.loss, v, y)
        s.reach, s.reach_u = max(s.reach, abs(m)), max(s.reach_u, abs(v))
        on = x != 0.0
        self.total += float(np.sum((x[on] / self.largest[on]) ** 2))
        g = h * derivative(self.loss, m, y) * x
        self.squares += g * g
        on &= self.squares > 0.0
        rate = self.f.eta * np.sqrt(s.rounds / self.total) if self.total > 0.0 else 0.0
        self.w[on] -= rate * g[on] / (self.largest[on] * np.sqrt(self.squares[on]))

    def finish(self, comparator: str = "u") -> RunRecord:
        """The run as the inequality sees it."""
        on = self.largest > 0.0
        shares = np.zeros_like(self.squares)
        shares[on] = self.squares[on] / self.largest[on] ** 2
        end = self.f._replace(
            largest=self.largest,
            squares=shares,
            rounds=np.array([self.sums.rounds]),
            total=np.array([self.total]),
        )
        return RunRecord(self.loss, end, self.rule, self.sums, self.u, comparator)


published = Theorem(
    "Normalized adaptive gradient, eq. (lang)",
    published_bound,
    (regularizer("normalized adaptive gradient"),),
    watches=FirstSizes,
    replay=NormalizedReplay,
)
