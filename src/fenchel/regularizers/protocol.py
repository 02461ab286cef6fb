"""Everything that a regularizer f_t can be asked, on one page.

A regularizer is a NamedTuple of parameters and state (``fenchel.parts.state``). It answers in two
ways: by **methods** in NumPy, the formulas of the paper (what ``MirrorDescent`` runs and what the
certificates evaluate), and by **verbs** in compiled code, registered with ``@verb.of(Class)``. This
page lists the verbs in five groups, then the facts that theorems ask for.

1. Learning. θ is a plain sum, so nothing needs touching between two visits of a coordinate: w_j is a
   function of θ_j, a few numbers kept for j and a few scalars. A round is

       view = look(f, row)              f_t as this x_t makes it, nothing changed
       m = margin(f, view, row)         ⟨w_t, x_t⟩, a sum of product(f, view, slot, x)
       commit(f, view, row, c)          keep f_t, and θ ← θ + c·x by absorb for each coordinate

   Only ``weight`` is required; the others follow from it.
2. Confidence: ``spread``, for second-order regularizers.
3. Averaging: ``pace`` and ``settled`` say how the weights move between two visits; or
   ``bank_weights`` adds all of them up in every round, and ``settled`` is 0. Without them there is no
   ``averaged=True``.
4. Blocks, for a full matrix: ``sighted`` and ``kept`` let many rows be learned by products of
   matrices (``loops.blocks``).
5. Ledger: ``dual_square`` and ``climb`` (or ``standing`` and ``moved``) give the sums of Lemma 1 along
   a run. Without them certificates are recomputed from the rows by the methods, in NumPy.

A part that lacks a group is refused by an error that names the missing verb; nothing is guessed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._numba import helper, knows, required_verb, verb, way
from fenchel._numba.intrinsics import four_roots, seldom
from fenchel._numba.verbs import Verb
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.rows.sums import alike, by_fours, four_slots, four_values, sum_over, term
from fenchel.rows.types import (
    FOUR,
    ONE,
    ZERO,
    entries,
    entry,
    length,
    saturated,
    slot,
    slot_of,
    value_of,
)

# ── 1. learning ─────────────────────────────────────────────────────────────────────────────────


@verb
def prepare(f: Any, row: Any) -> None:
    """Called before a learning round looks: put what is kept in order; no prediction changes."""


@verb
def look(f: Any, row: Any) -> float:
    """Compute the scalars of f_t once x_t is seen, without changing f."""
    return 1.0


@required_verb
def weight(f: Any, view: Any, slot: Any, x: float) -> Any:
    """w_j = (∇f_t*(θ_t))_j in a round where x_j = x."""


@verb
def product(f: Any, view: Any, slot: Any, x: float) -> float:
    """w_j·x, computed so that neither overflows where the product does not."""
    return float(weight(f, view, slot, x) * x)


@alike
class Products(NamedTuple):
    """The sum that is the margin."""


@term.of(Products)
def _product(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(product(f, view, slot, x))


@verb
def margin(f: Any, view: Any, row: Any) -> float:
    """⟨w_t, x_t⟩, the intercept included; infinite or NaN where the sum overflows."""
    return sum_over(Products(), f, view, row)


@verb
def rescued_margin(f: Any, view: Any, row: Any) -> float:
    """The margin where the plain sum overflowed: held inside the finite floats, its sign right.

    Its terms are summed in units of the largest.
    """
    largest = 0.0
    for k in range(entries(row)):
        term = abs(product(f, view, slot_of(row, k), value_of(row, k)))
        largest = max(largest, saturated(term) if term == term else 0.0)
    total = 0.0
    for k in range(entries(row)):
        term = product(f, view, slot_of(row, k), value_of(row, k))
        total += saturated(term) / largest if term == term and largest > 0.0 else 0.0
    return saturated(total * largest)


@verb
def absorb(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    """θ_j ← θ_j + coefficient·x, with what f keeps for coordinate j."""
    f.theta[slot] = saturated(f.theta[slot] + coefficient * x)


@verb
def usual(f: Any, view: Any, slots: Any, x: Any, coefficient: float) -> bool:
    """Of a part that is ``alike``: whether these four entries go by its verbs without branches."""
    return True


@verb
def usual_absorb(f: Any, view: Any, slots: Any, x: Any, coefficient: float) -> None:
    """``absorb`` for four usual entries."""
    absorb(f, view, slots, x, coefficient)


def absorb_row(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """Absorb each entry of the row, the intercept last."""
    for k in range(length(row)):
        absorb(f, view, slot(row, k), entry(row, k), coefficient)
    if row.bias != 0.0:
        absorb(f, view, ZERO, row.bias, coefficient)


def _absorb_alike(f: Any, view: Any, row: Any, coefficient: float) -> None:
    n = length(row)
    whole = n - n % FOUR
    k = ZERO
    while k < whole:
        slots, x = four_slots(row, k), four_values(row, k)
        if seldom(not usual(f, view, slots, x, coefficient)):
            for l in range(k, k + FOUR):
                absorb(f, view, slot(row, l), entry(row, l), coefficient)
        else:
            usual_absorb(f, view, slots, x, coefficient)
        k += FOUR
    while k < n:
        absorb(f, view, slot(row, k), entry(row, k), coefficient)
        k += ONE
    if row.bias != 0.0:
        absorb(f, view, ZERO, row.bias, coefficient)


way.inside(
    absorb_row,
    lambda f, view, row, coefficient: _absorb_alike if by_fours(row, f) else absorb_row,
    way.INLINED,
)


@required_verb
def divided(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> Any:
    """Where ``absorb`` divides once: keep what comes before, and return numerator and denominator."""


@required_verb
def keep_quotient(
    f: Any, view: Any, slot: Any, x: float, coefficient: float, quotient: float
) -> Any:
    """Keep what follows from the quotient."""


@verb
def usual_divided(f: Any, view: Any, slots: Any, x: Any, coefficient: float) -> Any:
    """``divided`` for four usual entries."""
    return divided(f, view, slots, x, coefficient)


@verb
def keep_usual(f: Any, view: Any, slots: Any, x: Any, coefficient: float, quotients: Any) -> None:
    """``keep_quotient`` for four usual entries."""
    keep_quotient(f, view, slots, x, coefficient, quotients)


@verb
def under_root(f: Any) -> bool:
    """Whether ``divided`` returns the square of the denominator."""
    return False


@helper
def absorb_divided(f: Any, view: Any, slot: Any, x: float, coefficient: float) -> None:
    """``absorb`` by ``divided`` and ``keep_quotient``."""
    a, p = divided(f, view, slot, x, coefficient)
    keep_quotient(f, view, slot, x, coefficient, a / (np.sqrt(p) if under_root(f) else p))


def absorb_quotients(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """``absorb_row`` by ``divided`` and ``keep_quotient``."""
    for k in range(length(row)):
        absorb_divided(f, view, slot(row, k), entry(row, k), coefficient)
    if row.bias != 0.0:
        absorb_divided(f, view, ZERO, row.bias, coefficient)


def _absorb_quotients(f: Any, view: Any, row: Any, coefficient: float) -> None:
    n = length(row)
    whole = n - n % FOUR
    k = ZERO
    while k < whole:
        slots, x = four_slots(row, k), four_values(row, k)
        if seldom(not usual(f, view, slots, x, coefficient)):
            for l in range(k, k + FOUR):
                absorb_divided(f, view, slot(row, l), entry(row, l), coefficient)
        else:
            a, p = usual_divided(f, view, slots, x, coefficient)
            quotients = a / (four_roots(p) if under_root(f) else p)
            keep_usual(f, view, slots, x, coefficient, quotients)
        k += FOUR
    while k < n:
        absorb_divided(f, view, slot(row, k), entry(row, k), coefficient)
        k += ONE
    if row.bias != 0.0:
        absorb_divided(f, view, ZERO, row.bias, coefficient)


way.inside(
    absorb_quotients,
    lambda f, view, row, coefficient: _absorb_quotients if by_fours(row, f) else absorb_quotients,
    way.INLINED,
)


@verb
def commit(f: Any, view: Any, row: Any, coefficient: float) -> None:
    """Keep f_t, and θ ← θ + coefficient·x."""
    if coefficient != 0.0:
        absorb_row(f, view, row, coefficient)


@verb
def all_weights(f: Any, view: Any, out: Any) -> None:
    """Every weight of a round that touches no coordinate, slot by slot."""
    for j in range(out.shape[0]):
        out[j] = weight(f, view, j, 0.0)


@required_verb
def dual_norm_of(f: Any, row: Any) -> Any:
    """‖x‖_* of a row in the dual norm of f, the intercept included; for levels X_t = max ‖x_s‖_*."""


# ── 2. confidence ───────────────────────────────────────────────────────────────────────────────


@required_verb
def spread(f: Any, view: Any, row: Any) -> Any:
    """x·A_t⁻¹·x: large where few similar rows were seen."""


# ── 3. averaging ────────────────────────────────────────────────────────────────────────────────
# Between two visits of coordinate j, w_{t,j} = settled_j·pace_t with settled_j fixed.

# A clock so far ahead of its pace loses digits: every coordinate is charged, and it starts anew.
WORN = 1e6


@required_verb
def pace(f: Any, view: Any) -> Any:
    """pace_t of this round; 1 where weights stand still between visits."""


@required_verb
def settled(f: Any, slot: Any) -> Any:
    """settled_j, in the ``unit`` of today."""


@verb
def idle_sum(f: Any, slot: Any, since: float, until: float) -> float:
    """Σ w_{s,j} over the rounds between two values of Σ pace."""
    return float(settled(f, slot) * (until - since))


@verb
def unit(f: Any) -> float:
    """The unit in which settled_j is kept, where it may change (the pivot of a sum of powers)."""
    return 0.0


@verb
def unit_scale(f: Any, before: float) -> float:
    """settled_j in the unit ``before``, over settled_j in today's."""
    return 1.0


@verb
def reshapes(f: Any, row: Any) -> bool:
    """Whether this row changes every settled_j, touched or not."""
    return False


@helper
def uncharged(average: Any, f: Any, slot: Any) -> float:
    """The weights of coordinate j over the rounds since it was last charged."""
    mark = average.mark[slot]
    if mark == average.clock[0]:
        return 0.0
    idle = idle_sum(f, slot, mark, average.clock[0])
    return float(idle * unit_scale(f, average.unit[0])) if idle != 0.0 else 0.0


@helper
def charge_all(average: Any, f: Any) -> None:
    """Charge every coordinate, and start the clock anew."""
    for j in range(average.total.shape[0]):
        average.total[j] = saturated(average.total[j] + uncharged(average, f, j))
        average.mark[j] = 0.0
    average.clock[0] = 0.0


@verb
def bank_weights(f: Any, average: Any, view: Any, row: Any) -> None:
    """Count w_t in the average: the row's coordinates are charged for all rounds since their last."""
    rate = pace(f, view)
    if average.clock[0] > WORN * rate and rate != 1.0:  # a clock of ones counts rounds exactly
        charge_all(average, f)
    for k in range(entries(row)):
        x = value_of(row, k)
        if x != 0.0:
            j = slot_of(row, k)
            since = uncharged(average, f, j) + weight(f, view, j, x)
            average.total[j] = saturated(average.total[j] + since)
            average.mark[j] = average.clock[0] + rate
    average.clock[0] += rate


def stands_still(cls: type) -> type:
    """Class decorator: the weights of this regularizer change only when their coordinate is visited."""

    def one(f: Any, view: Any) -> float:
        return 1.0

    def as_read(f: Any, slot: Any) -> float:
        return float(weight(f, 1.0, slot, 0.0))

    pace.of(cls)(one)
    settled.of(cls)(as_read)
    return cls


# ── 4. blocks ───────────────────────────────────────────────────────────────────────────────────


@required_verb
def sighted(f: Any, chi: float, along: float, row: Any) -> Any:
    """The view of a row with xᵀA⁻¹x = chi and θᵀA⁻¹x = along; ``margin`` and ``spread`` read it."""


@required_verb
def kept(f: Any, view: Any, row: Any, coefficient: float) -> Any:
    """(s, c) with A ← A + s²·x·xᵀ and θ ← θ + c·x; s = 0 where the round keeps nothing."""


# ── 5. ledger ───────────────────────────────────────────────────────────────────────────────────


class Standing(NamedTuple):
    """Numbers read off sums that f keeps anyway: f_t*(θ), and Σ_{s≤t} ‖z_s‖²_{s,*}/(2β_s)."""

    height: float = 0.0
    steps: float = 0.0


@required_verb
def dual_square(f: Any, view: Any, row: Any, size: float) -> Any:
    """‖x_t‖²_{t,*}/β_t; 0 where ``Standing`` has its sum."""


@required_verb
def climb(f: Any, view: Any, row: Any, square: float, margin: float, c: float) -> Any:
    """f_t*(θ_t + c·x_t) − f_t*(θ_t), with ``square`` = ‖x_t‖²_{t,*}/β_t.

    0 where f never changes, since its residue is known without it, and where ``Standing`` has it;
    NaN where it is not known.
    """


@helper
def quadratic_climb(square: float, margin: float, c: float) -> float:
    """The climb of a quadratic f_t on the whole space: no coordinate needs a second look."""
    return c * (margin + 0.5 * c * square)


@verb
def size(f: Any, row: Any) -> float:
    """‖x_t‖_* in a norm that stays the same over the run; 0 where f has none."""
    return 0.0


@verb
def curvature(f: Any) -> float:
    """β of a regularizer that does not change; 0 where it does, and is not asked."""
    return 0.0


@verb
def keeps_all(f: Any) -> bool:
    """Whether f_t keeps x_t in rounds without an update."""
    return False


@verb
def gained(f: Any, view: Any, margin: float, y: float) -> float:
    """2·y_t·⟨w_t, x_t⟩ − m_t²/(r + χ_t) of Section 6.2, for the full matrix."""
    return 0.0


@required_verb
def held_conjugate(f: Any) -> Any:
    """f*(θ) of a regularizer that never changes, read off sums that it keeps."""


@verb
def standing(f: Any, view: Any) -> Standing:
    """The standing before θ_t moves, f_t already that of the round."""
    return Standing(0.0, 0.0)


@verb
def moved(f: Any, view: Any) -> Standing:
    """The standing after θ_t has moved, f_t still that of the round."""
    return Standing(0.0, 0.0)


@verb
def charge_terms(f: Any, view: Any, row: Any, ledger: Any) -> None:
    """Add Σ F(w_s) of the row's coordinates up to this round, before their θ_j changes."""


@verb
def waiting_terms(f: Any, mark: Array) -> float:
    """Σ F(w_s) of all coordinates over the rounds not charged yet."""
    return 0.0


# ── which groups a part answers ─────────────────────────────────────────────────────────────────

AVERAGING: tuple[tuple[Verb, ...], ...] = ((pace, settled), (bank_weights, settled))
LEDGER: tuple[tuple[Verb, ...], ...] = ((dual_square, climb),)
CONFIDENCE: tuple[tuple[Verb, ...], ...] = ((spread,),)


def missing_verbs(f: Any, group: tuple[tuple[Verb, ...], ...]) -> list[str]:
    """The verbs of a group that a regularizer lacks; a group is answered by one of its alternatives.

    A regularizer around another needs both to answer.

    >>> from fenchel.regularizers import CoinBetting, Euclidean
    >>> missing_verbs(Euclidean(), AVERAGING), missing_verbs(CoinBetting(), LEDGER)
    ([], ['CoinBetting.dual_square', 'CoinBetting.climb'])
    """
    cls = type(f)
    gaps = [[verb for verb in verbs if not knows(verb, cls)] for verbs in group]
    least = min(gaps, key=len)
    found = [] if [] in gaps else [f"{cls.__name__}.{verb.table.name}" for verb in least]
    inner = (value for value in f if state.is_part(value) and knows(weight, type(value)))
    return found + [name for part in inner for name in missing_verbs(part, group)]


def refuse_missing(f: Any, group: tuple[tuple[Verb, ...], ...], wanted: str) -> None:
    """Raise for the verbs that ``wanted`` needs and the regularizer lacks."""
    lacking = missing_verbs(f, group)
    if lacking:
        name = lacking[0].partition(".")[2]
        raise ValueError(
            f"{wanted} needs {' and '.join(lacking)}: write it with "
            f"@{name}.of({type(f).__name__}), see fenchel.regularizers.protocol"
        )


# ── facts, stated by methods and properties ───────────────────────────────────────────────────────
#
# Formulas (required for certificates): value(u), conjugate(theta), gradient(theta),
# strong_convexity, norm(u), dual_norm(z); observe(x) and commit(f_t, z) where f_t changes.
#
# What a theorem may ask beyond them; where a part does not state it, nothing is promised.

FACTS: dict[str, Any] = {
    "constant": False,  # f_t never changes
    "homogeneous": False,  # f_t(λu) = λ²·f_t(u)
    "quadratic": False,  # f_t(w) = ½·wᵀA_t·w on the whole space
    "nondecreasing": None,  # g_t ≤ g_{t+1}: proved (True), denied (False), or to be measured
    "family": "",  # the f_t of one theorem, by its name there
    "weighs_rows": False,  # importance h enters f_t as the row √h·x
    "always": True,  # f_t is kept in rounds without an update
}


def fact(f: Any, name: str) -> Any:
    """Return a fact that a part states, or the default, which promises nothing."""
    return getattr(f, name, FACTS[name])
