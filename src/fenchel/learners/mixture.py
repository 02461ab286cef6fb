"""A mixture of learners, weighed by AdaHedge: one reading of the data, nothing to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel._kernel.state import Array
from fenchel.certificates import Certificate, Hindsight, hedge_bound, through_expert
from fenchel.learners.blending import BLENDS
from fenchel.learners.classes import shares_of_one
from fenchel.learners.composed import Composed
from fenchel.learners.features import ONE
from fenchel.learners.in_units import in_units, read_in_units
from fenchel.learners.learner import Learner
from fenchel.learners.rows import are_many, pieces_of
from fenchel.learners.workers import Crew, in_parallel
from fenchel.loops.mixing import shares_now
from fenchel.loops.units import UNIT, grown, new_units

# Entries of a piece of a block: with smaller ones the experts' states are loaded more often.
PIECE = 1 << 20


@dataclass
class _Piece:
    """Rows on their way through the mixture, and what the experts made of them."""

    rows: Any
    y: Array
    weights: Array
    out: Array
    margins: dict[int, Array]


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
        self._blend = BLENDS[self.task](len(experts), combined)
        self._compiled: set[str] = set()  # which is not for several threads at once
        self._crew = Crew()
        self._units: Array | None = new_units(0) if unitless else None
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
        self._blend = self._blend.copy()  # its arrays and the units may be mapped from a file
        if self._units is not None and not self._units.flags.writeable:
            self._units = self._units.copy()
        self._share_labels()

    def backwards(self) -> Mixture:
        """A fresh mixture of the same experts, the last one first."""
        turned = self.fresh()
        assert isinstance(turned, Mixture)
        turned.experts.reverse()
        turned._limits.reverse()
        return turned

    def shares(self) -> dict[str, float]:
        """How much each expert counts in the next round."""
        shares = shares_now(self._blend.hedge)
        return {e.specification: float(v) for e, v in zip(self.experts, shares, strict=True)}

    @property
    def best(self) -> Learner:
        """The expert with the least loss so far."""
        losses = self._blend.hedge.losses
        return self.experts[min(self._blend.active, key=lambda k: losses[k])]

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
        arrays = self._blend.arrays()
        if self._units is not None:
            arrays["units"] = self._units[: self.columns]
        for k in self._blend.active:  # a retired one has nothing left to tell
            arrays |= {f"{k}.{name}": v for name, v in self.experts[k].state_arrays().items()}
        return arrays

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self.columns = width
        if self._units is not None:
            self._units = new_units(width)
        for expert, on in zip(self.experts, self._blend.hedge.active, strict=True):
            expert.restart(width if on else 0)

    def lay_in(self, arrays: dict[str, Array], width: int) -> None:
        """Take the state of a model file; experts retired there are retired here."""
        self._blend.hedge.active[:] = arrays["hedge.active"]
        self._share_labels()
        super().lay_in(arrays, width)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["experts"] = [expert.copy() for expert in self.experts]
        kept["_blend"] = self._blend.copy()
        kept["_units"] = None if self._units is None else self._units.copy()
        return kept

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        out = np.empty((count, len(self.classes)) if self.task == "multiclass" else count)
        together = "learned" in self._compiled and are_many(rows, count)
        pieces = []
        for begin, end, piece in pieces_of(rows, count, PIECE):
            weights = importance if len(importance) == 1 else importance[begin:end]
            pieces.append(_Piece(piece, targets[begin:end], weights, out[begin:end], {}))
        # Stations of a line: while the experts learn from one piece, the next is put in units and
        # the last is mixed. No station needs what another does in the same step.
        ahead, behind = [*pieces, None, None], [None, None, *pieces]
        for new, present, old in zip(ahead, [None, *pieces, None], behind, strict=True):
            work: dict[Any, Callable[[], None]] = {}
            if old is not None:
                work["mix"] = partial(self._mix_piece, old)
            if new is not None:
                work["units"] = partial(self._put_in_units, new)
            if present is not None:
                learn = partial(self._learn_piece, present, width)
                work |= {k: partial(learn, k) for k in self._blend.active}
            self._crew.do(work, together)
        self._compiled.add("learned")
        for expert in self.experts:
            expert.rounds += count
        return out

    def _put_in_units(self, piece: _Piece) -> None:
        piece.rows = self._in_units(piece.rows, len(piece.y), piece.weights, learning=True)

    def _learn_piece(self, piece: _Piece, width: int, k: int) -> None:
        y = piece.y
        learned = self.experts[k]._learn_rows(piece.rows, len(y), width, y, piece.weights, True)
        piece.margins[k] = learned

    def _mix_piece(self, piece: _Piece) -> None:
        margins = self._gathered(piece.margins)
        piece.out[:] = self._blend.learn(margins, piece.y, piece.weights)

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
        hedge, choice = self._blend.hedge, self._blend.choice
        found = [hedge_bound(hedge, choice)]
        if past is None or (u is not None and self._units is not None):
            return found
        if self._units is not None:
            seen_as = partial(read_in_units, columns=self.columns)
            read, past = seen_as(read), past.seen_as("in units", seen_as)
        for k in self._blend.active:
            expert = self.experts[k]
            if isinstance(expert, Composed) and expert.certifies:
                own = expert._certify(read, past, u)
                name, total = expert.specification, float(expert._parts.ledger.loss[0])
                found += through_expert(hedge, choice, k, name, total, own)
        return found

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        self._make_room(width)
        rows = self._in_units(rows, count, ONE, learning=False)
        active = self._blend.active

        def read(k: int) -> Array:
            return self.experts[k]._read_rows(rows, count, width, what)

        margins = in_parallel(read, active, "read" in self._compiled and are_many(rows, count))
        self._compiled.add("read")
        return self._blend.read(self._gathered(dict(zip(active, margins, strict=True))))

    def _gathered(self, margins: dict[int, Array]) -> Array:
        """The margins of all experts by row and class; a retired one predicts 0.

        Those of classes that the experts have yet to meet are −∞.
        """
        count = len(next(iter(margins.values())))
        several = self.task == "multiclass"
        out = np.zeros((len(self.experts), count, len(self.classes) if several else 1))
        for k, margin in margins.items():
            found = margin if several else margin[:, None]
            out[k, :, : found.shape[1]] = found
            out[k, :, found.shape[1] :] = -np.inf
        return out

    def _all_weights(self) -> Array:
        """Regression: the mixed weights. Classification: those of the best expert."""
        with self._lock:
            if self.task != "regression":
                return self._out_of_units(self.best._all_weights())
            shares, active = shares_now(self._blend.hedge), self._blend.active
            mixed = shares[active] @ np.stack([self.experts[k]._all_weights() for k in active])
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
        on = self._blend.hedge.active
        before = self.columns, on.copy(), self._units, list(self.experts), taken
        try:
            self._make_room(width)
            for k, limit in enumerate(self._limits):
                if limit is not None and width > limit and on[k]:
                    on[k] = 0.0
                    self.experts[k] = self.experts[k].copy()  # the old one may be put back
                    self.experts[k].restart(0)
                expert = self.experts[k]
                taken.append((expert, expert._take_up(width if on[k] else 0)))
        except Exception:
            self._put_back(before)
            raise
        self.columns = max(self.columns, width)
        return before

    def _put_back(self, before: Any) -> None:
        self.columns, active, self._units, self.experts, taken = before
        self._blend.hedge.active[:] = active
        for expert, kept in taken:
            expert._put_back(kept)
