"""f_t = X_t²·f with X_t = max_{s≤t} ‖x_s‖_*: adaptive filtering without knowing the input's level."""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._kernel import required_verb
from fenchel._kernel.rows import LARGEST, dual_p_norm, entries, saturated, slot_of, value_of
from fenchel._kernel.state import SCALAR, Array, part
from fenchel.regularizers.euclidean import Euclidean
from fenchel.regularizers.p_norm import PNorm, WeightedPNorm
from fenchel.regularizers.verbs import commit, look, product, weight


@part
class Leveled(NamedTuple):
    """f_t(w) = X_t²·f(w) for a 2-homogeneous f, X_t the running maximum of ‖x‖_*, x_t's included.

    f_t is X_t²·β-strongly convex where f is β-strongly convex; ∇f_t*(θ) = ∇f*(θ)/X_t². Before the
    first non-zero row X_t = 0 and w_t = 0.

    >>> import numpy as np
    >>> f = Leveled(PNorm(p=2.0)).begin(2).observe(np.array([0.0, 2.0]))
    >>> f.gradient(np.array([4.0, 8.0]))
    array([1., 2.])
    """

    inner: Any = PNorm()
    level: Array = SCALAR

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    def observe(self, x: Array) -> Leveled:
        """f_t, with X_t the larger of X_{t−1} and ‖x_t‖_*."""
        return self._replace(level=self.level.clip(min=self.inner.dual_norm(x)))

    def value(self, u: Array) -> float:
        """f_t(u) = X_t²·f(u)."""
        return float(self.level[0] ** 2 * self.inner.value(u))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = f*(θ)/X_t², f being 2-homogeneous."""
        if self.level[0] == 0.0:
            return 0.0
        return float(self.inner.conjugate(theta / self.level[0]))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ) = ∇f*(θ)/X_t²."""
        if self.level[0] == 0.0:
            return theta * 0.0
        return self.inner.gradient(theta / self.level[0]) / self.level[0]  # type: ignore[no-any-return]

    @property
    def strong_convexity(self) -> float:
        """β_t = X_t²·β."""
        return float(self.level[0] ** 2 * self.inner.strong_convexity)

    def norm(self, u: Array) -> float:
        """The norm of f."""
        return float(self.inner.norm(u))

    def dual_norm(self, z: Array) -> float:
        """The dual norm of f."""
        return float(self.inner.dual_norm(z))


class _View(NamedTuple):
    level: float
    inner: Any


@required_verb
def dual_norm_of(f: Any, row: Any) -> Any:
    """‖x‖_* of a row, the intercept included."""


@dual_norm_of.of(Euclidean)
def _euclidean_norm(f: Any, row: Any) -> float:
    return dual_p_norm(row, 2.0)


@dual_norm_of.of(PNorm)
def _p_norm(f: Any, row: Any) -> float:
    return dual_p_norm(row, f.p)


@dual_norm_of.of(WeightedPNorm)
def _weighted_p_norm(f: Any, row: Any) -> float:
    """(Σ |x_i|^p·a_i^{1−p})^{1/p}, the largest term factored out."""
    largest = 0.0
    for k in range(entries(row)):
        scaled = saturated(abs(value_of(row, k)) * f.a[slot_of(row, k)] ** (1.0 / f.p - 1.0))
        largest = max(largest, scaled)
    if largest == 0.0:
        return 0.0
    total = 0.0
    for k in range(entries(row)):
        scaled = saturated(abs(value_of(row, k)) * f.a[slot_of(row, k)] ** (1.0 / f.p - 1.0))
        total += (scaled / largest) ** f.p
    return float(largest * total ** (1.0 / f.p))


@look.of(Leveled)
def _look(f: Any, row: Any) -> _View:
    level = min(max(f.level[0], dual_norm_of(f.inner, row)), LARGEST)
    return _View(level, look(f.inner, row))


@weight.of(Leveled)
def _weight(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j = (∇f*(θ))_j/X_t², divided twice: the square of a small level would underflow."""
    if view.level == 0.0:
        return 0.0
    return saturated(weight(f.inner, view.inner, slot, x) / view.level / view.level)


@product.of(Leveled)
def _product(f: Any, view: Any, slot: Any, x: float) -> float:
    if view.level == 0.0:
        return 0.0
    return float(saturated(weight(f.inner, view.inner, slot, x) / view.level) * (x / view.level))


@commit.of(Leveled)
def _commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    f.level[0] = view.level
    commit(f.inner, view.inner, row, coefficient)
