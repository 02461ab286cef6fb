"""Σ_t F(w_t) of the composite term F = l1·‖·‖₁ + l2/2·‖·‖₂², without a sweep over the weights.

Between two changes of θ_j the weight is a known function of the round, so that its terms are added
up when θ_j changes: one by one over few rounds, by quadrature over many. Where l1 = 0 and all
weights share one factor, ‖θ‖² alone is enough.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import helper, kernel, verb
from fenchel._kernel.rows import ZERO, entries, entry, length, slot, slot_of, value_of
from fenchel._kernel.state import Array
from fenchel.regularizers.adagrad import AdaGrad
from fenchel.regularizers.composite import Composite
from fenchel.regularizers.domains import Orthant, Whole, confine
from fenchel.regularizers.pacing import FEW, NODES, WEIGHTS

# Sums over fewer rounds than this are taken term by term.
SHORT = 8.0
# From this round on sums of roots follow their asymptotic series to rounding.
ASYMPTOTIC = 8.0
NODES_4, WEIGHTS_4 = np.polynomial.legendre.leggauss(4)


@helper
def _weight(s: float, size: float, slope: float, root: float, rest: float, linear: float) -> float:
    return float(max(size - slope * s, 0.0) / (root * np.sqrt(s) + rest + linear * s))


@helper
def _change(s: float, size: float, slope: float, root: float, rest: float, linear: float) -> float:
    """The derivative of ``_weight`` in s."""
    below = root * np.sqrt(s) + rest + linear * s
    growth = 0.5 * root / np.sqrt(s) + linear
    return float(-(slope * below + (size - slope * s) * growth) / (below * below))


@helper
def _root_sums(n: float) -> tuple[float, float]:
    """Σ_{s≤n} s^{−1/2} − ζ(½) and Σ_{s≤n} s^{1/2} − ζ(−½) for n ≥ 8, to a relative 1e−12."""
    root = np.sqrt(n)
    v = 1.0 / (n * n)
    first = 2.0 * root + (0.5 - (1.0 - v * (1.0 / 16.0 - v * 33.0 / 1280.0)) / (24.0 * n)) / root
    second = root * (n / 1.5 + 0.5 + (1.0 - v * (1.0 / 80.0 - v * 3.0 / 1280.0)) / (24.0 * n))
    return first, second


@helper
def _absolute_sum(a: float, b: float, size: float, slope: float) -> float:
    """Σ_{s=a+1}^{b} (size − slope·s)/√s."""
    total = 0.0
    s = a + 1.0
    while s <= b and (s <= 8.0 or b - s < 3.0):
        total += (size - slope * s) / np.sqrt(s)
        s += 1.0
    if s > b:
        return float(total)
    begin, end = _root_sums(s - 1.0), _root_sums(b)
    return float(total + size * (end[0] - begin[0]) - slope * (end[1] - begin[1]))


@helper
def term_sum(
    a: float,
    b: float,
    size: float,
    eta: float,
    l1: float,
    l2: float,
    root: float,
    rest: float,
) -> float:
    """Σ_{s=a+1}^{b} l1·w_s + l2/2·w_s² for w_s = [size − η·s·l1]₊/(root·√s + rest + η·s·l2).

    Closed for l1 alone. Else the first terms one by one, the rest by Euler and Maclaurin's midpoint
    formula on panels that double: Σ = ∫ − (φ′(end) − φ′(begin))/24 + …
    """
    slope, linear = eta * l1, eta * l2
    if slope > 0.0:
        b = min(b, np.ceil(size / slope) - 1.0)
    if l2 == 0.0 and rest == 0.0 and root > 0.0:
        return l1 / root * _absolute_sum(a, b, size, slope)
    total = 0.0
    s = a + 1.0
    while s <= b and (s <= FEW or b - s < SHORT):
        w = _weight(s, size, slope, root, rest, linear)
        total += l1 * w + 0.5 * l2 * w * w
        s += 1.0
    if s > b:
        return total
    low, end = s - 0.5, b + 0.5
    begin = (l1 + l2 * _weight(low, size, slope, root, rest, linear)) * _change(
        low, size, slope, root, rest, linear
    )
    final = (l1 + l2 * _weight(end, size, slope, root, rest, linear)) * _change(
        end, size, slope, root, rest, linear
    )
    total -= (final - begin) / 24.0
    while low < end:
        high = min(2.0 * low, end)
        half, middle = 0.5 * (high - low), 0.5 * (high + low)
        # Over a short stretch of a long run four nodes do what sixteen do over a doubling.
        nodes, weights = (NODES, WEIGHTS) if half > 0.1 * middle else (NODES_4, WEIGHTS_4)
        for i in range(nodes.shape[0]):
            w = _weight(middle + half * nodes[i], size, slope, root, rest, linear)
            total += half * weights[i] * (l1 * w + 0.5 * l2 * w * w)
        low = high
    return total


@verb
def followed(domain: Any) -> bool:
    """Whether the weights between two visits are known on this domain."""
    return False


@followed.of(Whole)
def _whole(domain: Any) -> bool:
    return True


@followed.of(Orthant)
def _orthant(domain: Any) -> bool:
    return True


@verb
def idle_terms(f: Any, slot: Any, since: float, until: float) -> float:
    """Σ F_j(w_s) over the rounds since + 1 … until, θ_j standing still; NaN where unknown."""
    return 0.0


@idle_terms.of(Composite)
def _composite_terms(f: Any, slot: Any, since: float, until: float) -> float:
    if f.l1 == 0.0 and f.l2 == 0.0:
        return 0.0
    if not followed(f.domain):
        return float(np.nan)
    size = abs(confine(f.domain, 0.0, f.theta[slot]))
    if size == 0.0:
        return 0.0
    return term_sum(since - f.lag, until - f.lag, size, f.eta, f.l1, f.l2, f.root, 0.0)


@idle_terms.of(AdaGrad)
def _adagrad_terms(f: Any, slot: Any, since: float, until: float) -> float:
    if f.l1 == 0.0 and f.l2 == 0.0:
        return 0.0
    if not followed(f.domain):
        return float(np.nan)
    size = abs(confine(f.domain, 0.0, f.theta[slot]))
    if size == 0.0:
        return 0.0
    rest = f.delta + f.roots[slot]
    return term_sum(since, until, size, f.eta, f.l1, f.l2, 0.0, rest)


@verb
def charge_terms(f: Any, view: Any, row: Any, ledger: Any) -> None:
    """Charge the row's coordinates up to this round, before their θ_j changes."""


@helper
def _charge(f: Any, row: Any, ledger: Any) -> None:
    now = f.rounds[0] + 1.0
    total = 0.0
    for k in range(entries(row)):
        if value_of(row, k) != 0.0:
            j = slot_of(row, k)
            total += idle_terms(f, j, ledger.mark[j], now)
            ledger.mark[j] = now
    ledger.terms[0] += total


class _Rounds(NamedTuple):
    """This round, s = t − lag, and Σ √s and Σ 1/√s up to it, less a constant."""

    now: float
    s: float
    roots: float
    inverse_roots: float


@helper
def _charge_slot(f: Any, rounds: Any, ledger: Any, slot: Any) -> float:
    """Σ l1·|w_s| over the rounds since the last charge, l2 = 0: (|θ| − η·l1·s)/(root·√s) summed.

    By two differences of the sums of roots.
    """
    since = ledger.mark[slot] - f.lag
    size = abs(confine(f.domain, 0.0, f.theta[slot]))
    slope = f.eta * f.l1
    charge = 0.0
    if since < ASYMPTOTIC:
        charge = idle_terms(f, slot, ledger.mark[slot], rounds.now)
    elif size > slope * since:
        roots, inverse_roots = rounds.roots, rounds.inverse_roots
        if size < slope * rounds.s:  # shrunk to 0 on the way
            inverse_roots, roots = _root_sums(max(np.ceil(size / slope) - 1.0, since))
        ends = size * (inverse_roots - ledger.inverse_roots[slot])
        charge = f.l1 / f.root * (ends - slope * (roots - ledger.roots[slot]))
    ledger.mark[slot] = rounds.now
    ledger.roots[slot] = rounds.roots
    ledger.inverse_roots[slot] = rounds.inverse_roots
    return float(charge)


@charge_terms.of(Composite)
def _composite_charge(f: Any, view: Any, row: Any, ledger: Any) -> None:
    if f.l1 > 0.0 and f.l2 == 0.0 and f.root > 0.0 and followed(f.domain):
        now = f.rounds[0] + 1.0
        s = now - f.lag
        inverse_roots, roots = _root_sums(max(s, ASYMPTOTIC))
        rounds = _Rounds(now, s, roots, inverse_roots)
        total = 0.0
        for k in range(length(row)):
            if entry(row, k) != 0.0:
                total += _charge_slot(f, rounds, ledger, slot(row, k))
        if row.bias != 0.0:
            total += _charge_slot(f, rounds, ledger, ZERO)
        ledger.terms[0] += total
    elif f.l1 > 0.0 or f.l2 > 0.0:
        _charge(f, row, ledger)


@charge_terms.of(AdaGrad)
def _adagrad_charge(f: Any, view: Any, row: Any, ledger: Any) -> None:
    if f.l1 > 0.0 or f.l2 > 0.0:
        _charge(f, row, ledger)


@verb
def waiting_terms(f: Any, mark: Array) -> float:
    """Σ F(w_s) of all coordinates over the rounds not charged yet."""
    return 0.0


@helper
def _waiting(f: Any, mark: Array) -> float:
    total = 0.0
    for j in range(f.theta.shape[0]):
        total += idle_terms(f, j, mark[j], f.rounds[0])
    return total


@waiting_terms.of(Composite)
def _composite_waiting(f: Any, mark: Array) -> float:
    return _waiting(f, mark)


@waiting_terms.of(AdaGrad)
def _adagrad_waiting(f: Any, mark: Array) -> float:
    return _waiting(f, mark)


@kernel
def all_terms(f: Any, ledger: Any) -> float:
    """Σ_t F(w_t) over the whole run; nothing changes."""
    return float(ledger.terms[0] + waiting_terms(f, ledger.mark))
