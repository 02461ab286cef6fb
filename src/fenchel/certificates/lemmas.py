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


def log_bound_1(a: float, b: float, c: float, d: float, n: float = 2.0) -> float:
    """Bound x where x ≤ a·ln(bx + c) + d: n/(n−1)·(a·ln(nab/e) + d) + c/(b(n−1)), Corollary log1."""
    return n / (n - 1.0) * (a * math.log(n * a * b / math.e) + d) + c / (b * (n - 1.0))


def log_bound_2(a: float, b: float, c: float, d: float) -> float:
    """Bound x where x ≤ √(a·ln(bx + 1) + c) + d, Corollary log2."""
    inside = math.sqrt(8.0) * a * b * b / math.e + 2.0 * b * math.sqrt(c) + 2.0 * d * b + 2.0
    return math.sqrt(a * math.log(inside) + c) + d
