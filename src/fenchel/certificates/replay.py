"""The run again, by Algorithm 1 in NumPy and textbook formulas: nothing of the compiled loops.

Slow and obvious. ``verify`` recomputes both sides of a certificate this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fenchel.certificates.record import RunRecord, Sums, growing_part, progress, textbook
from fenchel.certificates.rerun import targets_of
from fenchel.losses.protocol import value
from fenchel.mirror import MirrorDescent
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import fact
from fenchel.rows import Block


def _fixed_norm(f: Any, x: Array) -> float:
    """‖x‖_* in a norm that stays the same over the run (see ``Ledger.size``)."""
    return float(getattr(f, "fixed_norm", f.dual_norm)(x))


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
        widen = getattr(self.descent.previous, "widen", None)
        if widen is not None:
            self.descent.previous = self.descent.regularizer = widen(dimension)

    def learn(self, x: Array, y: float, h: float) -> None:
        """One round."""
        descent, s = self.descent, self.sums
        before = descent.previous
        weighs = fact(before, "weighs_rows")
        descent.observe(np.sqrt(h) * x if weighs else x)
        f, theta = descent.regularizer, descent.theta
        w = descent.predict()
        m = float(w @ x)
        norm = _fixed_norm(f, x)
        s.size = max(s.size, norm)
        c = float(self.rule.step(self.loss, f, x, h, m, y))
        self._always(x, y, h, w, m, abs(c))
        s.loss_after += h * value(self.loss, m + c * float(x @ x), y)
        counts = c != 0.0 or fact(f, "always")
        if counts and h > 0.0:
            square = f.dual_norm(x) ** 2 / f.strong_convexity if x.any() else 0.0
            s.inverse += h * square if c != 0.0 or weighs else 0.0
            s.steps += 0.5 * c * c * square
            self._move_to(f, w)
        s.pairs += c * m
        s.pairs_u += c * float(self.u @ x)
        s.step_squares_u += (c * (m - float(self.u @ x))) ** 2
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
        if self.used is not None and fact(f, "nondecreasing") is None:
            earlier, later = (growing_part(g, w) for g in (self.used, f))
            self.sums.falls = max(self.sums.falls, earlier - later)
            self.sums.tallest = max(self.sums.tallest, abs(later))
        self.used = f

    def _update(
        self, f: Any, before: Any, x: Array, y: float, m: float, eta: float, norm: float
    ) -> None:
        s = self.sums
        s.etas += eta
        s.slope = max(s.slope, eta)
        s.gradient = max(s.gradient, eta * norm)
        if hasattr(f, "gained"):
            s.gained += f.gained(before, self.descent.theta, x, y, m)
        if y * m > 0.0:
            s.errors += 1.0
            s.error_etas += eta
            if s.size > 0.0:
                gain = (eta * norm) ** 2 + 2.0 * f.strong_convexity * eta * y * m
                s.excess += gain / s.size**2 - eta

    def finish(self, comparator: str = "u") -> RunRecord:
        """The run as the inequalities see it."""
        end = self.descent.previous
        if self.used is not None and end is not self.used:
            self._move_to(end, end.gradient(self.descent.theta))
        self.sums.progress = progress(end, self.descent.theta, self.sums)
        return RunRecord(self.loss, end, self.rule, self.sums, self.u, comparator)


def replay(
    parts: Sequence[Any],
    blocks: Iterable[Block],
    columns: int,
    intercept: bool,
    u: Array,
    comparator: str = "u",
    kind: Any = None,
) -> RunRecord:
    """Run the parts afresh over the blocks in plain NumPy, and measure against u.

    ``kind`` is the run of a learner that is not mirror descent.
    """
    plain = [textbook(state.start(part, columns + 1), columns, intercept) for part in parts[:3]]
    run: Any = (kind or Replay)(plain, columns + intercept, np.asarray(u, dtype=np.float64))
    first = seen = None
    for block in blocks:
        first = block.rows.width if first is None else first
        seen = block.rows.width if seen is None else max(seen, block.rows.width)
        run.widen(seen + intercept)
        X = block.rows.with_intercept(columns, intercept)
        X = X if isinstance(X, np.ndarray) else X.toarray()
        for x, y, h in zip(X, targets_of(block), block.weights, strict=True):
            run.learn(np.asarray(x, dtype=np.float64), float(y), float(h))
    run.sums.grown = float(columns - (first or 0))
    done: RunRecord = run.finish(comparator)
    return done
