"""The learners as the papers write them: plain NumPy, one class a learner, slow and obvious.

A class answers ``weights(x, h)``, the w_t of a round that shows x with importance h, and
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


class Perceptron(Textbook):
    def weights(self, x, h):
        return self.projected(self.theta)

    def learn(self, x, y, m, h):
        if y * m <= 0.0:
            self.theta += h * y * x


class PNormPerceptron(Perceptron):
    def weights(self, x, h):
        return dual_map(self.theta, self.p)


class PassiveAggressive(Perceptron):
    def learn(self, x, y, m, h):
        if x.any():
            longest = self.amount(m, y) / (x @ x)
            self.theta -= self.slope(m, y) * min(self.C * h, longest) * x


class TunedAggressive(PNormPerceptron):
    level = 0.0

    def learn(self, x, y, m, h):
        size = p_norm(x, self.p)
        beta = 1.0 / (self.p - 1.0)  # q − 1
        self.level = max(self.level, size)
        if y * m < 1.0 and size > 0.0:
            eta = np.clip((self.level**2 - beta * y * m) / size**2, 0.0, 1.0)
            self.theta += h * eta * y * x


class GradientDescent(Textbook):
    """Also dual averaging: θ = −η·Σ ℓ′ and f_t = √t/2·‖·‖² + η·t·F."""

    schedule, indexing, l1, l2 = "sqrt", "corollary", 0.0, 0.0

    def weights(self, x, h):
        if self.schedule == "constant":
            return self.projected(self.theta)
        t = self.t + (0 if self.indexing == "xiao" else 1)
        curvature = np.sqrt(max(t, 1)) + self.eta * t * self.l2
        return self.projected(soft(self.theta, self.eta * t * self.l1) / curvature)

    def learn(self, x, y, m, h):
        self.theta -= self.eta * h * self.slope(m, y) * x


class StronglyConvex(GradientDescent):
    eta = 1.0

    def weights(self, x, h):
        t = self.t + 1
        return self.projected(soft(self.theta, t * self.l1) / (t * self.l2))


class ExponentiatedGradient(Textbook):
    """w_j = total·e^{s_j − c_j}/Σ e^{s_i − c_i}, or total·(v⁺ − v⁻) with v^± ∝ e^{±s_j − c_j}.

    c, the sum of squared steps, is that of the adaptive form.
    """

    signed, adaptive, total = True, False, 1.0

    def begin(self):
        self.corrections = np.zeros(self.d)

    def weights(self, x, h):
        s, c = self.total * self.theta[: self.d], self.corrections[: self.d]
        top = (np.abs(s) if self.signed else s) - c
        v = np.exp(top - top.max())
        w = np.zeros(len(x))
        if self.signed:  # e^s − e^{−s} = e^s·(1 − e^{−2s}), and the same with a plus in the sum
            both = v * (1.0 + np.exp(-2.0 * np.abs(s)))
            w[: self.d] = np.sign(s) * v * -np.expm1(-2.0 * np.abs(s)) / both.sum()
        else:
            w[: self.d] = v / v.sum()
        return self.total * w

    def step(self, y, m, h):
        return -self.eta * h * self.slope(m, y)

    def learn(self, x, y, m, h):
        z = self.step(y, m, h) * x
        self.theta += z
        if self.adaptive:
            self.corrections += (self.total * z) ** 2


class Winnow(ExponentiatedGradient):
    def step(self, y, m, h):
        return self.eta / self.total * h * y if y * m <= 0.0 else 0.0


class Lms(Textbook):
    def weights(self, x, h):
        return self.projected(self.theta)

    def learn(self, x, y, m, h):
        self.theta += self.eta * h * (y - m) * x


class NormalizedLms(Lms):
    def learn(self, x, y, m, h):
        if x.any():
            self.theta += self.eta * h * (y - m) * x / (x @ x)


class PNormLms(Textbook):
    """f_t = X_t²/(2(q − 1))·‖·‖_q²; 1/(q − 1) = p − 1."""

    level = 0.0

    def weights(self, x, h):
        self.level = max(self.level, p_norm(x, self.p))
        return ratio(dual_map(self.theta, self.p), self.level**2 * (self.p - 1.0))

    def learn(self, x, y, m, h):
        self.theta += h * (y - m) * x
