"""Matrices, ⟨A, B⟩ = tr AᵀB: the Schatten norms and the group norm through ``MirrorDescent``."""

import numpy as np
import pytest
from scipy.optimize import minimize

from fenchel import MirrorDescent
from fenchel.regularizers import GroupComposite, PNorm, Schatten

SHAPE = (3, 4)


def inner(A, B):
    return float(np.trace(A.T @ B))


@pytest.mark.parametrize("p", [2.0, 3.0, 7.5])
def test_schatten_conjugate_is_the_supremum(p):
    rng = np.random.default_rng(0)
    f = Schatten(p)
    theta = rng.normal(size=(2, 2))
    found = minimize(
        lambda v: f.value(v.reshape(2, 2)) - inner(v.reshape(2, 2), theta),
        rng.normal(size=4),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 20_000, "maxfev": 20_000},
    )
    assert -found.fun == pytest.approx(f.conjugate(theta), rel=1e-6)
    np.testing.assert_allclose(found.x.reshape(2, 2), f.gradient(theta), atol=1e-3)


@pytest.mark.parametrize("p", [2.0, 3.0, 7.5])
def test_schatten_on_diagonal_matrices_is_the_p_norm(p):
    theta = np.array([3.0, -1.0, 0.5])
    f, vectors = Schatten(p), PNorm(p=p)
    np.testing.assert_allclose(
        f.gradient(np.diag(theta)), np.diag(vectors.gradient(theta)), atol=1e-12
    )
    for method in ("value", "conjugate", "norm", "dual_norm"):
        expected = getattr(vectors, method)(theta)
        assert getattr(f, method)(np.diag(theta)) == pytest.approx(expected)


@pytest.mark.parametrize("p", [2.0, 5.0])
def test_schatten_is_unchanged_by_rotations(p):
    rng = np.random.default_rng(1)
    f, theta = Schatten(p), rng.normal(size=SHAPE)
    left, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    right, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    turned = left @ theta @ right
    assert f.conjugate(turned) == pytest.approx(f.conjugate(theta))
    np.testing.assert_allclose(f.gradient(turned), left @ f.gradient(theta) @ right, atol=1e-12)


@pytest.mark.parametrize("p", [2.0, 4.0])
def test_mirror_descent_on_matrices_obeys_its_lemma(p):
    """Σ ⟨Z_t, U − W_t⟩ ≤ f(U) + Σ ‖Z_t‖_*²/(2β), for any U (Lemma 1 with constant f)."""
    rng = np.random.default_rng(2)
    f = Schatten(p)
    descent = MirrorDescent(f, SHAPE)
    U = rng.normal(size=SHAPE)
    achieved, steps = 0.0, 0.0
    for _ in range(50):
        W = descent.predict()
        assert W.shape == SHAPE
        x, error = rng.normal(size=4), rng.normal(size=3)
        Z = 0.1 * np.outer(error, x)
        assert inner(Z, W) == pytest.approx(float(np.vdot(Z, W)), abs=1e-12)
        achieved += inner(Z, U - W)
        steps += f.dual_norm(Z) ** 2
        descent.update(Z)
    assert achieved <= f.value(U) + steps / (2.0 * f.strong_convexity) + 1e-12
    assert inner(descent.predict(), descent.theta) == pytest.approx(
        f.value(descent.predict()) + f.conjugate(descent.theta)
    )


def test_group_norm_drops_whole_columns():
    rng = np.random.default_rng(3)
    eta, strength = 0.5, 0.4
    descent = MirrorDescent(GroupComposite(eta=eta, strength=strength), SHAPE)
    dropped = 0
    for t in range(1, 31):
        descent.observe(np.zeros(4))
        W = descent.predict()
        lengths = np.linalg.norm(descent.theta, axis=0)
        shrunk = np.maximum(lengths - eta * t * strength, 0.0) / np.sqrt(t)
        np.testing.assert_allclose(np.linalg.norm(W, axis=0), shrunk, atol=1e-12)
        zeros = W == 0.0
        assert (zeros.all(axis=0) == zeros.any(axis=0)).all()
        dropped += int(zeros.all(axis=0).sum())
        descent.update(rng.normal(size=SHAPE) * np.array([1.0, 1.0, 0.1, 3.0]))
    assert dropped


def test_group_composite_is_the_maximiser():
    rng = np.random.default_rng(4)
    f = GroupComposite(eta=0.5, strength=0.4).begin((2, 2))
    for _ in range(3):
        f = f.observe(np.zeros(2))
    theta = 3.0 * rng.normal(size=(2, 2))
    W = f.gradient(theta)
    best = inner(W, theta) - f.value(W)
    for V in W + rng.normal(size=(500, 2, 2)) * rng.uniform(0.0, 1.0, size=(500, 1, 1)):
        assert inner(V, theta) - f.value(V) <= best + 1e-12


def test_a_step_of_another_shape_is_refused():
    descent = MirrorDescent(Schatten(3.0), SHAPE)
    with pytest.raises(ValueError, match=r"z has shape \(4, 3\), theta \(3, 4\)"):
        descent.update(np.zeros((4, 3)))
