"""A mixture of learners, weighed by AdaHedge: one reading of the data, nothing to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel._kernel.state import Array
from fenchel.certificates import Certificate, Hindsight, hedge_bound, through_expert
from fenchel.learners.classes import shares_of_one
from fenchel.learners.combination import (
    ClassCombination,
    NumberCombination,
    choices,
    votes_for,
)
from fenchel.learners.composed import Composed
from fenchel.learners.features import ONE
from fenchel.learners.in_units import in_units, read_in_units
from fenchel.learners.learner import Learner
from fenchel.learners.rows import pieces_of
from fenchel.learners.workers import in_parallel
from fenchel.loops.mixing import Hedge, mix_ballots, mix_numbers, mix_votes, new_hedge, shares_of
from fenchel.loops.units import UNIT, grown, new_units

# Entries of a piece of a block: with smaller ones the experts' states are loaded more often.
PIECE = 1 << 20


class Mixture(Learner):
    """Several learners as one: each learns by itself, their predictions are mixed.

    The experts do not depend on the mixture, so each runs its own loop over a piece of rows, in
    parallel on the cores, and a small loop mixes the piece's margins.
    Predictions stay strictly before labels. Two classes: a vote, −1 … 1, weighed by AdaHedge under
    the zero-one loss; several: the votes for each. Regression: the weighed mean, under the squared
    loss.

    With ``combined`` a linear combination of the experts competes with the vote, and AdaHedge
    chooses between the two. Margins then tell probabilities: p₊ − p₋ for two classes, the
    probability of each for several. With ``unitless`` the experts see every feature in units of its
    own size: no prediction depends on the units of the data.

    >>> from fenchel import learners
    >>> mixture = learners.hedge([learners.perceptron(), learners.arow()])
    >>> mixture.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [1, -1, 1])
    array([-1.,  1.,  1.])
    >>> mixture.shares()
    {'perceptron': 0.5, 'arow': 0.5}
    """

    def __init__(
        self,
        experts: Sequence[Learner],
        *,
        name: str = "hedge",
        parameters: dict[str, Any] | None = None,
        limits: Sequence[int | None] | None = None,
        combined: bool = False,
        unitless: bool = False,
        classes: Sequence[Any] | None = None,
    ) -> None:
        tasks = {expert.task for expert in experts}
        if len(tasks) != 1:
            raise ValueError(f"experts={tasks or 'none'}: give learners of one task")
        if not tasks <= {"binary", "multiclass", "regression"}:
            raise ValueError(f"experts={tasks}: mix inside, one mixture for each target")
        told = {"combined": True} if combined else {}
        chosen = {"experts": list(experts), **told} if parameters is None else parameters
        super().__init__(name=name, parameters=chosen, task=tasks.pop(), classes=classes)
        self.experts = [expert.copy() for expert in experts]
        self._limits = list(limits) if limits is not None else [None] * len(experts)
        self._hedge: Hedge = new_hedge(len(experts))
        self._bounds = np.array([np.inf, -np.inf])
        self._warm = False
        self._units: Array | None = new_units(0) if unitless else None
        self._combination: Any = None
        if combined:
            kind = NumberCombination if self.task == "regression" else ClassCombination
            self._combination = kind(len(experts))
        if classes is not None:
            self.declare(classes)
        self._share_labels()

    def _share_labels(self) -> None:
        """The experts see numbers; what they mean is the mixture's to know."""
        for expert in self.experts:
            expert.labels = self.labels

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the classes before they are seen."""
        super().declare(classes)
        for expert in self.experts:
            expert.declare(classes)
        self._share_labels()

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        self._share_labels()

    def shares(self) -> dict[str, float]:
        """How much each expert counts in the next round."""
        shares = self._shares()
        return {e.specification: float(v) for e, v in zip(self.experts, shares, strict=True)}

    @property
    def best(self) -> Learner:
        """The expert with the least loss so far."""
        losses = np.where(self._hedge.active > 0.0, self._hedge.losses, np.inf)
        return self.experts[int(np.argmin(losses))]

    @property
    def certifies(self) -> bool:
        """Whether any expert keeps a ledger; AdaHedge's own bound is always known."""
        return any(expert.certifies for expert in self.experts)

    def predict_proba_many(self, X: Any) -> Array:
        """One row of class probabilities for each of X, in the order of ``classes``.

        Those of the combination, which learns them under the logistic loss; where the vote decides
        against it, the two classes change places, so that the predicted class is the likeliest.
        Without a combination they are the shares of the vote, which know no doubt once one expert
        leads.
        """
        return super().predict_proba_many(X)

    def _probabilities(self, margins: Array) -> Array:
        self._outcomes()  # refuses regression
        if self.task == "binary":
            return np.stack([0.5 - 0.5 * margins, 0.5 + 0.5 * margins], axis=-1)
        return shares_of_one(margins)

    # ── its state ───────────────────────────────────────────────────────────────────────────────

    def state_arrays(self) -> dict[str, Array]:
        """The experts' arrays by number, AdaHedge's and the combination's."""
        arrays = {f"hedge.{k}": v for k, v in self._hedge._asdict().items()}
        arrays["hedge.bounds"] = self._bounds
        if self._combination is not None:
            arrays.update({f"combination.{k}": v for k, v in self._combination.arrays().items()})
        if self._units is not None:
            arrays["units"] = self._units[: self.columns]
        for number, expert in enumerate(self.experts):
            if self._hedge.active[number]:  # a retired one has nothing left to tell
                arrays.update({f"{number}.{k}": v for k, v in expert.state_arrays().items()})
        return arrays

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self.columns = width
        if self._units is not None:
            self._units = new_units(width)
        for expert, on in zip(self.experts, self._hedge.active, strict=True):
            expert.restart(width if on else 0)

    def lay_in(self, arrays: dict[str, Array], width: int) -> None:
        """Take the state of a model file; experts retired there are retired here."""
        self._hedge.active[:] = arrays["hedge.active"]
        self._share_labels()
        super().lay_in(arrays, width)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["experts"] = [expert.copy() for expert in self.experts]
        kept["_hedge"] = Hedge(*(array.copy() for array in self._hedge))
        kept["_bounds"] = self._bounds.copy()
        kept["_units"] = None if self._units is None else self._units.copy()
        kept["_combination"] = _copy(self._combination, len(self.experts))
        return kept

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _shares(self) -> Array:
        shares = np.empty(len(self.experts))
        shares_of(self._hedge, shares)
        return shares

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        out = np.empty((count, len(self.classes)) if self.task == "multiclass" else count)
        for begin, end, piece in pieces_of(rows, count, PIECE):
            weights = importance if len(importance) == 1 else importance[begin:end]
            y = targets[begin:end]
            self._learn_piece(piece, width, y, weights, out[begin:end])
        for expert in self.experts:
            expert.rounds += count
        return out

    def _learn_piece(self, rows: Any, width: int, y: Array, weights: Array, out: Array) -> None:
        rows = self._in_units(rows, len(y), weights, learning=True)
        margins = self._each(lambda e: e._learn_rows(rows, len(y), width, y, weights, True))
        self._mix(margins, y, weights, out)

    def _mix(self, margins: Array, y: Array, weights: Array, out: Array) -> None:
        """Mix a piece's margins, and let the combination compete."""
        if self.task == "regression":
            self._mix_numbers(margins, y, weights, out)
        elif self.task == "binary":
            mix_votes(self._hedge, _signs(margins), y, weights, out)
            if self._combination is not None:
                labels = (y > 0.0).astype(np.int64)
                two = _as_two(margins), self._hedge.active, _as_ballots(out)
                out[:] = _as_margins(self._combination.learn(*two, labels, weights))
        else:
            labels = y.astype(np.int64)
            margins = _with_classes(margins, len(self.classes))
            ballots = votes_for(choices(margins), margins.shape[2])
            mix_ballots(self._hedge, ballots, labels, weights, out)
            if self._combination is not None:
                active = self._hedge.active
                out[:] = self._combination.learn(margins, active, out, labels, weights)

    def _mix_numbers(self, numbers: Array, y: Array, weights: Array, out: Array) -> None:
        before = self._bounds.copy()
        mix_numbers(self._hedge, numbers, y, weights, self._bounds, out)
        if self._combination is not None:
            active = self._hedge.active
            out[:] = self._combination.learn(numbers, active, out, y, weights, before)

    def _in_units(self, rows: Any, count: int, weights: Array, learning: bool) -> Any:
        """The rows as the experts see them."""
        return (
            rows if self._units is None else in_units(self._units, rows, count, weights, learning)
        )

    def _certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """AdaHedge's bound, and what it makes of the certificates of each single expert.

        Under ``unitless`` u is fixed on the features in units of their size, as the experts see
        them; a u of the features as they are is then compared with nobody.
        """
        choice = None if self._combination is None else self._combination.choice
        found = [hedge_bound(self._hedge, choice)]
        if past is None or (u is not None and self._units is not None):
            return found
        if self._units is not None:
            seen_as = partial(read_in_units, columns=self.columns)
            read, past = seen_as(read), past.seen_as("in units", seen_as)
        for k, (expert, on) in enumerate(zip(self.experts, self._hedge.active, strict=True)):
            if on and isinstance(expert, Composed) and expert.certifies:
                own = expert._certify(read, past, u)
                name, total = expert.specification, float(expert._parts.ledger.loss[0])
                found += through_expert(self._hedge, choice, k, name, total, own)
        return found

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        self._make_room(width)
        rows = self._in_units(rows, count, ONE, learning=False)
        margins = self._each(lambda e: e._read_rows(rows, count, width, what))
        if self.task == "regression":
            return self._read_numbers(margins)
        active = self._hedge.active
        if self.task == "binary":
            votes = self._shares() @ _signs(margins)
            if self._combination is None:
                return votes
            chances = self._combination.read(_as_two(margins), active, _as_ballots(votes))
            return _as_margins(chances)
        margins = _with_classes(margins, len(self.classes))
        ballots = np.tensordot(
            self._shares(), votes_for(choices(margins), margins.shape[2]), axes=1
        )
        if self._combination is None:
            return ballots
        return np.asarray(self._combination.read(margins, active, ballots))

    def _read_numbers(self, numbers: Array) -> Array:
        if self._bounds[0] > self._bounds[1]:
            return np.zeros(numbers.shape[1])
        numbers = np.clip(numbers, *self._bounds)
        mixed = self._shares() @ numbers
        if self._combination is None:
            return mixed
        active = self._hedge.active
        return np.asarray(self._combination.read(numbers, active, mixed, self._bounds))

    def _active(self) -> list[Learner]:
        """The experts that have not retired."""
        return [e for e, on in zip(self.experts, self._hedge.active, strict=True) if on]

    def _each(self, work: Callable[[Learner], Array]) -> Array:
        """The work of every active expert, in parallel; a retired one predicts 0."""
        active = self._active()
        # The first piece may compile, and compiling is not for several threads at once.
        results = in_parallel(work, active) if self._warm else [work(e) for e in active]
        self._warm = True
        out = np.zeros((len(self.experts), *results[0].shape))
        out[self._hedge.active > 0.0] = np.stack(results)
        return out

    def _all_weights(self) -> Array:
        """Regression: the mixed weights. Classification: those of the best expert."""
        with self._lock:
            if self.task != "regression":
                return self._out_of_units(self.best._all_weights())
            shares = self._shares()[self._hedge.active > 0.0]
            mixed = shares @ np.stack([expert._all_weights() for expert in self._active()])
            return self._out_of_units(np.asarray(mixed))

    def _out_of_units(self, weights: Array) -> Array:
        """The weights of the features as the user knows them."""
        if self._units is None:
            return weights
        unit = self._units[: self.columns, UNIT]
        factors = np.concatenate([[1.0], 1.0 / np.where(unit > 0.0, unit, 1.0)])
        return np.asarray((weights.T * factors).T)

    def _make_room(self, width: int) -> None:
        if self._units is not None and width > len(self._units):
            self._units = grown(self._units, max(width, 2 * len(self._units)))

    def _take_up(self, width: int) -> Any:
        taken: list[tuple[Learner, Any]] = []
        before = self.columns, self._hedge.active.copy(), self._units, list(self.experts), taken
        try:
            self._make_room(width)
            for k, limit in enumerate(self._limits):
                if limit is not None and width > limit and self._hedge.active[k]:
                    self._hedge.active[k] = 0.0
                    self.experts[k] = self.experts[k].copy()  # the old one may be put back
                    self.experts[k].restart(0)
                expert = self.experts[k]
                taken.append((expert, expert._take_up(width if self._hedge.active[k] else 0)))
        except Exception:
            self._put_back(before)
            raise
        self.columns = max(self.columns, width)
        return before

    def _put_back(self, before: Any) -> None:
        self.columns, active, self._units, self.experts, taken = before
        self._hedge.active[:] = active
        for expert, kept in taken:
            expert._put_back(kept)


def _signs(margins: Array) -> Array:
    """The vote of each margin; no opinion is a vote for the negative class, as in decoding."""
    return np.where(margins > 0.0, 1.0, -1.0)


def _with_classes(margins: Array, classes: int) -> Array:
    """Margins of all classes: −∞ for those that the experts have yet to meet."""
    missing = classes - margins.shape[2]
    return np.pad(margins, ((0, 0), (0, 0), (0, missing)), constant_values=-np.inf)


def _as_two(margins: Array) -> Array:
    """A margin a class, from one that separates two."""
    return np.stack([-margins, margins], axis=-1)


def _as_ballots(votes: Array) -> Array:
    """Votes in [−1, 1] as shares of the two classes."""
    return np.stack([0.5 - 0.5 * votes, 0.5 + 0.5 * votes], axis=-1)


def _as_margins(chances: Array) -> Array:
    """p₊ − p₋."""
    return np.asarray(chances[:, 1] - chances[:, 0])


def _copy(combination: Any, count: int) -> Any:
    """A combination in the same state that goes its own way."""
    if combination is None:
        return None
    twin = type(combination)(count)
    kept = combination.arrays()
    for name, array in twin.arrays().items():
        array[...] = kept[name]
    return twin
