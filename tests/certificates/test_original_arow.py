"""The bound of the original AROW, step by step, and on runs that try to break it."""

import numpy as np
import pytest

from certificates.certified import KINDS, learned, run_of, stream, uniform
from fenchel import losses, regularizers, rules
from fenchel.certificates import agrees
from fenchel.certificates.theorems import matrix_bounds


def original(r):
    f = regularizers.FullQuadratic(r=r, tentative=False)
    return losses.Hinge(), f, rules.Aggressive(eta=1.0 / r)


def updates(X, y, r):
    """A_{t−1}, θ_t, x_t, y_t of every update, by the paper of 2009 (μ and Σ), and the last A and θ."""
    mu, sigma = np.zeros(X.shape[1]), np.eye(X.shape[1])
    for x, label in zip(X, y, strict=True):
        m, chi = float(mu @ x), float(x @ sigma @ x)
        if label * m < 1.0:
            A = np.linalg.inv(sigma)
            yield A, A @ mu, x, label
            alpha = (1.0 - label * m) / (chi + r)
            mu, sigma = (
                mu + alpha * label * sigma @ x,
                sigma - np.outer(sigma @ x, x @ sigma) / (chi + r),
            )
    A = np.linalg.inv(sigma)
    yield A, A @ mu, None, None


def drawn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 4)) * 10.0 ** rng.uniform(-1, 1, size=4)
    return X, np.where(rng.random(40) < 0.5, 1.0, -1.0), uniform(rng, 0.1, 10.0), rng


@pytest.mark.parametrize("seed", range(20))
def test_upper_every_step_of_the_proof(seed):
    X, y, r, rng = drawn(seed)
    *rounds, (A_T, theta_T, _, _) = updates(X, y, r)
    grown = errors = 0.0
    for A, theta, x, label in rounds:
        chi, m = float(x @ np.linalg.solve(A, x)), float(theta @ np.linalg.solve(A, x))
        step = chi / (r + chi) + r * label * m * (2.0 - label * m) / (r + chi)
        assert step <= np.log1p(chi / r) + (label * m > 0.0)
        grown += step
        errors += label * m > 0.0
    potential = r * float(theta_T @ np.linalg.solve(A_T, theta_T))
    assert potential == pytest.approx(grown, rel=1e-8)
    assert potential <= np.linalg.slogdet(A_T)[1] + errors + 1e-9
    u = rng.normal(size=4)
    reached = sum(label * float(u @ x) for _, _, x, label in rounds)
    assert reached == pytest.approx(r * float(u @ theta_T), rel=1e-8, abs=1e-8)
    assert reached <= np.sqrt(r * u @ A_T @ u) * np.sqrt(potential) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_both_sides_are_those_of_the_published_recursion(seed):
    X, y, r, rng = drawn(seed)
    u = rng.normal(size=4)
    c = matrix_bounds.original_arow_bound(run_of(original(r), X, y, u))
    *rounds, (A_T, _, _, _) = updates(X, y, r)
    errors = sum(
        label * float(theta @ np.linalg.solve(A, x)) > 0.0 for A, theta, x, label in rounds
    )
    loss = sum(max(0.0, 1.0 - label * float(u @ x)) for _, _, x, label in rounds)
    wide = r * u @ u + sum(float(u @ x) ** 2 for _, _, x, _ in rounds)
    assert (c.achieved, c.applies, c.holds) == (len(rounds), True, True)
    expected = loss + np.sqrt(wide * (np.linalg.slogdet(A_T)[1] + errors))
    assert c.bound == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_upper_on_streams_of_every_kind(kind, record_property):
    for seed in range(6):
        rng = np.random.default_rng([seed, len(kind)])
        parameters = {"r": uniform(rng, 0.1, 10.0), "form": "original", "diagonal": False}
        _, X, y, weights = stream(rng, "binary", kind)
        learner = learned("arow", parameters, kind, X, y, weights, rng, intercept=bool(seed % 2))
        d = X.shape[1] + learner.intercept
        for u in (np.zeros(d), rng.normal(size=d), learner.all_weights()[-d:]):
            (c,) = [c for c in learner.certificates(u) if c.theorem == "AROW"]
            assert c.holds or not c.applies, str(c)
            assert not c.applies or agrees(c, learner.verify(c), 1e-6), str(c)
            assert c.applies == bool(np.all(weights == 1.0))
            record_property("bounds of the original AROW that held", int(c.applies))


def test_with_another_step_it_is_not_promised():
    """The step 1 of the mirror form, with A_{t−1}: M + U grows beyond the bound of the step 1/r."""
    loss, f, _ = original(10.0)
    run = run_of((loss, f, rules.Aggressive(eta=0.001)), np.ones((400, 1)), np.ones(400), [1.0])
    c = matrix_bounds.original_arow_bound(run)
    assert not c.applies
    assert c.achieved > 300.0


def test_a_weaker_logarithm_would_fail():
    """U is needed beside ln|A_T|: without it the inequality breaks on repeated rows."""
    X, y = np.ones((60, 1)), np.ones(60)
    run = run_of(original(10.0), X, y, [1.0])
    c = matrix_bounds.original_arow_bound(run)
    logdet = float(np.linalg.slogdet(run.f.matrix)[1])
    without = np.sqrt(10.0 + run.sums.update_squares_u) * np.sqrt(logdet)
    assert c.holds
    assert c.achieved > without
