"""Changes of the loss of a run for the worse: a test with a stated rate of false alarms.

Losses in [0, 1] of one mean, independent given the past: at every round n and split s the likelihood
ratio s·kl(p₁, p) + (n − s)·kl(p₂, p), p₁ and p₂ the means before and after, p that of both, exceeds
``threshold(n, δ)`` somewhere, ever, with probability at most δ (Besson, Kaufmann, Maillard & Seznec,
JMLR 2022, for Bernoulli and all other variables in [0, 1]). Here splits lie between chunks of rounds,
of which old ones are joined, and only a loss that went up counts: fewer alarms, never more. After one,
the test begins anew behind the split.

Losses that are no shares of one are counted as 1 above the median of the first ``SETTLING`` rounds and 0
below, and tested from there on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fenchel.parts.state import Array

CHUNK = 16
KEPT = 8  # chunks of each size, before the two oldest are joined
SETTLING = 256
PATIENCE = 32  # the test is made again once there are so much of the rounds more
ZETA_2 = np.pi**2 / 6.0


class Change(NamedTuple):
    """The loss went up after round ``since``; known at round ``seen``."""

    since: int
    seen: int
    before: float
    after: float


def _h_inverse(y: float) -> float:
    """u ≥ 1 with u − ln u = y, by Newton's steps."""
    u = y + np.log(max(y, 1.0)) + 0.5
    for _ in range(30):
        u = max(u - (u - np.log(u) - y) / max(1.0 - 1.0 / u, 1e-12), 1.0 + 1e-12)
    return float(u)


def _h_tilde(x: float) -> float:
    edge = 1.0 / np.log(1.5)
    if x >= edge - np.log(edge):
        inverse = _h_inverse(x)
        return float(np.exp(1.0 / inverse) * inverse)
    return float(1.5 * (x - np.log(np.log(1.5))))


@lru_cache(maxsize=100_000)
def threshold(rounds: int, rate: float) -> float:
    """β(n, δ) = 2·T(ln(3n√n/δ)/2) + 6·ln(1 + ln n), T(x) = 2·h̃((h⁻¹(1 + x) + ln 2ζ(2))/2).

    >>> 20.0 < threshold(1000, 0.05) < 60.0
    True
    """
    x = 0.5 * np.log(3.0 * rounds * np.sqrt(rounds) / rate)
    T = 2.0 * _h_tilde(0.5 * (_h_inverse(1.0 + x) + np.log(2.0 * ZETA_2)))
    return float(2.0 * T + 6.0 * np.log(1.0 + np.log(max(rounds, 1))))


def _kl(p: Array, q: Array) -> Array:
    """p·ln(p/q) + (1 − p)·ln((1 − p)/(1 − q))."""
    q = np.clip(q, 1e-15, 1.0 - 1e-15)
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(p > 0.0, p * np.log(p / q), 0.0)
        down = np.where(p < 1.0, (1.0 - p) * np.log((1.0 - p) / (1.0 - q)), 0.0)
    return np.asarray(up + down)


class ChangePoints:
    """Watches losses, block by block, in memory that grows like the logarithm of the rounds.

    >>> rng = np.random.default_rng(0)
    >>> watch = ChangePoints(rate=0.01)
    >>> watch.see((rng.random(2000) < 0.1).astype(float))
    >>> watch.see((rng.random(500) < 0.5).astype(float))
    >>> [(abs(c.since - 2000) < 100, c.seen < 2200) for c in watch.found]
    [(True, True)]
    """

    def __init__(self, rate: float = 0.01, bounded: bool = True) -> None:
        self.rate = rate
        self.found: list[Change] = []
        self.rounds = 0
        self._bounded = bounded
        self._rest = np.zeros(0)
        self._begin()

    def _begin(self) -> None:
        self._counts: list[int] = []  # of the chunks, oldest first
        self._sums: list[float] = []
        self._of_size = [0]  # how many chunks there are of 1, 2, 4, … times the least size
        self._tested = self._due = 0  # rounds in the test, and those at which it is made next
        self._level: float | None = None
        self._first: list[float] = []

    def see(self, losses: Array) -> None:
        """Count in the losses of some rounds."""
        self._rest = np.concatenate([self._rest, losses])
        whole = len(self._rest) // CHUNK * CHUNK
        chunks, self._rest = self._rest[:whole].reshape(-1, CHUNK), self._rest[whole:]
        for chunk, total in zip(chunks, chunks.sum(axis=1).tolist(), strict=True):
            self.rounds += CHUNK
            if not self._bounded:
                shares = self._above(chunk)
                if shares is None:
                    continue
                total = float(shares.sum())
            self._counts.append(CHUNK)
            self._sums.append(total)
            self._join()
            self._tested += CHUNK
            if self._tested >= self._due:
                self._test()

    def _above(self, chunk: Array) -> Array | None:
        """Whether each is above the median of the first; None while these are collected."""
        if self._level is None:
            self._first += chunk.tolist()
            if len(self._first) >= SETTLING:
                self._level = float(np.median(self._first))
            return None
        return (chunk > self._level).astype(np.float64)

    def _join(self) -> None:
        """Count in a chunk, and join the two oldest of each size of which there are too many."""
        of_size, k = self._of_size, 0
        of_size[0] += 1
        while of_size[k] > KEPT:
            if k + 1 == len(of_size):
                of_size.append(0)
            at = sum(of_size[k + 1 :])  # larger ones are older
            self._counts[at : at + 2] = [2 * self._counts[at]]
            self._sums[at : at + 2] = [self._sums[at] + self._sums[at + 1]]
            of_size[k] -= 2
            of_size[k + 1] += 1
            k += 1

    def _test(self) -> None:
        counts, sums = np.cumsum(self._counts), np.cumsum(self._sums)
        n, total = int(counts[-1]), float(sums[-1])
        if len(counts) < 2:
            return
        self._due = n + n // PATIENCE
        s, t = counts[:-1], n - counts[:-1]
        before, after = sums[:-1] / s, (total - sums[:-1]) / t
        both = np.full(len(s), total / n)
        ratio = s * _kl(before, both) + t * _kl(np.clip(after, 0.0, 1.0), both)
        ratio = np.where(after > before, ratio, 0.0)
        k = int(np.argmax(ratio))
        if ratio[k] > threshold(n, self.rate):
            since = self.rounds - int(t[k])
            self.found.append(Change(since, self.rounds, float(before[k]), float(after[k])))
            self._begin()
