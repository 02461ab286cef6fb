"""The lemmas that stand by themselves: Lemma 2, and the logarithms of the appendix."""

from __future__ import annotations

import math

import numpy as np

from fenchel.certificates.certificate import Certificate
from fenchel.parts.state import Array
from fenchel.regularizers import WeightedPNorm
from fenchel.regularizers.p_norm import norm_gradient


def weighted_norm_lemma(f: WeightedPNorm, u: Array, v: Array, theta: Array) -> list[Certificate]:
    """Measure Lemma 2 at three points: the conjugate, 1-strong convexity and the dual norm."""
    w = f.gradient(theta)
    met = float(w @ theta) - f.value(w)
    slope = _gradient(f, u)
    lower = f.value(u) + float(slope @ (v - u)) + 0.5 * f.norm(v - u) ** 2
    product = float(u @ theta)

    def told(equation: str, achieved: float, bound: float, kind: str = "upper") -> Certificate:
        unit = abs(achieved) + abs(bound)
        return Certificate("Lemma 2", equation, "", "u, v, θ", achieved, bound, unit, (), kind)

    return [
        told("conjugate", product - f.value(u), f.conjugate(theta)),
        told("conjugate, attained", f.conjugate(theta), met, "tight"),
        told("strong convexity", lower, f.value(v)),
        told("dual norm", product, f.norm(u) * f.dual_norm(theta)),
    ]


def _gradient(f: WeightedPNorm, u: Array) -> Array:
    """∇f(u) = 1/(q−1)·‖u·s‖_q^{2−q}·|u_j·s_j|^{q−1}·s_j·sign(u_j)."""
    return np.asarray(norm_gradient(u * f.scale, f.q) * f.scale * (f.p - 1.0))


def auer(amounts: Array) -> tuple[float, float]:
    """Both sides of Σ a_t/√(Σ_{s≤t} a_s) ≤ 2·√(Σ a_t) for a_t ≥ 0, eq. (auer); 0/0 := 0.

    >>> auer(np.array([1.0, 0.0, 3.0]))
    (2.5, 4.0)
    """
    sums = np.cumsum(amounts)
    seen = sums > 0.0
    return float(np.sum(amounts[seen] / np.sqrt(sums[seen]))), 2.0 * math.sqrt(float(sums[-1]))


def log_diagonal(X: Array, r: float = 1.0) -> tuple[float, float]:
    """Both sides of Σ x_tᵀD_t⁻¹x_t ≤ r·Σ_i ln(1 + Σ_t x²_{t,i}/r), Lemma log_diagonal.

    >>> left, right = log_diagonal(np.ones((3, 1)), r=1.0)     # 1/2 + 1/3 + 1/4 ≤ ln 4
    >>> round(left, 4), round(right, 4)
    (1.0833, 1.3863)
    """
    sums = np.cumsum(X * X, axis=0)
    return float(np.sum(X * X / (1.0 + sums / r))), r * float(np.log1p(sums[-1] / r).sum())


def log_bound_0(a: float, n: float = 2.0) -> float:
    """Bound x where x ≤ a·ln x: n/(n−1)·a·ln(n·a/e) for n > 1, Lemma log1."""
    return n / (n - 1.0) * a * math.log(n * a / math.e)


def log_bound_1(a: float, b: float, c: float, d: float, n: float = 2.0) -> float:
    """Bound x where x ≤ a·ln(bx + c) + d: n/(n−1)·(a·ln(nab/e) + d) + c/(b(n−1)), Corollary log1."""
    return n / (n - 1.0) * (a * math.log(n * a * b / math.e) + d) + c / (b * (n - 1.0))


def log_bound_2(a: float, b: float, c: float, d: float) -> float:
    """Bound x where x ≤ √(a·ln(bx + 1) + c) + d, Corollary log2."""
    inside = math.sqrt(8.0) * a * b * b / math.e + 2.0 * b * math.sqrt(c) + 2.0 * d * b + 2.0
    return math.sqrt(a * math.log(inside) + c) + d
