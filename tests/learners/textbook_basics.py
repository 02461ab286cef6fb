"""What the textbooks share: losses, the progressive run, projections and norms, in plain NumPy.

A textbook is a class that answers ``weights(x, h)``, the w_t of a round that shows x with importance h, and
``learn(x, y, m, h)``. x has the intercept's 1 as its first entry, where there is one.
"""

from typing import NamedTuple

import numpy as np

LOSSES = {  # name: (value, derivative in the margin), 0 at the kinks
    "hinge": (lambda m, y: max(0.0, 1.0 - y * m), lambda m, y: -y if y * m < 1.0 else 0.0),
    "squared_hinge": (
        lambda m, y: max(0.0, 1.0 - y * m) ** 2 / 2.0,
        lambda m, y: -y * max(0.0, 1.0 - y * m),
    ),
    "logistic": (
        lambda m, y: np.logaddexp(0.0, -y * m),
        lambda m, y: -y * np.exp(-np.logaddexp(0.0, y * m)),
    ),
    "squared": (lambda m, y: (m - y) ** 2 / 2.0, lambda m, y: m - y),
    "absolute": (lambda m, y: abs(m - y), lambda m, y: np.sign(m - y)),
    "epsilon_insensitive": (
        lambda m, y: max(0.0, abs(m - y) - 0.1),
        lambda m, y: np.sign(m - y) * (abs(m - y) > 0.1),
    ),
    "quantile": (lambda m, y: abs(m - y) / 2.0, lambda m, y: np.sign(m - y) / 2.0),
    "huber": (
        lambda m, y: abs(m - y) - 0.5 if abs(m - y) > 1.0 else (m - y) ** 2 / 2.0,
        lambda m, y: np.clip(m - y, -1.0, 1.0),
    ),
}
LIPSCHITZ = {"quantile": 0.5}  # the others that have a constant have 1


class Run(NamedTuple):
    """What a pass over a stream gives: margins, the w_t, and how large the terms of a margin are."""

    margins: np.ndarray
    weights: np.ndarray
    sizes: np.ndarray


class Textbook:
    """θ = 0, parameters as attributes, d coordinates (``d`` may grow while the stream runs)."""

    loss = "hinge"
    domain = None

    def __init__(self, d, **parameters):
        self.__dict__.update(parameters)
        self.d = d
        self.t = 0
        self.theta = np.zeros(d)
        self.begin()

    def begin(self):
        """Whatever the learner keeps beside θ."""

    def slope(self, m, y):
        return LOSSES[self.loss][1](m, y)

    def amount(self, m, y):
        return LOSSES[self.loss][0](m, y)

    def size(self, w, x):
        """The scale of the rounding in a margin."""
        return np.abs(w * x).sum()

    def projected(self, w):
        inside = w.copy()
        inside[: self.d] = project(self.domain, w[: self.d])
        return inside


def progressive(book, X, y, importance=None, widths=None):
    """Predict, then learn, row by row."""
    h = np.ones(len(y)) if importance is None else importance
    weights = np.zeros(X.shape)
    margins, sizes = np.zeros(len(y)), np.zeros(len(y))
    book.has_intercept = bool((X[:, :1] == 1.0).all())
    for t, x in enumerate(X):
        book.d = X.shape[1] if widths is None else widths[t]
        weights[t] = book.weights(x, h[t])
        margins[t], sizes[t] = weights[t] @ x, book.size(weights[t], x)
        book.learn(x, y[t], margins[t], h[t])
        book.t += 1
    return Run(margins, weights, sizes)


def project(domain, w):
    """argmin over S of ‖v − w‖₂."""
    kind = type(domain).__name__
    if kind == "Ball":
        return w * min(1.0, domain.radius / max(np.linalg.norm(w), 1e-300))
    if kind == "Box":
        return np.clip(w, domain.lower, domain.upper)
    if kind == "Orthant":
        return np.maximum(w, 0.0)
    if kind == "Simplex":  # [w − τ]₊ with τ by bisection
        low, high = w.min() - domain.total, w.max()
        for _ in range(200):
            tau = (low + high) / 2.0
            above = np.maximum(w - tau, 0.0).sum() > domain.total
            low, high = (tau, high) if above else (low, tau)
        return np.maximum(w - high, 0.0)
    return w


def soft(theta, threshold):
    return np.sign(theta) * np.maximum(np.abs(theta) - threshold, 0.0)


def p_norm(x, p):
    largest = np.abs(x).max(initial=0.0)
    return largest * np.sum((np.abs(x) / largest) ** p) ** (1.0 / p) if largest else 0.0


def dual_map(theta, p):
    """∇½‖θ‖_p²."""
    size = p_norm(theta, p)
    return np.sign(theta) * size * (np.abs(theta) / size) ** (p - 1.0) if size else theta * 0.0


def ratio(numerator, denominator):
    """0/0 := 0."""
    return np.divide(
        numerator, denominator, out=np.zeros_like(numerator), where=np.asarray(denominator) > 0.0
    )
