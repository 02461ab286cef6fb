"""Rules: when to step and how far. z_t = coefficient·x_t.

Every coefficient carries the importance of the example as a factor (importance 2 is twice the step)
except where the docstring says otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.losses.logistic import logistic_proximal, other_side
from fenchel.losses.protocol import derivative, family_of, value
from fenchel.parts.state import SCALAR, Array, part
from fenchel.regularizers.protocol import dual_norm_of, spread
from fenchel.regularizers.uniting import Shards, largest, unite
from fenchel.rows.sums import squared_norm
from fenchel.rows.types import LARGEST, saturated
from fenchel.rules.protocol import coefficient, finite_step


@part
class Subgradient(NamedTuple):
    """z_t = −η·ℓ′_t: the rule of every regret bound (Corollary 1, Theorem 1)."""

    eta: float = 1.0

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "subgradient"

    @property
    def towards_label(self) -> bool:
        """Under the hinge loss z_t = η·y_t·x_t or 0."""
        return True

    def rate(self, loss: Any) -> float:
        """η of z_t = −η·ℓ′_t."""
        return float(self.eta)

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        return float(-self.eta * h * derivative(loss, m, y))


@coefficient.of(Subgradient)
def _subgradient(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """−η·ℓ′(m, y)."""
    return finite_step(-rule.eta * row.importance * derivative(loss, margin, y))


@part
class Conservative(NamedTuple):
    """z_t = η·y_t·x_t on mistakes (y·m ≤ 0), 0 otherwise (Section 6)."""

    eta: float = 1.0

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "conservative"

    @property
    def towards_label(self) -> bool:
        """z_t = η·y_t·x_t or 0."""
        return True

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        return float(self.eta * h * y) if y * m <= 0.0 else 0.0


@coefficient.of(Conservative)
def _conservative(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """η·y where y·m ≤ 0."""
    return finite_step(rule.eta * row.importance * y) if y * margin <= 0.0 else 0.0


@part
class Aggressive(NamedTuple):
    """z_t = −η·ℓ′_t wherever the loss is positive: mistakes and margin errors (Section 6)."""

    eta: float = 1.0

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "aggressive"

    @property
    def towards_label(self) -> bool:
        """Under the hinge loss z_t = η·y_t·x_t or 0."""
        return True

    def rate(self, loss: Any) -> float | None:
        """η of z_t = −η·ℓ′_t: under the hinge loss, which has no slope where it is 0."""
        return float(self.eta) if family_of(loss) == "hinge" else None

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        return float(-self.eta * h * derivative(loss, m, y)) if value(loss, m, y) > 0.0 else 0.0


@coefficient.of(Aggressive)
def _aggressive(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """−η·ℓ′(m, y) where ℓ(m, y) > 0."""
    if value(loss, margin, y) > 0.0:
        return finite_step(-rule.eta * row.importance * derivative(loss, margin, y))
    return 0.0


@part
class PassiveAggressive(NamedTuple):
    """PA-I (Crammer et al., 2006): η_t = min(C, ℓ_t/‖x_t‖²), ‖x‖ with the intercept's entry.

    Importance multiplies C, as in a weighted soft-margin problem.
    """

    C: float = 1.0

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "passive-aggressive"

    @property
    def towards_label(self) -> bool:
        """Under the hinge loss z_t = η_t·y_t·x_t or 0."""
        return True

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        amount = value(loss, m, y)
        if not x.any() or amount <= 0.0:
            return 0.0
        return float(-derivative(loss, m, y) * min(self.C * h, amount / (x @ x)))


@coefficient.of(PassiveAggressive)
def _passive_aggressive(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """−ℓ′·min(C, ℓ/‖x‖²)."""
    amount = value(loss, margin, y)
    if amount <= 0.0 or row.importance == 0.0:
        return 0.0
    size = squared_norm(row)
    if size == 0.0:
        return 0.0
    return finite_step(-derivative(loss, margin, y) * min(rule.C * row.importance, amount / size))


@part
class TunedAggressive(NamedTuple):
    """The paper's tuned rate: η_t = max(0, min(1, (X_t² − β·y_t·m_t)/‖x_t‖_*²)) where the loss is positive.

    It minimises the term D of Corollary 2; X_t is the largest ‖x‖_* so far, x_t's included, and
    β = q − 1 the strong convexity of the p-norm regularizer. η_t = 1 on every mistake.
    """

    beta: float = 1.0
    level: Array = SCALAR

    @property
    def asks(self) -> tuple[Any, ...]:
        """The verbs that it needs of the regularizer."""
        return (dual_norm_of,)

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "tuned"

    @property
    def towards_label(self) -> bool:
        """z_t = η_t·y_t·x_t or 0."""
        return True

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy; X_t is kept in ``level``."""
        size = f.dual_norm(x)
        self.level[0] = max(self.level[0], size)
        if not x.any() or value(loss, m, y) <= 0.0:
            return 0.0
        return float(h * y * np.clip((self.level[0] ** 2 - self.beta * y * m) / size**2, 0.0, 1.0))


@coefficient.of(TunedAggressive)
def _tuned(rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float) -> float:
    """y·clip((X_t² − β·y·m)/‖x‖_*², 0, 1) where ℓ > 0."""
    size = dual_norm_of(f, row)
    rule.level[0] = min(max(rule.level[0], size), LARGEST)
    if value(loss, margin, y) <= 0.0 or size == 0.0:
        return 0.0
    ratio = rule.level[0] / size
    eta = ratio * ratio - rule.beta * y * margin / size / size
    return finite_step(row.importance * y * min(max(eta, 0.0), 1.0))


@unite.of(TunedAggressive)
def _unite_tuned(rule: Any, shards: Shards) -> None:
    """X_t is the largest of all."""
    rule.level[:] = largest(shards, "level")


@part
class Target(NamedTuple):
    """z_t = y_t·x_t (Vovk-Azoury-Warmuth, Section 4)."""

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "target"

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        return h * y


@coefficient.of(Target)
def _target(rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float) -> float:
    """y."""
    return finite_step(row.importance * y)


@part
class Residual(NamedTuple):
    """z_t = η·(y_t − m_t)·x_t (adaptive filtering, Section 4; the sign as corrected)."""

    eta: float = 1.0

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "residual"

    def rate(self, loss: Any) -> float | None:
        """η of z_t = −η·ℓ′_t, under the squared loss."""
        return float(self.eta) if family_of(loss) == "squared" else None

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        return float(self.eta * h * (y - m))


@coefficient.of(Residual)
def _residual(rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float) -> float:
    """η·(y − m)."""
    return finite_step(rule.eta * row.importance * (y - margin))


@part
class NormalizedResidual(NamedTuple):
    """z_t = η·(y_t − m_t)·x_t/‖x_t‖²: normalised LMS, 0 < η < 2."""

    eta: float = 1.0

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        return float(self.eta * h * (y - m) / (x @ x)) if x.any() else 0.0


@coefficient.of(NormalizedResidual)
def _normalized_residual(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """η·(y − m)/‖x‖²."""
    size = squared_norm(row)
    if size == 0.0:
        return 0.0
    return finite_step(rule.eta * row.importance * (y - margin) / size)


@part
class OriginalArow(NamedTuple):
    """Crammer's AROW: μ moves by α·y·Σ·x with α = [1 − y·m]₊/(χ + r), χ = x·Σ·x.

    Importance divides r: an example of weight 2 is one seen with half the noise.
    """

    r: float = 1.0

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def asks(self) -> tuple[Any, ...]:
        """The verbs that it needs of the regularizer."""
        return (spread,)


@coefficient.of(OriginalArow)
def _original_arow(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """y·[1 − y·m]₊/(χ + r)."""
    gap = 1.0 - y * margin
    if gap <= 0.0 or row.importance == 0.0:
        return 0.0
    return finite_step(y * gap / (spread(f, view, row) + rule.r / row.importance))


@part
class SoftConfidence(NamedTuple):
    """SCW-I (Wang, Zhao & Hoi, 2012): keep P(y·⟨w, x⟩ > 0) ≥ η with slack weighed by C.

    φ = Φ⁻¹(η); the loss is [φ·√υ − y·m]₊ with υ = x·Σ·x. Importance multiplies C.
    """

    phi: float = 1.0
    C: float = 1.0

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def asks(self) -> tuple[Any, ...]:
        """The verbs that it needs of the regularizer."""
        return (spread,)


@coefficient.of(SoftConfidence)
def _soft_confidence(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """y·min(C, (−m·ψ + √(m²·φ⁴/4 + υ·φ²·ζ))/(υ·ζ)), ψ = 1 + φ²/2, ζ = 1 + φ²."""
    upsilon = spread(f, view, row)
    m = y * margin
    square = rule.phi * rule.phi
    if upsilon == 0.0 or rule.phi * np.sqrt(upsilon) - m <= 0.0:
        return 0.0
    zeta = 1.0 + square
    root = np.sqrt(m * m * square * square / 4.0 + upsilon * square * zeta)
    alpha = (-m * (1.0 + square / 2.0) + root) / (upsilon * zeta)
    return finite_step(y * min(max(alpha, 0.0), rule.C * row.importance))


@part
class LogisticMode(NamedTuple):
    """To the mode of a Gaussian over weights times the chance of the label: c = h·y/(1 + exp(y·p)).

    p = m + c·χ is the margin after the step, χ = x·Σ·x. However large χ is, no step overshoots. Importance h
    multiplies the logistic loss, which this rule is for.
    """

    @property
    def by_margin(self) -> bool:
        """It asks for no entry of the row."""
        return True

    @property
    def asks(self) -> tuple[Any, ...]:
        """The verbs that it needs of the regularizer."""
        return (spread,)


@coefficient.of(LogisticMode)
def _logistic_mode(
    rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float
) -> float:
    """h·y/(1 + exp(y·p)) at the margin p after the step."""
    h = row.importance
    if h == 0.0:
        return 0.0
    p = logistic_proximal(margin, y, saturated(h * spread(f, view, row)))
    return finite_step(h * y * other_side(y * p))
