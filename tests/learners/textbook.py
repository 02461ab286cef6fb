"""First-order learners as the papers write them: one class a learner, slow and obvious."""

import numpy as np
from textbook_basics import Textbook, dual_map, p_norm, ratio, soft


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
