"""The claims of a regularizer's NumPy methods, each tried on the rounds of a short run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fenchel.mirror import MirrorDescent
from fenchel.parts.state import Array, Width

ROUNDS = 6
POINTS = 8
CLIMBS = 60


class Moment(NamedTuple):
    """One round of a run: f_{t−1}, f_t, and points θ from which to look at it."""

    name: str
    t: int
    before: Any
    f: Any
    thetas: list[Array]

    def has(self, *methods: str) -> bool:
        """Whether the part has all these methods."""
        return all(hasattr(self.f, method) for method in methods)

    def flaw(self, claim: str, theta: Array, numbers: str) -> ValueError:
        """The flaw in words: class, claim, where, both numbers."""
        where = np.array2string(theta, precision=4, separator=", ").replace("\n", "")
        return ValueError(f"{self.name}: {claim} in round {self.t} at theta = {where}{numbers}")


def moments(name: str, f: Any, width: Width, rng: np.random.Generator) -> Iterator[Moment]:
    """A run of Algorithm 1 on random rows, one of them empty; what commits keep is shown too."""
    descent = MirrorDescent(f, width)
    shape = descent.theta.shape
    for t in range(1, ROUNDS + 1):
        before = descent.previous
        x = rng.normal(size=shape) * (rng.random(shape) < 0.7) * (t != 2)
        descent.observe(x)
        scales = 10.0 ** rng.uniform(-1.0, 1.0, POINTS)
        thetas = [scale * rng.normal(size=shape) for scale in scales]
        # Strong convexity is weakest where coordinates are equal: one such point.
        thetas[0] = rng.choice([-1.0, 1.0], size=shape)
        yield Moment(name, t, before, descent.regularizer, [*thetas, descent.theta])
        seen = descent.regularizer
        descent.update(rng.normal() * x)
        if descent.previous is not seen:
            yield Moment(name, t, before, descent.previous, thetas[:2])


def gradient_is_the_conjugates(moment: Moment, rng: np.random.Generator) -> None:
    """∇f* is finite, has the shape of θ, and agrees with finite differences of f*."""
    for theta in moment.thetas:
        w = np.asarray(moment.f.gradient(theta))
        if w.shape != theta.shape:
            raise moment.flaw("gradient has another shape", theta, f": {w.shape}, {theta.shape}")
        if not np.isfinite(w).all():
            raise moment.flaw("gradient is not finite", theta, f": it gives {w}")
    if moment.has("conjugate"):
        unit = 1e-300 + max(
            float(np.abs(moment.f.gradient(theta)).max()) for theta in moment.thetas
        )
        for theta in moment.thetas:
            _compare_with_differences(moment, theta, unit)


def _compare_with_differences(moment: Moment, theta: Array, unit: float) -> None:
    w = moment.f.gradient(theta)
    size = max(1.0, float(np.abs(theta).max()))
    worst = np.inf
    # Steep curvature needs a short step, large values a long one: one that agrees is enough.
    for step in (1e-5, 1e-7, 1e-9):
        slopes = differences(moment.f.conjugate, theta, step * size)
        error = np.abs(w - slopes) / unit
        if error.max() < worst:
            worst, best, at = error.max(), slopes, np.unravel_index(np.argmax(error), w.shape)
    if not worst <= 1e-5:
        raise moment.flaw(
            "gradient is not that of conjugate",
            theta,
            f", coordinate {', '.join(map(str, at))}: gradient gives {w[at]:.6g}, "
            f"finite differences of conjugate {best[at]:.6g}",
        )


def differences(function: Callable[[Array], float], at: Array, step: float) -> Array:
    """Central finite differences, coordinate by coordinate."""
    slopes = np.empty(at.shape)
    for index in np.ndindex(at.shape):
        shift = np.zeros(at.shape)
        shift[index] = step
        slopes[index] = (function(at + shift) - function(at - shift)) / (2.0 * step)
    return slopes


def fenchel_young(moment: Moment, rng: np.random.Generator) -> None:
    """f(w) + f*(θ) = ⟨w, θ⟩ at w = ∇f*(θ), eq. (useful); f(u) + f*(θ) ≥ ⟨u, θ⟩ elsewhere."""
    if not moment.has("value", "conjugate"):
        return
    f = moment.f
    images = [f.gradient(theta) for theta in moment.thetas]
    values = [f.value(u) for u in images]
    unit = max(map(abs, values))
    for theta, w in zip(moment.thetas, images, strict=True):
        conjugate = f.conjugate(theta)
        for u, value in [(w, f.value(w)), *zip(images, values, strict=True)]:
            both, product = value + conjugate, float(np.vdot(u, theta))
            short = product - both if u is not w else abs(product - both)
            if not short <= 1e-9 * (unit + abs(conjugate)):
                claim = "f(w) + f*(θ) = ⟨w, θ⟩ fails" if u is w else "f(u) + f*(θ) ≥ ⟨u, θ⟩ fails"
                numbers = f": value + conjugate is {both:.9g}, the inner product {product:.9g}"
                raise moment.flaw(claim, theta, numbers)


def strong_convexity(moment: Moment, rng: np.random.Generator) -> None:
    """f(v) ≥ f(u) + ⟨θ, v − u⟩ + β/2·‖v − u‖² where u = ∇f*(θ); the worst pair is looked for."""
    if not moment.has("value", "norm", "strong_convexity"):
        return
    claimed = float(moment.f.strong_convexity)
    shape = moment.thetas[0].shape
    pairs = [(a, a + 0.3 * rng.normal(size=shape) * np.abs(a).max()) for a in moment.thetas]
    pairs += list(zip(moment.thetas, moment.thetas[1:], strict=False))
    found, theta, other = min(((_curvature(moment.f, *pair), *pair) for pair in pairs), key=_first)
    for step in np.geomspace(0.5, 0.02, CLIMBS):
        near = theta + step * rng.normal(size=shape) * np.abs(theta).max()
        far = other + step * rng.normal(size=shape) * np.abs(other).max()
        trial = _curvature(moment.f, near, far)
        if trial < found:
            found, theta, other = trial, near, far
    if not found >= claimed * (1.0 - 1e-6):
        numbers = f": strong_convexity claims {claimed:.6g}, two points have only {found:.6g}"
        raise moment.flaw("strong convexity is less than claimed", theta, numbers)


def _first(entry: tuple[Any, ...]) -> float:
    return float(entry[0])


def _curvature(f: Any, theta: Array, other: Array) -> float:
    """2·(f(v) − f(u) − ⟨θ, v − u⟩)/‖v − u‖² at u = ∇f*(θ), v = ∇f*(other)."""
    u, v = f.gradient(theta), f.gradient(other)
    size = f.norm(v - u)
    if size <= 1e-3 * (f.norm(u) + f.norm(v)):  # too near: rounding would decide
        return np.inf
    return float(2.0 * (f.value(v) - f.value(u) - np.vdot(theta, v - u)) / size**2)


def dual_norm(moment: Moment, rng: np.random.Generator) -> None:
    """⟨u, z⟩ ≤ ‖u‖·‖z‖_*, and the u that attains it, the gradient of ‖·‖_* at z, has norm 1."""
    if not moment.has("norm", "dual_norm"):
        return
    f = moment.f
    for theta in moment.thetas:
        u, z = f.gradient(theta), rng.normal(size=theta.shape)
        product, bound = float(np.vdot(u, z)), f.norm(u) * f.dual_norm(z)
        if not abs(product) <= bound * (1.0 + 1e-9):
            numbers = f": ⟨u, z⟩ is {abs(product):.6g}, norm(u)·dual_norm(z) only {bound:.6g}"
            raise moment.flaw("dual_norm is too small", theta, numbers)
        best = differences(f.dual_norm, z, 1e-6)
        if best.any() and not abs(f.norm(best) - 1.0) <= 1e-4:
            numbers = f": the gradient of dual_norm has norm {f.norm(best):.6g} instead of 1"
            raise moment.flaw("dual_norm is not the dual of norm", z, numbers)


def growth(moment: Moment, rng: np.random.Generator) -> None:
    """f_{t−1} ≤ f_t at sampled points, unless the part declares otherwise; f_0 counts as 0."""
    if moment.t == 1 or moment.before is moment.f or not moment.has("value"):
        return
    if not getattr(moment.f, "nondecreasing", True):
        return
    for theta in moment.thetas:
        u = moment.f.gradient(theta)
        earlier, later = moment.before.value(u), moment.f.value(u)
        if not earlier <= later + 1e-9 * abs(later):
            numbers = f": f_{{t-1}} is {earlier:.9g}, f_t only {later:.9g} (at the gradient there)"
            raise moment.flaw("f_t falls, though f_{t-1} ≤ f_t is claimed", theta, numbers)


CLAIMS: tuple[Callable[[Moment, np.random.Generator], None], ...] = (
    gradient_is_the_conjugates,
    fenchel_young,
    dual_norm,
    strong_convexity,
    growth,
)
