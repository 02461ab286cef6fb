"""The prediction of a mixture from its experts' margins: their vote or mean, and their combination above it.

Margins come as margins[k, t, c]: expert, row, class; a margin between two classes, or a number, has
only c = 0. What is made of a row is made before its label counts.

AdaHedge weighs the experts (the first level) and, above, their mixture against their combination
(the second), so that nothing is lost where the combination does not pay: with Δ and Δ′ the gaps of
the two levels, the expected loss exceeds that of the best expert by at most 2·Δ + 2·Δ′. That is
while no expert has retired: with K′ of K left it is (1 + ln K/ln K′)·Δ + 2·Δ′ beyond the best of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeVar

import numpy as np

from fenchel._numba.jit import settled
from fenchel.learners.engine import ONE
from fenchel.learners.regression import vovk_azoury_warmuth
from fenchel.loops.adahedge import (
    Hedge,
    mix_choices,
    mix_numbers,
    named_arrays,
    new_hedge,
    shares_now,
    unite_hedge,
)
from fenchel.loops.calibration import DECAYS as CALIBRATED
from fenchel.loops.calibration import calibrate_several, calibrate_two, new_calibration
from fenchel.loops.coin_stacking import (
    combine,
    new_coins,
    new_scales,
    standardise,
    unite_coins,
    unite_scales,
)
from fenchel.loops.newton_mixture import unite_refinements
from fenchel.loops.refined_stacking import DECAYS as STACKED
from fenchel.loops.refined_stacking import lead_several, lead_two, new_stack, refine
from fenchel.loops.switching import new_switching
from fenchel.losses import Squared
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards, averaged
from fenchel.rows import Rows, validate

SQUARED = Squared()
NO_LABELS = np.zeros(0, dtype=np.int64)  # nothing is learned from

Kind = TypeVar("Kind", bound="Blend")


_SETTLED: dict[Any, Any] = {}


def _call(kernel: Any, state: Any, *arguments: Any) -> None:
    """Call a kernel whose last argument has one row a row; of single rows without a look at the types.

    These are the same in every call, but for the kind of state.
    """
    if len(arguments[-1]) != 1:
        kernel(state, *arguments)
        return
    quick = _SETTLED.get((kernel, type(state)))
    if quick is None:
        kernel(state, *arguments)
        _SETTLED[kernel, type(state)] = settled(kernel, (state, *arguments))
    else:
        quick(state, *arguments)


class ClassCombination:
    """Class probabilities from the experts' margins: coin betting, refined and calibrated.

    The class that is decided for, by AdaHedge between the vote and the coins' likeliest class, is the one
    with the largest probability: one that is not is put just above the others.
    """

    def __init__(self, count: int) -> None:
        self.scales = new_scales(count)
        self.coins = new_coins(count)
        self.choice = new_hedge(2)
        self.stack = new_stack(count)
        self.calibration = new_calibration()

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        own = named_arrays(scales=self.scales, coins=self.coins, choice=self.choice)
        return own | named_arrays(stack=self.stack, calibration=self.calibration)

    def chances(
        self, margins: Array, active: Array, ballots: Array, y: Any, weights: Array, learning: bool
    ) -> Array:
        """The logits of two classes, the probabilities of several, from before each label.

        ``ballots`` are the mixture's votes.
        """
        logits, decided = np.empty(ballots.shape), np.empty(len(ballots), np.int64)
        sizes = np.zeros((len(ballots), len(margins)))
        own = self.choice, self.scales, self.coins
        given = y, weights, learning
        _call(combine, *own, margins, active, ballots, *given, logits, sizes, decided)
        refined = np.empty(ballots.shape)
        _call(refine, self.stack, logits, margins, active, sizes, *given, refined)
        if margins.shape[2] < ballots.shape[1]:
            with np.errstate(all="ignore"):  # a forged state may say anything
                odds, out = np.log(refined[:, 1] / refined[:, 0]), np.empty(len(ballots))
            _call(calibrate_two, self.calibration, odds, *given, out)
            return lead_two(out, decided)
        out = np.empty(ballots.shape)
        calibrate_several(self.calibration, refined, *given, out)
        return lead_several(out, decided)

    def decide(self, margins: Array, active: Array, ballots: Array) -> Any:
        """The classes that would be decided for; −1 where none is known. No probabilities are made."""
        logits, decided = np.empty(ballots.shape), np.empty(len(ballots), np.int64)
        sizes = np.zeros((len(ballots), len(margins)))
        own, given = (self.choice, self.scales, self.coins), (NO_LABELS, ONE, False)
        _call(combine, *own, margins, active, ballots, *given, logits, sizes, decided)
        return decided

    def unite(self, shards: Shards) -> None:
        """Unite scales, coins and choice, and both refinements."""
        unite_scales(self.scales, shards.inside("scales"))
        unite_coins(self.coins, shards.inside("coins"))
        unite_hedge(self.choice, shards.inside("choice"))
        unite_refinements(self.stack, shards.inside("stack"), STACKED)
        unite_refinements(self.calibration, shards.inside("calibration"), CALIBRATED)


class NumberCombination:
    """The mixture's number, corrected by what it leaves over.

    Vovk-Azoury-Warmuth predicts the residual y − p of the mixture p from the standardised
    differences p_k − p of the experts and of the last target: many streams change slowly.
    """

    def __init__(self, count: int) -> None:
        self.scales = new_scales(count + 1)
        self.engine = vovk_azoury_warmuth(a=10.0).engine
        self.engine.restart(count + 1)
        self.choice = new_hedge(2)
        self.last = np.zeros(1)

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        own = named_arrays(scales=self.scales, choice=self.choice)
        return {
            **own,
            "last": self.last,
            **{f"learner.{k}": v for k, v in self.engine.state_arrays().items()},
        }

    def learn(
        self,
        numbers: Array,
        active: Array,
        mixed: Array,
        y: Array,
        weights: Array,
        bounds: Array,
        known: Array | None = None,
    ) -> Array:
        """The numbers from before each target; ``bounds`` are those of the targets seen before.

        ``known`` is the last target that was known when each row was asked, where that is long ago.
        """
        before = _targets_before(self.last, y, weights)
        before = before if known is None else known
        rows = self._differences(numbers, active, mixed, before, weights, learning=True)
        rest = self.engine.learn(rows, _difference(y, mixed), weights, True)
        final = np.empty_like(mixed)
        both = np.stack([mixed, _difference(mixed, -rest)])
        mix_numbers(self.choice, SQUARED, both, y, weights, bounds.copy(), final)
        return final

    def read(self, numbers: Array, active: Array, mixed: Array, bounds: Array) -> Array:
        """The numbers as the next round would see them."""
        before = np.broadcast_to(self.last, len(mixed))
        rows = self._differences(numbers, active, mixed, before, ONE, False)
        rest = self.engine.read(rows)
        mixture, combination = shares_now(self.choice)
        return np.asarray(
            mixture * mixed + combination * np.clip(_difference(mixed, -rest), *bounds)
        )

    def unite(self, shards: Shards) -> None:
        """Unite scales, choice and learner; the last target is the mean of those of all."""
        unite_scales(self.scales, shards.inside("scales"))
        unite_hedge(self.choice, shards.inside("choice"))
        self.engine.unite([part.engine for part in shards.parts], shards.start.engine)
        self.last[:] = averaged(shards, "last")

    def _differences(
        self,
        numbers: Array,
        active: Array,
        mixed: Array,
        before: Array,
        weights: Array,
        learning: bool,
    ) -> Rows:
        differences = _difference(np.vstack([numbers, before]), mixed)
        width, count = differences.shape
        standard = np.empty((count, width, 1))
        on = np.append(active, 1.0)
        standardise(self.scales, differences[:, :, None], on, weights, learning, standard)
        return validate.as_rows(standard[:, :, 0])


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


class Blend(ABC):
    """AdaHedge over the experts; with ``combined`` their combination competes with what it gives."""

    kind: Any  # of combination
    combination: Any

    bounds: Array = np.array([-np.inf, np.inf])  # of the targets, where they are numbers

    def __init__(
        self, count: int, combined: bool, loss: Any = SQUARED, switching: bool = False
    ) -> None:
        self.loss = loss  # that experts are charged with, where they predict numbers
        self.switching = switching
        self.hedge: Any = new_switching(count) if switching else new_hedge(count)
        self.combination = self.kind(count) if combined else None

    @property
    def choice(self) -> Hedge | None:
        """AdaHedge between the mixture and the combination."""
        return None if self.combination is None else self.combination.choice

    @property
    def active(self) -> list[int]:
        """The numbers of the experts that have not retired."""
        return list(np.flatnonzero(self.hedge.active).tolist())

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        arrays = named_arrays(hedge=self.hedge)
        if self.combination is not None:
            arrays |= {f"combination.{k}": v for k, v in self.combination.arrays().items()}
        return arrays

    def copy(self: Kind) -> Kind:
        """Copy the state, independent from then on."""
        several = self.combination is not None
        twin = type(self)(len(self.hedge.losses), several, self.loss, self.switching)
        kept = self.arrays()
        for name, array in twin.arrays().items():
            array[...] = kept[name]
        return twin

    def still(self: Kind) -> Kind:
        """Copy what makes sense of experts that stand still."""
        return self.copy()

    def unite(self, shards: Shards) -> None:
        """Take the state of one that has seen the rows of all, fresh as it is."""
        if self.switching:
            raise ValueError("a hedge with switching=yes follows one stream: merge one without")
        unite_hedge(self.hedge, shards.inside("hedge"))
        if self.combination is not None:
            self.combination.unite(shards.inside("combination"))

    @abstractmethod
    def learn(self, margins: Array, y: Array, weights: Array, known: Array | None = None) -> Array:
        """Predict each row from before its label, which then counts.

        ``known``: the last target known when the rows were asked, where labels came late.
        """

    @property
    def last_known(self) -> float:
        """The last target, where predictions use it."""
        last = getattr(self.combination, "last", None)
        return 0.0 if last is None else float(last[0])

    @abstractmethod
    def read(self, margins: Array) -> Array:
        """Predict each row as the next round would."""

    def read_labels(self, margins: Array) -> Array:
        """Predict as ``read`` does, but for the size of what only the label of a row is needed of."""
        return self.read(margins)


class ClassBlend(Blend):
    """Several classes: the votes for each, or with a combination the probabilities."""

    kind = ClassCombination
    combination: ClassCombination | None

    def learn(self, margins: Array, y: Array, weights: Array, known: Array | None = None) -> Array:
        """Shares of one for each class."""
        return self._blended(margins, margins.shape[2], y.astype(np.int64), weights, True)

    def read(self, margins: Array) -> Array:
        """Shares of one for each class."""
        return self._blended(margins, margins.shape[2], NO_LABELS, ONE, learning=False)

    def read_labels(self, margins: Array) -> Array:
        """1 for the class that is decided for, −1 for the others."""
        return self._labelled(margins, margins.shape[2])

    def _labelled(self, margins: Array, classes: int) -> Array:
        if self.combination is None:
            return self.read(margins)
        votes = np.empty((margins.shape[1], classes))
        _call(mix_choices, self.hedge, margins, NO_LABELS, ONE, False, votes)
        decided = self.combination.decide(margins, self.hedge.active, votes)
        return np.where(np.arange(classes) == decided[:, None], 1.0, -1.0)

    def _blended(
        self, margins: Array, classes: int, labels: Any, weights: Array, learning: bool
    ) -> Array:
        votes = np.empty((margins.shape[1], classes))
        _call(mix_choices, self.hedge, margins, labels, weights, learning, votes)
        if self.combination is None:
            return votes
        given = margins, self.hedge.active, votes, labels, weights, learning
        return self.combination.chances(*given)


class TwoClassBlend(ClassBlend):
    """Two classes: the second's share of the vote less the first's, with a combination the logit."""

    def learn(self, margins: Array, y: Array, weights: Array, known: Array | None = None) -> Array:
        """p₊ − p₋ of the vote, ln p₊/p₋ of a combination."""
        return _less_first(self._blended(margins, 2, (y > 0.0).astype(np.int64), weights, True))

    def read(self, margins: Array) -> Array:
        """p₊ − p₋ of the vote, ln p₊/p₋ of a combination."""
        return _less_first(self._blended(margins, 2, NO_LABELS, ONE, learning=False))

    def read_labels(self, margins: Array) -> Array:
        """1 or −1."""
        found = self._labelled(margins, 2)
        return found if found.ndim == 1 else found[:, 1]


class NumberBlend(Blend):
    """Regression: the weighed mean, each number held inside the targets seen so far."""

    kind = NumberCombination
    combination: NumberCombination | None

    def __init__(
        self, count: int, combined: bool, loss: Any = SQUARED, switching: bool = False
    ) -> None:
        super().__init__(count, combined, loss, switching)
        self.bounds = np.array([np.inf, -np.inf])

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        return super().arrays() | {"hedge.bounds": self.bounds}

    def unite(self, shards: Shards) -> None:
        """The bounds are those of all targets."""
        super().unite(shards)
        found = [part.bounds for part in (shards.start, *shards.parts)]
        self.bounds[:] = min(b[0] for b in found), max(b[1] for b in found)

    def still(self) -> NumberBlend:
        """Copy the mean alone: the combination follows the last target, which no longer comes."""
        twin = self.copy()
        twin.combination = None
        return twin

    def learn(self, margins: Array, y: Array, weights: Array, known: Array | None = None) -> Array:
        """One number a row."""
        numbers, before = margins[:, :, 0], self.bounds.copy()
        mixed = np.empty(len(y))
        mix_numbers(self.hedge, self.loss, numbers, y, weights, self.bounds, mixed)
        if self.combination is None:
            return mixed
        given = numbers, self.hedge.active, mixed, y, weights, before, known
        return self.combination.learn(*given)

    def read(self, margins: Array) -> Array:
        """One number a row; 0 before the first target."""
        if self.bounds[0] > self.bounds[1]:
            return np.zeros(margins.shape[1])
        numbers = np.clip(margins[:, :, 0], *self.bounds)
        # In the order of the experts, so that a row alone and among others is the same to the bit.
        mixed = np.add.accumulate(shares_now(self.hedge)[:, None] * numbers, axis=0)[-1]
        if self.combination is None:
            return np.asarray(mixed)
        return self.combination.read(numbers, self.hedge.active, mixed, self.bounds)


def _less_first(shares: Array) -> Array:
    return shares if shares.ndim == 1 else np.asarray(shares[:, 1] - shares[:, 0])


BLENDS: dict[str, type[Blend]] = {
    "binary": TwoClassBlend,
    "multiclass": ClassBlend,
    "regression": NumberBlend,
}
