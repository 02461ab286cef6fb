"""What stands above a mixture's vote: a combination of its experts, and the choice between the two.

AdaHedge weighs the experts (the first level) and, above, their mixture against their combination
(the second), so that nothing is lost where the combination does not pay: with Δ and Δ′ the gaps of
the two levels, the expected loss exceeds that of the best expert by at most 2·Δ + 2·Δ′. That is
while no expert has retired: with K′ of K left it is (1 + ln K/ln K′)·Δ + 2·Δ′ beyond the best of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._kernel import border
from fenchel._kernel.state import Array
from fenchel.learners import features
from fenchel.learners.regression import vovk_azoury_warmuth
from fenchel.loops.combining import combine, new_coins, new_scales, standardise
from fenchel.loops.mixing import mix_numbers, named_arrays, new_hedge, shares_now


class ClassCombination:
    """Class probabilities from the experts' margins, by coin betting."""

    def __init__(self, count: int) -> None:
        self.scales = new_scales(count)
        self.coins = new_coins(count)
        self.choice = new_hedge(2)

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        return named_arrays(scales=self.scales, coins=self.coins, choice=self.choice)

    def chances(
        self, margins: Array, active: Array, ballots: Array, y: Any, weights: Array, learning: bool
    ) -> Array:
        """The probabilities from before each label; ``ballots`` are the mixture's votes."""
        out = np.empty(ballots.shape)
        own = self.choice, self.scales, self.coins
        combine(*own, margins, active, ballots, y, weights, learning, out)
        return out


class NumberCombination:
    """The mixture's number, corrected by what it leaves over.

    Vovk-Azoury-Warmuth predicts the residual y − p of the mixture p from the standardised
    differences p_k − p of the experts and of the last target: many streams change slowly.
    """

    def __init__(self, count: int) -> None:
        self.scales = new_scales(count + 1)
        self.learner = vovk_azoury_warmuth(a=10.0)
        self.learner.restart(count + 1)
        self.choice = new_hedge(2)
        self.last = np.zeros(1)

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        own = named_arrays(scales=self.scales, choice=self.choice)
        return {
            **own,
            "last": self.last,
            **{f"learner.{k}": v for k, v in self.learner.state_arrays().items()},
        }

    def learn(
        self, numbers: Array, active: Array, mixed: Array, y: Array, weights: Array, bounds: Array
    ) -> Array:
        """The numbers from before each target; ``bounds`` are those of the targets seen before."""
        before = _targets_before(self.last, y, weights)
        rows, width = self._differences(numbers, active, mixed, before, weights, learning=True)
        rest = self.learner._learn_rows(rows, len(y), width, _difference(y, mixed), weights, True)
        final = np.empty_like(mixed)
        both = np.stack([mixed, _difference(mixed, -rest)])
        mix_numbers(self.choice, both, y, weights, bounds.copy(), final)
        return final

    def read(self, numbers: Array, active: Array, mixed: Array, bounds: Array) -> Array:
        """The numbers as the next round would see them."""
        before = np.broadcast_to(self.last, len(mixed))
        rows, width = self._differences(numbers, active, mixed, before, features.ONE, False)
        rest = self.learner._read_rows(rows, len(mixed), width, "margins")
        mixture, combination = shares_now(self.choice)
        return np.asarray(
            mixture * mixed + combination * np.clip(_difference(mixed, -rest), *bounds)
        )

    def _differences(
        self,
        numbers: Array,
        active: Array,
        mixed: Array,
        before: Array,
        weights: Array,
        learning: bool,
    ) -> tuple[Any, int]:
        differences = _difference(np.vstack([numbers, before]), mixed)
        width, count = differences.shape
        standard = np.empty((count, width, 1))
        on = np.append(active, 1.0)
        standardise(self.scales, differences[:, :, None], on, weights, learning, standard)
        return border.as_rows(standard[:, :, 0])[0], width


def _difference(values: Array, mixed: Array) -> Array:
    """values − mixed, finite also where numbers of opposite signs fill the range of a float."""
    with np.errstate(over="ignore"):
        return np.nan_to_num(values - mixed)


def _targets_before(last: Array, y: Array, weights: Array) -> Array:
    """The target before each row, ``last`` at the start and moved on; importance 0 is not seen."""
    targets = np.concatenate([last, y])
    seen = np.where(np.broadcast_to(weights, len(y)) > 0.0, np.arange(1, len(targets)), 0)
    latest = np.maximum.accumulate(np.concatenate([[0], seen]))
    last[0] = targets[latest[-1]]
    return np.asarray(targets[latest[:-1]])
