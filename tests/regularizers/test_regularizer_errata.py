"""The errata of the paper that concern regularizers, executed on the parts."""

import numpy as np
import pytest

from fenchel import MirrorDescent
from fenchel.regularizers import MaxNormScaled, PNorm, ScaleInvariantAdaGrad, ScaleInvariantPNorm
from fenchel.regularizers.checking_claims import differences

SCALE_INVARIANT = [ScaleInvariantPNorm, ScaleInvariantAdaGrad]


class Printed:
    """Eq. (update1) with its factor 1/(p_t − 1)."""

    def __init__(self, f):
        self.f = f

    def observe(self, x):
        return Printed(self.f.observe(x))

    def commit(self, current, z):
        return Printed(self.f.commit(current.f, z))

    def gradient(self, theta):
        return self.f.gradient(theta) / (self.f.p - 1.0)


def regret(regularizer, X, slopes, u, eta=1.0):
    """Σ ℓ′_t·(w_t − u)ᵀx_t of linear losses with these slopes, z_t = −η·ℓ′_t·x_t."""
    descent = MirrorDescent(regularizer, X.shape[1])
    total = 0.0
    for x, slope in zip(X, slopes, strict=True):
        descent.observe(x)
        total += slope * float((descent.predict() - u) @ x)
        descent.update(-eta * slope * x)
    return total, descent


def bound(descent, u, rounds, eta=1.0):
    """Theorem 1 with p_T − 1: √(e·(T + 1)·(p_T − 1))·((Σ|u_i|·b_i)²/(2η) + η)."""
    f = descent.regularizer
    size = float(np.sum(np.abs(u) * f.largest))
    return np.sqrt(np.e * (rounds + 1) * (f.p - 1.0)) * (size**2 / (2.0 * eta) + eta)


# ── E01: eq. (update1) has no factor 1/(p_t − 1) ─────────────────────────────────────────────────


def test_e01_printed_update_is_off_by_p_minus_one():
    x = np.ones(13)
    f = ScaleInvariantPNorm().begin(13).observe(x)
    assert f.p > 5.0
    theta = np.linspace(-1.0, 2.1, 13)
    slopes = differences(f.conjugate, theta, 1e-6)
    np.testing.assert_allclose(f.gradient(theta), slopes, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(slopes, (f.p - 1.0) * Printed(f).gradient(theta), atol=1e-6)


def test_e01_theorem_1_fails_with_the_printed_update_and_holds_without():
    d = T = 200
    X, slopes = np.ones((T, d)), -np.ones(T)
    u = np.zeros(d)
    u[0] = T / np.sqrt(np.e * (T + 1) * (2.0 * np.log(d) - 1.0))  # the u that the bound suits least
    corrected, descent = regret(ScaleInvariantPNorm(), X, slopes, u)
    printed, _ = regret(Printed(ScaleInvariantPNorm().begin(d)), X, slopes, u)
    most = bound(descent, u, T)
    assert corrected == pytest.approx(-440.5, abs=0.1)
    assert printed == pytest.approx(448.9, abs=0.1)
    assert most == pytest.approx(348.6, abs=0.1)
    assert corrected < most < printed


# ── E02: p_t = max(2, 2·ln m_t) ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("nonzeros", "p"), [(0, 2.0), (1, 2.0), (2, 2.0), (3, 2.0 * np.log(3.0)), (8, 2.0 * np.log(8))]
)
def test_e02_exponent_is_at_least_two(nonzeros, p):
    x = np.append(np.ones(nonzeros), np.zeros(8 - nonzeros))
    f = ScaleInvariantPNorm().begin(8).observe(x)
    assert f.p == pytest.approx(p)
    assert 1.0 < f.q <= 2.0
    assert f.strong_convexity > 0.0
    assert np.isfinite(f.gradient(x)).all()


def test_e02_exponents_and_betas_grow_and_the_factor_stays_below_e():
    rng = np.random.default_rng(0)
    descent = MirrorDescent(ScaleInvariantPNorm(), 12)
    before = None
    for t in range(40):
        x = rng.normal(size=12) * (rng.random(12) < min(1.0, t / 20))
        descent.observe(x)
        f = descent.regularizer
        if f.longest[0]:
            assert f.longest[0] ** (2.0 / f.p) <= np.e * (1.0 + 1e-12)
        if before is not None:
            assert f.q <= before.q
            assert f.beta >= before.beta
        before = f
        descent.update(rng.normal() * x)


def test_e02_the_bound_needs_p_minus_one():
    # x_t = (1, 1), alternating slopes, u = 0: the printed 2·ln m_T − 1 = 0.386 is too small.
    T = 60
    X, slopes = np.ones((T, 2)), np.where(np.arange(T) % 2, -1.0, 1.0)
    found, descent = regret(ScaleInvariantPNorm(), X, slopes, np.zeros(2))
    printed = np.sqrt(np.e * (T + 1) * (2.0 * np.log(2.0) - 1.0))
    assert found == pytest.approx(9.40, abs=0.01)
    assert printed == pytest.approx(8.00, abs=0.01)
    assert bound(descent, np.zeros(2), T) == pytest.approx(12.88, abs=0.01)


# ── E20: a feature that was never seen has weight 0 (in compiled code: the streams of the contract
#    checks, which begin with zero rows and bring features late) ──────────────────────────────────


@pytest.mark.parametrize("part", SCALE_INVARIANT, ids=lambda cls: cls.__name__)
def test_e20_unseen_features_and_zero_rows_have_weight_zero(part):
    descent = MirrorDescent(part(), 4)
    descent.observe(np.zeros(4))
    assert not descent.predict().any()
    descent.update(np.zeros(4))
    descent.observe(np.array([2.0, 0.0, 0.0, 0.0]))
    descent.update(np.array([1.0, 0.0, 0.0, 0.0]))
    descent.observe(np.array([0.0, 3.0, 0.0, 0.0]))
    w = descent.predict()
    assert w[0] > 0.0
    assert w[1:].tolist() == [0.0, 0.0, 0.0]
    for method in ("value", "conjugate", "norm", "dual_norm"):
        assert np.isfinite(getattr(descent.regularizer, method)(np.array([1.0, 1.0, 1.0, 1.0])))


def test_e20_level_zero_predicts_zero():
    f = MaxNormScaled(PNorm(p=3.0)).begin(2).observe(np.zeros(2))
    assert f.gradient(np.ones(2)).tolist() == [0.0, 0.0]
    assert f.conjugate(np.ones(2)) == 0.0
