"""Algorithm 1 of the paper: online mirror descent with time-varying regularizers, in plain NumPy.

    θ_1 = 0;  for t = 1, 2, …:   w_t = ∇f_t*(θ_t),   observe z_t,   θ_{t+1} = θ_t + z_t.

Slow and obvious: the formulas as they are printed, and the oracle that the compiled loops are tested against.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class MirrorDescent:
    """Online mirror descent with any regularizer, on vectors or matrices (⟨A, B⟩ = tr AᵀB).

    The regularizer f is any object with ``gradient(theta)``, the gradient of its conjugate. If f_t
    changes over time it also has one or both of

    * ``observe(x)``, which returns f_t from f_{t−1} and the x_t of the round, before its label (where
      it only counts the round, ``sees_rows`` is False, and it is called without being asked to);
    * ``commit(f_t, z)``, called on f_{t−1} once z_t is known: what to keep for the next round
      (without it f_t is kept).

    Parameters
    ----------
    regularizer
        f, or f_0 where it changes over time.
    shape
        The shape of θ: a number of coordinates, or (rows, columns) for matrices.

    Examples
    --------
    Gradient descent is the Euclidean case, f = ½‖·‖₂²:

    >>> from fenchel import MirrorDescent, regularizers
    >>> descent = MirrorDescent(regularizers.Euclidean(), shape=2)
    >>> descent.predict()
    array([0., 0.])
    >>> descent.update([1.0, -2.0])
    >>> descent.predict()
    array([ 1., -2.])

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
        step = np.asarray(z, dtype=np.float64)
        if step.shape != self.theta.shape:
            raise ValueError(
                f"z has shape {step.shape}, theta {self.theta.shape}: "
                "give one number for each coordinate"
            )
        self._count()
        if not self._observed and hasattr(self.previous, "observe"):
            raise ValueError(
                f"{type(self.previous).__name__} changes with the rows: call observe(x) with the x_t "
                "of the round before update(z)"
            )
        commit = getattr(self.previous, "commit", None)
        if commit is not None:
            self.regularizer = commit(self.regularizer, step)
        self.previous = self.regularizer
        self.theta = self.theta + step
        self._observed = False
