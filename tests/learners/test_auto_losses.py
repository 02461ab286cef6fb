"""``auto`` for quantiles and robust losses: near the best fixed prediction, saved and loaded."""

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.losses import Huber, Quantile


def stream(rows=3000, seed=0):
    """Targets whose spread grows with the second column, in hundreds, with a heavy tail."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 1.0, (rows, 2))
    return X, 300.0 * X[:, 0] + 200.0 * X[:, 1] * np.abs(rng.standard_t(3, rows))


def pinball(tau, predicted, y):
    return np.mean(np.maximum(tau * (y - predicted), (1 - tau) * (predicted - y)))


@pytest.mark.parametrize("tau", [0.1, 0.9])
def test_a_quantile_beats_the_best_constant(tau):
    X, y = stream()
    learner = learners.auto(task="regression", loss=Quantile(tau=tau))
    margins = learner.learn_many(X, y)
    assert pinball(tau, margins[500:], y[500:]) < 0.9 * pinball(tau, np.quantile(y, tau), y[500:])
    assert abs(np.mean(y[500:] < margins[500:]) - tau) < 0.1


def test_a_robust_loss_is_kept_by_files(tmp_path):
    X, y = stream(300)
    learner = learners.auto(task="regression", loss=Huber(delta=20.0))
    learner.learn_many(X, y)
    learner.save(tmp_path / "m")
    loaded = Learner.load(tmp_path / "m")
    assert loaded.parameters["loss"] == Huber(delta=20.0)
    assert np.array_equal(learner.freeze().predict_many(X), loaded.predict_many(X))
    assert all(certificate.holds for certificate in loaded.certificates())


@pytest.mark.parametrize("wrong", [{"loss": "hinge"}, {"loss": "absolute", "task": "binary"}])
def test_losses_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError, match="loss="):
        learners.auto(**{"task": "regression", **wrong})
