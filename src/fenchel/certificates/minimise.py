"""The u of least total loss, with a lower bound that says how far it may be from the least.

Σ h_t·ℓ_t(⟨u, x_t⟩) + ½‖u‖²_Λ with a ridge Λ = ε·diag(Σ h_t·x_t²), hardly any and the same in every unit of
the features, is minimised by SciPy's L-BFGS in coordinates where the features are uncorrelated. Losses
with kinks are first made smooth (their Moreau envelope, by ``prox``), less and less so.

Any slopes s_t that are subgradients of ℓ_t at some points p_t give a lower bound, by Fenchel duality:

    Σ h_t·(ℓ_t(p_t) − s_t·p_t) − ½‖Σ h_t·s_t·x_t‖²_{Λ⁻¹}  ≤  min over u.

What it lacks is the gap. A u that is not longer than REACH times the one found, in the norm of Λ, cannot
gain more than the gap and REACH²/2 of its own square in that norm.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import minimize

from fenchel.certificates.problem import Evaluation, Problem
from fenchel.losses.protocol import family_of
from fenchel.parts.state import Array

# Λ over the squares of the coordinates.
RIDGE = 1e-7
# How much longer a better u may be before the gap says nothing of it.
REACH = 3.0
# Up to so many coordinates the features are made uncorrelated, and least squares solved directly.
MOST_DIRECT = 1_000
# The envelope's width, in units of the mean size of the slopes' arguments, from smooth to sharp.
WIDTHS = (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5)
# Evaluations of the loss for each width: more where the rows are few.
EVALUATIONS = 400
ENTRIES = 400_000_000
TOLERANCE = 1e-4
# The share of what smoothing costs, or of the tolerance, to which each smooth loss is minimised.
CLOSE = 0.1


class Minimum(NamedTuple):
    """A u, its total loss, and how much less any fixed u could have (see REACH)."""

    u: Array
    loss: float
    gap: float


def least(
    problem: Problem,
    loss: Any,
    starts: Iterable[Array] = (),
    tolerance: float = TOLERANCE,
    ridge: Array | None = None,
) -> Minimum:
    """The best u that is found from these starts, 0 and least squares among them.

    With a ``ridge``, one number a coordinate, that of Σ h_t·ℓ_t(u) + ½‖u‖²_Λ.
    """
    search = _Search(problem, loss, ridge)
    for start in (np.zeros(problem.dimension), search.least_squares(), *starts):
        search.consider(start)
    for width in WIDTHS if hasattr(loss, "prox") else (0.0,):
        if search.gap <= tolerance * abs(search.value):
            break
        search.descend(width, tolerance)
    return Minimum(search.u, search.value, max(search.gap, 0.0))


class _CloseEnough(Exception):  # noqa: N818 (nothing is wrong)
    """The smooth loss is as low as it need be."""


class _Search:
    """The best u so far, and the best lower bound."""

    def __init__(self, problem: Problem, loss: Any, ridge: Array | None) -> None:
        self.problem, self.loss = problem, loss
        sizes = problem.squares()
        self.charged = ridge is not None  # whether the ridge counts in the value
        self.ridge = RIDGE * np.where(sizes > 0.0, sizes, 1.0) if ridge is None else ridge
        self.unit = 1.0 / np.sqrt(sizes + self.ridge)
        self.factor = self._factor()
        self.scale = problem.scale(loss)
        self.u, self.value, self.lower = np.zeros(problem.dimension), np.inf, -np.inf

    @property
    def gap(self) -> float:
        """The most by which another u could have a lesser value."""
        longer = 0.0 if self.charged else 0.5 * REACH**2 * float(np.sum(self.ridge * self.u**2))
        return self.value - (self.lower - longer)

    def consider(self, u: Array) -> None:
        """Keep u if it is better than all before, and the lower bound that its slopes give."""
        if u.shape != self.u.shape or not np.isfinite(u).all():
            return
        self._keep(u, self.problem.evaluate(self.loss, u, self.ridge))

    def _keep(self, u: Array, found: Evaluation) -> None:
        value = found.value
        if self.charged:
            value += 0.5 * float(np.sum(self.ridge * u * u))
        if value < self.value:
            self.u, self.value = u, value
        self.lower = max(self.lower, found.lower)

    def least_squares(self) -> Array:
        """The ridge solution for the square loss; exact there."""
        if self.factor is None:
            return np.zeros(self.problem.dimension)
        _, b = self.problem.moments()
        half = solve_triangular(self.factor, self.unit * b, trans="T")
        return np.asarray(self.unit * solve_triangular(self.factor, half))

    def _factor(self) -> Array | None:
        """R with RᵀR = the features' moments in units, ridge included; None where they are too many."""
        if self.problem.dimension > MOST_DIRECT:
            return None
        A, _ = self.problem.moments()
        with np.errstate(all="ignore"):
            A = A * np.outer(self.unit, self.unit) + np.diag(self.ridge * self.unit**2)
        if not np.isfinite(A).all():  # squares beyond the floats
            return None
        try:
            return np.asarray(cholesky(A))
        except LinAlgError:  # rounding made it indefinite
            return np.asarray(cholesky(A + 1e-9 * np.eye(len(A))))

    def descend(self, width: float, tolerance: float) -> None:
        """L-BFGS from the best u, on the loss smoothed to this width, until the next width gains more."""
        if family_of(self.loss) == "squared" and self.factor is not None:
            return
        step = width * self.scale

        def objective(v: Array) -> tuple[float, Array]:
            u = self._out(v)
            found = self.problem.evaluate(self.loss, u, self.ridge, step)
            self._keep(u, found)
            total = found.smooth + 0.5 * float(np.sum(self.ridge * u * u))
            left = total - (found.lower - found.blunt)  # no u has a smooth loss lower by more
            if left <= CLOSE * max(found.blunt, tolerance * abs(found.value)):
                raise _CloseEnough
            return total, self._back(found.slope + self.ridge * u)

        budget = max(20, min(EVALUATIONS, ENTRIES // max(self.problem.entries, 1)))
        options = {"maxfun": budget, "maxiter": budget, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9}
        with suppress(_CloseEnough):
            minimize(objective, self._into(self.u), jac=True, method="L-BFGS-B", options=options)

    # Coordinates v with u = unit·R⁻¹v, in which the features are uncorrelated.

    def _out(self, v: Array) -> Array:
        return np.asarray(
            self.unit * (v if self.factor is None else solve_triangular(self.factor, v))
        )

    def _into(self, u: Array) -> Array:
        return np.asarray(u / self.unit if self.factor is None else self.factor @ (u / self.unit))

    def _back(self, slope: Array) -> Array:
        g = self.unit * slope
        return np.asarray(g if self.factor is None else solve_triangular(self.factor, g, trans="T"))
