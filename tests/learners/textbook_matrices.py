"""Second-order learners as the papers write them: every round solves its linear system anew."""

from decimal import Context, localcontext
from functools import partial

import numpy as np
from scipy.special import ndtri
from textbook_basics import LOSSES, Textbook

# Where features differ by 1e12, doubles lose nine of their sixteen digits in x·xᵀ.
PRECISION = Context(prec=60)
exactly = np.vectorize(PRECISION.create_decimal, otypes=[object])


def ridge(a, rows):
    """(a·I + Σ g·x·xᵀ)⁻¹·Σ c·x over rows (x, g, c), by Gaussian elimination on exact sums."""
    X, g, c = (exactly(np.array(part)) for part in zip(*rows, strict=True))
    with localcontext(PRECISION):
        A = X.T @ (g[:, np.newaxis] * X) + exactly(a * np.eye(X.shape[1]))
        M = np.column_stack([A, X.T @ c])
        n = len(A)
        for k in range(n):  # A is positive definite: no pivots
            M[k + 1 :] -= np.outer(M[k + 1 :, k] / M[k, k], M[k])
        for k in range(n - 1, -1, -1):
            M[k, n] = (M[k, n] - M[k, k + 1 : n] @ M[k + 1 :, n]) / M[k, k]
        return M[:, n]


class Quadratic(Textbook):
    """w_t = A⁻¹·θ with A = a·I + Σ h·x·xᵀ/r over the rounds kept, x_t's included or not."""

    a, r, diagonal, tentative, always = 1.0, 1.0, False, True, False

    def begin(self):
        self.kept = []
        self.squares = np.zeros(self.d)

    def growth(self, h):
        return h / self.r if self.tentative else 0.0

    def weights(self, x, h):
        if self.diagonal:
            return self.projected(self.theta / (self.a + self.squares + self.growth(h) * x * x))
        return ridge(self.a, [*self.kept, (x, self.growth(h), 0.0)]).astype(float)

    def confidence(self, x):
        if self.diagonal:
            return np.sum(x * x / (self.a + self.squares + self.growth(1.0) * x * x))
        without = [(row, g, 0.0) for row, g, _ in self.kept]
        return x @ ridge(self.a, [*without, (x, self.growth(1.0), 1.0)]).astype(float)

    def size(self, w, x):
        """Σ |w_j·x_j|, or √(xᵀA⁻¹x·θᵀA⁻¹θ): what a factored A⁻¹ sums may cancel."""
        terms = super().size(w, x)
        if self.diagonal or not self.kept:
            return terms
        before = ridge(self.a, self.kept).astype(float)
        return terms + np.sqrt(self.confidence(x) * max(self.theta @ before, 0.0))

    def learn(self, x, y, m, h):
        c = self.coefficient(y, m, h)
        if c != 0.0 or self.always:
            self.kept.append((x, h / self.r, c))
            self.squares += h / self.r * x * x
            self.theta += c * x


class VovkAzouryWarmuth(Quadratic):
    always = True

    def coefficient(self, y, m, h):
        return h * y


class RecursiveLeastSquares(VovkAzouryWarmuth):
    tentative = False


class SecondOrderPerceptron(Quadratic):
    def coefficient(self, y, m, h):
        return h * y if y * m <= 0.0 else 0.0


class Arow(Quadratic):
    def coefficient(self, y, m, h):
        return h * y if y * m < 1.0 else 0.0


class OriginalArowRidge(Quadratic):
    """Crammer's AROW in its closed form μ = (r·I + S·Sᵀ)⁻¹·S·y over the rounds that updated."""

    tentative = False

    def coefficient(self, y, m, h):
        return h * y / self.r if y * m < 1.0 else 0.0


class OriginalArow(Textbook):
    """Crammer's AROW as published: μ ← μ + α·y·Σ·x, Σ ← Σ − Σ·x·xᵀ·Σ/(r + χ)."""

    diagonal = False

    def begin(self):
        self.mu, self.sigma = self.theta, np.eye(self.d)

    def weights(self, x, h):
        return self.mu.copy()

    def confidence(self, x):
        return x @ self.sigma @ x

    def learn(self, x, y, m, h):
        if y * m < 1.0 and h > 0.0:
            r = self.r / h
            moved = self.sigma @ x
            self.mu += (1.0 - y * m) / (x @ moved + r) * y * moved
            if self.diagonal:
                self.sigma = np.diag(1.0 / (1.0 / np.diag(self.sigma) + x * x / r))
            else:
                self.sigma = self.sigma - np.outer(moved, moved) / (x @ moved + r)


class BayesianLogistic(Textbook):
    """The mode of a Gaussian times the likelihood of a label, by bisection, and Laplace's covariance."""

    diagonal, prior = True, 1.0

    def begin(self):
        self.mu, self.precision = self.theta, self.prior * np.eye(self.d)

    def weights(self, x, h):
        if self.t == 0 and self.diagonal and self.has_intercept:
            self.precision[0, 0] = self.prior / 10.0
        return self.mu.copy()

    def confidence(self, x):
        return x @ np.linalg.solve(self.precision, x)

    def learn(self, x, y, m, h):
        if h == 0.0:
            return
        slope = partial(LOSSES["logistic"][1], y=y)
        low, high = 0.0, h  # of |c|
        while low < (middle := low + 0.5 * (high - low)) < high:
            ahead = middle + h * y * slope(m + y * middle * self.confidence(x))
            low, high = (low, middle) if ahead > 0.0 else (middle, high)
        self.mu += y * low * np.linalg.solve(self.precision, x)
        bend = low * (1.0 - low / h)
        self.precision = self.precision + bend * (
            np.diag(x * x) if self.diagonal else np.outer(x, x)
        )


class SoftConfidenceWeighted(Textbook):
    """SCW-I (Wang, Zhao & Hoi, 2012, Proposition 1) with a diagonal covariance."""

    def begin(self):
        self.mu, self.precision = self.theta, np.ones(self.d)
        self.phi = ndtri(self.eta)

    def weights(self, x, h):
        return self.mu.copy()

    def confidence(self, x):
        return np.sum(x * x / self.precision)

    def learn(self, x, y, m, h):
        phi, upsilon, margin = self.phi, self.confidence(x), y * m
        if phi * np.sqrt(upsilon) - margin <= 0.0:
            return
        psi, zeta = 1.0 + phi**2 / 2.0, 1.0 + phi**2
        root = np.sqrt(margin**2 * phi**4 / 4.0 + upsilon * phi**2 * zeta)
        alpha = min(self.C * h, max(0.0, (-margin * psi + root) / (upsilon * zeta)))
        product = alpha * upsilon * phi
        sqrt_u = 0.5 * (-product + np.sqrt(product**2 + 4.0 * upsilon))
        self.mu += alpha * y * x / self.precision
        self.precision = self.precision + alpha * phi / sqrt_u * x * x


class OnlineNewtonStep(Textbook):
    """A ← A + g·gᵀ, w ← w − η·A⁻¹·g."""

    a = 1.0

    def begin(self):
        self.w, self.slopes = exactly(self.theta), []

    def weights(self, x, h):
        return self.w.astype(float)

    def confidence(self, x):
        return x @ ridge(self.a, [*self.slopes, (x, 0.0, 1.0)]).astype(float)

    def size(self, w, x):
        energy = self.a * w @ w + sum((g @ w) ** 2 for g, _, _ in self.slopes)  # wᵀA·w
        return super().size(w, x) + np.sqrt(self.confidence(x) * energy)

    def learn(self, x, y, m, h):
        g = h * self.slope(m, y) * x
        self.slopes.append((g, 1.0, 0.0))
        step = ridge(self.a, [*self.slopes, (g, 0.0, self.eta)])
        with localcontext(PRECISION):
            self.w = self.w - step
