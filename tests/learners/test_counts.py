"""Counts: the Poisson loss, means that are not negative, labels that must not be."""

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.estimators import OnlineRegressor
from fenchel.evaluate import progressive
from fenchel.streams import from_arrays

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=1500), 100.0 * RNG.uniform(size=1500)])
RATES = np.exp(1.0 + 0.5 * X[:, 0] - 0.02 * X[:, 1])
Y = RNG.poisson(RATES).astype(float)


def deviance(mean, y):
    logs = np.log(np.where(y > 0.0, y, 1.0)) - np.log(mean)
    return 2.0 * np.mean(np.where(y > 0.0, y * logs, 0.0) - y + mean)


@pytest.fixture(scope="module")
def counted():
    learner = learners.auto(task="regression", loss="poisson")
    return learner, learner.learn_many(X, Y)


def test_auto_comes_near_the_rates(counted):
    _, margins = counted
    late = slice(500, None)
    best = deviance(RATES[late], Y[late])
    constant = deviance(np.full(1000, Y[late].mean()), Y[late])
    assert deviance(np.exp(margins[late]), Y[late]) < best + 0.2 * (constant - best)


def test_predictions_are_means(counted):
    learner, _ = counted
    found = learner.predict_many(X[:50])
    assert (found >= 0.0).all()
    np.testing.assert_allclose(found, np.exp(learner.decision_many(X[:50])))
    assert learner.predict_one(X[0]) == pytest.approx(found[0])
    assert all(certificate.holds for certificate in learner.certificates())


def test_files_keep_them(counted, tmp_path):
    learner, _ = counted
    learner.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    assert np.array_equal(loaded.predict_many(X), learner.copy().freeze().predict_many(X))
    with pytest.raises(ValueError, match="a count, 0 or more"):
        loaded.learn_many(X[:2], [1.0, -2.0])


SINGLE = "gradient_descent:schedule=constant,rule=invariant,eta=0.01,loss=poisson"


def test_scores_are_of_means():
    rows = X / [1.0, 100.0]
    made = progressive(SINGLE, from_arrays(rows, Y), metrics=["poisson"])
    means = np.exp(learners.from_specification(SINGLE).learn_many(rows, Y))
    assert made.loss == pytest.approx(deviance(means, Y))
    assert made.metrics["poisson"] == pytest.approx(deviance(means, Y))


def test_the_estimator_predicts_means():
    found = OnlineRegressor(SINGLE).fit(X / [1.0, 100.0], Y).predict(X / [1.0, 100.0])
    assert deviance(found, Y) < 0.7 * deviance(np.full(len(Y), Y.mean()), Y)


def _answered_late(learner, x, y):
    learner.answer(learner.ask(x), y)


@pytest.mark.parametrize("entrance", [Learner.learn_one, _answered_late])
def test_negative_counts_are_refused(counted, entrance):
    learner = counted[0].copy()
    with pytest.raises(ValueError, match="a count, 0 or more"):
        entrance(learner, X[0], -1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda one: learners.interval(one),
        lambda one: learners.multi_output(one),
        lambda one: learners.hedge([one, learners.lms()]),
        lambda one: learners.hedge([one, one], combined=True),
        lambda one: learners.gradient_descent(loss="poisson", task="binary"),
        lambda one: learners.coin_betting(loss="poisson"),
    ],
)
def test_what_counts_do_not_fit_is_refused(make):
    with pytest.raises(ValueError, match=r"count|Lipschitz"):
        make(learners.gradient_descent(loss="poisson"))
