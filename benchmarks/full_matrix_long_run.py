"""A full matrix over a million rounds, against a direct solution in extended precision.

``python -m benchmarks.full_matrix_long_run`` learns 10⁶ rows of 50 columns whose sizes span six decades, two
of them collinear to six digits, by Vovk-Azoury-Warmuth; A and θ are also summed in extended precision and
solved directly. Prints the largest difference of predictions, relative to the largest prediction.
"""

import argparse
import time

import numpy as np

from fenchel import learners

COLUMNS = 50
BLOCK = 20_000
Extended = np.longdouble


def rows(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Features of sizes 1e-3 … 1e3, the last two nearly the same, and noisy targets."""
    X = rng.normal(size=(count, COLUMNS))
    X[:, -1] = X[:, -2] + 1e-6 * X[:, -1]
    y = X @ np.linspace(-1.0, 1.0, COLUMNS) + rng.normal(size=count)
    return X * np.logspace(-3, 3, COLUMNS), y


def direct(A: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """A⁻¹·θ by Cholesky's factors in extended precision."""
    n = len(A)
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            rest = A[i, j] - L[i, :j] @ L[j, :j]
            L[i, j] = np.sqrt(rest) if i == j else rest / L[j, j]
    v, w = np.zeros(n, Extended), np.zeros(n, Extended)
    for i in range(n):
        v[i] = (theta[i] - L[i, :i] @ v[:i]) / L[i, i]
    for i in reversed(range(n)):
        w[i] = (v[i] - L[i + 1 :, i] @ w[i + 1 :]) / L[i, i]
    return w


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=float, default=1e6)
    rounds = int(parser.parse_args().rounds)
    rng, learner = np.random.default_rng(0), learners.vovk_azoury_warmuth(intercept=False)
    A, theta = np.eye(COLUMNS, dtype=Extended), np.zeros(COLUMNS, Extended)
    seconds, done = 0.0, 0
    while done < rounds:
        X, y = rows(rng, min(BLOCK, rounds - done))
        start = time.perf_counter()
        learner.learn_many(X, y)
        seconds += time.perf_counter() - start
        for begin in range(0, len(y), 100):  # extended sums of double products of a few rows
            part = X[begin : begin + 100].astype(Extended)
            A += part.T @ part
            theta += part.T @ y[begin : begin + 100].astype(Extended)
        done += len(y)
    X, _ = rows(rng, 1000)
    exact = (X.astype(Extended) @ direct(A, theta)).astype(float)
    ours = X @ learner.weights()
    worst = np.abs(ours - exact).max() / np.abs(exact).max()
    print(
        f"{done:,} rounds of {COLUMNS} columns in {seconds:.0f} s: predictions within {worst:.1e}"
    )


if __name__ == "__main__":
    main()
