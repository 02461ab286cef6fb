"""Algorithm 1 of the paper: online mirror descent with time-varying regularizers, in plain NumPy.

    θ_1 = 0;  for t = 1, 2, …:   w_t = ∇f_t*(θ_t),   observe z_t,   θ_{t+1} = θ_t + z_t.

Slow and obvious: the formulas as they are printed, and the oracle that the compiled loops are tested against.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

FORMULAS = ("conjugate", "value", "strong_convexity", "dual_norm")


class Guarantee(NamedTuple):
    """Both sides of Lemma 1 on a run, up to rounding."""

    achieved: float
    bound: float
    slack: float
    holds: bool


class MirrorDescent:
    """Online mirror descent with any regularizer, on vectors or matrices (⟨A, B⟩ = tr AᵀB).

    The regularizer f is any object with ``gradient(theta)``, the gradient of its conjugate. If f_t
    changes over time it also has one or both of

    * ``observe(x)``, which returns f_t from f_{t−1} and the x_t of the round, before its label (where
      it only counts the round, ``sees_rows`` is False, and it is called without being asked to);
    * ``commit(f_t, z)``, called on f_{t−1} once z_t is known: what to keep for the next round
      (without it f_t is kept).

    Give f, or f_0 where it changes over time, and the shape of θ: a number of coordinates, or (rows,
    columns) for matrices.

    Examples
    --------
    Gradient descent is the Euclidean case, f = ½‖·‖₂²:

    >>> from fenchel import MirrorDescent, regularizers
    >>> descent = MirrorDescent(regularizers.Euclidean(), shape=2)
    >>> descent.update([1.0, -2.0])
    >>> descent.predict()
    array([ 1., -2.])
    >>> descent.certificate([1.0, -2.0])     # the u at which Lemma 1 is an equality
    Guarantee(achieved=5.0, bound=5.0, slack=0.0, holds=True)

    Your own regularizer is an object with one method, here that of f(w) = Σ w_i⁴/4:

    >>> class Quartic:
    ...     def gradient(self, theta):
    ...         return np.cbrt(theta)
    >>> descent = MirrorDescent(Quartic(), shape=2)
    >>> descent.update([8.0, -27.0])
    >>> descent.predict()
    array([ 2., -3.])
    """

    def __init__(self, regularizer: Any, shape: int | tuple[int, ...]) -> None:
        begin = getattr(regularizer, "begin", None)
        made = not isinstance(regularizer, type)
        self.previous = begin(shape) if made and begin is not None else regularizer
        if not (made and hasattr(self.previous, "gradient")):
            raise ValueError(
                f"regularizer={regularizer!r} has no gradient(theta): "
                "give an object that has, such as regularizers.Euclidean()"
            )
        self.regularizer = self.previous
        self.theta: NDArray[np.float64] = np.zeros(shape)
        self._observed = False
        self._lacks = [name for name in FORMULAS if not hasattr(type(self.previous), name)]
        self._pairs = self._steps = self._residue = 0.0  # the sums of Lemma 1
        self._last: Any = None  # f_{t−1}, over the rounds with z_t ≠ 0

    def observe(self, x: ArrayLike) -> None:
        """See x_t: from here on ``regularizer`` is f_t."""
        see = getattr(self.previous, "observe", None)
        if see is not None:
            self.regularizer = see(np.asarray(x, dtype=np.float64))
        self._observed = True

    def _count(self) -> None:
        """Begin the round of a regularizer that changes with the rounds alone."""
        if not self._observed and not getattr(self.previous, "sees_rows", True):
            self.observe(np.zeros(self.theta.shape))

    def predict(self) -> NDArray[np.float64]:
        """w_t = ∇f_t*(θ_t)."""
        self._count()
        return np.array(self.regularizer.gradient(self.theta), dtype=np.float64)

    def update(self, z: ArrayLike) -> None:
        """θ_{t+1} = θ_t + z_t."""
        step = self._shaped(z, "z")
        self._count()
        if not self._observed and hasattr(self.previous, "observe"):
            raise ValueError(
                f"{type(self.previous).__name__} changes with the rows: call observe(x) with the x_t "
                "of the round before update(z)"
            )
        if step.any() and not self._lacks:
            self._add_round(self.regularizer, step)
        commit = getattr(self.previous, "commit", None)
        if commit is not None:
            self.regularizer = commit(self.regularizer, step)
        self.previous = self.regularizer
        self.theta = self.theta + step
        self._observed = False

    def _shaped(self, given: ArrayLike, name: str) -> NDArray[np.float64]:
        array = np.asarray(given, dtype=np.float64)
        if array.shape != self.theta.shape:
            shapes = f"{name} has shape {array.shape}, theta {self.theta.shape}"
            raise ValueError(f"{shapes}: give one number for each coordinate")
        return array

    @np.errstate(all="ignore")
    def _add_round(self, f: Any, z: NDArray[np.float64]) -> None:
        """Count z_t in the sums of Lemma 1; over rounds with z_t = 0 the residue telescopes."""
        self._pairs += float(np.vdot(z, f.gradient(self.theta)))
        self._steps += float(np.float64(f.dual_norm(z)) ** 2 / (2.0 * f.strong_convexity))
        before = 0.0 if self._last is None else self._last.conjugate(self.theta)
        self._residue += float(f.conjugate(self.theta) - before)
        self._last = f

    def certificate(self, u: ArrayLike) -> Guarantee:
        """Σ⟨z_t, u − w_t⟩ ≤ f_T(u) + Σ ‖z_t‖²_{t,*}/(2β_t) + f_t*(θ_t) − f_{t−1}*(θ_t), Lemma 1.

        θ is the sum of all z_t, so that no round is needed again: Σ⟨z_t, u⟩ = ⟨θ, u⟩. f_T is what the
        run left behind, +∞ at a u outside its domain.
        """
        point, f = self._shaped(u, "u"), self.previous
        if self._lacks:
            raise ValueError(f"Lemma 1 needs {', '.join(self._lacks)} of {type(f).__name__}")
        project = getattr(f, "nearest", getattr(getattr(f, "domain", None), "project", None))
        inside = project is None or np.allclose(project(point), point, rtol=1e-9, atol=1e-9)
        value = float(f.value(point)) if inside else float("inf")
        left = float(np.vdot(self.theta, point)), -self._pairs
        before = 0.0 if self._last is None else self._last.conjugate(self.theta)
        change = float(f.conjugate(self.theta) - before)
        right = value, self._steps, self._residue + change
        slack, unit = sum(right) - sum(left), sum(map(abs, left + right))
        return Guarantee(sum(left), sum(right), slack, slack >= -1e-9 * unit)
