"""The algorithms that are no mirror descent with a plain sum, as their papers write them."""

from typing import Any

import numpy as np

from fenchel import regularizers
from fenchel.regularizers.renewing import SETTLING


class Dense:
    """A dense algorithm that a rule may ask for ``spread`` and ``dual_norm``."""

    matrix = np.eye(1)
    cancelled: Any = 0.0  # the sizes of numbers whose differences are weights

    def open(self, intercept: bool) -> None:
        """Begin, with an intercept as the first of the coordinates or without."""
        self.intercept = intercept


class _Relative(Dense):
    """``see`` reads w_t, ``learn`` takes the coefficient c = −η·ℓ′ of z = c·x."""

    def __init__(self, part: Any, shape: int) -> None:
        self.part = part
        self.w = np.zeros(shape)
        self.start(shape)

    def see(self, x: np.ndarray, importance: float) -> None:
        self.x, self.importance = x, importance


class _Gaussian(_Relative):
    """AROW, diagonal (Crammer et al., 2009): μ ← μ + α·y·Σx, Σ⁻¹ ← Σ⁻¹ + diag(x²)/r."""

    def start(self, shape: int) -> None:
        self.precision = np.ones(shape)

    @property
    def spread(self) -> float:
        return float(np.sum(self.x**2 / self.precision))

    def learn(self, c: float) -> None:
        if c != 0.0:
            growth = self.growth(abs(c))
            self.w = self.w + c * self.x / self.precision
            self.precision = self.precision + growth * self.x**2

    def growth(self, alpha: float) -> float:
        return self.importance / self.part.r


class _ConfidentGaussian(_Gaussian):
    """SCW-I (Wang et al., 2012): Σ⁻¹ grows by α·φ·u^{−1/2}·diag(x²)."""

    def growth(self, alpha: float) -> float:
        product = alpha * self.spread * self.part.phi
        # √u = ½·(−product + √(product² + 4υ)), without the cancellation
        root = 2.0 * self.spread / (product + np.sqrt(product**2 + 4.0 * self.spread) + 1e-300)
        return alpha * self.part.phi / root if root > 0.0 else 0.0


class _LogisticGaussian(_Gaussian):
    """Laplace's approximation, row by row: Σ⁻¹ grows by p·(1 − p)·diag(x²), |c| = importance·(1 − p)."""

    def start(self, shape: int) -> None:
        self.precision = np.full(shape, self.part.prior)

    def open(self, intercept: bool) -> None:
        """An intercept begins with a tenth of the precision."""
        self.precision[: int(intercept)] /= 10.0

    def growth(self, alpha: float) -> float:
        return alpha * max(1.0 - alpha / self.importance, 0.0)


class _NewtonStep(_Relative):
    """Online Newton step (Hazan et al., 2007): w ← w − η·A⁻¹g with A ← A + g·gᵀ."""

    def start(self, shape: int) -> None:
        self.matrix = self.part.a * np.eye(shape)

    @property
    def spread(self) -> float:
        return float(self.x @ np.linalg.solve(self.matrix, self.x))

    def learn(self, c: float) -> None:
        g = -c * self.x
        self.matrix = self.matrix + np.outer(g, g)
        self.w = self.w - self.part.eta * np.linalg.solve(self.matrix, g)


class _LogisticMatrix(_NewtonStep):
    """The same with the whole matrix: w ← w + c·A⁻¹x, A ← A + p·(1 − p)·x·xᵀ."""

    def learn(self, c: float) -> None:
        if c != 0.0:
            bend = abs(c) * max(1.0 - abs(c) / self.importance, 1e-12)
            self.w = self.w + c * np.linalg.solve(self.matrix, self.x)
            self.matrix = self.matrix + bend * np.outer(self.x, self.x)


class _CoinBetting(_Relative):
    """KT bettors (Orabona & Pál, 2016) on coins in units of the largest |x_j| so far."""

    def start(self, shape: int) -> None:
        self.coins, self.stakes, self.reward, self.b = np.zeros((4, shape))

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        self.b = np.maximum(self.b, np.abs(x))
        self.bet = self.coins / (self.stakes + 1.0) * (self.part.wealth + self.reward)
        self.w = self.bet * self.inverse()

    def inverse(self) -> np.ndarray:
        return np.divide(1.0 / self.part.lipschitz, self.b, out=self.b * 0.0, where=self.b > 0.0)

    def learn(self, c: float) -> None:
        coin = np.clip(c * self.x * self.inverse(), -1.0, 1.0)
        self.reward = self.reward + coin * self.bet
        self.coins = self.coins + coin
        self.stakes = self.stakes + np.abs(coin)


class _NormalizedAdaptive(_Relative):
    """NAG (Ross et al., 2013, Algorithm 2)."""

    def start(self, shape: int) -> None:
        self.scale, self.G = np.zeros((2, shape))
        self.t = self.N = 0.0

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        grown = np.maximum(self.scale, np.abs(x))
        self.w = self.w * np.divide(self.scale, grown, out=grown * 0.0, where=grown > 0.0)
        self.scale = grown
        self.t += 1.0
        self.N += np.sum((x[grown > 0.0] / grown[grown > 0.0]) ** 2)

    def learn(self, c: float) -> None:
        step = c * self.x
        self.G = self.G + (step / self.part.eta) ** 2
        seen = self.G > 0.0
        rate = np.sqrt(self.t / self.N) if self.N else 0.0
        self.w = self.w + 0.0
        self.w[seen] += rate * step[seen] / (self.scale[seen] * np.sqrt(self.G[seen]))


class _SketchedNewton(_Relative):
    """AdaGrad's step, and (I + VᵀMV/a_t)⁻¹ of it along directions V that Oja's rule turns."""

    def start(self, shape: int) -> None:
        self.squares, self.tail = np.zeros(shape), 0.0
        self.V, self.M = np.zeros((0, shape)), np.zeros((0, 0))

    def learn(self, c: float) -> None:
        g = -c * self.x
        self.squares = self.squares + g * g
        unit = self.squares**0.25
        s = np.divide(g, unit, out=np.zeros_like(g), where=unit > 0.0)
        if not s.any():
            return
        self.turn(s)
        floor = self.part.a + self.tail / self.part.rank
        along = self.M @ np.linalg.solve(self.M + floor * np.eye(len(self.M)), self.V @ s)
        step = s - self.V.T @ along
        self.w = self.w - self.part.eta * np.divide(step, unit, out=step * 0.0, where=unit > 0.0)

    def turn(self, s: np.ndarray) -> None:
        V, M = self.V, self.M
        p = V @ s
        r = s - V.T @ p
        rest = r @ r
        if len(V) < self.part.rank and rest > 1e-6 * (s @ s):
            self.V, self.M = np.vstack([V, r / np.sqrt(rest)]), np.pad(M, (0, 1))
        else:
            self.tail += rest
            floor = self.part.a + self.tail / self.part.rank
            c = np.linalg.solve(M + np.outer(p, p) + (floor + rest) * np.eye(len(M)), p)
            values, vectors = np.linalg.eigh(np.eye(len(M)) + rest * np.outer(c, c))
            N = (vectors / np.sqrt(values)) @ vectors.T
            self.V, self.M = N @ (V + np.outer(c, r)), N @ M @ N
        q = self.V @ s
        self.M = self.M + np.outer(q, q)


class _FrequentDirections(_Relative):
    """The online Newton step, Σ g·gᵀ whole; its eigenvalues are lowered once m gradients are counted."""

    def start(self, shape: int) -> None:
        self.S, self.theta, self.rows, self.tail = np.zeros((shape, shape)), np.zeros(shape), 0, 0.0

    def learn(self, c: float) -> None:
        g = -c * self.x
        if not g.any():
            return
        self.theta = self.theta + (g @ self.w - self.part.eta) * g
        self.S = self.S + np.outer(g, g)
        self.rows += 1
        if self.rows == self.part.rank:
            self.rows //= 2
            values, vectors = np.linalg.eigh(self.S)
            delta = values[-1 - self.rows] if self.rows < len(values) else 0.0
            self.S = (vectors * np.maximum(values - delta, 0.0)) @ vectors.T
            self.tail += max(delta, 0.0)
        self.matrix = self.S + (self.part.a + self.tail) * np.eye(len(g))
        self.w = np.linalg.solve(self.matrix, self.theta)


class _ProximalCentres(_Relative):
    """FTRL-Proximal (McMahan et al., 2013, Algorithm 1)."""

    def start(self, shape: int) -> None:
        self.z, self.n = np.zeros((2, shape))

    def learn(self, c: float) -> None:
        f, g = self.part, -c * self.x
        sigma = (np.sqrt(self.n + g**2) - np.sqrt(self.n)) / f.alpha
        self.z = self.z + g - sigma * self.w
        self.n = self.n + g**2
        soft = np.sign(self.z) * np.maximum(np.abs(self.z) - f.l1, 0.0)
        self.w = -soft / ((f.beta + np.sqrt(self.n)) / f.alpha + f.l2)


class _FadingMatrix(_Relative):
    """A and θ times λ in every round (importance 0 is none), then as AROW and least squares say."""

    def start(self, shape: int) -> None:
        self.A, self.theta = self.part.inner.a * np.eye(shape), np.zeros(shape)

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        inner, lam = self.part.inner, 1.0 / self.part.rate if importance > 0.0 else 1.0
        self.A, self.theta = lam * self.A, lam * self.theta
        self.ahead = self.A + importance * np.outer(x, x) / inner.r
        self.matrix = self.ahead if inner.tentative else self.A
        self.w = np.linalg.solve(self.matrix, self.theta)

    @property
    def spread(self) -> float:
        return float(self.x @ np.linalg.solve(self.matrix, self.x))

    def learn(self, c: float) -> None:
        if self.importance > 0.0 and (c != 0.0 or self.part.inner.always):
            self.A, self.theta = self.ahead, self.theta + c * self.x


class _RenewedMatrix(_Relative):
    """AROW and least squares, all forgotten where Page's test of the mistakes says so."""

    def start(self, shape: int) -> None:
        self.A, self.theta = self.part.a * np.eye(shape), np.zeros(shape)
        self.n = self.k = self.g = 0.0

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        self.ahead = self.A + importance * np.outer(x, x) / self.part.r
        self.matrix = self.ahead if self.part.tentative else self.A
        self.w = np.linalg.solve(self.matrix, self.theta)

    @property
    def spread(self) -> float:
        return float(self.x @ np.linalg.solve(self.matrix, self.x))

    def learn(self, c: float) -> None:
        if self.importance == 0.0:
            return
        p, wrong = (self.k + 0.5) / (self.n + 1.0), c * float(self.w @ self.x) < 0.0
        ratio = np.sqrt(p) / p if wrong else (1.0 - np.sqrt(p)) / (1.0 - p)
        self.g = max(0.0, self.g + np.log(ratio)) if self.n >= SETTLING else 0.0
        self.n, self.k = self.n + 1.0, self.k + wrong
        if self.g > 2.0 * np.log(self.n):
            self.start(len(self.x))
        elif c != 0.0 or self.part.always:
            self.A, self.theta = self.ahead, self.theta + c * self.x


class _FadingDiagonal(_Relative):
    """θ_j and s_j times λ in every round; a stays."""

    def start(self, shape: int) -> None:
        self.theta, self.s = np.zeros((2, shape))

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        lam = 1.0 / self.part.rate if importance > 0.0 else 1.0
        self.theta, self.s = lam * self.theta, lam * self.s
        self.D = self.part.a + self.s + importance * x**2 / self.part.r
        self.w = self.theta / self.D

    @property
    def spread(self) -> float:
        return float(np.sum(self.x**2 / self.D))

    def learn(self, c: float) -> None:
        if c != 0.0 or self.part.always:
            self.theta, self.s = self.theta + c * self.x, self.D - self.part.a


class _FadingGaussian(_Gaussian):
    """AROW, diagonal, whose Σ⁻¹ − I is taken times λ in every round."""

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        lam = 1.0 / self.part.rate if importance > 0.0 else 1.0
        self.precision = 1.0 + lam * (self.precision - 1.0)


class _FadingSteps(_Relative):
    """soft(θ, η·n·l1)/(still + √n·root + η·n·l2)/X², θ and n times λ in every round."""

    def start(self, shape: int) -> None:
        self.theta, self.n, self.level = np.zeros(shape), 0.0, 0.0

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        f = self.part
        if importance > 0.0:
            self.theta, self.n = self.theta / f.rate, self.n / f.rate
            self.n += 1.0
        self.level = max(self.level, float(np.linalg.norm(x))) if f.leveled else 1.0
        n = max(self.n, 1.0)
        soft = np.maximum(np.abs(self.theta) - f.eta * n * f.l1, 0.0) * np.sign(self.theta)
        curvature = f.still + f.root * np.sqrt(n) + f.eta * n * f.l2
        self.w = soft / curvature / self.level**2 if self.level else soft * 0.0

    def learn(self, c: float) -> None:
        self.theta = self.theta + c * self.x


class _LogOdds(_Relative):
    """Multinomial naive Bayes in units of mean sizes; the first entry may be the intercept."""

    intercept = True

    def start(self, shape: int) -> None:
        self.ahead, self.behind, self.n = np.zeros((3, shape))
        self.all_ahead = self.all_behind = 0.5

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        share = np.full(len(x), self.all_ahead / (self.all_ahead + self.all_behind))
        share[: int(self.intercept)] = 0.5
        rate = self.rate()
        p = self.ahead * rate + self.part.prior * share
        q = self.behind * rate + self.part.prior * (1.0 - share)
        self.w = np.where(self.n > 0.0, np.log(p / q) - np.log(share / (1.0 - share)), 0.0) * rate
        self.cancelled = rate * (1.0 + np.abs(np.log(share / (1.0 - share))))

    def rate(self) -> np.ndarray:
        mass = self.ahead + self.behind
        return np.divide(self.n, mass, out=mass * 0.0, where=mass > 0.0)

    def learn(self, c: float) -> None:
        z = c * self.x
        self.ahead = self.ahead + np.maximum(z, 0.0)
        self.behind = self.behind + np.maximum(-z, 0.0)
        self.n = self.n + abs(c) * (z != 0.0)
        counted = (z * self.rate())[int(self.intercept) :]
        self.all_ahead += np.maximum(counted, 0.0).sum()
        self.all_behind += np.maximum(-counted, 0.0).sum()


class _ScInOL(_Relative):
    """Kempka et al. (2019), Algorithm 2, in the units of the data, G and S² as they write them."""

    def start(self, shape: int) -> None:
        self.G, self.S, self.M = np.zeros((3, shape))
        self.eta = np.full(shape, self.part.wealth)
        self.t = 0

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        self.M = np.maximum(self.M, np.abs(x))
        self.w = self.bet()

    def bet(self) -> np.ndarray:
        root = np.sqrt(self.S + self.M**2)
        lean = np.divide(self.G, root, out=root * 0.0, where=root > 0.0)
        return self.over_root(np.clip(lean, -1.0, 1.0) * self.eta, root)

    def over_root(self, size: np.ndarray, root: np.ndarray) -> np.ndarray:
        out = root * 0.0
        return np.divide(size, 2.0 * root * self.part.lipschitz, out=out, where=root > 0.0)

    def learn(self, c: float) -> None:
        g = np.clip(c / self.part.lipschitz * self.x, -self.M, self.M)
        self.eta = self.eta + g * self.w * self.part.lipschitz
        self.G, self.S = self.G + g, self.S + g * g
        self.t += 1


class _ExponentialScInOL(_ScInOL):
    """Their Algorithm 1."""

    def bet(self) -> np.ndarray:
        there = self.x != 0.0
        least = self.part.wealth * (self.S + self.M**2)[there] / (self.x[there] ** 2 * (self.t + 1))
        self.eta[there] = np.minimum(self.eta[there], least)
        root = np.sqrt(self.S + self.M**2)
        lean = np.divide(self.G, root, out=root * 0.0, where=root > 0.0)
        return self.over_root(np.sign(lean) * np.expm1(np.abs(lean) / 2.0) * self.eta, root)

    def learn(self, c: float) -> None:
        kept = self.eta
        super().learn(c)
        self.eta = kept


class _FreeGrad(_Relative):
    """Mhammedi & Koolen (2020): FreeGrad with restarts, a coordinate each, in the units of the data."""

    def start(self, shape: int) -> None:
        self.G, self.V, self.h, self.h1, self.Q = np.zeros((5, shape))

    def see(self, x: np.ndarray, importance: float) -> None:
        super().see(x, importance)
        new = np.maximum(self.h, np.abs(x))
        anew = (new > self.h) & (new > (2.0 + self.Q) * self.h1)
        for kept in (self.G, self.V, self.Q):
            kept[anew] = 0.0
        self.h1 = np.where(anew, new, self.h1)
        self.h = new
        V = self.h1**2 + self.V
        both = V + new * np.abs(self.G)
        with np.errstate(invalid="ignore", divide="ignore"):
            w = self.G * (V + both) * self.h1**2 / (2.0 * both**2 * np.sqrt(V))
            w *= np.exp(self.G**2 / (2.0 * both)) * self.part.wealth / self.h1
        self.w = np.where(new > 0.0, w, 0.0) / self.part.lipschitz

    def learn(self, c: float) -> None:
        g = np.clip(c / self.part.lipschitz * self.x, -self.h, self.h)
        self.G, self.V = self.G + g, self.V + g * g
        self.Q = self.Q + np.divide(np.abs(g), self.h, out=self.h * 0.0, where=self.h > 0.0)


RELATIVES = {
    regularizers.LogOdds: _LogOdds,
    regularizers.ScInOL: _ScInOL,
    regularizers.ExponentialScInOL: _ExponentialScInOL,
    regularizers.FreeGrad: _FreeGrad,
    regularizers.FadingDiagonal: _FadingDiagonal,
    regularizers.FadingGaussian: _FadingGaussian,
    regularizers.FadingMatrix: _FadingMatrix,
    regularizers.FadingSteps: _FadingSteps,
    regularizers.RenewedMatrix: _RenewedMatrix,
    regularizers.Gaussian: _Gaussian,
    regularizers.ConfidentGaussian: _ConfidentGaussian,
    regularizers.LogisticGaussian: _LogisticGaussian,
    regularizers.LogisticMatrix: _LogisticMatrix,
    regularizers.NewtonStep: _NewtonStep,
    regularizers.CoinBetting: _CoinBetting,
    regularizers.NormalizedAdaptive: _NormalizedAdaptive,
    regularizers.ProximalCentres: _ProximalCentres,
    regularizers.SketchedNewton: _SketchedNewton,
    regularizers.FrequentDirections: _FrequentDirections,
}
