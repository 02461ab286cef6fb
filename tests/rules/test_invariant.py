"""Importance-invariant updates: weight w is w repetitions, and infinitely many small steps."""

import numpy as np
import pytest

from fenchel import learners, losses, rules
from fenchel.estimators import OnlineClassifier
from fenchel.losses.protocol import derivative, flow

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
LOSSES = (
    *(losses.Hinge(), losses.SquaredHinge(), losses.Logistic(), losses.Squared()),
    *(losses.Absolute(), losses.EpsilonInsensitive(0.2), losses.Quantile(0.8), losses.Huber(0.7)),
    losses.Poisson(),
)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)


def labels_for(loss, numbers):
    if loss.task == "binary":
        return np.where(numbers > 0.0, 1.0, -1.0)
    return np.floor(3.0 * np.abs(numbers)) if hasattr(loss, "mean") else numbers


@every_loss
def test_the_flow_is_where_small_steps_lead(loss):
    draws = RNG.normal(size=(12, 3)) * [2.0, 1.0, 2.0]
    for (m, _, reach), y in zip(draws, labels_for(loss, draws[:, 1]), strict=True):
        reach = abs(reach)
        p = m
        for _ in range(1000):
            p -= reach / 1000 * float(derivative(loss, p, y))
        assert flow(loss, m, y, reach) == pytest.approx(p, abs=0.02)


@every_loss
def test_a_flow_can_be_cut_anywhere(loss):
    draws = RNG.normal(size=(50, 4)) * [3.0, 1.0, 2.0, 2.0]
    for (m, _, a, b), y in zip(draws, labels_for(loss, draws[:, 1]), strict=True):
        first = flow(loss, m, y, abs(a))
        whole = flow(loss, m, y, abs(a) + abs(b))
        assert flow(loss, first, y, abs(b)) == pytest.approx(whole, rel=1e-9, abs=1e-12)


@every_loss
def test_weight_w_is_w_repetitions(loss):
    y, times, rule = labels_for(loss, X[:, 0]), RNG.integers(0, 4, 40), rules.Invariant(eta=0.3)
    weighed, repeated = np.zeros(3), np.zeros(3)
    for x, label, count in zip(X, y, times, strict=True):
        weighed += rule.step(loss, None, x, float(count), x @ weighed, label) * x
        for _ in range(count):
            repeated += rule.step(loss, None, x, 1.0, x @ repeated, label) * x
    np.testing.assert_allclose(weighed, repeated, rtol=1e-8, atol=1e-10)


def test_the_learner_takes_the_steps_of_the_formula():
    learner = learners.gradient_descent(
        0.3, "constant", rule="invariant", loss="logistic", intercept=False
    )
    y, times = labels_for(losses.Logistic(), X[:, 0]), RNG.uniform(0.0, 4.0, 40)
    margins, rule, w = learner.learn_many(X, y, times), rules.Invariant(eta=0.3), np.zeros(3)
    for x, label, amount, margin in zip(X, y, times, margins, strict=True):
        assert margin == pytest.approx(x @ w)
        w += rule.step(losses.Logistic(), None, x, amount, x @ w, label) * x


def test_a_huge_weight_does_not_overshoot():
    learner = learners.gradient_descent(1.0, "constant", rule="invariant", loss="squared")
    learner.learn_many([[3.0]], [2.0], [1e12])
    assert learner.decision_one([3.0]) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"rule": "other"}, "choose 'subgradient' or 'invariant'"),
        ({"rule": "invariant"}, "schedule='constant'"),
        ({"rule": "invariant", "schedule": "constant", "half_life": 9.0}, "half_life"),
    ],
)
def test_what_has_no_closed_form_is_refused(wrong, match):
    with pytest.raises(ValueError, match=match):
        learners.gradient_descent(**wrong)


def test_negative_importance_is_refused_in_python():
    learner = learners.perceptron()
    for learn in (
        lambda: learner.learn_one({"a": 1.0}, True, -1.0),
        lambda: learner.learn_many([{"a": 1.0}], [True], [-1.0]),
        lambda: learner.answer(learner.ask({"a": 1.0}), True, -1.0),
        lambda: OnlineClassifier("perceptron").partial_fit([[1.0]], [1], [0, 1], [-1.0]),
    ):
        with pytest.raises(ValueError, match="not negative"):
            learn()
