"""Forgetting by the book: every sum multiplied by λ in every round, in NumPy."""

import numpy as np

Array = np.ndarray


def matrix(X: Array, y: Array, lam: float, a: float, ahead: bool) -> Array:
    """Least squares with A_t = λ·A_{t−1} + x·xᵀ, b_t = λ·b_{t−1} + y·x; x_t counted ahead, or not."""
    A, b, out = a * np.eye(X.shape[1]), np.zeros(X.shape[1]), []
    for x, target in zip(X, y, strict=True):
        b = lam * b
        A, now = lam * A + np.outer(x, x), lam * A
        out.append(x @ np.linalg.solve(A if ahead else now, b))
        b = b + target * x
    return np.array(out)


def full_arow(X: Array, y: Array, lam: float, r: float, form: str) -> Array:
    """AROW with the whole matrix; a round without an update fades too."""
    A, theta, out = np.eye(X.shape[1]), np.zeros(X.shape[1]), []
    for x, label in zip(X, y, strict=True):
        A, theta = lam * A, lam * theta
        ahead = A + np.outer(x, x) / r
        m = x @ np.linalg.solve(ahead if form == "mirror" else A, theta)
        out.append(m)
        if label * m < 1.0:
            A, theta = ahead, theta + label * x / (1.0 if form == "mirror" else r)
    return np.array(out)


def diagonal_arow(X: Array, y: Array, lam: float, r: float, form: str) -> Array:
    """AROW with a diagonal: the mirror form fades θ and s, the original one s alone."""
    s, theta, out = np.zeros(X.shape[1]), np.zeros(X.shape[1]), []
    for x, label in zip(X, y, strict=True):
        s = lam * s
        if form == "mirror":
            theta = lam * theta
        m = x @ (theta / (1.0 + s + x * x / r) if form == "mirror" else theta)
        out.append(m)
        if label * m < 1.0:
            spread = x @ (x / (1.0 + s))
            step = x if form == "mirror" else (1.0 - label * m) / (spread + r) * x / (1.0 + s)
            theta, s = theta + label * step, s + x * x / r
    return np.array(out)


def steps(X: Array, y: Array, lam: float, kind: str, eta: float, l1: float = 0.0) -> Array:
    """LMS, normalised LMS, p-norm LMS at p = 2 and dual averaging, over steps that fade."""
    theta, n, level, out = np.zeros(X.shape[1]), 0.0, 0.0, []
    for x, target in zip(X, y, strict=True):
        theta, n, level = lam * theta, lam * n + 1.0, max(level, x @ x)
        w = theta
        if kind == "p_norm_lms":
            w = theta / level
        if kind == "dual_averaging":
            w = np.sign(theta) * np.maximum(np.abs(theta) - eta * n * l1, 0.0) / np.sqrt(n)
        m = x @ w
        out.append(m)
        share = eta / (x @ x) if kind == "normalized_lms" else eta
        theta = theta + share * (target - m) * x
    return np.array(out)
