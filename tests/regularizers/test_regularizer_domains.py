"""Domains S: the projection is the nearest point, f_t is maximised over S, and w_t ∈ S always."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize

from fenchel import Learner, MirrorDescent
from fenchel.regularizers import Ball, Box, Composite, Orthant, Simplex, Whole
from kernel.kernel_selection import selection

DOMAINS = [Whole(), Ball(0.8), Box(-0.5, 0.8), Orthant(), Simplex(0.7)]
NAMES = [type(domain).__name__ for domain in DOMAINS]


def excess(domain, w):
    """How far outside S a point lies."""
    match domain:
        case Ball():
            return np.linalg.norm(w) - domain.radius
        case Box():
            return max((domain.lower - w).max(), (w - domain.upper).max())
        case Orthant():
            return -w.min()
        case Simplex():
            return max(-w.min(), abs(w.sum() - domain.total))
    return 0.0


def maximiser(domain, f, theta):
    """argmax over S of ⟨v, θ⟩ − f(v), by SciPy, from inside S."""
    d = len(theta)
    options = {"bounds": None, "constraints": ()}
    match domain:
        case Ball():
            inside = NonlinearConstraint(
                lambda v: v @ v, 0.0, domain.radius**2, jac=lambda v: 2 * v
            )
            options["constraints"] = inside
        case Box():
            options["bounds"] = [(domain.lower, domain.upper)] * d
        case Orthant():
            options["bounds"] = [(0.0, None)] * d
        case Simplex():
            options["bounds"] = [(0.0, None)] * d
            options["constraints"] = LinearConstraint(np.ones((1, d)), domain.total, domain.total)
    start = np.full(d, getattr(domain, "total", 0.0) / d)
    found = minimize(
        lambda v: f(v) - v @ theta,
        start,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
        **options,
    )
    return found.x


@pytest.mark.parametrize("domain", DOMAINS, ids=NAMES)
def test_projection_is_the_nearest_point(domain):
    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0, 10.0):
        w = scale * rng.normal(size=4)
        nearest = domain.project(w)
        assert excess(domain, nearest) <= 1e-12
        expected = maximiser(domain, lambda v: 0.5 * v @ v, w)
        np.testing.assert_allclose(nearest, expected, atol=2e-6 * scale)
        # No sampled point of S is nearer.
        for point in map(domain.project, scale * rng.normal(size=(200, 4))):
            assert np.sum((nearest - w) ** 2) <= np.sum((point - w) ** 2) + 1e-12


@pytest.mark.parametrize("domain", DOMAINS, ids=NAMES)
def test_projection_is_exact_on_ties_zero_and_the_border(domain):
    for w in (np.zeros(3), np.ones(3), -np.ones(3), np.array([1e150, 0.0, -1e150])):
        projected = domain.project(w)
        assert np.isfinite(projected).all()
        assert excess(domain, projected) <= 1e-9
        np.testing.assert_allclose(domain.project(projected), projected, atol=1e-12)


@pytest.mark.parametrize("domain", [DOMAINS[0], DOMAINS[2], DOMAINS[3]], ids=lambda d: repr(d))
def test_composite_term_on_a_separable_domain(domain):
    # Coordinate by coordinate on a grid: the kinks of l1 are too sharp for a smooth solver.
    grid = np.linspace(-5.0, 5.0, 100_001)
    inside = grid[[excess(domain, v) <= 0.0 for v in grid.reshape(-1, 1)]]
    rng = np.random.default_rng(1)
    f = Composite(eta=0.5, l1=0.4, l2=0.3, domain=domain).begin(4)
    for t in (1, 2, 3):
        f = f.observe(np.zeros(4))
        curvature, threshold = np.sqrt(t) + 0.5 * t * 0.3, 0.5 * t * 0.4
        theta = 2.0 * rng.normal(size=4)
        for theta_j, w_j in zip(theta, f.gradient(theta), strict=True):
            worth = theta_j * inside - 0.5 * curvature * inside**2 - threshold * np.abs(inside)
            assert abs(inside[np.argmax(worth)] - w_j) <= 1e-4


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", NAMES[1:])
def test_weights_stay_in_the_domain_on_every_round_of_compiled_code(name, intercept):
    parts = selection()[f"Squared × Euclidean on {name} × Residual"]
    domain = parts[1].domain
    learner = Learner.of(*parts, intercept=intercept)
    descent = MirrorDescent(parts[1], 3 + intercept)
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), 3.0 * rng.normal(size=60)
    for x, target in zip(X, y, strict=True):
        learner.learn_one(x, target)
        w = np.append(learner.bias, learner.weights())[int(not intercept) :]
        assert excess(domain, w) <= 1e-12
        row = np.append(np.ones(int(intercept)), x)
        descent.update(0.3 * (target - descent.predict() @ row) * row)
        np.testing.assert_allclose(w, descent.predict(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [1e8, 1e200, 1e308])
@pytest.mark.parametrize("name", NAMES[1:])
def test_domain_holds_when_large_numbers_come_and_go(name, size):
    # Sums over θ are kept up to date coordinate by coordinate: they cancel, and they may overflow.
    parts = selection()[f"Squared × Euclidean on {name} × Residual"]
    domain = parts[1].domain
    learner = Learner.of(*parts, intercept=False)
    for target in (size, -size):
        learner.learn_many([[1.0, 0.0], [0.0, 1.0]], [target, 0.5])
        assert excess(domain, learner.weights()) <= 1e-12
    theta = learner.regularizer.theta[1:3]
    np.testing.assert_allclose(learner.weights(), domain.project(theta), rtol=1e-9)
