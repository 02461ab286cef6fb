"""ScInOL, FreeGrad and naive Bayes as their papers write them, in the units of the data."""

import numpy as np
from textbook_basics import LIPSCHITZ, Textbook, ratio


class NaiveBayes(Textbook):
    """Counts with each class, in units of mean sizes; an intercept is a first column of ones."""

    prior = 2.0
    has_intercept = False  # ``progressive`` says so

    def begin(self):
        self.ahead, self.behind, self.n = np.zeros((3, self.d))
        self.all_ahead = self.all_behind = 0.5

    def rate(self):
        return ratio(self.n, self.ahead + self.behind)

    def weights(self, x, h):
        share = np.full(len(self.n), self.all_ahead / (self.all_ahead + self.all_behind))
        share[: int(self.has_intercept)] = 0.5
        p = self.ahead * self.rate() + self.prior * share
        q = self.behind * self.rate() + self.prior * (1.0 - share)
        odds = np.log(p / q) - np.log(share / (1.0 - share))
        return np.where(self.n > 0.0, odds, 0.0) * self.rate()

    def learn(self, x, y, m, h):
        z = h * y * x
        self.ahead += np.maximum(z, 0.0)
        self.behind += np.maximum(-z, 0.0)
        self.n += h * (z != 0.0)
        counted = (z * self.rate())[int(self.has_intercept) :]
        self.all_ahead += np.maximum(counted, 0.0).sum()
        self.all_behind += np.maximum(-counted, 0.0).sum()


class ScInOL(Textbook):
    """Kempka et al. (2019): θ = G/√(S² + M²), Algorithm 2; Algorithm 1 where form = 1."""

    wealth, form = 1.0, 2

    def begin(self):
        self.L = LIPSCHITZ.get(self.loss, 1.0)
        self.G, self.S, self.M = np.zeros((3, self.d))
        self.eta = np.full(self.d, self.wealth)

    def factors(self, x):
        """η of Algorithm 2, β of Algorithm 1."""
        if self.form == 2:
            return self.eta
        room = self.wealth * (self.S + np.maximum(self.M, np.abs(x)) ** 2)
        least = np.divide(room, x * x * (self.t + 1), out=self.eta * np.inf, where=x != 0.0)
        return np.minimum(self.eta, least)

    def weights(self, x, h):
        root = np.sqrt(self.S + np.maximum(self.M, np.abs(x)) ** 2)
        lean = ratio(self.G, root)
        size = np.abs(lean) if self.form == 2 else np.expm1(np.abs(lean) / 2.0)
        size = np.minimum(size, 1.0) if self.form == 2 else size
        return ratio(np.sign(lean) * size * self.factors(x), 2.0 * root * self.L)

    def learn(self, x, y, m, h):
        w, self.eta = self.weights(x, h), self.factors(x)
        self.M = np.maximum(self.M, np.abs(x))
        g = np.clip(-h * self.slope(m, y) / self.L * x, -self.M, self.M)
        self.eta = self.eta + g * w * self.L if self.form == 2 else self.eta
        self.G += g
        self.S += g * g


class FreeGrad(Textbook):
    """Mhammedi & Koolen (2020), a coordinate each, with restarts."""

    wealth = 1.0

    def begin(self):
        self.L = LIPSCHITZ.get(self.loss, 1.0)
        self.G, self.V, self.h, self.h1, self.Q = np.zeros((5, self.d))

    def seen(self, x):
        largest = np.maximum(self.h, np.abs(x))
        anew = (largest > self.h) & (largest > (2.0 + self.Q) * self.h1)
        kept = [np.where(anew, 0.0, sums) for sums in (self.G, self.V, self.Q)]
        return *kept, largest, np.where(anew, largest, self.h1)

    def weights(self, x, h):
        G, V, _, largest, h1 = self.seen(x)
        V = h1**2 + V
        both = V + largest * np.abs(G)
        power = np.exp(ratio(G**2, 2.0 * both))
        return ratio(G * (V + both) * h1 * self.wealth * power, 2.0 * both**2 * np.sqrt(V) * self.L)

    def learn(self, x, y, m, h):
        self.G, self.V, self.Q, self.h, self.h1 = self.seen(x)
        g = np.clip(-h * self.slope(m, y) / self.L * x, -self.h, self.h)
        self.G += g
        self.V += g * g
        self.Q += ratio(np.abs(g), self.h)
