"""Implicit updates: the slope after the step, and the regret bound that belongs to them."""

import numpy as np
import pytest

from fenchel import Learner, losses, rules
from fenchel.certificates import agrees
from fenchel.losses.protocol import proximal
from fenchel.regularizers import Euclidean

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NUMBERS = X @ [1.0, -1.0, 0.5] + 0.3 * RNG.normal(size=60)
LOSSES = (
    *(losses.Hinge(), losses.SquaredHinge(), losses.Logistic(), losses.Squared()),
    *(losses.Absolute(), losses.EpsilonInsensitive(), losses.Quantile(), losses.Huber()),
)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_the_margin_after_is_the_minimiser(loss):
    for m, y, reach in RNG.normal(size=(50, 3)) * [2.0, 1.0, 3.0]:
        y, reach = (np.sign(y) if loss.task == "binary" else y), abs(reach)
        p = proximal(loss, m, y, reach)
        near = p + np.array([-1e-4, 0.0, 1e-4])
        worth = [float(losses.value(loss, q, y)) + (q - m) ** 2 / (2.0 * reach) for q in near]
        assert worth[1] <= min(worth) + 1e-12


@pytest.mark.parametrize("loss", LOSSES[:4], ids=lambda loss: type(loss).__name__)
def test_upper_implicit_updates(loss):
    learner = Learner.of(loss, Euclidean(), rules.Implicit(eta=2.0), certify=True)
    y = np.sign(NUMBERS) if loss.task == "binary" else NUMBERS
    learner.learn_many(X, y, RNG.choice([0.0, 0.5, 2.0], 60))
    for u in (None, np.zeros(4)):
        found = {c.theorem: c for c in learner.certificates(u)}
        assert {"Lemma 1", "Implicit updates"} <= found.keys()
        for c in found.values():
            assert not c.applies or c.kind == "printed" or c.holds, str(c)
            assert agrees(c, learner.verify(c)), str(c)


def test_under_the_hinge_loss_it_is_pa_1():
    labels = np.sign(NUMBERS)
    ours, known = (
        Learner.of(losses.Hinge(), Euclidean(), rule).learn_many(X, labels)
        for rule in (rules.Implicit(eta=0.7), rules.PassiveAggressive(C=0.7))
    )
    np.testing.assert_allclose(ours, known, atol=1e-12)
