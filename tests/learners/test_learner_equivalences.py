"""Learners that are the same algorithm, in the paper or in the literature, give the same margins."""

import numpy as np
import pytest
from learner_cases import PLAIN
from learner_streams import stream
from textbook_basics import progressive
from textbook_matrices import OriginalArow

from fenchel import MirrorDescent, learners

SEEDS = range(10 if PLAIN else 3)
CLOSE = {"rtol": 1e-9, "atol": 1e-12}
over_seeds = pytest.mark.parametrize("seed", SEEDS)


def drawn(seed, task="binary", kind="dense"):
    rng = np.random.default_rng(seed)
    return stream(rng, task, kind), rng


@over_seeds
def test_original_arow_is_mirror_descent_with_eta_1_over_r_and_the_matrix_before(seed):
    given, rng = drawn(seed)
    r, d = float(rng.uniform(0.1, 8.0)), given.X.shape[1]

    class Before:  # predicts with A_{t−1}
        def __init__(self, A):
            self.A = A

        def gradient(self, theta):
            return np.linalg.solve(self.A, theta)

    descent = MirrorDescent(Before(np.eye(d)), d)
    margins = []
    for x, y in zip(given.X, given.y, strict=True):
        margins.append(descent.predict() @ x)
        if y * margins[-1] < 1.0:
            descent.update(y * x / r)
            descent.regularizer = descent.previous = Before(
                descent.regularizer.A + np.outer(x, x) / r
            )
    published = progressive(OriginalArow(d, r=r), given.X, given.y).margins
    learner = learners.arow(r, diagonal=False, form="original", intercept=False)
    found = learner.learn_many(given.csr, given.y)
    np.testing.assert_allclose(margins, published, **CLOSE)
    np.testing.assert_allclose(found, published, **CLOSE)


@over_seeds
def test_with_eta_1_the_margins_of_arow_grow_by_r(seed):
    """Why the original AROW is mirror descent with 1/r: its first margin is 1/r of the other's."""
    given, rng = drawn(seed)
    r = float(rng.uniform(2.0, 8.0))
    first, second = given.X[:2] = rng.normal(size=(2, given.X.shape[1]))
    learner = learners.arow(r, diagonal=False, form="original", intercept=False)
    found = learner.learn_many(given.csr[:2], given.y[:2])
    A = np.eye(len(first)) + np.outer(first, first) / r
    np.testing.assert_allclose(
        found[1] * r, given.y[0] * first @ np.linalg.solve(A, second), **CLOSE
    )


@over_seeds
@pytest.mark.parametrize("diagonal", [True, False])
def test_second_order_perceptron_is_arow_restricted_to_mistakes(seed, diagonal):
    given, rng = drawn(seed)
    r = float(rng.uniform(0.1, 8.0))
    expected = learners.second_order_perceptron(r, diagonal).learn_many(given.csr, given.y)
    arow = learners.arow(r, diagonal)
    for t, (x, y) in enumerate(zip(given.csr, given.y, strict=True)):
        row = x.reshape(1, -1).tocsr()
        margin = arow.decision_many(row)[0]
        np.testing.assert_allclose(margin, expected[t], **CLOSE)
        if y * margin <= 0.0:
            arow.learn_many(row, [y])


@over_seeds
def test_one_feature_makes_full_and_diagonal_the_same(seed):
    given, rng = drawn(seed)
    one = given.csr[:, :1]
    r = float(rng.uniform(0.1, 8.0))
    for form in ("mirror", "original"):
        full, diagonal = (
            learners.arow(r, kind, form, intercept=False).learn_many(one, given.y)
            for kind in (False, True)
        )
        np.testing.assert_allclose(full, diagonal, **CLOSE)


@over_seeds
def test_passive_aggressive_on_rows_of_norm_1_is_the_tuned_rate(seed):
    given, _ = drawn(seed)
    X = given.X / np.maximum(np.linalg.norm(given.X, axis=1, keepdims=True), 1e-300)
    given = given._replace(X=X[X.any(axis=1)], y=given.y[X.any(axis=1)])
    found, expected = (
        build(intercept=False).learn_many(given.csr, given.y)
        for build in (learners.passive_aggressive, learners.tuned_aggressive)
    )
    np.testing.assert_allclose(found, expected, **CLOSE)


@over_seeds
def test_p_2_is_the_euclidean_learner(seed):
    given, _ = drawn(seed, kind="sparse")
    np.testing.assert_allclose(
        learners.p_norm_perceptron(2.0).learn_many(given.csr, given.y),
        learners.perceptron().learn_many(given.csr, given.y),
        **CLOSE,
    )


@over_seeds
def test_p_norm_lms_with_p_2_is_lms_with_the_step_of_the_level(seed):
    given, _ = drawn(seed, "regression", "heavy-tailed")
    theta, level, expected = np.zeros(given.X.shape[1]), 0.0, []
    for x, y in zip(given.X, given.y, strict=True):
        level = max(level, np.linalg.norm(x))
        expected.append(theta @ x / level**2 if level else 0.0)
        theta += (y - expected[-1]) * x
    found = learners.p_norm_lms(2.0, intercept=False).learn_many(given.csr, given.y)
    np.testing.assert_allclose(found, expected, **CLOSE)


@over_seeds
def test_lms_is_gradient_descent_on_the_square_loss(seed):
    given, rng = drawn(seed, "regression")
    eta = float(rng.uniform(0.001, 0.1))
    descent = learners.gradient_descent(eta, "constant", loss="squared")
    np.testing.assert_allclose(
        learners.lms(eta).learn_many(given.csr, given.y),
        descent.learn_many(given.csr, given.y),
        **CLOSE,
    )
