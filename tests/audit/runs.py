"""A run of Algorithm 1 with everything that happened, round by round: no sum is kept along the way."""

from functools import cached_property
from math import fsum

import numpy as np

from audit.books import Round
from audit.textbook_losses import VALUES
from fenchel.mirror import MirrorDescent

SAME = 1e-6  # of the sizes of a margin's terms
LEAST = (
    1e-6  # of the largest such size so far: terms that cancel to nothing leave its rounding behind
)


class Run:
    """θ, w, m, c and f of every round of ``MirrorDescent`` over dense rows.

    Where the ``margins`` that a learner gave are told, each must be ⟨w_t, x_t⟩ up to rounding, and
    decides: on a tie, where rounding alone tells a mistake from none, the audit follows the learner.
    """

    def __init__(self, book, X, y, h=None, widths=None, margins=None):
        self.book, self.X, self.y = book, X, y
        self.h = np.ones(len(y)) if h is None else h
        widths = np.full(len(y), X.shape[1]) if widths is None else widths
        self.descent = MirrorDescent(book.f, X.shape[1])
        self.w, self.m, self.c, self.f, self.theta = [], [], [], [], []
        self.level, self.levels = 0.0, []
        self.given, self.apart, self.size = margins, 0.0, 0.0
        for t in range(len(y)):
            self.learn(self.X[t], float(y[t]), float(self.h[t]), int(widths[t]))
        self.m, self.c = np.array(self.m), np.array(self.c)
        self.levels = np.array(self.levels)
        self.end = self.descent.previous

    def learn(self, x, y, h, width):
        descent = self.descent
        if hasattr(descent.previous, "widen"):
            descent.previous = descent.previous.widen(width)
        descent.observe(np.sqrt(h) * x if descent.previous.weighs else x)
        f, w = descent.regularizer, descent.predict()
        self.level = max(self.level, float(self.fixed_norm(f, x)))
        m = self.margin(float(w @ x), float(f.sizes(w, descent.theta) @ np.abs(x)))
        c = float(self.book.step(Round(x, y, h, m, f, self.level)))
        for kept, new in (
            (self.w, w), (self.m, m), (self.c, c), (self.f, f),
            (self.theta, descent.theta), (self.levels, self.level),
        ):  # fmt: skip
            kept.append(new)
        descent.update(c * x)

    def margin(self, m, size):
        """⟨w_t, x_t⟩, or the learner's own where they are the same up to rounding."""
        if self.given is None:
            return m
        told = float(self.given[len(self.m)])
        self.size = max(self.size, size)
        apart = abs(m - told) / max(size, LEAST * self.size, 1e-300) if m != told else 0.0
        self.apart = max(self.apart, apart)
        return told if apart <= SAME else m

    @staticmethod
    def fixed_norm(f, x):
        """‖x‖_* where one norm serves all rounds; ‖x‖_∞ or ‖x‖₂ where a theorem asks for that."""
        kind = type(f).__name__
        if kind in ("Adaptive", "Entropy"):
            return np.abs(x).max(initial=0.0)
        return f.dual_norm(x) if kind in ("PNorm", "Levelled", "Still", "Timed") else np.sqrt(x @ x)

    # ── sums ──

    @cached_property
    def updates(self):
        return np.flatnonzero(self.c)

    @cached_property
    def loss(self):
        return fsum(self.h * VALUES[self.book.loss](self.m, self.y))

    def loss_of(self, u, weights=None):
        values = VALUES[self.book.loss](self.X @ u, self.y)
        return fsum((self.h if weights is None else weights) * values)

    @cached_property
    def terms(self):
        """Σ F(w_t)."""
        return fsum(f.term(w) for f, w in zip(self.f, self.w, strict=True))

    @cached_property
    def pairs(self):
        """Σ⟨z_t, w_t⟩."""
        return fsum(self.c * self.m)

    def square(self, t):
        """‖x_t‖²_{t,*}/β_t."""
        if not self.X[t].any():
            return 0.0
        return self.f[t].dual_norm(self.X[t]) ** 2 / self.f[t].strong_convexity

    @cached_property
    def steps(self):
        """Σ ‖z_t‖²_{t,*}/(2β_t)."""
        return fsum(0.5 * self.c[t] ** 2 * self.square(t) for t in self.updates)

    @cached_property
    def heights(self):
        """The pieces of Σ f_t*(θ_t) − f_{t−1}*(θ_t): over rounds with z_t = 0 it telescopes."""
        pieces, last = [], None
        for t in self.updates:
            pieces += [self.f[t].conjugate(self.theta[t])]
            pieces += [] if last is None else [-last.conjugate(self.theta[t])]
            last = self.f[t]
        if last is not None:
            end = self.descent.theta
            pieces += [self.end.conjugate(end), -last.conjugate(end)]
        return pieces

    @cached_property
    def progress(self):
        """Steps and residue; of a quadratic f_t, where they telescope, f_T*(θ_{T+1}) − Σ⟨z, w⟩."""
        if self.end.quadratic:
            return self.end.conjugate(self.descent.theta) - self.pairs
        return self.steps + fsum(self.heights)

    @cached_property
    def drops(self):
        """Σ f_{t−1}(w_t) − f_t(w_t), f_0 = 0, over the rounds in which f_t is kept."""
        pieces, last = [], None
        kept = self.updates if self.end.on_updates else np.flatnonzero(self.h > 0.0)
        for t in kept:
            pieces += [-self.f[t].value(self.w[t])]
            pieces += [] if last is None else [last.value(self.w[t])]
            last = self.f[t]
        if last is not None and last is not self.end:
            w = self.end.gradient(self.descent.theta)
            pieces += [last.value(w), -self.end.value(w)]
        return fsum(pieces)

    @cached_property
    def mistakes(self):
        return int(np.sum(self.y * self.m <= 0.0))

    @cached_property
    def margin_errors(self):
        return np.flatnonzero((self.c != 0.0) & (self.y * self.m > 0.0))
