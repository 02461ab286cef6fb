"""Whether one learner was better than another, or only luckier.

Both saw the same rounds, so the test is paired. Classes: only the rounds in which exactly one of
the two was wrong tell them apart; were they equally good, each would win such a round with
probability ½ (the sign test, McNemar's). Numbers: the mean difference of the squared errors against
its standard error.
"""

from __future__ import annotations

from math import comb, erfc, sqrt
from typing import NamedTuple

import numpy as np

from fenchel.parts.state import Array

# A difference that equally good learners would show less often than this is not called chance.
LEVEL = 0.05
# Up to here the binomial sum is exact; beyond, the normal distribution is as good.
EXACT = 1000  # 2¹⁰⁰⁰ is still a float


class Verdict(NamedTuple):
    """One learner against another: by how much, and how often chance alone would do as much.

    Classes: the first was right alone in ``won`` rounds, the other in ``lost``. Numbers: ``won`` is
    the mean difference of the losses, ``lost`` its standard error.
    """

    won: float
    lost: float
    p_value: float

    @property
    def could_be_chance(self) -> bool:
        """Whether two equally good learners would often differ as much."""
        return self.p_value > LEVEL


class Pairs:
    """Sums from which any two learners can be compared afterwards, in one reading of the data."""

    def __init__(self, learners: int, *, regression: bool) -> None:
        self._regression = regression
        self._rounds = 0
        self._sums = np.zeros(learners)
        self._products = np.zeros((learners, learners))

    def see(self, losses: list[Array]) -> None:
        """Count in a block: the losses of every learner on the same rows."""
        table = np.stack(losses)
        with np.errstate(over="ignore", invalid="ignore"):
            self._products += table @ (table if self._regression else 1.0 - table).T
            self._sums += table.sum(axis=1)
        self._rounds += table.shape[1]

    def verdict(self, first: int, other: int) -> Verdict:
        """Compare the first learner with the other."""
        if self._regression:
            return self._of_numbers(first, other)
        # products[i, j]: in how many rounds i was wrong and j right.
        won, lost = self._products[other, first], self._products[first, other]
        return Verdict(float(won), float(lost), sign_test(int(won), int(lost)))

    def _of_numbers(self, first: int, other: int) -> Verdict:
        n = max(self._rounds, 1)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(self._sums[other] - self._sums[first]) / n
            square = self._products[first, first] + self._products[other, other]
            variance = float(square - 2.0 * self._products[first, other]) / n - mean * mean
        if not (np.isfinite(mean) and np.isfinite(variance)):
            return Verdict(float("inf"), float("inf"), 0.0)  # one of the two ran away
        error = sqrt(max(variance, 0.0) / n)
        return Verdict(mean, error, erfc(abs(mean) / error / sqrt(2.0)) if error else 1.0)


def sign_test(won: int, lost: int) -> float:
    """The chance that a fair coin falls at least as unevenly, on either side.

    >>> sign_test(5, 5), sign_test(10, 0)
    (1.0, 0.001953125)
    >>> round(sign_test(5200, 4800), 6)
    6.6e-05
    """
    n, fewer = won + lost, min(won, lost)
    if n == 0 or won == lost:
        return 1.0
    if n > EXACT:
        return erfc((n / 2 - fewer - 0.5) / sqrt(n / 4) / sqrt(2.0))
    both_tails: int = 2 * sum(comb(n, k) for k in range(fewer + 1))
    return min(1.0, both_tails / 2.0**n)
