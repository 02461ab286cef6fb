"""The best fixed u in hindsight, found by reading the stream again: bounded memory, several readings."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._kernel.state import Array
from fenchel.certificates.blocks import Reading, losses
from fenchel.losses import Squared

# Up to so many coordinates the normal equations of the square loss are solved directly.
MOST_DIRECT = 2_000
# How many λ of λ/2·‖u‖² + Σ ℓ_t(u): from 1e−5·Σ‖x_t‖²/d, which is no ridge, up to the larger of
# Σ‖x_t‖²/d and 100 times the mean ‖x_t‖², about what the bounds charge for a norm.
PATH = 7
STEPS = 60


def best_in_hindsight(
    read: Reading, loss: Any, columns: int, intercept: bool, path: int = PATH
) -> dict[str, Array]:
    """Candidates u by name: 0, and minimisers of Σ h·ℓ_t(u) + λ/2·‖u‖² for several λ.

    The bounds hold for every u and weigh its loss against its norm, so that the tightest needs
    several norms. ``read`` opens the stream anew each time it is called. Squares: the normal
    equations; other losses, and more than 2,000 coordinates: L-BFGS.
    """
    d = columns + int(intercept)
    found: dict[str, Array] = {"u = 0": np.zeros(d)}
    energy, count = _energy(read, columns, intercept)
    if energy == 0.0:
        return found
    ridges = np.geomspace(max(energy / d, 100.0 * energy / count), 1e-5 * energy / d, path)
    direct = isinstance(loss, Squared) and d <= MOST_DIRECT
    A, b = _moments(read, columns, intercept) if direct else (np.zeros((0, 0)), np.zeros(0))
    u = np.zeros(d)
    for ridge in ridges.tolist():
        if direct:
            u = np.asarray(np.linalg.solve(A + ridge * np.eye(d), b), dtype=np.float64)
        else:
            u = _descended(read, loss, columns, intercept, ridge, u)
        found[f"hindsight, λ = {ridge:.3g}"] = u
    return found


def _energy(read: Reading, columns: int, intercept: bool) -> tuple[float, int]:
    """Σ h·‖x_t‖² and the number of rows."""
    energy, count = 0.0, 0
    for block in read():
        X = block.matrix(columns, intercept)
        energy += float(np.asarray((X * X).sum(axis=1)).ravel() @ block.weights)
        count += len(block.targets)
    return energy, count


def _moments(read: Reading, columns: int, intercept: bool) -> tuple[Array, Array]:
    """Σ h·x·xᵀ and Σ h·y·x."""
    d = columns + int(intercept)
    A, b = np.zeros((d, d)), np.zeros(d)
    for block in read():
        X = block.matrix(columns, intercept)
        weighed = X.T * block.weights if isinstance(X, np.ndarray) else X.T.multiply(block.weights)
        weighed = weighed if isinstance(weighed, np.ndarray) else weighed.tocsr()
        product = weighed @ X
        A += product if isinstance(product, np.ndarray) else product.toarray()
        b += weighed @ block.targets
    return A, b


def _descended(
    read: Reading, loss: Any, columns: int, intercept: bool, ridge: float, start: Array
) -> Array:
    from scipy.optimize import minimize  # late: a quarter of a second that most runs never need

    def objective(u: Array) -> tuple[float, Array]:
        total, slope = 0.5 * ridge * float(u @ u), ridge * u
        for block in read():
            X = block.matrix(columns, intercept)
            values, slopes = losses(loss, np.asarray(X @ u), block.targets)
            total += float(block.weights @ values)
            slope = slope + X.T @ (block.weights * slopes)
        return total, slope

    done = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return np.asarray(done.x)
