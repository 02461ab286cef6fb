"""The lemmas that stand by themselves: Lemma 2 and the logarithms of the appendix."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fenchel.certificates import weighted_norm_lemma
from fenchel.certificates.lemmas import log_bound_0, log_bound_1, log_bound_2
from fenchel.regularizers import WeightedPNorm
from fenchel.report.claims.claim import Check, Claim, certified, check_table, inequality
from fenchel.report.claims.data_sets import ClaimData
from fenchel.report.page import Section, paragraph

CASES = 5


def measure(source: ClaimData) -> Claim:
    """Random points and random constants."""
    random = np.random.default_rng(5)
    checks: list[Check] = []
    for case in range(CASES):
        checks += _weighted_norm(random, case)
        checks += _logarithms(random, case)
    parts = [
        paragraph(
            "Lemma 2, on the weighted q-norm (conjugate, strong convexity, dual norm), at random "
            "points; the lemma and the two corollaries on logarithms, at the largest x that satisfies "
            "their premise, found by bisection. Lemma 1 and the hinge lemma are checked in every section, "
            "on every run."
        ),
        check_table(checks),
    ]
    return Claim(Section("Lemmas", parts), checks)


def _weighted_norm(random: np.random.Generator, case: int) -> list[Check]:
    d = int(random.integers(2, 20))
    f = WeightedPNorm(a=random.lognormal(size=d), p=float(random.uniform(2.0, 12.0)))
    v, theta, noise = random.normal(size=(3, d))
    u = f.gradient(theta) * (1.0 + 0.3 * noise)  # near the point where the conjugate is attained
    found = weighted_norm_lemma(f, u, v, theta)
    return [certified(c, f"random point {case + 1}, d = {d}") for c in found]


def _logarithms(random: np.random.Generator, case: int) -> list[Check]:
    a, b, c, d = random.lognormal(sigma=2.0, size=4).tolist()
    where = f"random constants {case + 1}"
    plain = math.e * (1.0 + a)  # below e no x satisfies x ≤ a·ln x
    zeroth = _largest(lambda x: plain * math.log(x))
    first = _largest(lambda x: a * math.log(b * x + c) + d)
    second = _largest(lambda x: math.sqrt(a * math.log(b * x + 1.0) + c) + d)
    return [
        inequality("Lemma log1", zeroth, log_bound_0(plain), where, "appendix"),
        inequality("Corollary log1", first, log_bound_1(a, b, c, d), where, "appendix"),
        inequality("Corollary log2", second, log_bound_2(a, b, c, d), where, "appendix"),
    ]


def _largest(right: Callable[[float], float]) -> float:
    """The largest x with x ≤ right(x), where right is concave."""
    high = 1.0
    while high <= right(high) or high < 1e6:
        high *= 2.0
    points: list[float] = np.geomspace(1e-12, high, 4000).tolist()
    fits = [x for x in points if x <= right(x)]
    if not fits:
        return 0.0
    low = fits[-1]
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle <= right(middle) else (low, middle)
    return low
