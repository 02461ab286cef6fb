"""The run again, by Algorithm 1 in NumPy and textbook formulas: nothing of the compiled loops.

Slow and obvious. ``verify`` recomputes both sides of a certificate this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fenchel._kernel import state
from fenchel._kernel.state import Array
from fenchel.certificates import normalized
from fenchel.certificates.blocks import Block
from fenchel.certificates.runs import Run, Sums, textbook
from fenchel.losses.verbs import derivative, value
from fenchel.mirror import MirrorDescent
from fenchel.regularizers import (
    AdaGrad,
    DiagonalQuadratic,
    FullQuadratic,
    NormalizedAdaptive,
    ScaleInvariantAdaGrad,
)

QUADRATIC = (FullQuadratic, DiagonalQuadratic)


def coefficient(rule: Any, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
    """c with z_t = c·x_t, by the rule's name in the paper."""
    name = type(rule).__name__
    if name == "Subgradient" or (name == "Aggressive" and value(loss, m, y) > 0.0):
        return float(-rule.eta * h * derivative(loss, m, y))
    if name == "Conservative":
        return float(rule.eta * h * y) if y * m <= 0.0 else 0.0
    if name == "Target":
        return h * y
    if name == "Residual":
        return float(rule.eta * h * (y - m))
    if not x.any() or (name != "NormalizedResidual" and value(loss, m, y) <= 0.0):
        return 0.0
    if name == "NormalizedResidual":
        return float(rule.eta * h * (y - m) / (x @ x))
    if name == "PassiveAggressive":
        return float(-derivative(loss, m, y) * min(rule.C * h, value(loss, m, y) / (x @ x)))
    if name == "TunedAggressive":
        size = f.dual_norm(x)
        return float(h * y * np.clip((rule.level[0] ** 2 - rule.beta * y * m) / size**2, 0.0, 1.0))
    if name == "Aggressive":
        return 0.0
    raise ValueError(f"{name} has no certificate")


def _fixed_norm(f: Any, x: Array) -> float:
    """‖x‖_* in a norm that stays the same over the run (see ``Ledger.size``)."""
    if isinstance(f, QUADRATIC):
        return float(np.linalg.norm(x))
    if isinstance(f, AdaGrad):
        return float(np.abs(x).max(initial=0.0))
    return float(f.dual_norm(x))


class Replay:
    """One run of Algorithm 1 with the sums of its certificates."""

    def __init__(self, parts: Sequence[Any], dimension: int, u: Array) -> None:
        self.loss, f, rule = parts[:3]
        self.rule = state.start(rule, 1)
        self.descent = MirrorDescent(f, dimension)
        self.u = u
        self.sums = Sums(drops=0.0)
        self.used: Any = None  # the f_t of the last round that counts

    def widen(self, dimension: int) -> None:
        """So many coordinates from here on."""
        if isinstance(self.descent.previous, ScaleInvariantAdaGrad):
            wider = np.array([float(dimension)])
            self.descent.previous = self.descent.previous._replace(dimension=wider)

    def learn(self, x: Array, y: float, h: float) -> None:
        """One round."""
        descent, s = self.descent, self.sums
        before = descent.previous
        descent.observe(np.sqrt(h) * x if isinstance(before, QUADRATIC) else x)
        f, theta = descent.regularizer, descent.theta
        w = descent.predict()
        m = float(w @ x)
        norm = _fixed_norm(f, x)
        s.size = max(s.size, norm)
        if hasattr(self.rule, "level"):
            self.rule.level[0] = s.size
        c = coefficient(self.rule, self.loss, f, x, h, m, y)
        self._always(x, y, h, w, m, abs(c))
        counts = c != 0.0 or not isinstance(f, QUADRATIC) or f.always
        if counts and h > 0.0:
            square = f.dual_norm(x) ** 2 / f.strong_convexity if x.any() else 0.0
            s.inverse += h * square if c != 0.0 or isinstance(f, QUADRATIC) else 0.0
            s.steps += 0.5 * c * c * square
            self._move_to(f, w)
        s.pairs += c * m
        s.pairs_u += c * float(self.u @ x)
        if c != 0.0:
            self._update(f, before, x, y, m, abs(c), norm)
        descent.update(c * x)
        assert np.array_equal(descent.theta, theta + c * x)

    def _always(self, x: Array, y: float, h: float, w: Array, m: float, eta: float) -> None:
        s, v = self.sums, float(self.u @ x)
        s.rounds += 1.0
        s.loss += h * value(self.loss, m, y)
        s.loss_u += h * value(self.loss, v, y)
        s.eta_loss_u += eta * value(self.loss, v, y)
        s.squares += h * m * m
        s.squares_u += h * v * v
        s.update_squares_u += v * v if eta > 0.0 else 0.0
        s.apart_u += h * (m - v) ** 2
        f = self.descent.regularizer
        s.terms += f.composite_term(w) if hasattr(f, "composite_term") else 0.0
        s.target = max(s.target, h * y * y)
        s.uneven = max(s.uneven, abs(h - 1.0))
        s.heaviest = max(s.heaviest, h)
        if y * m <= 0.0:
            s.mistakes += 1.0
            s.shortfall = max(s.shortfall, 1.0 - eta) if x.any() else s.shortfall

    def _move_to(self, f: Any, w: Array) -> None:
        """Count f_t*(θ_t) − f_{t−1}*(θ_t), f_0* = 0, and the f_{t−1}(w_t) − f_t(w_t) above it."""
        theta = self.descent.theta
        if not hasattr(f, "conjugate"):
            self.sums.residue = self.sums.drops = np.nan
            return
        before = 0.0 if self.used is None else float(self.used.conjugate(theta))
        self.sums.residue += float(f.conjugate(theta)) - before
        self.sums.drops += (0.0 if self.used is None else self.used.value(w)) - float(f.value(w))
        self.used = f

    def _update(
        self, f: Any, before: Any, x: Array, y: float, m: float, eta: float, norm: float
    ) -> None:
        s = self.sums
        s.etas += eta
        s.slope = max(s.slope, eta)
        s.gradient = max(s.gradient, eta * norm)
        if isinstance(f, FullQuadratic):
            ahead = before.gradient(x)
            chi, plain = float(ahead @ x), float(ahead @ self.descent.theta)
            s.gained += 2.0 * y * m - plain**2 / (f.r + chi)
        if y * m > 0.0:
            s.errors += 1.0
            s.error_etas += eta
            if s.size > 0.0:
                gain = (eta * norm) ** 2 + 2.0 * f.strong_convexity * eta * y * m
                s.excess += gain / s.size**2 - eta

    def finish(self, comparator: str = "u") -> Run:
        """The run as the inequalities see it."""
        end = self.descent.previous
        if self.used is not None and end is not self.used:
            self._move_to(end, end.gradient(self.descent.theta))
        return Run(self.loss, end, self.rule, self.sums, self.u, comparator)


def replay(
    parts: Sequence[Any],
    blocks: Iterable[Block],
    columns: int,
    intercept: bool,
    u: Array,
    comparator: str = "u",
) -> Run:
    """A fresh run of the parts over the blocks in plain NumPy, measured against u."""
    plain = [textbook(state.start(part, columns + 1), columns, intercept) for part in parts[:3]]
    kind = normalized.Replay if isinstance(plain[1], NormalizedAdaptive) else Replay
    run: Any = kind(plain, columns + intercept, np.asarray(u, dtype=np.float64))
    first = seen = None
    for block in blocks:
        first = block.width if first is None else first
        seen = block.width if seen is None else max(seen, block.width)
        run.widen(seen + intercept)
        X = block.matrix(columns, intercept)
        X = X if isinstance(X, np.ndarray) else X.toarray()
        for x, y, h in zip(X, block.targets, block.weights, strict=True):
            run.learn(np.asarray(x, dtype=np.float64), float(y), float(h))
    run.sums.grown = float(columns - (first or 0))
    done: Run = run.finish(comparator)
    return done
