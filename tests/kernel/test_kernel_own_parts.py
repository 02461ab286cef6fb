"""A regularizer and a loss from outside the package run in the same compiled loop."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from fenchel import Learner, MirrorDescent
from fenchel._numba.jit import fresh, lean
from fenchel.learners import perceptron
from fenchel.loops import decide_rows, learn_rows
from fenchel.losses import Hinge, derivative, value
from fenchel.parts.state import SLOTS, Array
from fenchel.regularizers import Euclidean, check_regularizer, weight
from fenchel.rules import Subgradient, TunedAggressive


class Quartic(NamedTuple):
    """f(w) = Σ w_i⁴/4."""

    theta: Array = SLOTS

    def gradient(self, theta: Array) -> Array:
        return np.cbrt(theta)


@weight.of(Quartic)
def _quartic_weight(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(np.cbrt(f.theta[slot]))


class LogCosh(NamedTuple):
    """ℓ(m, y) = ln cosh(m − y)."""

    task = "regression"
    lipschitz = 1.0


@value.of(LogCosh)
def _log_cosh(loss: Any, margin: float, y: float) -> float:
    return float(np.log(np.cosh(margin - y)))


@derivative.of(LogCosh)
def _log_cosh_slope(loss: Any, margin: float, y: float) -> float:
    return float(np.tanh(margin - y))


class Bare(NamedTuple):
    theta: Array = SLOTS


class Silent(NamedTuple):
    task = "binary"


def test_own_regularizer_and_loss_learn_as_mirror_descent_does():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    learner = Learner.of(LogCosh(), Quartic(), Subgradient(0.3), intercept=False)
    descent = MirrorDescent(Quartic(), 3)
    expected = []
    for x, target in zip(X, y, strict=True):
        expected.append(float(descent.predict() @ x))
        descent.update(-0.3 * np.tanh(expected[-1] - target) * x)
    np.testing.assert_allclose(learner.learn_many(X, y), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.weights(), descent.predict(), rtol=1e-9)
    np.testing.assert_allclose(
        learner.decision_many(X), X @ descent.predict(), rtol=1e-9, atol=1e-12
    )


def test_own_parts_are_compiled_apart_from_the_cache():
    learner = Learner.of(LogCosh(), Quartic(), Subgradient(0.3), intercept=False)
    X, y = np.ones((2, 3)), [1.0, 2.0]
    learner.learn_many(X, y)
    learner.decision_many(X)
    if not hasattr(learn_rows, "signatures"):
        pytest.skip("the compiler is switched off")
    for cached in (learn_rows, decide_rows):
        assert not any("Quartic" in str(signature) for signature in cached.signatures)
        assert any("Quartic" in str(signature) for signature in fresh(cached).signatures)
        assert not fresh(cached).stats.cache_hits
        assert not fresh(cached).stats.cache_path


def test_own_regularizer_is_checked():
    check_regularizer(Quartic())


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((Hinge(), Bare(), Subgradient()), "Bare has no verb 'weight'; write it with @weight.of"),
        ((Silent(), Euclidean(), Subgradient()), "Silent has no verb 'derivative'"),
        ((Hinge(), Quartic(), TunedAggressive()), "Quartic has no verb 'dual_norm_of'"),
    ],
    ids=["regularizer", "loss", "rule asks more"],
)
def test_a_missing_verb_is_named_with_its_class(parts, message):
    with pytest.raises(ValueError, match=message):
        Learner.of(*parts)


def test_a_missing_verb_is_named_in_plain_python_too():
    with pytest.raises(TypeError, match=r"Bare has no verb 'weight': .*@weight.of\(Bare\)"):
        weight(Bare(), 1.0, 0, 0.0)


def test_a_part_may_inherit_its_verbs():
    class Renamed(Quartic):
        pass

    f = Renamed(theta=np.array([8.0]))
    assert weight(f, 1.0, 0, 0.0) == 2.0


def test_package_parts_stay_in_the_cached_loop():
    before = len(getattr(fresh(learn_rows), "signatures", []))  # none without the compiler
    learner = perceptron()
    learner.learn_many([[1.0, 2.0]], [1])
    if hasattr(learn_rows, "signatures"):
        assert any("Euclidean" in str(signature) for signature in lean(learn_rows).signatures)
        assert len(fresh(learn_rows).signatures) == before


def test_a_learner_of_the_packages_own_parts_is_saved_and_loaded(tmp_path):
    learner = Learner.of(Hinge(), Euclidean(), TunedAggressive())
    learner.learn_many([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    learner.save(tmp_path / "own")
    twin = Learner.load(tmp_path / "own")
    assert twin.weights().tolist() == learner.weights().tolist()
    X, y = [[0.5, 1.0], [2.0, -1.0]], [1, -1]
    assert twin.learn_many(X, y).tolist() == learner.learn_many(X, y).tolist()


def test_a_learner_with_a_part_from_outside_needs_that_part_alone(tmp_path):
    learner = Learner.of(LogCosh(), Quartic(), Subgradient(0.3), intercept=False)
    learner.learn_many([[1.0, 2.0], [2.0, 1.0]], [0.5, -1.5])
    learner.save(tmp_path / "own")
    with pytest.raises(ValueError, match=r"from outside fenchel: pass parts=\["):
        Learner.load(tmp_path / "own")
    twin = Learner.load(tmp_path / "own", parts=[LogCosh, Quartic])
    assert twin.weights().tolist() == learner.weights().tolist()
