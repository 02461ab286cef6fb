"""What an importance of 2 means, learner by learner, as the docstrings say."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from learner_cases import BY_ID, CASES, PLAIN, compiled_for, drawn

from fenchel import Learner, learners, losses
from fenchel.losses import derivative, value

SEEDS = range(5 if PLAIN else 2)
TWICE_THE_STEP = [
    "perceptron",
    "p_norm_perceptron",
    "tuned_aggressive",
    "winnow",
    "p_norm_lms",
    "lms",
    "normalized_lms",
    "second_order_perceptron-diagonal",
    "second_order_perceptron-full",
    "arow-diagonal",
    "arow-full",
]
TWICE_THE_LOSS = [
    case
    for case in compiled_for("dual_averaging")  # a loss from outside the package compiles anew
    if case.losses and case.name != "passive_aggressive"
]


class Doubled(NamedTuple):
    """2·ℓ."""

    inner: Any

    @property
    def task(self):
        return self.inner.task


@value.of(Doubled)
def _value(loss, margin, y):
    return 2.0 * value(loss.inner, margin, y)


@derivative.of(Doubled)
def _derivative(loss, margin, y):
    return 2.0 * derivative(loss.inner, margin, y)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_importance_1_is_no_importance(case):
    given, parameters, intercept = drawn(case, "sparse", 0)
    with_ones, without = (case.learner(parameters, intercept=intercept) for _ in range(2))
    expected = without.learn_many(given.csr, given.y)
    found = with_ones.learn_many(given.csr, given.y, np.ones(len(given.y)))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", TWICE_THE_STEP)
def test_twice_the_step(name):
    """z_t is twice as long: seen in θ after one round."""
    case = BY_ID[name]
    for seed in SEEDS:
        given, parameters, intercept = drawn(case, "dense", seed)
        row, target = sp.csr_array(given.X[-1:]), given.y[-1:]
        once, twice = (case.learner(parameters, intercept=intercept) for _ in range(2))
        once.learn_many(row, target)
        twice.learn_many(row, target, [2.0])
        np.testing.assert_allclose(theta_of(twice), 2.0 * theta_of(once), rtol=1e-12)


def theta_of(learner):
    f = learner.regularizer
    return f.inner.theta if hasattr(f, "inner") else f.theta


@pytest.mark.parametrize("case", TWICE_THE_LOSS, ids=lambda case: case.id)
def test_twice_the_loss(case):
    for seed in SEEDS:
        given, parameters, intercept = drawn(case, "dense", seed)
        if case.name in ("coin_betting", "scinol", "freegrad"):
            parameters["loss"] = "quantile"  # coins of ½ stay within what a bettor owns
        learner = case.learner(parameters, intercept=intercept)
        if learner.task != ("binary" if set(given.y) <= {-1.0, 1.0} else "regression"):
            continue
        doubled = Learner.of(
            Doubled(learner.loss), learner.regularizer, learner.rule, intercept=intercept
        )
        with np.errstate(over="ignore", invalid="ignore"):
            found = learner.learn_many(given.csr, given.y, np.full(len(given.y), 2.0))
            expected = doubled.learn_many(given.csr, given.y)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("diagonal", [True, False])
def test_vovk_azoury_warmuth_has_seen_the_example_twice(diagonal):
    case = BY_ID[f"vovk_azoury_warmuth-{'diagonal' if diagonal else 'full'}"]
    for seed in SEEDS:
        given, parameters, intercept = drawn(case, "dense", seed)
        weighted, repeated = (case.learner(parameters, intercept=intercept) for _ in range(2))
        times = np.random.default_rng(seed).integers(0, 4, size=len(given.y))
        weighted.learn_many(given.csr, given.y, times.astype(float))
        twice = np.repeat(np.arange(len(given.y)), times)
        repeated.learn_many(given.csr[twice], given.y[twice])
        found, expected = (learner.decision_many(given.csr) for learner in (weighted, repeated))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("build", "parameter", "factor"),
    [
        (learners.passive_aggressive, "C", 2.0),
        (learners.soft_confidence_weighted, "C", 2.0),
        (lambda r: learners.arow(r, form="original"), "r", 0.5),
        (lambda r: learners.arow(r, diagonal=False, form="original"), "r", 0.5),
    ],
    ids=["passive_aggressive", "soft_confidence_weighted", "arow-diagonal", "arow-full"],
)
def test_another_parameter_for_the_example(build, parameter, factor):
    for seed in SEEDS:
        given, _, _ = drawn(BY_ID["perceptron"], "dense", seed)
        size = float(np.random.default_rng(seed).uniform(0.1, 3.0))
        found = build(**{parameter: size}).learn_many(
            given.csr, given.y, np.full(len(given.y), 2.0)
        )
        expected = build(**{parameter: size * factor}).learn_many(given.csr, given.y)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("diagonal", [True, False])
def test_second_order_learners_put_twice_the_square_into_the_matrix(diagonal):
    x, r = sp.csr_array([[1.5]]), 0.7
    for build in (learners.second_order_perceptron, learners.arow):
        learner = build(r, diagonal, intercept=False)
        learner.learn_many(x, [1], [2.0])
        np.testing.assert_allclose(learner.weights(), 2.0 * 1.5 / (1.0 + 2.0 * 1.5**2 / r))


@pytest.mark.parametrize("name", sorted({case.name for case in CASES}))
def test_docstrings_say_what_importance_means(name):
    assert "mportance" in learners.CATALOGUE[name].build.__doc__


def test_losses_keep_their_kinks_when_doubled():
    assert derivative(Doubled(losses.Hinge()), 1.0, 1.0) == 0.0
