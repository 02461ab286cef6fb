"""What ``check_regularizer`` says of regularizers that are wrong, one way each."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from fenchel.parts.state import SCALAR, SLOTS, Array
from fenchel.regularizers import (
    AdaGrad,
    Ball,
    CoinBetting,
    Composite,
    Euclidean,
    ProximalCentres,
    check_regularizer,
    commit,
    look,
    weight,
)


class Ridge:
    """½‖w‖², right in everything; the wrong ones below change one thing."""

    strong_convexity = 1.0

    def value(self, u: Array) -> float:
        return 0.5 * float(np.vdot(u, u))

    def conjugate(self, theta: Array) -> float:
        return 0.5 * float(np.vdot(theta, theta))

    def gradient(self, theta: Array) -> Array:
        return theta

    def norm(self, u: Array) -> float:
        return float(np.linalg.norm(u))

    dual_norm = norm


class WrongSign(Ridge):
    def gradient(self, theta: Array) -> Array:
        return -theta


class WrongFactor(Ridge):
    def value(self, u: Array) -> float:
        return float(np.vdot(u, u))


class Overdeclared(Ridge):
    strong_convexity = 1.1


class AnotherGradient(Ridge):
    def gradient(self, theta: Array) -> Array:
        return np.tanh(theta)


class SmallDualNorm(Ridge):
    def dual_norm(self, z: Array) -> float:
        return float(np.abs(z).max())


class Concave(Ridge):
    """−½‖w‖²: w is a stationary point of ⟨w, θ⟩ − f(w), and no maximum."""

    def value(self, u: Array) -> float:
        return -super().value(u)

    def conjugate(self, theta: Array) -> float:
        return -super().conjugate(theta)

    def gradient(self, theta: Array) -> Array:
        return -theta


class WrongShape(Ridge):
    def gradient(self, theta: Array) -> Array:
        return theta[:-1]


class NotFinite(Ridge):
    def gradient(self, theta: Array) -> Array:
        return theta / np.zeros_like(theta)


class Shrinking(Ridge):
    """f_t = ½‖w‖²/t."""

    def __init__(self, t: float = 0.0) -> None:
        self.t = t

    @property
    def strong_convexity(self) -> float:
        return 1.0 / self.t

    def value(self, u: Array) -> float:
        return super().value(u) / self.t

    def conjugate(self, theta: Array) -> float:
        return super().conjugate(theta) * self.t

    def gradient(self, theta: Array) -> Array:
        return theta * self.t

    def observe(self, x: Array) -> "Shrinking":
        return type(self)(self.t + 1.0)


class HonestlyShrinking(Shrinking):
    nondecreasing = False


class LazyHalf(NamedTuple):
    """Its verb reads half of what its gradient says."""

    theta: Array = SLOTS

    def gradient(self, theta: Array) -> Array:
        return theta


class Peeping(NamedTuple):
    """Counts its looks."""

    theta: Array = SLOTS
    looks: Array = SCALAR


class Backwards(NamedTuple):
    theta: Array = SLOTS


class Swirl(NamedTuple):
    """w is θ turned by a right angle in one plane: monotone, and no gradient."""

    theta: Array = SLOTS


class Cubed(NamedTuple):
    theta: Array = SLOTS


@weight.of(LazyHalf)
def _half(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(0.5 * f.theta[slot])


@weight.of(Peeping)
def _peeping(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(f.theta[slot])


@look.of(Peeping)
def _peep(f: Any, row: Any) -> float:
    f.looks[0] += 1.0
    return 1.0


@weight.of(Backwards)
def _backwards(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(-f.theta[slot])


@weight.of(Swirl)
def _swirl(f: Any, view: Any, slot: Any, x: float) -> float:
    if slot == 0:
        return float(f.theta[0] + 0.5 * f.theta[1])
    return float(f.theta[1] - 0.5 * f.theta[0]) if slot == 1 else float(f.theta[slot])


@weight.of(Cubed)
def _cubed(f: Any, view: Any, slot: Any, x: float) -> float:
    return float(f.theta[slot] ** 3)


def found(part: Any, **options: Any) -> str:
    with pytest.raises(ValueError, match=f"^{type(part).__name__}: ") as caught:
        check_regularizer(part, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("part", "says"),
    [
        (WrongSign(), ["gradient is not that of conjugate in round 1 at theta = [", "coordinate"]),
        (AnotherGradient(), ["gradient is not that of conjugate", "gives -0.761594", "ate -1"]),
        (WrongFactor(), ["f(w) + f*(θ) = ⟨w, θ⟩ fails", "conjugate is 9", "product 6"]),
        (Overdeclared(), ["strong convexity is less than claimed", "claims 1.1", "have only 1"]),
        (SmallDualNorm(), ["dual_norm is too small", "⟨u, z⟩ is", "norm(u)·dual_norm(z) only"]),
        (Concave(), ["f(u) + f*(θ) ≥ ⟨u, θ⟩ fails", "value + conjugate is -"]),
        (WrongShape(), ["gradient has another shape", "(5,), (6,)"]),
        (NotFinite(), ["gradient is not finite", "inf"]),
        (Shrinking(), ["f_t falls, though f_{t-1} ≤ f_t is claimed", "in round 2"]),
        (LazyHalf(), ["lazy and dense differ in round 2: margin is"]),
        (Peeping(), ["looking changes the state: looks was [0.], is [1.]", "change it in commit"]),
        (Backwards(), ["not the gradient of a convex conjugate", "⟨Δw, Δθ⟩ is -"]),
        (Swirl(), ["weight is not a gradient at theta", "not symmetric"]),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "_fields") else None,
)
def test_what_is_wrong_is_named(part, says):
    with np.errstate(all="ignore"):
        message = found(part)
    for words in says:
        assert words in message


@pytest.mark.parametrize(
    "part",
    [Ridge(), HonestlyShrinking(), Cubed(), Euclidean(), CoinBetting()],
    ids=lambda part: type(part).__name__,
)
def test_what_is_right_passes(part):
    check_regularizer(part)


def test_a_domain_that_does_not_suit_is_found_out():
    # Euclidean projection is not the maximiser where f_t has an ℓ₁ term or unequal curvatures.
    assert "Composite: " in found(Composite(l1=0.5, domain=Ball(0.3)))
    assert "AdaGrad: " in found(AdaGrad(delta=1.0, domain=Ball(0.3)))


def test_the_centres_of_ftrl_are_no_plain_sum():
    # Its θ holds the centres too, which MirrorDescent's does not.
    assert "lazy and dense differ" in found(ProximalCentres())


def test_a_part_that_says_nothing_is_refused():
    with pytest.raises(ValueError, match=r"^object is no regularizer: .*gradient\(theta\).*weight"):
        check_regularizer(object())


def test_every_seed_finds_the_flaw():
    for seed in range(10):
        assert "strong convexity" in found(Overdeclared(), seed=seed, width=3)


def test_a_commit_that_forgets_is_found_out():
    class Forgetful(NamedTuple):
        theta: Array = SLOTS

        def gradient(self, theta: Array) -> Array:
            return theta

    @weight.of(Forgetful)
    def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
        return float(f.theta[slot])

    @commit.of(Forgetful)
    def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
        pass

    assert "Forgetful: lazy and dense differ in round 2" in found(Forgetful())
