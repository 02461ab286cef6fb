"""What was tried where the default filters are behind the best of a grid.

Variants of the two defaults, none of them in the package: plain loops with an inverse matrix, for
errors alone. ``benchmarks.filters`` tells their figures.
"""

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit
def squares(X: NDArray, y: NDArray, a: float, fade: float, forward: bool) -> float:
    """Mean squared error of least squares, A_t = λ·A_{t−1} + x_t·x_tᵀ, θ_t = λ·θ_{t−1} + y_t·x_t.

    ``forward`` counts x_t before its sample is known, as Vovk-Azoury-Warmuth does; recursive least
    squares does not.
    """
    n, d = X.shape
    inverse, theta, total = np.eye(d) / a, np.zeros(d), 0.0
    for t in range(n):
        x = X[t]
        inverse /= fade
        theta *= fade
        solved = inverse @ x
        chi = x @ solved
        output = theta @ solved
        if forward:
            output /= 1.0 + chi
        total += (y[t] - output) ** 2
        theta += y[t] * x
        inverse -= np.outer(solved, solved) / (1.0 + chi)
    return total / n


@numba.njit
def lms(X: NDArray, y: NDArray, step: float, fade: float, lazy: bool) -> float:
    """Mean squared error of LMS by the level X_t² = max(λ·X_{t−1}², ‖x_t‖²).

    ``lazy`` is p_norm_lms at p = 2: w_t = η·θ_t/X_t², θ_{t+1} = θ_t + e_t·x_t. Otherwise each step
    keeps the level of its round: w_{t+1} = w_t + η·e_t·x_t/X_t².
    """
    n, d = X.shape
    weights, level, total = np.zeros(d), 0.0, 0.0
    for t in range(n):
        x = X[t]
        level = max(fade * level, x @ x)
        if level == 0.0:
            total += y[t] ** 2
            continue
        error = y[t] - (weights @ x) * (step / level if lazy else 1.0)
        total += error**2
        weights += x * (error if lazy else step * error / level)
    return total / n


# By the learner they could stand in for.
VARIANTS = {
    "p_norm_lms": {
        "η = 1.5": lambda X, y: lms(X, y, 1.5, 1.0, True),
        "level fades, λ = .9999": lambda X, y: lms(X, y, 1.0, 0.9999, True),
        "η = 1.5, level fades, λ = .9999": lambda X, y: lms(X, y, 1.5, 0.9999, True),
        "each step by the level of its round": lambda X, y: lms(X, y, 1.0, 1.0, False),
        "the same, η = ½": lambda X, y: lms(X, y, 0.5, 1.0, False),
        "the same, η = ½, level fades, λ = .999": lambda X, y: lms(X, y, 0.5, 0.999, False),
    },
    "vovk_azoury_warmuth": {
        "a = .01": lambda X, y: squares(X, y, 0.01, 1.0, True),
        "memory fades, λ = .9999": lambda X, y: squares(X, y, 1.0, 0.9999, True),
        "memory fades, λ = .999": lambda X, y: squares(X, y, 1.0, 0.999, True),
        "a = .01, λ = .9999": lambda X, y: squares(X, y, 0.01, 0.9999, True),
        "x_t not counted ahead, a = .01": lambda X, y: squares(X, y, 0.01, 1.0, False),
        "x_t not counted ahead, a = .01, λ = .9999": lambda X, y: squares(
            X, y, 0.01, 0.9999, False
        ),
    },
}


def errors_of(X: NDArray, y: NDArray) -> dict[str, dict[str, float]]:
    """The error of each variant."""
    rows = np.ascontiguousarray(X)
    return {
        learner: {told: variant(rows, y) for told, variant in variants.items()}
        for learner, variants in VARIANTS.items()
    }
