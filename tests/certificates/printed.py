"""What the paper prints and the errata correct, as parts: to watch the theorems fail."""

from typing import NamedTuple

import numpy as np

from fenchel._kernel.state import part
from fenchel.losses.verbs import derivative, value
from fenchel.regularizers import Entropic, ScaleInvariantAdaGrad, ScaleInvariantPNorm


@part
class Slope(NamedTuple):
    """ℓ(m, y) = y·m: a linear loss whose slope is the label."""

    @property
    def lipschitz(self):
        return 1.0

    @property
    def task(self):
        return "regression"


@value.of(Slope)
def _value(loss, margin, y):
    return y * margin


@derivative.of(Slope)
def _derivative(loss, margin, y):
    return y


class PrintedPNorm(ScaleInvariantPNorm):
    """Eq. (update1) as printed, with its factor 1/(p_t − 1)."""

    def gradient(self, theta):
        return super().gradient(theta) / (self.p - 1.0)


class PrintedExponent(ScaleInvariantPNorm):
    """p_t = 2·ln m_t as printed."""

    @property
    def p(self):
        return 2.0 * float(np.log(self.longest[0]))


class StaleScale(ScaleInvariantAdaGrad):
    """b_{t−1} in place of b_t: x_t counts one round late."""

    def observe(self, x):
        return self._replace(dimension=np.append(self.dimension[:1], np.abs(x)))

    def commit(self, current, z):
        seen = np.maximum(current.largest, current.dimension[1:])
        return super().commit(current._replace(largest=seen, dimension=current.dimension[:1]), z)


class PlainEntropy(Entropic):
    """Σ v·ln v without the ln d that makes it ≥ 0."""

    def value(self, u):
        return super().value(u) - np.log(len(u))

    def conjugate(self, theta):
        return super().conjugate(theta) + np.log(len(theta))
