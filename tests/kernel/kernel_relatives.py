"""The algorithms that are no mirror descent with a plain sum, as their papers write them."""

from typing import Any

import numpy as np

from fenchel import regularizers


class Dense:
    """A dense algorithm that a rule may ask for ``spread`` and ``dual_norm``."""

    matrix = np.eye(1)


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


RELATIVES = {
    regularizers.Gaussian: _Gaussian,
    regularizers.ConfidentGaussian: _ConfidentGaussian,
    regularizers.NewtonStep: _NewtonStep,
    regularizers.CoinBetting: _CoinBetting,
    regularizers.NormalizedAdaptive: _NormalizedAdaptive,
    regularizers.ProximalCentres: _ProximalCentres,
}
