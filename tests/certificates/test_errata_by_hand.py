"""The errata that need no run of a learner: a few lines of NumPy each."""

import numpy as np
import pytest

from fenchel.certificates.lemmas import log_bound_1


def test_e04_dual_averaging_sums_negative_subgradients():
    slopes = np.array([[0.6, -1.0], [0.5, 0.4], [0.9, -0.3]])
    total, t = slopes.sum(axis=0), len(slopes) + 1

    def objective(w):  # Xiao's, times t − 1, with β_{t−1} = √(t − 1), g = ½‖·‖², F = 0.1·‖·‖₁
        return w @ total + 0.5 * np.sqrt(t - 1) * w @ w + 0.1 * (t - 1) * np.abs(w).sum()

    def gradient_of_conjugate(theta):
        return np.sign(theta) * np.maximum(np.abs(theta) - 0.1 * (t - 1), 0.0) / np.sqrt(t - 1)

    right, printed = gradient_of_conjugate(-total), gradient_of_conjugate(total)
    rng = np.random.default_rng(0)
    others = [objective(w) for w in rng.normal(size=(2000, 2))]
    assert objective(right) <= min(others)
    assert objective(printed) > objective(np.zeros(2)) > objective(right)


def test_e06_dual_averaging_does_not_pay_for_its_first_round():
    # T = 1, no loss, g = ½w², F = 5(w − 1)², u = 1, η = 1: the bound is g(u) = ½.
    def F(w):
        return 5.0 * (w - 1.0) ** 2

    xiao = 0.0  # argmin of β_0·g + 0·F
    corollary = 10.0 / 11.0  # argmin of g + F
    assert F(xiao) - F(1.0) == 5.0 > 0.5
    assert F(corollary) - F(1.0) < 0.5


def test_e09_ridge_regression_inverts_s_times_its_transpose():
    rng = np.random.default_rng(0)
    S, y = rng.normal(size=(3, 3)), rng.normal(size=3)  # d = t, where both products exist

    def objective(w):
        return np.sum((w @ S - y) ** 2) + w @ w

    right = np.linalg.solve(np.eye(3) + S @ S.T, S @ y)
    printed = np.linalg.solve(np.eye(3) + S.T @ S, S @ y)
    slope = 2.0 * S @ (S.T @ right - y) + 2.0 * right
    np.testing.assert_allclose(slope, 0.0, atol=1e-12)
    assert objective(printed) > objective(right) + 0.01


def test_e10_the_dual_of_a_weighted_norm():
    q = 1.5
    p = q / (q - 1.0)
    u, b = np.array([1.0, -2.0, 0.5]), np.array([0.5, 2.0, 3.0])
    stated = np.sum(np.abs(u) ** p * b ** (1.0 - p)) ** (1.0 / p)
    printed = np.sum(np.abs(u) ** p * b ** (1.0 - q)) ** (1.0 / p)
    x = np.sign(u) * (np.abs(u) / b) ** (p - 1.0)  # Hölder's equality, then to the unit sphere
    x /= np.sum(np.abs(x) ** q * b) ** (1.0 / q)
    assert u @ x == pytest.approx(stated)
    assert abs(printed - stated) > 0.1


def test_e10_the_hessian_is_at_least_the_square_of_the_primal_norm():
    q, h = 1.3, 1e-4
    p = q / (q - 1.0)

    def g(w):
        return np.sum(np.abs(w) ** q) ** (2.0 / q) / (2.0 * (q - 1.0))

    rng = np.random.default_rng(0)
    for _ in range(100):
        w = rng.uniform(0.5, 2.0, 3) * rng.choice([-1.0, 1.0], 3)
        x = rng.normal(size=3)
        curvature = (g(w + h * x) - 2.0 * g(w) + g(w - h * x)) / h**2
        primal = np.sum(np.abs(x) ** q) ** (2.0 / q)
        assert curvature >= primal * (1.0 - 1e-5)
        assert primal >= np.sum(np.abs(x) ** p) ** (2.0 / p)  # what is printed: weaker


def test_e11_the_least_value_not_where_it_is():
    # One round, x = 10, y = 1: M = 1. The Perceptron's bound is least, and 1, at u = 0.
    u = np.linspace(-0.2, 0.2, 4001)
    loss = np.maximum(1.0 - 10.0 * u, 0.0)
    bound = loss + (10.0 * u) ** 2 + np.abs(10.0 * u) * np.sqrt(loss)
    assert bound.min() == pytest.approx(1.0)  # min: M ≤ 1 holds
    assert abs(u[bound.argmin()]) < 1e-3  # argmin: M ≤ 0 does not


def test_e17_the_subgradient_stands_against_w_minus_u():
    w, u = 2.0, -1.0
    slope = 2.0 * w  # of ℓ(w) = w²
    assert w**2 - u**2 <= slope * (w - u)
    assert w**2 - u**2 > slope * (u - w)


def test_e18_lambda_multiplies_the_step_too():
    # One example, w = 0, ũ with hinge loss 0: ℓ′ = −x, η = 1, λ = ½.
    scale, x, w, u = 0.5, 1.0, 0.0, 1.0
    right_side = -x * (w - scale * u)
    printed = -x * w + 1.0 - max(0.0, 1.0 - u * x)
    corrected = -x * w + scale - scale * max(0.0, 1.0 - u * x)
    assert printed > right_side
    assert corrected <= right_side


def test_e22_the_conjugate_of_the_absolute_value_is_not_finite_everywhere():
    v = np.array([1e1, 1e3, 1e5])
    np.testing.assert_allclose(2.0 * v - np.abs(v), v)  # sup is ∞: f*(2) = ∞


def test_e22_f_is_strongly_convex_its_conjugate_need_not_be():
    # f(w) = ½w² + |w| is 1-strongly convex; f*(θ) = ½·max(|θ| − 1, 0)² is flat on [−1, 1].
    theta = np.linspace(-1.0, 1.0, 11)
    w = np.linspace(-3.0, 3.0, 6001)
    conjugate = [np.max(w * t - 0.5 * w**2 - np.abs(w)) for t in theta]
    np.testing.assert_allclose(conjugate, 0.0, atol=1e-12)


def test_e22_corollary_3_needs_n_above_one():
    a, b, c, d = 2.0, 3.0, 1.0, 1.0
    x = 1.0
    for _ in range(200):  # the largest x with x ≤ a·ln(bx + c) + d
        x = a * np.log(b * x + c) + d
    for n in (1.1, 2.0, 5.0):
        assert x <= log_bound_1(a, b, c, d, n)
    assert x > log_bound_1(a, b, c, d, 0.5)
