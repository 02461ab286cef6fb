"""Rules: each coefficient c of z_t = c·x_t against its formula, and at its edges."""

from itertools import product

import numpy as np
import pytest

from fenchel import Learner
from fenchel.losses import Absolute, Hinge, Logistic, Squared, SquaredHinge, derivative, value
from fenchel.parts import state
from fenchel.regularizers import (
    ConfidentGaussian,
    Euclidean,
    Gaussian,
    LogisticGaussian,
    PNorm,
    look,
)
from fenchel.rows.types import LARGEST, DenseRow
from fenchel.rules import (
    Aggressive,
    Conservative,
    LogisticMode,
    NormalizedResidual,
    OriginalArow,
    PassiveAggressive,
    Residual,
    SoftConfidence,
    Subgradient,
    Target,
    TunedAggressive,
    coefficient,
)
from kernel.random_parts import random_part, rules

X = np.array([0.6, -0.3, 0.0, 1.2])
ZERO_ROW = np.zeros(4)


def c(rule, loss, margin, y, *, x=X, importance=1.0, bias=0.0, f=None):
    """The coefficient that a rule chooses in one round."""
    f = state.start(Euclidean() if f is None else f, len(x) + 1)
    row = DenseRow(np.asarray(x), bias, importance)
    return coefficient(state.start(rule, 1), loss, f, look(f, row), row, margin, y)


# ── Section 3: subgradient ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("loss", [Hinge(), Logistic(), SquaredHinge()], ids=repr)
@pytest.mark.parametrize("margin", [-2.0, 0.0, 0.9, 1.0, 3.0])
def test_subgradient_is_minus_eta_times_the_slope(loss, margin):
    for y in (-1.0, 1.0):
        assert c(Subgradient(0.3), loss, margin, y) == -0.3 * derivative(loss, margin, y)


# ── Section 6: conservative and aggressive ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("margin", "y", "expected"),
    [(0.0, 1.0, 2.0), (0.0, -1.0, -2.0), (-0.1, 1.0, 2.0), (0.1, 1.0, 0.0), (-5e-324, 1.0, 2.0)],
)
def test_conservative_steps_on_mistakes_and_a_zero_margin_is_one(margin, y, expected):
    assert c(Conservative(2.0), Hinge(), margin, y) == expected


@pytest.mark.parametrize(
    ("margin", "expected"), [(-1.0, 2.0), (0.0, 2.0), (0.999, 2.0), (1.0, 0.0), (1.5, 0.0)]
)
def test_aggressive_steps_wherever_the_loss_is_positive(margin, expected):
    assert c(Aggressive(2.0), Hinge(), margin, 1.0) == expected


def test_passive_aggressive_makes_the_example_right_or_stops_at_c():
    size = float(X @ X)
    for margin in (-3.0, 0.0, 0.4):
        for most in (0.1, 1.0, 100.0):
            step = c(PassiveAggressive(most), Hinge(), margin, 1.0)
            assert step == pytest.approx(min(most, (1.0 - margin) / size))
            if step < most:
                assert margin + step * size == pytest.approx(1.0)
    assert c(PassiveAggressive(1.0), Hinge(), 1.0, 1.0) == 0.0
    assert c(PassiveAggressive(1.0), Hinge(), 0.0, 1.0, x=ZERO_ROW) == 0.0
    assert c(PassiveAggressive(9.0), Hinge(), 0.0, 1.0, bias=1.0) == pytest.approx(1 / (size + 1))


def test_passive_aggressive_doubles_c_with_importance_two():
    assert c(PassiveAggressive(0.1), Hinge(), -3.0, 1.0, importance=2.0) == pytest.approx(0.2)
    assert c(PassiveAggressive(9.0), Hinge(), 0.0, 1.0, importance=2.0) == pytest.approx(
        1 / (X @ X)
    )
    assert c(PassiveAggressive(0.1), Hinge(), -3.0, 1.0, importance=0.0) == 0.0


# ── Corollary 2: the tuned rate (E13, E14, E21) ──────────────────────────────────────────────────


def tuned(margin, x, level, beta=1.0, p=2.0):
    """η_t as the rule chooses it, X_{t−1} being ``level``."""
    rule = state.start(TunedAggressive(beta), 1)
    rule.level[0] = level
    f = state.start(PNorm(p=p), len(x) + 1)
    row = DenseRow(np.asarray(x), 0.0, 1.0)
    return coefficient(rule, Hinge(), f, look(f, row), row, margin, 1.0), rule.level[0]


def test_e21_tuned_rate_minimises_d_on_the_unit_interval():
    """D = Σ η_t·((η_t·‖x_t‖_*² + 2β·y_t·m_t)/X_t² − 2), term by term."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        x, p = rng.normal(size=4), float(rng.uniform(2.0, 6.0))
        beta, level = 1.0 / (p - 1.0), float(rng.uniform(0.0, 3.0))
        margin = float(rng.uniform(-2.0, 1.0))
        eta, X_t = tuned(margin, x, level, beta, p)
        size = float(np.sum(np.abs(x) ** p) ** (1.0 / p))
        assert pytest.approx(max(level, size)) == X_t

        def term(step, size=size, X_t=X_t, beta=beta, margin=margin):
            return step * ((step * size**2 + 2.0 * beta * margin) / X_t**2 - 2.0)

        steps = np.linspace(0.0, 1.0, 1001)
        assert 0.0 <= eta <= 1.0
        assert term(eta) <= min(map(term, steps)) + 1e-12


def test_tuned_rate_is_one_on_every_mistake():
    rng = np.random.default_rng(1)
    for _ in range(200):
        x = rng.normal(size=4)
        eta, _ = tuned(-float(rng.exponential()), x, float(rng.uniform(0.0, 3.0)))
        assert eta == 1.0
    assert tuned(0.0, X, 0.0)[0] == 1.0


def test_e21_tuned_rate_is_zero_where_the_loss_is():
    # Unguarded, the formula gives clip((4 − 1)/1, 0, 1) = 1 at a margin of 1.
    assert tuned(1.0, [1.0], 2.0) == (0.0, 2.0)
    assert tuned(3.9, [1.0], 2.0) == (0.0, 2.0)
    assert tuned(0.0, ZERO_ROW, 2.0) == (0.0, 2.0)


def test_e14_tuned_rate_is_passive_aggressive_on_unit_rows():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(50, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    for row, margin in zip(x, rng.uniform(-2.0, 2.0, 50), strict=True):
        rate = tuned(margin, row, 1.0)[0]
        assert rate == pytest.approx(c(PassiveAggressive(1.0), Hinge(), margin, 1.0, x=row))


def test_e14_passive_aggressive_steps_less_on_mistakes_with_long_rows():
    assert c(PassiveAggressive(1.0), Hinge(), 0.0, 1.0, x=np.array([2.0])) == 0.25
    assert tuned(0.0, [2.0], 0.0)[0] == 1.0
    # x = 0.5 for the second time, after a step of 1: PA-I steps again, which makes D = +1.
    assert c(PassiveAggressive(1.0), Hinge(), 0.25, 1.0, x=np.array([0.5])) == 1.0
    assert tuned(0.25, [0.5], 0.5)[0] == 0.0


def test_tuned_rate_at_extreme_sizes():
    for size in (1e-200, 1e200, 1e308):
        eta, level = tuned(0.5, [size], size)
        assert np.isfinite(eta)
        assert level == size


# ── Section 4: targets and residuals ─────────────────────────────────────────────────────────────


def test_target_and_residual():
    assert c(Target(), Squared(), 0.7, -2.0) == -2.0
    # E03: the sign is that of y − m.
    assert c(Residual(0.5), Squared(), 0.7, 2.0) == pytest.approx(0.65)
    assert c(Residual(0.5), Squared(), 0.7, -2.0) == pytest.approx(-1.35)


def test_normalized_residual_removes_its_share():
    step = c(NormalizedResidual(0.5), Squared(), 0.7, 2.0, bias=1.0)
    assert 0.7 + step * (X @ X + 1.0) == pytest.approx(1.35)
    assert c(NormalizedResidual(0.5), Squared(), 0.7, 2.0, x=ZERO_ROW) == 0.0


# ── second order ─────────────────────────────────────────────────────────────────────────────────


def gaussian(part, rng):
    f = state.start(part, 5)
    f.squares[:] = rng.uniform(0.0, 3.0, 5)
    return f, float(np.sum(X**2 / (1.0 + f.squares[1:])))


def test_original_arow_and_its_importance():
    rng = np.random.default_rng(3)
    f, chi = gaussian(Gaussian(), rng)
    for margin, y in [(0.2, 1.0), (-3.0, 1.0), (0.5, -1.0)]:
        for importance in (0.5, 1.0, 2.0):
            row = DenseRow(X, 0.0, importance)
            found = coefficient(OriginalArow(0.7), Hinge(), f, 1.0, row, margin, y)
            gap = max(0.0, 1.0 - y * margin)
            assert found == pytest.approx(y * gap / (chi + 0.7 / importance))
    row = DenseRow(X, 0.0, 1.0)
    assert coefficient(OriginalArow(0.7), Hinge(), f, 1.0, row, 1.0, 1.0) == 0.0
    row = DenseRow(X, 0.0, 0.0)
    assert coefficient(OriginalArow(0.7), Hinge(), f, 1.0, row, 0.0, 1.0) == 0.0


def test_soft_confidence_meets_its_constraint_or_stops_at_c():
    """SCW-I's α is the least with φ·√υ′ ≤ y·m′ after the update, capped at C."""
    rng = np.random.default_rng(4)
    phi = 0.8
    for margin in (-1.0, 0.0, 0.3):
        f, upsilon = gaussian(ConfidentGaussian(phi), rng)
        row = DenseRow(X, 0.0, 1.0)
        alpha = coefficient(SoftConfidence(phi, 1e6), Hinge(), f, 1.0, row, margin, 1.0)
        product = alpha * upsilon * phi
        root = 0.5 * (-product + np.sqrt(product**2 + 4.0 * upsilon))
        shrunk = upsilon / (1.0 + alpha * phi * upsilon / root)
        assert margin + alpha * upsilon == pytest.approx(phi * np.sqrt(shrunk))
        capped = coefficient(SoftConfidence(phi, 0.01), Hinge(), f, 1.0, row, margin, -1.0)
        assert abs(capped) <= 0.01
    assert c(SoftConfidence(phi), Hinge(), 0.0, 1.0, x=ZERO_ROW, f=ConfidentGaussian(phi)) == 0.0
    assert c(SoftConfidence(phi), Hinge(), 99.0, 1.0, f=ConfidentGaussian(phi)) == 0.0


GAUSSIANS = {
    OriginalArow: Gaussian(),
    SoftConfidence: ConfidentGaussian(),
    LogisticMode: LogisticGaussian(),
}

# ── all of them ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rule", rules(), ids=lambda cls: cls.__name__)
def test_importance_zero_takes_no_step_and_one_is_the_default(rule):
    rng = np.random.default_rng(5)
    drawn = random_part(rule, rng, 1)
    f = GAUSSIANS.get(rule, Euclidean())
    assert c(drawn, Hinge(), -0.5, 1.0, importance=0.0, f=f) == 0.0
    assert c(drawn, Hinge(), -0.5, 1.0, f=f) > 0.0


PROPORTIONAL = [Subgradient, Conservative, Aggressive, TunedAggressive, Target, Residual]


@pytest.mark.parametrize("rule", [*PROPORTIONAL, NormalizedResidual], ids=lambda cls: cls.__name__)
def test_importance_multiplies_the_step(rule):
    one = c(rule(), Hinge(), -0.5, 1.0)
    assert c(rule(), Hinge(), -0.5, 1.0, importance=2.5) == pytest.approx(2.5 * one)


@pytest.mark.parametrize("rule", rules(), ids=lambda cls: cls.__name__)
def test_coefficients_are_finite_for_every_finite_row(rule):
    f = GAUSSIANS.get(rule, Euclidean())
    large = {name: 3.0 for name in ("eta", "C", "r", "phi") if name in rule._fields}
    importances, sizes = (1.0, 1.7e308), (0.0, 5e-324, 1e-200, 1.0, 1e200, 1.7e308)
    margins, labels = (0.0, 2.0, -1e300, 1e300, -1.7e308), (-1.0, 1.0)
    with np.errstate(all="ignore"):
        for importance, size, margin, y in product(importances, sizes, margins, labels):
            for loss in (Hinge(), Absolute()):
                x = np.array([size, 0.0])
                step = c(rule(**large), loss, margin, y, x=x, importance=importance, f=f)
                assert abs(step) <= LARGEST


def test_the_loop_takes_the_rule_s_step():
    learner = Learner.of(Hinge(), Euclidean(), PassiveAggressive(9.0), intercept=False)
    learner.learn_many([X], [1])
    np.testing.assert_allclose(learner.weights(), X / (X @ X))
    assert value(Hinge(), float(learner.decision_many([X])[0]), 1.0) == pytest.approx(
        0.0, abs=1e-15
    )
