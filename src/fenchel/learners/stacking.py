"""The prediction of a mixture from its experts' margins: their vote or mean, and their combination above it.

Margins come as margins[k, t, c]: expert, row, class; a margin between two classes, or a number, has
only c = 0. What is made of a row is made before its label counts.

AdaHedge weighs the experts (the first level) and, above, their mixture against their combination
(the second), so that nothing is lost where the combination does not pay: with Δ and Δ′ the gaps of
the two levels, the expected loss exceeds that of the best expert by at most 2·Δ + 2·Δ′. That is
while no expert has retired: with K′ of K left it is (1 + ln K/ln K′)·Δ + 2·Δ′ beyond the best of them.
Of classes the combination leads at first, and Δ′ begins with what the mixture is behind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from fenchel._numba.jit import settled
from fenchel.learners.engine import ONE, Calls
from fenchel.learners.regression import vovk_azoury_warmuth
from fenchel.loops.adahedge import (
    Hedge,
    classes_into,
    less_first,
    mix_choices,
    mix_numbers,
    named_arrays,
    new_hedge,
    sides_into,
    unite_hedge,
)
from fenchel.loops.calibration import DECAYS as CALIBRATED
from fenchel.loops.calibration import calibrate_several, calibrate_two, new_calibration
from fenchel.loops.coin_stacking import (
    VOTE,
    combine,
    decide,
    largest_into,
    new_choice,
    new_coins,
    new_scales,
    standardise,
    unite_coins,
    unite_scales,
)
from fenchel.loops.newton_mixture import unite_refinements
from fenchel.loops.number_stacking import (
    choice_into,
    copy_into,
    corrected_into,
    differences_into,
    left_over_into,
    mean_into,
)
from fenchel.loops.refined_stacking import DECAYS as STACKED
from fenchel.loops.refined_stacking import (
    lead_several_into,
    lead_two_into,
    new_stack,
    odds_into,
    places_of,
    refine,
)
from fenchel.loops.switching import new_switching
from fenchel.losses import Squared
from fenchel.parts.state import Array
from fenchel.regularizers.uniting import Shards, averaged
from fenchel.rows import Rows

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


def _make(calls: Calls) -> None:
    for kernel, arguments in calls:
        _call(kernel, *arguments)


class WhenAsked(NamedTuple):
    """What was known when a row was asked whose label came late."""

    known: Array  # the last target
    said: (
        Array | None
    )  # what the prediction was chosen from (see ``asked``); files of before lack it


class ClassCombination:
    """Class probabilities from the experts' margins: coin betting, refined and calibrated.

    The class that is decided for, by AdaHedge between the vote, the coins' likeliest class and, with
    ``refined``, that of the probabilities, is the one with the largest probability: one that is not is put
    just above the others. The margins of ``forecasters`` are logits by themselves.
    """

    def __init__(self, count: int, refined: bool = False, forecasters: Sequence[int] = ()) -> None:
        self.scales = new_scales(count)
        self.coins = new_coins(count)
        self.choice = new_choice(refined)
        self.stack = new_stack(count, len(forecasters))
        self.calibration = new_calibration()
        self._forecasters = np.array(forecasters, np.int64)

    def arrays(self) -> dict[str, Array]:
        """The state by name."""
        own = named_arrays(scales=self.scales, coins=self.coins, choice=self.choice)
        return own | named_arrays(stack=self.stack, calibration=self.calibration)

    def calls(
        self,
        margins: Array,
        active: Array,
        ballots: Array,
        y: Any,
        weights: Array,
        learning: bool,
        said: Array | None = None,
    ) -> tuple[Calls, Array]:
        """Kernels that compute what is said of each row before its label, and where they put it.

        That is the logits of two classes, the probabilities of several; ``ballots`` are the mixture's votes.
        ``said`` are the classes that were chosen from when the row was asked (see ``asked``): these are
        charged, not those of today.
        """
        labelled = y, weights, learning
        calls, logits, sizes, stands, likeliest = self._combined(
            margins, active, ballots, *labelled
        )
        given, refined = (y, weights, stands, learning), np.empty(ballots.shape)
        on = np.append(active > 0.0, False)  # the last: none
        own = np.where(on[self._forecasters], self._forecasters, -1)
        of_experts = margins, places_of(active), sizes, own
        calls.append((refine, (self.stack, logits, *of_experts, *given, refined)))
        best, decided = np.empty((2, len(ballots)), np.int64)
        between = (likeliest, best) if said is None else said.astype(np.int64).reshape(2, -1)
        deciding = decide, (self.choice, ballots, *between, *labelled, decided)
        if margins.shape[2] < ballots.shape[1]:
            odds, calibrated, out = np.empty((3, len(ballots)))
            calls.append((odds_into, (refined, odds)))
            calls.append((calibrate_two, (self.calibration, odds, *given, calibrated)))
            calls += [(sides_into, (calibrated, best)), deciding]
            calls.append((lead_two_into, (calibrated, decided, out)))
        else:
            calibrated, out = np.empty(ballots.shape), np.empty(ballots.shape)
            calls.append((calibrate_several, (self.calibration, refined, *given, calibrated)))
            calls += [(largest_into, (calibrated, best)), deciding]
            calls.append((lead_several_into, (calibrated, decided, out)))
        return calls, out

    def read_chances(self, margins: Array, active: Array, ballots: Array) -> Array:
        """The same, before the class that is decided for is put first."""
        calls, _ = self.calls(margins, active, ballots, NO_LABELS, ONE, False)
        *before, (_, (calibrated, _, _)) = calls
        _make(before)
        return np.asarray(calibrated)

    @staticmethod
    def asked(calls: Calls) -> Array:
        """What ``calls`` have put their choice between, of a single row."""
        return next(np.concatenate(given[2:4]) for kernel, given in calls if kernel is decide)

    @property
    def refines(self) -> bool:
        """Whether the class of the probabilities may decide."""
        return bool(self.choice.active[2:].any())

    def still(self) -> None:
        """Decide between the vote and the coins alone from now on, as every export can."""
        self.choice.active[2:] = 0.0

    def decided(self, margins: Array, active: Array, ballots: Array) -> Any:
        """The class that is decided for, −1 where none is known, where the probabilities decide nothing."""
        labelled = NO_LABELS, ONE, False
        calls, *_, likeliest = self._combined(margins, active, ballots, *labelled)
        decided, none = np.empty(len(ballots), np.int64), np.zeros(len(ballots), np.int64)
        deciding = decide, (self.choice, ballots, likeliest, none, *labelled, decided)
        _make([*calls, deciding])
        return decided

    def _combined(
        self, margins: Array, active: Array, ballots: Array, y: Any, weights: Array, learning: bool
    ) -> tuple[Calls, Array, Array, Array, Any]:
        logits, likeliest = np.empty(ballots.shape), np.empty(len(ballots), np.int64)
        sizes, stands = np.zeros((len(ballots), len(margins))), np.empty(len(ballots))
        own = self.scales, self.coins, margins, active, ballots
        calls: Calls = [(combine, (*own, y, weights, learning, logits, sizes, stands, likeliest))]
        return calls, logits, sizes, stands, likeliest

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

    def __init__(self, count: int, refined: bool = False, forecasters: Sequence[int] = ()) -> None:
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
        late: WhenAsked | None = None,
    ) -> Array:
        """The numbers from before each target; ``bounds`` are those of the targets seen before."""
        before = _targets_before(self.last, y, weights)  # which moves on
        before = before if late is None else late.known
        calls, rows = self._differences(numbers, active, mixed, before, weights, learning=True)
        target = np.empty(len(y))
        _make([*calls, (left_over_into, (y, mixed, target))])
        rest = self.engine.learn(rows, target, weights, True)
        calls, final = self._chosen(mixed, rest, y, weights, bounds.copy())
        if late is not None and late.said is not None:
            correct, (mixing, (choice, loss, _, *given)) = calls
            calls = [correct, (mixing, (choice, loss, late.said.reshape(2, -1).copy(), *given))]
        _make(calls)
        return final

    def learning_calls(
        self, numbers: Array, active: Array, mixed: Array, y: Array, bounds: Array
    ) -> tuple[Calls, Array]:
        """Kernels that do what ``learn`` does of one row of importance 1, and where they put its number."""
        calls, rows = self._differences(numbers, active, mixed, self.last, ONE, learning=True)
        target, rest = np.empty((2, 1))
        calls += [(left_over_into, (y, mixed, target)), (copy_into, (y, self.last))]
        calls += self.engine.learning_calls(rows.view, target, rest) or []
        more, final = self._chosen(mixed, rest, y, ONE, bounds)
        return calls + more, final

    def _chosen(
        self, mixed: Array, rest: Array, y: Array, weights: Array, bounds: Array
    ) -> tuple[Calls, Array]:
        both, final = np.empty((2, len(mixed))), np.empty(len(mixed))
        given = self.choice, SQUARED, both, y, weights, bounds, final
        return [(corrected_into, (mixed, rest, both)), (mix_numbers, given)], final

    def read(self, numbers: Array, active: Array, mixed: Array, bounds: Array) -> Array:
        """The numbers as the next round would see them."""
        before = np.full(len(mixed), self.last[0])
        calls, rows = self._differences(numbers, active, mixed, before, ONE, learning=False)
        _make(calls)
        calls, final = self._weighed(mixed, self.engine.read(rows), bounds)
        _make(calls)
        return final

    def reading_calls(
        self, numbers: Array, active: Array, mixed: Array, bounds: Array
    ) -> tuple[Calls, Array]:
        """Kernels that do what ``read`` does of one row, and where they put its number."""
        calls, rows = self._differences(numbers, active, mixed, self.last, ONE, learning=False)
        rest = np.empty(1)
        more, final = self._weighed(mixed, rest, bounds)
        return [*calls, *(self.engine.reading_calls(rows.view, rest) or []), *more], final

    @staticmethod
    def asked(calls: Calls) -> Array:
        """What ``calls`` have put their choice between, of a single row."""
        return next(given[1].ravel() for kernel, given in calls if kernel is choice_into)

    def _weighed(self, mixed: Array, rest: Array, bounds: Array) -> tuple[Calls, Array]:
        both, final = np.empty((2, len(mixed))), np.empty(len(mixed))
        correct = corrected_into, (mixed, rest, both)
        return [correct, (choice_into, (self.choice, both, bounds, final))], final

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
    ) -> tuple[Calls, Rows]:
        """The rows of the learner above, and the kernels that fill them."""
        width, count = len(numbers) + 1, len(mixed)
        differences, standard = np.empty((width, count, 1)), np.empty((count, width, 1))
        given = self.scales, differences, np.append(active, 1.0), weights, learning, standard
        fill = differences_into, (numbers, before, mixed, differences)
        return [fill, (standardise, given)], Rows.dense(standard.reshape(count, width))


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
        self,
        count: int,
        combined: bool,
        loss: Any = SQUARED,
        switching: bool = False,
        refined: bool = False,
        forecasters: Sequence[int] = (),
    ) -> None:
        self.loss = loss  # that experts are charged with, where they predict numbers
        self.switching = switching
        self.refined, self.forecasters = refined, tuple(forecasters)  # see ``ClassCombination``
        self.hedge: Any = new_switching(count) if switching else new_hedge(count)
        self.combination = self.kind(count, refined, self.forecasters) if combined else None

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
        combined = self.combination is not None
        form = self.loss, self.switching, self.refined, self.forecasters
        twin = type(self)(len(self.hedge.losses), combined, *form)
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
    def learn(
        self, margins: Array, y: Array, weights: Array, late: WhenAsked | None = None
    ) -> Array:
        """Predict each row from before its label, which then counts.

        Where labels came ``late``, a mixture is charged for what it knew when it was asked.
        """

    def ask(self, margins: Array) -> tuple[Array, Array]:
        """Predict a single row, and return what the prediction was chosen from."""
        calls, out = self.reading_calls(margins)
        _make(calls)
        if self.combination is None:
            return out, np.zeros(0)
        return out, np.asarray(self.combination.asked(calls), np.float64)

    def read_labels(self, margins: Array) -> Array:
        """Predict as ``read`` does, as far as labels bear it: the same sign, the same largest class."""
        return self.read(margins)

    @abstractmethod
    def learning_calls(self, margins: Array, y: Array) -> tuple[Calls, Array]:
        """Kernels that do what ``learn`` does of one row of importance 1, and what they fill."""

    @abstractmethod
    def reading_calls(self, margins: Array) -> tuple[Calls, Array]:
        """Kernels and arguments that do what ``read`` does of one row, and what they fill."""

    @property
    def last_known(self) -> float:
        """The last target, where predictions use it."""
        last = getattr(self.combination, "last", None)
        return 0.0 if last is None else float(last[0])

    @abstractmethod
    def read(self, margins: Array) -> Array:
        """Predict each row as the next round would."""


class ClassBlend(Blend):
    """Several classes: the votes for each, or with a combination the probabilities."""

    kind = ClassCombination
    combination: ClassCombination | None

    encode: Any = staticmethod(
        classes_into
    )  # the kernel that turns targets into numbers of classes

    def still(self: Kind) -> Kind:
        """Copy what makes sense of experts that stand still."""
        twin = self.copy()
        if twin.combination is not None:
            twin.combination.still()
        return twin

    def unite(self, shards: Shards) -> None:
        """The vote counts with what it was expected to lose, however far behind it began in each shard."""
        super().unite(shards)
        if self.combination is not None:
            self.combination.choice.losses[VOTE] = self.hedge.expected[0]

    def learn(
        self, margins: Array, y: Array, weights: Array, late: WhenAsked | None = None
    ) -> Array:
        """Shares of one for each class."""
        labels = np.empty(len(y), np.int64)
        calls, out = self._calls(margins, labels, weights, True, late and late.said)
        _make([(self.encode, (y, labels)), *calls])
        return out

    def read(self, margins: Array) -> Array:
        """Shares of one for each class."""
        calls, out = self.reading_calls(margins)
        _make(calls)
        return out

    def read_labels(self, margins: Array) -> Array:
        """Predict as ``read`` does; probabilities that decide nothing are not computed."""
        if self.combination is not None and self.combination.refines:
            return self.read(margins)
        return self._labels(margins)

    def _labels(self, margins: Array) -> Array:
        """1 for the class that is decided for, 0 for the others; without a combination the votes."""
        votes = self._ballots(margins)
        _call(mix_choices, self.hedge, margins, NO_LABELS, ONE, False, votes)
        if self.combination is None:
            return votes
        decided = self.combination.decided(margins, self.hedge.active, votes)
        return np.asarray(decided[:, None] == np.arange(votes.shape[1]), np.float64)

    def read_chances(self, margins: Array) -> Array:
        """The logits or probabilities of the combination, whatever is decided."""
        assert self.combination is not None
        votes = self._ballots(margins)
        _call(mix_choices, self.hedge, margins, NO_LABELS, ONE, False, votes)
        return self.combination.read_chances(margins, self.hedge.active, votes)

    def learning_calls(self, margins: Array, y: Array) -> tuple[Calls, Array]:
        """Kernels and arguments that do what ``learn`` does of one row of importance 1."""
        labels = np.zeros(1, np.int64)
        calls, out = self._calls(margins, labels, ONE, True)
        return [(self.encode, (y, labels)), *calls], out

    def reading_calls(self, margins: Array) -> tuple[Calls, Array]:
        """Kernels and arguments that do what ``read`` does."""
        return self._calls(margins, NO_LABELS, ONE, False)

    def _calls(
        self,
        margins: Array,
        labels: Any,
        weights: Array,
        learning: bool,
        said: Array | None = None,
    ) -> tuple[Calls, Array]:
        votes, given = self._ballots(margins), (labels, weights, learning)
        calls: Calls = [(mix_choices, (self.hedge, margins, *given, votes))]
        if self.combination is None:
            return calls, votes
        above, out = self.combination.calls(margins, self.hedge.active, votes, *given, said)
        return calls + above, out

    @staticmethod
    def _ballots(margins: Array) -> Array:
        return np.empty(margins.shape[1:])


class TwoClassBlend(ClassBlend):
    """Two classes: the second's share of the vote less the first's, with a combination the logit."""

    encode = staticmethod(sides_into)

    def _labels(self, margins: Array) -> Array:
        """The second class's share of the vote, or of the decision, less the first's."""
        shares = super()._labels(margins)
        return np.asarray(shares[:, 1] - shares[:, 0])

    def _calls(self, *given: Any) -> tuple[Calls, Array]:
        calls, out = super()._calls(*given)
        if self.combination is not None:
            return calls, out
        less = np.empty(len(out))
        return [*calls, (less_first, (out, less))], less

    @staticmethod
    def _ballots(margins: Array) -> Array:
        return np.empty((margins.shape[1], 2))


class NumberBlend(Blend):
    """Regression: the weighed mean, each number held inside the targets seen so far."""

    kind = NumberCombination
    combination: NumberCombination | None

    def __init__(self, *form: Any) -> None:
        super().__init__(*form)
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

    def learn(
        self, margins: Array, y: Array, weights: Array, late: WhenAsked | None = None
    ) -> Array:
        """One number a row."""
        numbers, before = _numbers_of(margins), self.bounds.copy()
        mixed = np.empty(len(y))
        mix_numbers(self.hedge, self.loss, numbers, y, weights, self.bounds, mixed)
        if self.combination is None:
            return mixed
        given = numbers, self.hedge.active, mixed, y, weights, before, late
        return self.combination.learn(*given)

    def read(self, margins: Array) -> Array:
        """One number a row; 0 before the first target."""
        numbers, mixed = _numbers_of(margins), np.empty(margins.shape[1])
        mean_into(self.hedge, numbers, self.bounds, mixed)
        if self.combination is None or self.bounds[0] > self.bounds[1]:
            return mixed
        return self.combination.read(numbers, self.hedge.active, mixed, self.bounds)

    def learning_calls(self, margins: Array, y: Array) -> tuple[Calls, Array]:
        """Kernels and arguments that do what ``learn`` does of one row of importance 1."""
        numbers, mixed, before = _numbers_of(margins), np.empty(1), np.empty(2)
        mix = self.hedge, self.loss, numbers, y, ONE, self.bounds, mixed
        calls: Calls = [(copy_into, (self.bounds, before)), (mix_numbers, mix)]
        if self.combination is None:
            return calls, mixed
        given = numbers, self.hedge.active, mixed, y, before
        above, out = self.combination.learning_calls(*given)
        return calls + above, out

    def reading_calls(self, margins: Array) -> tuple[Calls, Array]:
        """Kernels and arguments that do what ``read`` does of one row."""
        numbers, mixed = _numbers_of(margins), np.empty(1)
        calls: Calls = [(mean_into, (self.hedge, numbers, self.bounds, mixed))]
        if self.combination is None:
            return calls, mixed
        above, out = self.combination.reading_calls(numbers, self.hedge.active, mixed, self.bounds)
        return calls + above, out


def _numbers_of(margins: Array) -> Array:
    """The numbers of experts by row, which kernels hold inside the targets."""
    return margins.reshape(margins.shape[:2])


BLENDS: dict[str, type[Blend]] = {
    "binary": TwoClassBlend,
    "multiclass": ClassBlend,
    "regression": NumberBlend,
}
