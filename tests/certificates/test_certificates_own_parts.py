"""A regularizer from outside the package has its guarantee measured too."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from fenchel import Learner
from fenchel.losses import Hinge, Squared
from fenchel.parts.state import SLOTS, Array
from fenchel.regularizers import Euclidean, weight
from fenchel.rules import Aggressive, Residual, Subgradient


class Copied(NamedTuple):
    """½‖w‖₂² once more."""

    theta: Array = SLOTS

    strong_convexity = 1.0
    homogeneous = True

    def value(self, u: Array) -> float:
        return 0.5 * float(u @ u)

    def gradient(self, theta: Array) -> Array:
        return theta

    def conjugate(self, theta: Array) -> float:
        return 0.5 * float(theta @ theta)

    def norm(self, u: Array) -> float:
        return float(np.linalg.norm(u))

    def dual_norm(self, z: Array) -> float:
        return float(np.linalg.norm(z))


class Firm(Copied):
    """Σ w²/2 + |w|³/3: not homogeneous."""

    homogeneous = False

    def value(self, u: Array) -> float:
        return float(np.sum(u * u / 2 + np.abs(u) ** 3 / 3))

    def gradient(self, theta: Array) -> Array:
        return np.sign(theta) * (np.sqrt(1 + 4 * np.abs(theta)) - 1) / 2

    def conjugate(self, theta: Array) -> float:
        w = self.gradient(theta)
        return float(theta @ w) - self.value(w)


class Undeclared(NamedTuple):
    theta: Array = SLOTS

    def gradient(self, theta: Array) -> Array:
        return theta


@weight.of(Copied)
def _copied(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(f.theta[slot])


@weight.of(Firm)
def _firm(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(np.sign(f.theta[slot]) * (np.sqrt(1 + 4 * abs(f.theta[slot])) - 1) / 2)


@weight.of(Undeclared)
def _undeclared(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(f.theta[slot])


def _learned(loss: Any, f: Any, rule: Any) -> Learner:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 4))
    y = X @ [1.0, -0.5, 0.0, 2.0] + 0.3 * rng.normal(size=120)
    learner = Learner.of(loss, f, rule, certify=True)
    learner.learn_many(X, y if isinstance(loss, Squared) else np.sign(y))
    return learner


PAIRS = [(Hinge(), Subgradient(0.4)), (Hinge(), Aggressive(1.0)), (Squared(), Residual(0.05))]


@pytest.mark.parametrize(("loss", "rule"), PAIRS)
def test_a_copy_of_a_regularizer_has_its_certificates(loss, rule):
    ours = {(c.theorem, c.equation): c for c in _learned(loss, Euclidean(), rule).certificates()}
    own = _learned(loss, Copied(), rule).certificates()
    assert {"Lemma 1"} < {c.theorem for c in own}
    for c in own:
        twin = ours[c.theorem, c.equation]
        assert c.achieved == pytest.approx(twin.achieved, rel=1e-9, abs=1e-9)
        assert c.bound == pytest.approx(twin.bound, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("loss", "rule"), PAIRS)
def test_a_new_regularizer_keeps_what_the_lemma_promises(loss, rule):
    learner = _learned(loss, Firm(), rule)
    found = learner.certificates()
    assert {"Lemma 1", "Corollary 1"} <= {c.theorem for c in found}
    for c in found:
        assert not c.applies or c.achieved <= c.bound + 1e-9 * c.unit
    assert learner.certificate().theorem != "Lemma 1"


def test_what_a_regularizer_must_tell_is_said():
    learner = _learned(Hinge(), Undeclared(), Subgradient(0.4))
    with pytest.raises(ValueError, match=r"learner\.theorems\(\) for what each one misses"):
        learner.certificate()
