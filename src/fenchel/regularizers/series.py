"""Sums over rounds in closed form or by quadrature: what shrinking weights add up to.

A coordinate that no row touches has w_s = [size − slope·s]₊/(root·√s + rest + linear·s) in round s. Its
sum is what an average needs, the sum of l1·w_s + l2/2·w_s² what the certificate of a composite term
needs. The first terms are added one by one, the rest by Euler and Maclaurin's midpoint formula on
panels that double: Σ = ∫ − (φ′(end) − φ′(begin))/24 + …, to a relative 1e−11.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, required_verb, way
from fenchel._numba.intrinsics import all_above, lanes, none_above, seldom, where_above
from fenchel.parts.state import Array
from fenchel.regularizers.domains.protocol import confine, followed, no_pressure
from fenchel.rows.sums import by_fours, four_slots, four_values
from fenchel.rows.types import FOUR, ONE, ZERO, entries, entry, length, slot, slot_of, value_of

# Sums over fewer rounds than this are taken term by term; in the composite terms than ``SHORT``.
FEW_TERMS = 128.0
SHORT = 8.0
# From this round on sums of roots follow their asymptotic series to rounding.
ASYMPTOTIC = 8.0
MOST_ROUNDS = 2.0**52
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
NODES_4, WEIGHTS_4 = np.polynomial.legendre.leggauss(4)


@helper
def shrinking(
    s: float, size: float, slope: float, root: float, rest: float, linear: float
) -> float:
    """w_s."""
    return float(max(size - slope * s, 0.0) / (root * np.sqrt(s) + rest + linear * s))


@helper
def shrinking_slope(
    s: float, size: float, slope: float, root: float, rest: float, linear: float
) -> float:
    """The derivative of w_s in s."""
    below = root * np.sqrt(s) + rest + linear * s
    growth = 0.5 * root / np.sqrt(s) + linear
    return float(-(slope * below + (size - slope * s) * growth) / (below * below))


@helper
def counted(rounds: float) -> float:
    """A number of rounds that sums can count to: beyond it s + 1 is s, and they would not end."""
    return min(max(rounds, -1.0), MOST_ROUNDS)


@helper
def soft_sum(
    a: float, b: float, size: float, slope: float, root: float, rest: float, linear: float
) -> float:
    """Σ_{s=a+1}^{b} w_s."""
    a, b = counted(a), counted(b)
    if slope > 0.0:
        b = min(b, np.ceil(size / slope) - 1.0)
    total = 0.0
    s = a + 1.0
    while s <= b and (s <= FEW_TERMS or b - s < FEW_TERMS):
        total += shrinking(s, size, slope, root, rest, linear)
        s += 1.0
    if s > b:
        return total
    low, end = s - 0.5, b + 0.5
    total -= (
        shrinking_slope(end, size, slope, root, rest, linear)
        - shrinking_slope(low, size, slope, root, rest, linear)
    ) / 24.0
    while low < end:
        high = min(2.0 * low, end)
        half, middle = 0.5 * (high - low), 0.5 * (high + low)
        for i in range(NODES.shape[0]):
            at = middle + half * NODES[i]
            total += half * WEIGHTS[i] * shrinking(at, size, slope, root, rest, linear)
        low = high
    return total


@helper
def root_sums(n: float) -> tuple[float, float]:
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
    begin, end = root_sums(s - 1.0), root_sums(b)
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
    """Σ_{s=a+1}^{b} l1·w_s + l2/2·w_s² with slope η·l1 and linear η·l2; closed for l1 alone."""
    a, b = counted(a), counted(b)
    slope, linear = eta * l1, eta * l2
    if slope > 0.0:
        b = min(b, np.ceil(size / slope) - 1.0)
    if l2 == 0.0 and rest == 0.0 and root > 0.0:
        return l1 / root * _absolute_sum(a, b, size, slope)
    total = 0.0
    s = a + 1.0
    while s <= b and (s <= FEW_TERMS or b - s < SHORT):
        w = shrinking(s, size, slope, root, rest, linear)
        total += l1 * w + 0.5 * l2 * w * w
        s += 1.0
    if s > b:
        return total
    low, end = s - 0.5, b + 0.5
    begin = (l1 + l2 * shrinking(low, size, slope, root, rest, linear)) * shrinking_slope(
        low, size, slope, root, rest, linear
    )
    final = (l1 + l2 * shrinking(end, size, slope, root, rest, linear)) * shrinking_slope(
        end, size, slope, root, rest, linear
    )
    total -= (final - begin) / 24.0
    while low < end:
        high = min(2.0 * low, end)
        half, middle = 0.5 * (high - low), 0.5 * (high + low)
        # Over a short stretch of a long run four nodes do what sixteen do over a doubling.
        nodes, weights = (NODES, WEIGHTS) if half > 0.1 * middle else (NODES_4, WEIGHTS_4)
        for i in range(nodes.shape[0]):
            w = shrinking(middle + half * nodes[i], size, slope, root, rest, linear)
            total += half * weights[i] * (l1 * w + 0.5 * l2 * w * w)
        low = high
    return total


# ── Σ_t F(w_t) along a run: charged when θ_j changes ─────────────────────────────────────────────


@required_verb
def idle_terms(f: Any, slot: Any, since: float, until: float) -> Any:
    """Σ F_j(w_s) over the rounds since + 1 … until, θ_j standing still; NaN where unknown."""


@helper
def charge_row(f: Any, row: Any, ledger: Any) -> None:
    """Charge the row's coordinates up to this round."""
    now = f.rounds[0] + 1.0
    total = 0.0
    for k in range(entries(row)):
        if value_of(row, k) != 0.0:
            j = slot_of(row, k)
            total += idle_terms(f, j, ledger.mark[j], now)
            ledger.mark[j] = now
    ledger.terms[0] += total


@helper
def waiting_sum(f: Any, mark: Array) -> float:
    """Σ F(w_s) of all coordinates over the rounds not charged yet."""
    total = 0.0
    for j in range(f.theta.shape[0]):
        total += idle_terms(f, j, mark[j], f.rounds[0])
    return total


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
    size = abs(confine(f.domain, no_pressure(f.domain), f.theta[slot]))
    slope = f.eta * f.l1
    if seldom(since < ASYMPTOTIC):
        charge = idle_terms(f, slot, ledger.mark[slot], rounds.now)
    else:
        roots, inverse_roots = rounds.roots, rounds.inverse_roots
        if seldom(slope * since < size < slope * rounds.s):  # shrunk to 0 on the way
            inverse_roots, roots = root_sums(max(np.ceil(size / slope) - 1.0, since))
        ends = size * (inverse_roots - ledger.inverse_roots[slot])
        # Computed for weights that are 0 too: nobody can guess which ones are.
        charge = f.l1 / f.root * (ends - slope * (roots - ledger.roots[slot]))
        charge = charge if size > slope * since else 0.0
    ledger.mark[slot] = rounds.now
    ledger.roots[slot] = rounds.roots
    ledger.inverse_roots[slot] = rounds.inverse_roots
    return float(charge)


@helper
def _rounds_so_far(f: Any) -> _Rounds:
    now = f.rounds[0] + 1.0
    s = now - f.lag
    inverse_roots, roots = root_sums(max(s, ASYMPTOTIC))
    return _Rounds(now, s, roots, inverse_roots)


def charge_root_row(f: Any, row: Any, ledger: Any) -> None:
    """``charge_row`` for root·√t/2·‖·‖² + η·t·l1·‖·‖₁, by sums of roots that one round shares."""
    rounds = _rounds_so_far(f)
    total = 0.0
    for k in range(length(row)):
        if entry(row, k) != 0.0:
            total += _charge_slot(f, rounds, ledger, slot(row, k))
    if row.bias != 0.0:
        total += _charge_slot(f, rounds, ledger, ZERO)
    ledger.terms[0] += total


@helper
def _usually_charged(f: Any, rounds: Any, ledger: Any, slots: Any, x: Any) -> bool:
    """Whether four entries are other than 0, and none of their weights has shrunk to 0 on the way."""
    since, size, slope = ledger.mark[slots] - f.lag, abs(f.theta[slots]), f.eta * f.l1
    on_the_way = min(size - slope * since, slope * rounds.s - size)
    late = none_above(ASYMPTOTIC, since)
    return bool(late and none_above(on_the_way, 0.0) and all_above(abs(x), 0.0))


@helper
def _charge_four(f: Any, rounds: Any, ledger: Any, slots: Any) -> Any:
    """``_charge_slot`` for four of them."""
    since, size, slope = ledger.mark[slots] - f.lag, abs(f.theta[slots]), f.eta * f.l1
    ends = size * (rounds.inverse_roots - ledger.inverse_roots[slots])
    charge = f.l1 / f.root * (ends - slope * (rounds.roots - ledger.roots[slots]))
    ledger.mark[slots] = rounds.now
    ledger.roots[slots] = rounds.roots
    ledger.inverse_roots[slots] = rounds.inverse_roots
    return where_above(size, slope * since, charge)


def _charge_by_fours(f: Any, row: Any, ledger: Any) -> None:
    rounds = _rounds_so_far(f)
    total = 0.0
    n = length(row)
    whole = n - n % FOUR
    k = ZERO
    while k < whole:
        slots, x = four_slots(row, k), four_values(row, k)
        if seldom(not _usually_charged(f, rounds, ledger, slots, x)):
            for l in range(k, k + FOUR):
                if entry(row, l) != 0.0:
                    total += _charge_slot(f, rounds, ledger, slot(row, l))
        else:
            a, b, c, d = lanes(_charge_four(f, rounds, ledger, slots))
            total = (((total + a) + b) + c) + d
        k += FOUR
    while k < n:
        if entry(row, k) != 0.0:
            total += _charge_slot(f, rounds, ledger, slot(row, k))
        k += ONE
    if row.bias != 0.0:
        total += _charge_slot(f, rounds, ledger, ZERO)
    ledger.terms[0] += total


way.inside(
    charge_root_row,
    lambda f, row, ledger: _charge_by_fours if by_fours(row, f) else charge_root_row,
    way.INLINED,
)


@helper
def sums_roots(f: Any) -> bool:
    """Whether ``charge_root_row`` knows the sum: l1 alone, over √t."""
    return bool(f.l1 > 0.0 and f.l2 == 0.0 and f.root > 0.0 and followed(f.domain))
