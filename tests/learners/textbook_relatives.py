"""Scale-invariant and adaptive learners as their papers write them."""

import numpy as np
from textbook_basics import LIPSCHITZ, Textbook, dual_map, p_norm, ratio, soft


class ScaleInvariantPNorm(Textbook):
    """eqs. (f1), (update1), corrected: p_t = max(2, 2·ln m_t), no 1/(p_t − 1)."""

    def begin(self):
        self.L = LIPSCHITZ.get(self.loss, 1.0)
        self.b, self.m, self.grown = np.zeros(self.d), 0, 0.0

    def seen(self, x):
        b, m = np.maximum(self.b, np.abs(x)), max(self.m, np.count_nonzero(x))
        return b, m, max(2.0, 2.0 * np.log(max(m, 1)))

    def weights(self, x, h):
        b, _, p = self.seen(x)
        beta = np.sqrt(np.e * self.L**2 * (p - 1.0) + self.grown)
        return ratio(dual_map(ratio(self.theta, b), p) / beta, b)

    def learn(self, x, y, m, h):
        self.b, self.m, p = self.seen(x)
        slope = h * self.slope(m, y)
        self.grown += (p - 1.0) * p_norm(slope * ratio(x, self.b), p) ** 2
        self.theta -= self.eta * slope * x


class ScaleInvariantAdaGrad(Textbook):
    """eqs. (f2), (update2), with d of each feature that of the round in which it appeared."""

    sqrt_d = True

    def begin(self):
        self.L = LIPSCHITZ.get(self.loss, 1.0)
        self.b, self.squares, self.roots = np.zeros((3, len(self.theta)))

    def weights(self, x, h):
        b = np.maximum(self.b, np.abs(x))
        growth = np.sqrt(self.L**2 + self.squares)
        roots = np.where(self.roots > 0.0, self.roots, 1.0)
        return ratio(ratio(self.theta, b) / (roots * growth), b)

    def learn(self, x, y, m, h):
        new = (self.b == 0.0) & (x != 0.0)
        self.roots[new] = np.sqrt(self.d) if self.sqrt_d else 1.0
        self.b = np.maximum(self.b, np.abs(x))
        slope = h * self.slope(m, y)
        self.squares += (slope * ratio(x, self.b)) ** 2
        self.theta -= self.eta * slope * x


class AdaGrad(Textbook):
    """Dual averaging form: H_t = δ + √(Σ_{s<t} g²)."""

    delta, l1, l2 = 1e-8, 0.0, 0.0

    def begin(self):
        self.squares = np.zeros(self.d)

    def weights(self, x, h):
        drift = self.eta * (self.t + 1)
        curvature = self.delta + np.sqrt(self.squares) + drift * self.l2
        return self.projected(soft(self.theta, drift * self.l1) / curvature)

    def learn(self, x, y, m, h):
        g = h * self.slope(m, y) * x
        self.theta -= self.eta * g
        self.squares += g * g


class NormalizedAdaptiveGradient(Textbook):
    """NAG (Ross, Mineiro & Langford, 2013, Algorithm 2)."""

    def begin(self):
        self.w, self.s, self.G, self.N = self.theta, np.zeros(self.d), np.zeros(self.d), 0.0

    def weights(self, x, h):
        larger = np.abs(x) > self.s
        return np.where(larger, self.w * ratio(self.s, np.abs(x)), self.w)

    def learn(self, x, y, m, h):
        self.w = self.weights(x, h)
        self.s = np.maximum(self.s, np.abs(x))
        self.N += np.sum(ratio(x, self.s) ** 2)
        g = h * self.slope(m, y) * x
        self.G += g * g
        if self.N > 0.0:
            rate = self.eta * np.sqrt((self.t + 1) / self.N)
            self.w = self.w - rate * ratio(g, self.s * np.sqrt(self.G))


class FtrlProximal(Textbook):
    """McMahan et al. (2013), Algorithm 1, with its z and n."""

    beta, l1, l2 = 1.0, 0.0, 0.0

    def begin(self):
        self.z, self.n = np.zeros(self.d), np.zeros(self.d)

    def weights(self, x, h):
        curvature = (self.beta + np.sqrt(self.n)) / self.alpha + self.l2
        return -ratio(soft(self.z, self.l1), curvature)

    def learn(self, x, y, m, h):
        g = h * self.slope(m, y) * x
        sigma = (np.sqrt(self.n + g * g) - np.sqrt(self.n)) / self.alpha
        self.z += g - sigma * self.weights(x, h)
        self.n += g * g


class CoinBetting(Textbook):
    """A Krichevsky-Trofimov bettor a coordinate: bet = C/(S + 1)·(wealth + reward)."""

    wealth = 1.0

    def begin(self):
        self.L = LIPSCHITZ.get(self.loss, 1.0)
        self.b, self.coins = np.zeros(self.d), np.zeros(self.d)
        self.stakes, self.reward = np.zeros(self.d), np.zeros(self.d)

    def bet(self):
        return self.coins / (self.stakes + 1.0) * (self.wealth + self.reward)

    def weights(self, x, h):
        return ratio(self.bet() / self.L, np.maximum(self.b, np.abs(x)))

    def learn(self, x, y, m, h):
        self.b = np.maximum(self.b, np.abs(x))
        coin = -h * self.slope(m, y) / self.L * ratio(x, self.b)
        coin = np.clip(coin, -1.0, 1.0)  # an importance above 1 would bet more than all
        self.reward += coin * self.bet()
        self.coins += coin
        self.stakes += np.abs(coin)


class SketchedNewton(Textbook):
    """AdaGrad's step, and (I + VᵀMV/a_t)⁻¹ of it along directions V that Oja's rule turns."""

    rank, a, tail = 10, 1.0, 0.0

    @property
    def floor(self):
        return self.a + self.tail / self.rank

    def begin(self):
        self.w, self.squares = np.zeros((2, self.d))
        self.V, self.M = np.zeros((0, self.d)), np.zeros((0, 0))

    def weights(self, x, h):
        return self.w.copy()

    def learn(self, x, y, m, h):
        g = h * self.slope(m, y) * x
        self.squares += g * g
        unit = self.squares**0.25
        s = ratio(g, unit)
        if s.any():
            self.follow(s)
            M, q = self.M, self.V @ s
            corrected = s - self.V.T @ (M @ np.linalg.solve(M + self.floor * np.eye(len(M)), q))
            self.w = self.w - self.eta * ratio(corrected, unit)

    def follow(self, s):
        V, M = self.V, self.M
        p = V @ s
        r = s - V.T @ p
        if len(V) < self.rank and r @ r > 1e-6 * (s @ s):
            self.V = np.vstack([V, r / np.linalg.norm(r)])
            self.M = np.pad(M, (0, 1))
        else:
            self.tail += r @ r
            c = np.linalg.solve(M + np.outer(p, p) + (self.floor + r @ r) * np.eye(len(M)), p)
            values, vectors = np.linalg.eigh(np.eye(len(M)) + (r @ r) * np.outer(c, c))
            N = (vectors / np.sqrt(values)) @ vectors.T
            self.V, self.M = N @ (V + np.outer(c, r)), N @ M @ N
        q = self.V @ s
        self.M = self.M + np.outer(q, q)
