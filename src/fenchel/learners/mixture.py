"""A mixture of engines, weighed by AdaHedge: one reading of the data, nothing to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel._numba.undisturbed import undisturbed
from fenchel.certificates import Certificate, Hindsight, hedge_bound, through_expert
from fenchel.certificates.aggregate import bayes_bound, path_bounds
from fenchel.learners.calibration import two_chances
from fenchel.learners.engine import MOST_LEARNERS, ONE, Engine, refuse_unsound, some_of
from fenchel.learners.frozen import FrozenUse
from fenchel.learners.labels import known_after
from fenchel.learners.mixture_merging import place_mixture, unite_mixtures
from fenchel.learners.multi.one_vs_rest import shares_of_one
from fenchel.learners.quadratic import multiplied_out
from fenchel.learners.renumbering import Places
from fenchel.learners.single_step import LearnStep, ReadStep, Steps
from fenchel.learners.stacking import BLENDS, SQUARED, Blend, WhenAsked
from fenchel.learners.still import StillBlend
from fenchel.learners.views import PAIRS, PRODUCTS, SHORT, Role, Views, together
from fenchel.learners.workers import Crew, in_parallel
from fenchel.loops.adahedge import regroup, shares_now
from fenchel.loops.feature_scaling import COUNT, SUM, growth_of, scaled_reading
from fenchel.loops.online import ROUNDS
from fenchel.losses.protocol import counts_of, mean_of
from fenchel.parts.state import Array
from fenchel.rows import Rows

# The arrays that model files of the first version lack.
REFINED = ("combination.stack.", "combination.calibration.")

# Entries of a piece of a block: with smaller ones the experts' states are loaded more often.
PIECE = 1 << 20

# Matrices of more columns than the first are kept while rows have this share of their entries, and all
# classes together no more numbers than the last: d² a round against the row's entries.
NARROW, DENSE, NUMBERS = 100, 0.15, 1e6


@dataclass
class _Piece:
    """Rows on their way through the mixture, and what the experts made of them."""

    rows: Rows
    y: Array
    importance: Array
    out: Array
    is_first: bool
    is_single: bool = False  # one row of importance 1 and one margin
    seen: dict[str, Rows] = field(default_factory=dict)  # by kind
    margins: dict[int, Array] = field(default_factory=dict)


class Mixture(Engine):
    """Several engines as one: each learns by itself, their predictions are mixed.

    The experts do not depend on the mixture, so each runs its own loop over a piece of rows, in
    parallel on the cores, and a small loop mixes the piece's margins.
    Predictions stay strictly before labels. Two classes: a vote, −1 … 1, weighed by AdaHedge under
    the zero-one loss; several: the votes for each. Regression: the weighed mean, under the squared
    loss.

    With ``combined`` a linear combination of the experts competes with the vote, and AdaHedge
    chooses between the two; with ``refined`` the class of largest probability is a third choice.
    Margins then give probabilities: the logit ln p₊/p₋ for two classes, the probability of each for
    several. With ``unitless`` the experts see every feature in units of its
    own size: no prediction depends on the units of the data. ``roles`` say what each expert sees (see
    ``views``): features, squares and products of two features beside them (``loops.products``), or, while
    others see products, each feature's place between knots (``loops.curves``); and whether it learns how
    far numbers are from the first one. With ``foresight`` it also measures which expert would do best
    frozen (see ``frozen``): that is what ``read(rows, "frozen")`` reads.

    >>> from fenchel import learners
    >>> mixture = learners.hedge([learners.perceptron(), learners.arow()])
    >>> mixture.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [1, -1, 1])
    array([-1.,  1.,  1.])
    >>> mixture.shares()
    {'perceptron': 0.5, 'arow': 0.5}
    """

    def __init__(
        self,
        experts: Sequence[Engine],
        *,
        name: str,
        parameters: dict[str, Any],
        roles: Sequence[Role] | None = None,
        combined: bool = False,
        unitless: bool = False,
        foresight: bool = False,
        loss: Any = SQUARED,
        switching: bool = False,
        refined: bool = False,
    ) -> None:
        tasks = {expert.task for expert in experts}
        if len(tasks) != 1:
            raise ValueError(f"experts={tasks or 'none'}: give learners of one task")
        if not tasks <= {"binary", "multiclass", "regression"}:
            raise ValueError(f"experts={tasks}: mix inside, one mixture for each target")
        if 1 + sum(expert.engines for expert in experts) > MOST_LEARNERS:
            raise ValueError(f"experts: more than {MOST_LEARNERS} learners inside; give fewer")
        super().__init__(name, parameters, tasks.pop())
        if any(expert.predicts_counts != counts_of(loss) for expert in experts):
            raise ValueError("experts: some predict counts and some do not; give one kind")
        if combined and counts_of(loss):
            raise ValueError(
                "combined: what a mean of counts leaves over is not combined; leave it out"
            )
        given = list(roles) if roles is not None else [Role()] * len(experts)
        self._ever = [(expert.copy(), role) for expert, role in zip(experts, given, strict=True)]
        present = [(expert, role) for expert, role in self._ever if role.until is None]
        self.experts, self.roles = [expert for expert, _ in present], [role for _, role in present]
        self.certifies = any(expert.certifies for expert in self.experts)
        self.views = Views(self.roles, unitless)
        self.blend = self._new_blend(combined, loss, switching, refined)
        self._compiled: set[str] = set()  # which is not for several threads at once
        self._crew = Crew()
        self._backwards = False
        self._steps = Steps()
        self.frozen = self.foresight(len(self.experts)) if foresight else None
        self.taken_over: list[str] = []  # the experts that a merge took from one learner
        # Until the next round is learned: what frozen use reads, and all weights of that round.
        self._frozen_reading: Any = None
        self._weights_kept: list[Array | None] | None = None

    def _new_blend(self, combined: bool, loss: Any, switching: bool, refined: bool) -> Blend:
        """What is made of the experts' margins, before the first round."""
        own = [k for k, role in enumerate(self.roles) if role.forecasts and refined]
        form = combined, loss, switching, refined and self.task != "regression", own
        blend = BLENDS[self.task](len(self.experts), *form)
        blend.hedge.active[[k for k, role in enumerate(self.roles) if role.beyond]] = 0.0
        return blend

    def foresight(self, count: int) -> FrozenUse:
        """Frozen use of so many experts, of which nothing is known yet."""
        first = {role.sees: k for k, role in reversed([*enumerate(self.roles[:count])])}
        singly = first.get(PRODUCTS, 0), first.get(PAIRS, 0)
        return FrozenUse(count, self.task, self.blend.loss, *singly)

    def declare(self, outputs: int) -> None:
        """Take so many classes as known before any is seen."""
        super().declare(outputs)
        for expert in self.experts:
            expert.declare(outputs)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        self._steps = Steps()
        self.blend = self.blend.copy()  # its arrays and the views' may be mapped from a file
        self.frozen = None if self.frozen is None else self.frozen.copy()
        self.views = self.views.copy()

    def reverse(self) -> None:
        """Turn the order of the experts round before the first round, and mix before they learn.

        So a second process compiles what this one needs last (see ``cli.process``).
        """
        self._backwards = True
        self.experts.reverse()
        self.roles.reverse()
        active = self.blend.hedge.active
        active[:] = active[::-1].copy()

    def shares(self, use: str = "next_round") -> dict[str, float]:
        """Return how much each expert counts: in the next round, or with ``use="frozen"`` once frozen.

        Frozen, some count by themselves, each by its last weights and by the mean of those along the run,
        or all as in the next round.
        """
        shares = shares_now(self.blend.hedge)
        frozen = None if use != "frozen" else self.frozen_shares()
        if frozen is not None and not frozen[-2:].any():
            shares = frozen[:-2:2] + frozen[1:-2:2]
        return {name: float(v) for name, v in zip(self.expert_names, shares, strict=True)}

    @property
    def expert_names(self) -> list[str]:
        """The experts by specification, with what they see of features and targets."""
        pairs = zip(self.experts, self.roles, strict=True)
        return [expert.specification + role.suffix for expert, role in pairs]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of rows that experts see which have not retired; see ``together``."""
        active = self.blend.hedge.active.tolist()
        seen = {role.sees for on, role in zip(active, self.roles, strict=True) if on}
        return together(seen)

    def frozen_shares(self) -> Array | None:
        """The shares of the candidates for frozen use, where they are known."""
        return None if self.frozen is None else self.frozen.shares(self.blend.active)

    @property
    def best(self) -> Engine:
        """The expert with the least loss so far."""
        losses = self.blend.hedge.losses
        return self.experts[min(self.blend.active, key=lambda k: losses[k])]

    @property
    def counts_columns(self) -> bool:
        """Whether the number of columns enters the formulas of an expert."""
        return any(expert.counts_columns for expert in self.experts)

    @property
    def column_limits(self) -> tuple[int, ...]:
        """The numbers of columns beyond which experts retire."""
        limits = [limit for role in self.roles for limit in (role.columns, role.beyond)]
        return tuple(sorted({limit for limit in limits if limit}))

    @property
    def knows_one_step(self) -> bool:
        """Whether a known row changes all or nothing: signals wait where it takes several steps."""
        return True

    def learns_by_blocks(self, columns: int) -> bool:
        """Whether an expert does that does not retire before so many columns."""
        leaving, _ = self.changes(columns)
        staying = [k for k in self.blend.active if k not in leaving]
        return any(self.experts[k].learns_by_blocks(self._width_of(k, columns)) for k in staying)

    @property
    def engines(self) -> int:
        """The number of engines, those inside its experts included."""
        return 1 + sum(expert.engines for expert in self.experts)

    @property
    def engines_a_label(self) -> int:
        """As many as its experts add."""
        return sum(expert.engines_a_label for expert in self.experts)

    @property
    def is_linear(self) -> bool:
        """Whether predictions are ⟨weights, x⟩: a vote is not."""
        return False

    @property
    def has_probabilities(self) -> bool:
        """Whether margins give probabilities: those of a combination do, a vote does not."""
        return self.is_calibrated

    @property
    def is_calibrated(self) -> bool:
        """Whether the margins are probabilities by themselves: those of a combination are."""
        return self.task != "regression" and self.blend.combination is not None

    @property
    def predicts_counts(self) -> bool:
        """Whether the experts' loss is of counts."""
        return self.task == "regression" and counts_of(self.blend.loss)

    def present(self, margins: Any) -> Any:
        """Turn margins into the means that they stand for, where the loss says so."""
        return mean_of(self.blend.loss, margins) if self.task == "regression" else margins

    def probabilities(self, margins: Array) -> Array:
        """Compute those of the combination, which learns them under the logistic loss.

        The predicted class is the likeliest: one that is not is put just above the others.
        """
        if not self.is_calibrated:
            return super().probabilities(margins)
        if self.task == "binary":
            return two_chances(margins)
        return shares_of_one(margins)

    # ── its state ───────────────────────────────────────────────────────────────────────────────

    def state_arrays(self) -> dict[str, Array]:
        """Return the experts' arrays by number, AdaHedge's and the combination's."""
        arrays = self.blend.arrays()
        if any(role.relative for role in self.roles):
            arrays["origin"] = self.views.origin
        if self.views.units is not None:
            arrays["units"] = self.views.units[: self.columns]
        if PRODUCTS in self.kinds:
            arrays["spreads"] = self.views.spreads
        for k in self.blend.active:  # a retired one has nothing left to tell
            arrays |= {f"{k}.{name}": v for name, v in self.experts[k].state_arrays().items()}
        if self.frozen is not None:
            arrays |= {f"frozen.{name}": v for name, v in self.frozen.arrays().items()}
        return arrays

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self.columns = width
        self._frozen_reading = self._weights_kept = None
        self.views.restart(width, self.kinds)
        if self.frozen is not None:
            self.frozen = self.foresight(len(self.experts))
        for k, on in enumerate(self.blend.hedge.active):
            self.experts[k].declare(self.outputs)
            self.experts[k].restart(self._width_of(k, width) if on else 0)

    def _width_of(self, k: int, columns: int) -> int:
        """The number of columns that an expert sees of so many."""
        return self.views.width(self.roles[k].sees, columns)

    def lay_in(self, arrays: Any, width: int) -> None:
        """Take the state of a model file; experts retired there are retired here.

        Earlier files have fewer experts in ``auto``, which decided between two; the first have no refined
        probabilities: these begin anew.
        """
        known, options = (
            len(arrays["hedge.active"]),
            len(arrays.get("combination.choice.losses", ())),
        )
        refined = self.blend.refined and options != 2
        if self.name == "auto" and (known < len(self.experts) or refined != self.blend.refined):
            self._go_back_to(known, refined)
        self.blend.hedge.active[:] = arrays["hedge.active"]
        absent = {k: v for k, v in self.blend.arrays().items() if k.startswith(REFINED)}
        super().lay_in({**absent, **arrays}, width)
        if self.frozen is not None:
            mine = {k.removeprefix("frozen."): arrays[k] for k in arrays if k.startswith("frozen.")}
            self.frozen.lay_in(mine, self.blend.still())

    def _go_back_to(self, known: int, refined: bool) -> None:
        """Become ``auto`` as it was when it had so many experts."""
        for newest in sorted({role.later for _, role in self._ever}, reverse=True):
            kept = [(expert, role) for expert, role in self._ever if role.was_in(newest)]
            if len(kept) <= known:
                break
        self.experts, self.roles = map(list, zip(*kept[:known], strict=True))
        self.views = Views(self.roles, self.views.units is not None)
        combined = self.blend.combination is not None
        self.blend = self._new_blend(combined, self.blend.loss, self.blend.switching, refined)
        if self.frozen is not None:
            self.frozen = self.foresight(known)

    def check_state(self) -> None:
        """Raise for experts that are neither on nor retired, or all retired."""
        on = self.blend.hedge.active
        if not (np.isin(on, (0.0, 1.0)).all() and on.any()):
            raise ValueError("of its experts some must be on, the others retired")
        inside = getattr(self.blend.combination, "engine", None)
        for engine in self.experts if inside is None else [*self.experts, inside]:
            engine.check_state()

    def put_in_order(self, absent: set[str]) -> None:
        """Make up for arrays that a model file of an earlier version lacks."""
        for number, inner in enumerate(self.experts):
            prefix = f"{number}."
            own = {name.removeprefix(prefix) for name in absent if name.startswith(prefix)}
            if own:
                inner.put_in_order(own)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        del kept["_steps"]
        kept["experts"] = [expert.copy() for expert in self.experts]
        kept["blend"] = self.blend.copy()
        kept["views"] = self.views.copy()
        kept["frozen"] = None if self.frozen is None else self.frozen.copy()
        kept["_frozen_reading"] = kept["_weights_kept"] = None
        return kept

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> Mixture:
        """Copy the engine, its columns and classes in these places; experts with a limit below retire."""
        return place_mixture(self, places)

    def settle(self, rows: Rows, targets: Array) -> bool:
        """Fix the means and spreads of columns, which products are formed by, and the first target."""
        within = 0 < rows.width <= self.views.most
        if self.rounds or not (PRODUCTS in self.kinds and within and len(rows)):
            return False
        self.take_up(rows.width)
        self._begin(rows, targets)
        self.views.settle(rows, self.kinds)
        return True

    @property
    def has_candidates(self) -> bool:
        """Whether weights have been set aside for frozen use."""
        return self.frozen is not None and self.frozen.weights is not None

    def judge(self, rows: Rows, targets: Array) -> None:
        """Charge the candidates for frozen use with these rows alone."""
        if self.frozen is not None and self.has_candidates:
            self.frozen.judge(rows, targets)
            self._frozen_reading = None

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """Unite experts, in common units, and how they are blended."""
        unite_mixtures(self, engines, start)
        self._unite_counts(engines, start)

    def do_without_centred(self) -> None:
        """Retire the experts on products, curves and waves, from here on."""
        for k, role in enumerate(self.roles):
            if role.is_centred:
                self.retire(k)
        self.views.widen(0, self.kinds)

    def put_in(self, units: Array) -> None:
        """Let the experts see features in these units from now on; no prediction changes."""
        assert self.views.units is not None
        factors = growth_of(units, self.views.units)
        if (factors != 1.0).any():
            for k in self.blend.active:
                if self.roles[k].sees == PAIRS:
                    found, whole = multiplied_out(factors), np.ones(self.experts[k].columns)
                    whole[: len(found)] = found
                    self.experts[k].rescale(whole)
                elif not self.roles[k].is_centred:  # which has units of its own
                    self.experts[k].rescale(factors)
        self.views.units = units

    # ── learning and reading ────────────────────────────────────────────────────────────────────

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Run experts, units and the mixing loop, piece by piece and in parallel."""
        refuse_unsound(rows, checked)
        count, several = len(rows), self.task == "multiclass"
        cuts = self._cuts(targets) if several else {}
        known = self.outputs
        if several:
            self.outputs = max(self.outputs, int(targets.max(initial=-1.0)) + 1)
        out = np.empty((count, self.outputs) if several else count)
        self._frozen_reading = self._weights_kept = None
        self._begin(rows, targets)
        begin = 0
        while begin < count:  # up to where weights are set aside
            ahead = count if self.frozen is None else self.frozen.due(self.rounds) - self.rounds
            end = min(count, begin + ahead, *(cut for cut in cuts if cut > begin))
            if begin in cuts:
                self._retire_beyond(cuts[begin])
            amounts = some_of(importance, begin, end)
            part = rows[begin:end], targets[begin:end], amounts
            if self.frozen is not None:
                self.frozen.see(self.rounds, *part)
            self._learn_part(*part, out[begin:end])
            self._weights_kept = None
            self.counts[ROUNDS] += end - begin
            self._look_round(max(known, int(targets[:end].max()) + 1) if several else 1)
            begin = end
        return out

    def learn_known(self, view: Any, target: Array) -> Any:
        """Learn from one sound sparse row without anything new, in one compiled step once some have come."""
        step = self._steps.of(LearnStep, self, view)
        appears = self.task == "multiclass" and target[0] >= self.outputs
        if step is None or appears:
            with undisturbed:
                return super().learn_known(view, target)
        self._frozen_reading = self._weights_kept = None
        return step.learn(self, target)

    def after_row(self) -> None:
        """Look after frozen use, where a single row was learned."""
        assert self.frozen is not None
        self.frozen.after_row()
        self._look_round(max(self.outputs, 1))

    def _cuts(self, targets: Array) -> dict[int, int]:
        """The rows that bring more classes than an expert is for, and how many classes there are then."""
        limits = {role.classes for role in self.roles if role.classes is not None}
        if not limits or not len(targets) or max(self.outputs, targets.max() + 1) <= min(limits):
            return {}
        known = known_after(targets, self.outputs)
        first = {int(np.searchsorted(known, limit, side="right")) for limit in limits}
        return {t: int(known[t]) for t in first if t < len(targets)}

    def _retire_beyond(self, classes: int) -> None:
        """Retire experts that are for fewer classes."""
        for k, role in enumerate(self.roles):
            if role.classes is not None and classes > role.classes:
                self.retire(k)

    def _look_round(self, classes: int) -> None:
        """At certain rounds, retire what costs too much, and set weights aside for frozen use."""
        if self.frozen is not None and self.frozen.due(self.rounds - 1) == self.rounds:
            self._retire_costly(classes)
            self._set_aside(self.frozen)

    def _retire_costly(self, classes: int) -> None:
        """Retire pairs where rows are long; matrices of many columns where rows are sparse, or classes many.

        Columns are those that rows so far have had: room for more may have been made ahead.
        """
        entries = self.views.mean_entries(self.rounds)
        if PAIRS in self.kinds and entries > SHORT:
            self._retire_pairs()
        limited = any(self.roles[k].columns is not None for k in self.blend.active)
        if self.views.units is None or self.columns <= NARROW or not limited:
            return
        columns = self.views.seen
        if columns <= NARROW:
            return
        if entries < DENSE * columns or classes * columns**2 > NUMBERS:
            for k, role in enumerate(self.roles):  # those with a matrix, or on products
                if role.columns is not None and not role.beyond:
                    self.retire(k)

    def _retire_pairs(self) -> None:
        for k, role in enumerate(self.roles):
            if role.sees == PAIRS:
                self.retire(k)

    def retire(self, k: int) -> None:
        """Let an expert learn and count no more."""
        if self.blend.hedge.active[k]:
            self.blend.hedge.active[k] = 0.0
            self.experts[k] = self.experts[k].copy()  # the old one may be put back
            self.experts[k].restart(0)

    def _begin(self, rows: Rows, targets: Array) -> None:
        """Before the first round: the first target, and whether its row is short."""
        if self.rounds or not len(rows):
            return
        if any(role.relative for role in self.roles):
            self.views.set_origin(targets)
        if PAIRS in self.kinds and rows.part(0, 1).count_nonzero() > SHORT:
            self._retire_pairs()

    def _learn_part(self, rows: Rows, targets: Array, importance: Array, out: Array) -> None:
        together = "learned" in self._compiled and rows.are_many
        first, pieces = self.rounds == 0, []
        room = PIECE
        if PRODUCTS in self.kinds:  # a piece has them beside it
            columns = max(1, self.columns)
            room = max(1, PIECE * columns // self.views.width(PRODUCTS, columns))
        for begin, end, part in rows.pieces(room):
            amounts, is_first = some_of(importance, begin, end), first and begin == 0
            pieces.append(_Piece(part, targets[begin:end], amounts, out[begin:end], is_first))
        if len(pieces) == 1 and not together:  # few rows: the line would cost more than they do
            alone = len(targets) == len(importance) == 1 and importance[0] == 1.0
            pieces[0].is_single = alone and self.task != "multiclass"
            self._learn_alone(pieces[0])
        else:
            self._learn_in_line(pieces, together)
        self._compiled.add("learned")

    def _learn_alone(self, piece: _Piece) -> None:
        if self._backwards:
            shape = piece.out.shape
            piece.margins = {k: np.zeros(shape) for k in self.blend.active}
            self._mix_piece(piece)
        self._put_in_units(piece)
        for k in self.blend.active:
            self._learn_piece(piece, k)
        self._mix_piece(piece)

    def _learn_in_line(self, pieces: list[_Piece], together: bool) -> None:
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
                learn = partial(self._learn_piece, present)
                work |= {k: partial(learn, k) for k in self.blend.active}
            self._crew.do(work, together)

    def _set_aside(self, frozen: FrozenUse) -> None:
        if frozen.are_too_many(self.columns, len(self.blend.active)):
            frozen.forget()
        else:
            self._weights_kept = self.weights_in_use()
            frozen.set_aside(self._weights_kept, self.blend, self.anchors())

    def anchors(self) -> Array | None:
        """The means, spreads and knots that all but features are formed by where they stand still."""
        return self.views.anchors(self.kinds)

    def weights_in_use(self) -> list[Array | None]:
        """The weights of each expert for the features as the user knows them; slots × classes.

        Where some see products all have slots for them, of anchored features.
        """
        found: list[Array | None] = [None] * len(self.experts)
        for k in self.blend.active:
            found[k] = self._weights_of(k)
        return found

    def feature_sizes(self) -> tuple[Array, Array] | None:
        """Return in how many rows each feature was, and its Σ|x| over them, where they are kept."""
        if self.views.units is None:
            return None
        known = self.views.units[: self.columns]
        return known[:, COUNT].copy(), known[:, SUM].copy()

    def still_blend(self) -> StillBlend:
        """Return the weights of all experts, and how they are blended."""
        present = self.weights_in_use()
        shapes = [w.shape for w in present if w is not None]
        slots, outputs = (max(sizes) for sizes in zip(*shapes, strict=True))
        weights = np.zeros((slots, len(present), outputs))
        for k, w in enumerate(present):
            if w is not None:
                weights[: w.shape[0], k, : w.shape[1]] = w
        return StillBlend(weights, self._blend_in("frozen"), self.anchors())

    def _blend_in(self, what: str) -> Any:
        """The blend for a use where nothing else is known of it: every export decides between two."""
        return self.blend.still() if what == "frozen" and self.blend.refined else self.blend

    def expert_margins(self, rows: Rows) -> Array:
        """Compute what each expert would say in the next round, by expert, row and class."""
        found: Array = self._read_experts(rows)
        return found

    def _weights_of(self, k: int) -> Array:
        return self.views.as_given(
            self._own_weights(k), self.roles[k].sees, self.columns, self.kinds
        )

    def _own_weights(self, k: int) -> Array:
        """The weights of an expert for what it sees; the origin is part of the intercept."""
        weights = self.experts[k].weights()
        if self.roles[k].relative:
            weights = weights.copy()
            weights[0] += self.views.origin[0]
        return weights

    def _put_in_units(self, piece: _Piece) -> None:
        piece.seen = self.views.of(piece.rows, piece.importance, self.kinds, learning=True)

    def _learn_piece(self, piece: _Piece, k: int) -> None:
        role = self.roles[k]
        rows, origin = piece.seen[role.sees], float(self.views.origin[0]) * role.relative
        y = piece.y - origin if origin else piece.y
        if piece.is_single and not rows.is_dense:
            piece.margins[k] = np.atleast_1d(self.experts[k].learn_known(rows.view, y))
        else:
            piece.margins[k] = self.experts[k].learn(rows, y, piece.importance, True)
        if origin:
            piece.margins[k] = piece.margins[k] + origin
            if piece.is_first:
                piece.margins[k][0] = 0.0  # it knew no target yet

    def _mix_piece(self, piece: _Piece) -> None:
        margins = self._gathered(piece.margins)
        piece.out[:] = self.blend.learn(margins, piece.y, piece.importance)

    def _read_experts(self, rows: Rows, what: str = "margins", together: bool = False) -> Any:
        """The readings of some rows by the experts that are on."""
        seen = self.views.of(rows, ONE, self.kinds, learning=False, columns=self.columns)

        def read(k: int) -> Array:
            found = self.experts[k].read(seen[self.roles[k].sees], what)
            return found + self.views.origin[0] if self.roles[k].relative else found

        active = self.blend.active
        return self._gathered(dict(zip(active, in_parallel(read, active, together), strict=True)))

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """Compute what the next round would make of the experts' margins.

        ``what="frozen"`` reads what does best where nothing more is learned.
        """
        known = what == "frozen" and self._frozen_reading is not None
        if known or (what == "frozen" and self.frozen_shares() is not None):
            return self._read_frozen(rows)
        blend, what = self._blend_in(what), "margins" if what == "frozen" else what
        margins = self._read_experts(rows, what, "read" in self._compiled and rows.are_many)
        self._compiled.add("read")
        found: Array = blend.read(margins)
        return found

    def read_known(self, view: Any, what: str) -> Array | None:
        """Read one sound row without anything new in one compiled step, once some have come."""
        step = self._steps.of(ReadStep, self, view) if what == "margins" else None
        return None if step is None else step.read()

    def frozen_error(self) -> float | None:
        """The mean of |y − ŷ| of what is read frozen, over the latest windows."""
        return None if self.frozen is None else self.frozen.mean_error()

    def still(self) -> Any:
        """Return the weights that frozen use reads, where they are known; a copy of all elsewhere."""
        shares = self.frozen_shares()
        if shares is None:
            return super().still()
        assert self.frozen is not None
        present = self._weights_kept
        if present is None:
            counted = shares[:-2:2] + shares[1:-2:2] + shares[-2:].sum() > 0.0
            present = [None] * len(self.experts)
            for k in self.blend.active:
                present[k] = self._weights_of(k) if counted[k] else None
        return self.frozen.reading(shares, present, self.blend, self.anchors())

    def ask(self, rows: Rows) -> tuple[Array, Array]:
        """Read one row: with it wait the experts' margins, what was made of them, and the last target."""
        margins = self._read_experts(rows)
        told, said = self.blend.ask(margins)
        last = [self.views.origin[0], self.blend.last_known]
        return told, np.concatenate([margins[:, 0].ravel(), said, last])

    def margins_when_asked(self, memo: Array) -> Array:
        """Blend the experts' margins of that time by today's shares."""
        told, _ = self._taken_apart(memo)
        several = self.task == "multiclass"
        known = {k: told[k][None] if several else told[k] for k in self.blend.active}
        return self.blend.read(self._gathered(known))

    def _taken_apart(self, memo: Array) -> tuple[Array, Array | None]:
        """The margins of the experts when a row was asked, and what was chosen from then."""
        end = len(memo) - (2 if self.blend.combination is None else 4)
        said = memo[end:-2] if end < len(memo) - 2 else None
        return memo[:end].reshape(len(self.experts), -1), said

    @property
    def late_step(self) -> str:
        """Experts step from what they know today: on streams of late labels that loses less."""
        return "fresh"

    def answer(
        self, rows: Rows, memo: Array, target: Array, importance: Array, fresh: bool
    ) -> float | None:
        """Charge the experts with what they said when they were asked, and let each learn."""
        self._frozen_reading = self._weights_kept = None
        if self.task == "multiclass":
            self.outputs = max(self.outputs, int(target[0]) + 1)
            self._retire_beyond(self.outputs)
        (told, chosen), known_origin = self._taken_apart(memo), memo[-2]
        self._begin(rows, target)
        seen = self.views.of(rows, importance, self.kinds, learning=True)
        known = {}
        for k in self.blend.active:
            known[k] = told[k][None] if self.task == "multiclass" else told[k]
            said, label = told[k], target
            if self.roles[k].relative:
                said, label = said - known_origin, label - self.views.origin[0]
            own = seen[self.roles[k].sees]
            self.experts[k].answer(own, said, label, importance, fresh)
        self.blend.learn(self._gathered(known), target, importance, WhenAsked(memo[-1:], chosen))
        self.counts[ROUNDS] += 1
        if self.frozen is not None:
            self.frozen.see(self.rounds - 1, rows, target, importance)
        self._look_round(max(self.outputs, 1))
        return None

    def _read_frozen(self, rows: Rows) -> Array:
        if self._frozen_reading is None:
            self._frozen_reading = self.still()
        found: Array = self._frozen_reading.read(rows)
        return found

    def _gathered(self, margins: dict[int, Array]) -> Array:
        """The margins of all experts by row and class; a retired one predicts 0.

        Those of classes that the experts have yet to meet are −∞.
        """
        count = len(next(iter(margins.values())))
        several = self.task == "multiclass"
        out = np.zeros((len(self.experts), count, self.outputs if several else 1))
        for k, margin in margins.items():
            if several:
                out[k, :, : margin.shape[1]] = margin
                out[k, :, margin.shape[1] :] = -np.inf
            else:
                out[k, :, 0] = margin
        return out

    def weights(self) -> Array:
        """Regression: the mixed weights. Classification: those of the best expert."""
        active, losses = self.blend.active, self.blend.hedge.losses
        if self.task != "regression":
            return self._slopes(min(active, key=lambda k: losses[k]))
        shares = shares_now(self.blend.hedge)
        return np.asarray(shares[active] @ np.stack([self._slopes(k) for k in active]))

    def _slopes(self, k: int) -> Array:
        """The weights of single features of an expert; of one on products those at the mean of the data."""
        return self.views.slopes(self._own_weights(k), self.roles[k].sees, self.columns, self.kinds)

    # ── what was promised ───────────────────────────────────────────────────────────────────────

    def certify(self, read: Any, past: Hindsight | None, u: ArrayLike | None) -> list[Certificate]:
        """Measure AdaHedge's bound, and what it makes of the certificates of each single expert.

        Under ``unitless`` u is fixed on the features in units of their size, as the experts see
        them; a u of the features as they are is then compared with no expert.
        """
        hedge, choice = self.blend.hedge, self.blend.choice
        found = path_bounds(hedge, choice) if self.blend.switching else [hedge_bound(hedge, choice)]
        if past is None or (u is not None and self.views.units is not None):
            return found
        if self.views.units is not None:
            seen_as = partial(scaled_reading, columns=self.columns)
            read, past = seen_as(read), past.seen_as("in units", seen_as)
        for k in self.blend.active:
            expert = self.experts[k]
            if self.roles[k].relative or self.roles[k].sees_more:
                continue  # its theorems speak of other numbers
            if expert.certifies and hasattr(expert, "parts") and self._charges(expert):
                own = expert.certify(read, past, u)
                name, total = expert.specification, float(expert.parts.ledger.loss[0])
                found += through_expert(hedge, choice, k, name, total, own)
        return found

    @property
    def seniority(self) -> tuple[float, ...]:
        """Of most rounds, then of least loss: its columns stay where they are, as products of them must."""
        return self.rounds, -float(self.blend.hedge.expected[0])

    def surviving(self) -> list[Certificate]:
        """AdaHedge's bound survives a merge from nothing (``unite_hedge``)."""
        return [hedge_bound(self.blend.hedge, self.blend.choice)]

    def calibration_certificates(self) -> list[Certificate]:
        """Measure what the refined logits lost to the coins', and the calibrated ones to these."""
        if not self.is_calibrated:
            return super().calibration_certificates()
        both = self.blend.combination
        return [bayes_bound(both.stack), bayes_bound(both.calibration)]

    def _charges(self, expert: Any) -> bool:
        """Whether the mixture charges an expert what its own theorems speak of.

        Numbers are charged half their squared error, or another loss; of classes mistakes are counted,
        which any loss can bound.
        """
        mine = self.blend.loss
        return self.task != "regression" or (type(expert.loss), *expert.loss) == (type(mine), *mine)

    # ── room ────────────────────────────────────────────────────────────────────────────────────

    def take_up(self, width: int) -> Any:
        """Make room for so many columns: experts with a limit below retire, those that wait for them join."""
        taken: list[tuple[Engine, Any]] = []
        hedge, on = self.blend.hedge, self.blend.hedge.active
        sizes = self.columns, self.outputs
        seen = self.views.units, self.views.spreads
        before = sizes, [array.copy() for array in hedge], seen, list(self.experts), taken
        try:
            self.views.take_up(width)
            leaving, joining = self.changes(width)
            for k in leaving + joining:
                self.experts[k] = self.experts[k].copy()  # the old one may be put back
            for k in leaving:
                self.experts[k].restart(0)
            for k in joining:
                self.experts[k].declare(self.outputs)
            if leaving or joining:
                regroup(hedge, leaving, joining)
            for k in range(len(self.roles)):
                expert = self.experts[k]
                taken.append((expert, expert.take_up(self._width_of(k, width) if on[k] else 0)))
            self.views.widen(width, self.kinds)
        except Exception:
            self.put_back(before)
            raise
        self.columns = max(self.columns, width)
        return before

    def changes(self, width: int) -> tuple[list[int], list[int]]:
        """The experts that retire with so many columns, and those that join."""
        leaving, joining = [], []
        for k, role in enumerate(self.roles):
            within = role.columns is None or width <= role.columns
            few = role.classes is None or self.outputs <= role.classes
            if self.blend.hedge.active[k] and not within:
                leaving.append(k)
            elif within and few and self.columns <= role.beyond < width and role.beyond:
                joining.append(k)
        return leaving, joining

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``."""
        (self.columns, self.outputs), kept, seen, self.experts, taken = before
        self.views.put_back(seen)
        for array, was in zip(self.blend.hedge, kept, strict=True):
            array[:] = was
        for expert, kept in taken:
            expert.put_back(kept)
