"""The online Newton step by frequent directions: Σ g·gᵀ whole, its eigenvalues lowered."""

from math import fsum

import numpy as np

from audit.runs import LEAST
from audit.textbook_losses import SLOPES, VALUES


class SketchRun:
    """The margins, the slopes and the matrix of a run; the learner's own margins decide, as in ``Run``."""

    def __init__(self, book, X, y, h, widths, margins):
        self.book, self.X, self.y, self.h = book, X, y, h
        d = X.shape[1]
        self.S, self.theta, self.rows, self.tail = np.zeros((d, d)), np.zeros(d), 0, 0.0
        self.m, self.c, self.steps, self.apart, self.size = np.array(margins), [], [], 0.0, 0.0
        for x, target, weight, told in zip(X, y, h, margins, strict=True):
            self.learn(x, float(target), float(weight), float(told))
        self.c = np.array(self.c)
        self.loss = fsum(h * VALUES[book.loss](self.m, y))

    def learn(self, x, y, h, m):
        alpha = self.book.a + self.tail
        A = self.S + alpha * np.eye(len(x))
        w = np.linalg.solve(A, self.theta)
        size = float(np.abs(self.theta) @ np.abs(x)) / alpha + float(np.abs(w) @ np.abs(x))
        self.size = max(self.size, size)
        if self.size > 0.0:
            self.apart = max(self.apart, abs(w @ x - m) / max(size, LEAST * self.size))
        self.c.append(float(-h * SLOPES[self.book.loss](m, y)))
        g = -self.c[-1] * x
        if not g.any():
            return
        self.theta = self.theta + (float(g @ w) - self.book.eta) * g
        self.S = self.S + np.outer(g, g)
        self.steps.append(float(g @ np.linalg.solve(A + np.outer(g, g), g)))
        self.rows += 1
        if self.rows == self.book.rank:
            self.empty_half()

    def empty_half(self):
        self.rows = self.rows // 2
        values, vectors = np.linalg.eigh(self.S)
        largest = np.sort(np.maximum(values, 0.0))[::-1]
        delta = float(largest[self.rows]) if self.rows < len(largest) else 0.0
        self.S = (vectors * np.maximum(values - delta, 0.0)) @ vectors.T
        self.tail += delta

    def loss_of(self, u):
        return fsum(self.h * VALUES[self.book.loss](self.X @ u, self.y))

    def bound(self, u, steps):
        eta, apart = self.book.eta, -self.c * (self.m - self.X @ u)  # ⟨g_t, w_t − u⟩
        curved = fsum(apart) - (self.loss - self.loss_of(u))
        start = (self.book.a + self.tail) * float(u @ u)
        return (start + eta**2 * steps + fsum(apart**2)) / (2.0 * eta) - curved
