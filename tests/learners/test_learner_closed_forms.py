"""Learners against closed forms: argmins, recursions and products that give the same weights."""

import numpy as np
import pytest
from learner_cases import PLAIN
from learner_parameters import log_uniform
from learner_streams import stream
from textbook_basics import LOSSES

from fenchel import learners

SEEDS = range(10 if PLAIN else 3)
CLOSE = {"rtol": 1e-9, "atol": 1e-12}
over_seeds = pytest.mark.parametrize("seed", SEEDS)


def drawn(seed, task="binary", kind=None):
    rng = np.random.default_rng([seed, 7])
    return stream(rng, task, kind or str(rng.choice(["dense", "sparse"]))), rng


def rows_of(given):
    return ((x.reshape(1, -1).tocsr(), y) for x, y in zip(given.csr, given.y, strict=True))


def assert_minimises(w, linear, curvature, threshold):
    """w = argmin ⟨linear, v⟩ + curvature/2·‖v‖² + threshold·‖v‖₁, by its optimality conditions."""
    slope = linear + curvature * w
    at_rest = w == 0.0
    room = 1e-12 * (1.0 + np.abs(linear).max(initial=0.0))
    assert np.all(np.abs(slope[at_rest]) <= threshold + room)
    moving = (slope + threshold * np.sign(w))[~at_rest]
    np.testing.assert_allclose(moving, 0.0, atol=room)


@over_seeds
@pytest.mark.parametrize("indexing", ["corollary", "xiao"])
def test_dual_averaging_minimises_its_objective_in_every_round(seed, indexing):
    """η·Σ⟨ℓ′_s, w⟩ + √t/2·‖w‖² + η·t·F(w), or Xiao's with t − 1 for t."""
    given, rng = drawn(seed)
    eta, l1, l2 = log_uniform(rng, 0.1, 3.0), log_uniform(rng, 0.003, 0.3), rng.uniform(0.0, 1.0)
    learner = learners.dual_averaging(eta, l1, l2, indexing=indexing, intercept=False)
    linear = np.zeros(given.X.shape[1])
    for round_, (x, y) in enumerate(rows_of(given), start=1):
        t = round_ - (indexing == "xiao")
        if round_ > 1:
            curvature = np.sqrt(max(t, 1)) + eta * t * l2
            assert_minimises(learner.weights(), linear, curvature, eta * t * l1)
        margin = learner.learn_many(x, [y])[0]
        linear += eta * LOSSES["hinge"][1](margin, y) * x.toarray()[0]


@over_seeds
def test_xiaos_regularized_dual_averaging_is_the_composite_form_one_round_later(seed):
    given, rng = drawn(seed)
    parameters = {"eta": log_uniform(rng, 0.1, 3.0), "l1": 0.1, "l2": 0.3, "intercept": False}
    composite = learners.dual_averaging(**parameters).learn_many(given.csr, given.y)
    # An empty row moves nothing but the count of rounds.
    X = np.vstack([np.zeros(given.X.shape[1]), given.X])
    xiao = learners.dual_averaging(indexing="xiao", **parameters)
    found = xiao.learn_many(given._replace(X=X).csr, np.r_[1.0, given.y])
    assert np.array_equal(found[1:], composite)


@over_seeds
def test_strongly_convex_is_pegasos_without_its_projection(seed):
    """t·F with η = 1: w_{t+1} = (1 − λη_t)·w_t − η_t·ℓ′_t with η_t = 1/(λ·(t + 1))."""
    given, rng = drawn(seed)
    l2 = log_uniform(rng, 0.01, 1.0)
    w, expected = np.zeros(given.X.shape[1]), []
    for t, (x, y) in enumerate(zip(given.X, given.y, strict=True), start=1):
        expected.append(w @ x)
        step = 1.0 / (l2 * (t + 1))
        w = (1.0 - l2 * step) * w - step * LOSSES["hinge"][1](expected[-1], y) * x
    found = learners.strongly_convex(l2, intercept=False).learn_many(given.csr, given.y)
    np.testing.assert_allclose(found, expected, **CLOSE)


@over_seeds
def test_strongly_convex_minimises_the_sum_of_losses_and_terms_in_every_round(seed):
    """Σ⟨ℓ′_s, w⟩ + t·F(w)."""
    given, rng = drawn(seed)
    l1, l2 = log_uniform(rng, 0.003, 0.3), log_uniform(rng, 0.01, 1.0)
    learner = learners.strongly_convex(l2, l1, intercept=False)
    linear = np.zeros(given.X.shape[1])
    for t, (x, y) in enumerate(rows_of(given), start=1):
        if t > 1:
            assert_minimises(learner.weights(), linear, t * l2, t * l1)
        margin = learner.learn_many(x, [y])[0]
        linear += LOSSES["hinge"][1](margin, y) * x.toarray()[0]


def product_form(given, step, signed, adaptive, total):
    """Each v_i is multiplied by exp(±total·z_i − (total·z_i)²), then the sum brought back to 1."""
    d = given.X.shape[1]
    signs = np.r_[np.ones(d), -np.ones(d)] if signed else np.ones(d)
    copies = len(signs) // d
    v, margins = np.full(copies * d, 1.0 / (copies * d)), []
    for x, y in zip(given.X, given.y, strict=True):
        w = total * (signs * v).reshape(copies, d).sum(axis=0)
        margins.append(w @ x)
        s = total * step(margins[-1], y) * signs * np.tile(x, copies)
        v = v * np.exp(s - s * s * adaptive)
        v /= v.sum()
    return margins


@over_seeds
@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_exponentiated_gradient_is_its_product_form(seed, signed, adaptive):
    """With the squares subtracted: Steinhardt and Liang's adaptive form."""
    given, rng = drawn(seed)
    eta, total = log_uniform(rng, 0.01, 0.5), log_uniform(rng, 0.3, 5.0)
    learner = learners.exponentiated_gradient(
        eta, signed, total=total, adaptive=adaptive, intercept=False
    )
    found = learner.learn_many(given.csr, given.y)
    expected = product_form(
        given, lambda m, y: -eta * LOSSES["hinge"][1](m, y), signed, adaptive, total
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * total)


@over_seeds
def test_winnow_is_its_product_form(seed):
    given, rng = drawn(seed)
    eta, total = log_uniform(rng, 0.01, 0.5), log_uniform(rng, 0.3, 5.0)
    found = learners.winnow(eta, total, intercept=False).learn_many(given.csr, given.y)
    expected = product_form(
        given, lambda m, y: eta / total * y * (y * m <= 0.0), True, False, total
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * total)


@over_seeds
def test_vovk_azoury_warmuth_is_a_direct_solve_in_every_round(seed):
    given, rng = drawn(seed, "regression")
    a = log_uniform(rng, 0.1, 10.0)
    A, b, expected = a * np.eye(given.X.shape[1]), np.zeros(given.X.shape[1]), []
    for x, y in zip(given.X, given.y, strict=True):
        A += np.outer(x, x)
        expected.append(x @ np.linalg.solve(A, b))
        b += y * x
    learner = learners.vovk_azoury_warmuth(a, intercept=False)
    np.testing.assert_allclose(learner.learn_many(given.csr, given.y), expected, **CLOSE)


@over_seeds
def test_ftrl_proximal_without_its_terms_is_descent_with_a_rate_for_each_coordinate(seed):
    """w ← w − α/(β + √Σg²)·g: the centres make follow-the-leader move like gradient descent."""
    given, rng = drawn(seed)
    alpha, beta = log_uniform(rng, 0.01, 3.0), log_uniform(rng, 0.1, 3.0)
    w, n, expected = np.zeros(given.X.shape[1]), np.zeros(given.X.shape[1]), []
    for x, y in zip(given.X, given.y, strict=True):
        expected.append(w @ x)
        g = LOSSES["logistic"][1](expected[-1], y) * x
        n += g * g
        w = w - alpha / (beta + np.sqrt(n)) * g
    learner = learners.ftrl_proximal(alpha, beta, intercept=False)
    np.testing.assert_allclose(learner.learn_many(given.csr, given.y), expected, **CLOSE)


@over_seeds
def test_normalized_lms_with_eta_1_meets_its_last_target(seed):
    given, _ = drawn(seed, "regression", "dense")
    learner = learners.normalized_lms(1.0)
    for x, y in rows_of(given):
        learner.learn_many(x, [y])
        np.testing.assert_allclose(learner.decision_many(x), [y], rtol=1e-9, atol=1e-9)
