"""Lemma 2 on the weighted q-norm: conjugate, strong convexity, dual norm, each by brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize

from fenchel.regularizers import WeightedPNorm

CASES = [(p, seed) for p in (2.0, 2.5, 4.0, 8.0) for seed in (0, 1)]


def draw(p, seed, d=3):
    rng = np.random.default_rng(seed)
    return WeightedPNorm(a=rng.uniform(0.2, 4.0, d), p=p), rng


def formulas(f):
    """f and its conjugate as the lemma prints them."""
    q, p, a = f.q, f.p, f.a

    def value(w):
        return np.sum(np.abs(w) ** q * a) ** (2.0 / q) / (2.0 * (q - 1.0))

    def conjugate(theta):
        return np.sum(np.abs(theta) ** p * a ** (1.0 - p)) ** (2.0 / p) / (2.0 * (p - 1.0))

    return value, conjugate


@pytest.mark.parametrize(("p", "seed"), CASES)
def test_methods_are_the_printed_formulas(p, seed):
    f, rng = draw(p, seed)
    value, conjugate = formulas(f)
    for point in rng.normal(size=(20, 3)):
        assert np.isclose(f.value(point), value(point), rtol=1e-12)
        assert np.isclose(f.conjugate(point), conjugate(point), rtol=1e-12)
        assert np.isclose(f.norm(point), np.sum(np.abs(point) ** f.q * f.a) ** (1.0 / f.q))
        dual = np.sum(np.abs(point) ** p * f.a ** (1.0 - p)) ** (1.0 / p)
        assert np.isclose(f.dual_norm(point), dual)


@pytest.mark.parametrize(("p", "seed"), CASES)
def test_conjugate_is_the_supremum(p, seed):
    f, rng = draw(p, seed)
    value, _ = formulas(f)
    theta = rng.normal(size=3)
    w = f.gradient(theta)
    found = minimize(
        lambda v: value(v) - v @ theta,
        w + 0.5,
        method="Nelder-Mead",
        options={"xatol": 1e-11, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000},
    )
    assert np.isclose(-found.fun, f.conjugate(theta), rtol=1e-8)
    np.testing.assert_allclose(found.x, w, atol=1e-4)
    for v in w + rng.normal(size=(200, 3)):
        assert v @ theta - value(v) <= f.conjugate(theta) + 1e-12


@pytest.mark.parametrize(("p", "seed"), CASES)
def test_strong_convexity_is_one_and_no_more(p, seed):
    f, rng = draw(p, seed)
    ratios = []
    for _ in range(400):
        theta = rng.normal(size=3)
        u = f.gradient(theta)
        v = u + 10.0 ** rng.uniform(-2.0, 0.5) * rng.normal(size=3)
        gap = f.value(v) - f.value(u) - theta @ (v - u)
        ratios.append(2.0 * gap / f.norm(v - u) ** 2)
    assert min(ratios) >= 1.0 - 1e-7
    # Tight where the weighted coordinates are equal and one goes up while the other goes down.
    u = np.array([1.0, 1.0, 0.0]) / f.scale
    v = u + 1e-3 * np.array([1.0, -1.0, 0.0]) / f.scale
    theta = np.array([1.0, 1.0, 0.0]) * f.scale * (f.p - 1.0) * 2.0 ** (2.0 / f.q - 1.0)
    np.testing.assert_allclose(f.gradient(theta), u, rtol=1e-12)
    tight = 2.0 * (f.value(v) - f.value(u) - theta @ (v - u)) / f.norm(v - u) ** 2
    assert np.isclose(tight, 1.0, rtol=1e-3)


@pytest.mark.parametrize(("p", "seed"), CASES)
def test_dual_norm_is_the_supremum_over_the_unit_ball(p, seed):
    f, rng = draw(p, seed)
    for z in rng.normal(size=(20, 3)):
        products = [z @ (u / f.norm(u)) for u in rng.normal(size=(300, 3))]
        assert max(products) <= f.dual_norm(z) * (1.0 + 1e-12)
        best = f.gradient(z)
        assert np.isclose(z @ best / f.norm(best), f.dual_norm(z), rtol=1e-12)


def test_powers_do_not_overflow():
    f = WeightedPNorm(a=np.array([1e-50, 1.0, 1e50]), p=40.0)
    with np.errstate(all="raise", under="ignore"):
        w = f.gradient(np.array([1e100, -1e200, 1e100]))
    assert np.isfinite(w).all()
