"""The ledger: what the certificates need of a run, summed along it in O(non-zeros) a round.

With z_t = c_t·x_t, η_t = |c_t|, h_t the importance and m_t = ⟨w_t, x_t⟩. Everything here depends on
the run alone, nothing on a comparator. The residue Σ (f_t*(θ_t) − f_{t−1}*(θ_t)) of Lemma 1 is kept
by summation by parts: with f_0*(0) = 0 it is

    f_T*(θ_{T+1}) − Σ_t (f_t*(θ_{t+1}) − f_t*(θ_t)),

where the sum (``climb``) needs the coordinates of the row alone, and its first term is read off the
state when a certificate is asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._numba import helper, kernel, verb
from fenchel.losses.protocol import value
from fenchel.parts.state import RECORD, SCALAR, Array, part
from fenchel.regularizers.protocol import (
    LEDGER,
    Standing,
    charge_terms,
    climb,
    curvature,
    dual_square,
    gained,
    keeps_all,
    missing_verbs,
    moved,
    size,
    standing,
    waiting_terms,
)
from fenchel.regularizers.uniting import Shards, unite
from fenchel.rows.types import largest_of


class NoLedger(NamedTuple):
    """Nothing is kept, and nothing is paid."""

    @property
    def kept(self) -> bool:
        """Whether a run can be certified."""
        return False


@part
class LossLedger(NamedTuple):
    """The sums that no regularizer is asked for: enough where Lemma 1 is computed from the rows."""

    rounds: Array = SCALAR  # T
    loss: Array = SCALAR  # Σ h_t·ℓ_t(w_t)
    pairs: Array = SCALAR  # Σ ⟨z_t, w_t⟩
    mistakes: Array = SCALAR  # M
    slope: Array = SCALAR  # max η_t

    @property
    def kept(self) -> bool:
        """Whether a run can be certified."""
        return True


@part
class Ledger(NamedTuple):
    """The sums along a run.

    ``mark``, ``roots`` and ``inverse_roots`` serve Σ F(w_t): the round up to which a slot is
    charged, and Σ √s and Σ 1/√s over the rounds up to there.
    """

    rounds: Array = SCALAR  # T
    loss: Array = SCALAR  # Σ h_t·ℓ_t(w_t)
    steps: Array = SCALAR  # Σ ‖z_t‖²_{t,*}/(2β_t)
    climb: Array = SCALAR  # Σ f_t*(θ_{t+1}) − f_t*(θ_t)
    pairs: Array = SCALAR  # Σ ⟨z_t, w_t⟩
    squares: Array = SCALAR  # Σ h_t·m_t²
    terms: Array = SCALAR  # Σ F(w_t), as far as charged
    mistakes: Array = SCALAR  # M
    errors: Array = SCALAR  # U: updates that are no mistakes
    etas: Array = SCALAR  # Σ η_t
    error_etas: Array = SCALAR  # Σ_U η_t
    excess: Array = SCALAR  # D′ = Σ_U (η²‖x‖² + 2βηym)/X_t² − η
    size: Array = SCALAR  # X_T
    target: Array = SCALAR  # max h_t·y_t²
    slope: Array = SCALAR  # max η_t
    gradient: Array = SCALAR  # max ‖z_t‖_*
    inverse: Array = SCALAR  # Σ h_t·x_tᵀA_t⁻¹x_t over the rounds that A_t keeps
    gained: Array = SCALAR  # Σ 2·y_t·⟨w_t, x_t⟩ − m_t²/(r + χ_t) over updates (Section 6.2)
    uneven: Array = SCALAR  # max |h_t − 1|
    heaviest: Array = SCALAR  # max h_t
    shortfall: Array = SCALAR  # max 1 − η_t over mistakes on non-zero rows
    mark: Array = RECORD
    roots: Array = RECORD
    inverse_roots: Array = RECORD

    @property
    def kept(self) -> bool:
        """Whether a run can be certified."""
        return True


@verb
def record(
    ledger: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float, c: float
) -> float:
    """Called in every round between the margin and the commit; what it returns goes to ``settle``."""
    return 0.0


@verb
def settle(ledger: Any, f: Any, view: Any, before: Any, c: float) -> None:
    """Called in every round after the commit."""


@record.of(Ledger)
def _record(
    ledger: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float, c: float
) -> Standing:
    _record_round(ledger, loss, f, view, row, margin, y, c)
    return standing(f, view) if c != 0.0 else Standing(0.0, 0.0)


@record.of(LossLedger)
def _record_losses(
    ledger: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float, c: float
) -> float:
    ledger.rounds[0] += 1.0
    ledger.loss[0] += row.importance * value(loss, margin, y)
    ledger.pairs[0] += c * margin
    ledger.mistakes[0] += y * margin <= 0.0
    ledger.slope[0] = max(ledger.slope[0], abs(c))
    return 0.0


@settle.of(Ledger)
def _settle(ledger: Any, f: Any, view: Any, before: Any, c: float) -> None:
    if c != 0.0:
        after = moved(f, view)
        ledger.climb[0] += after.height - before.height
        ledger.steps[0] += after.steps - before.steps


@helper
def _record_round(
    ledger: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float, c: float
) -> None:
    h = row.importance
    eta = abs(c)
    norm = size(f, row)
    wrong = y * margin <= 0.0
    ledger.rounds[0] += 1.0
    ledger.loss[0] += h * value(loss, margin, y)
    ledger.squares[0] += h * margin * margin
    ledger.size[0] = max(ledger.size[0], norm)
    ledger.target[0] = max(ledger.target[0], h * y * y)
    ledger.uneven[0] = max(ledger.uneven[0], abs(h - 1.0))
    ledger.heaviest[0] = max(ledger.heaviest[0], h)
    if wrong:
        ledger.mistakes[0] += 1.0
        if 1.0 - eta > ledger.shortfall[0] and largest_of(row) > 0.0:
            ledger.shortfall[0] = 1.0 - eta
    if c == 0.0 and not keeps_all(f):
        return
    square = dual_square(f, view, row, norm)
    ledger.inverse[0] += h * square
    if c == 0.0:
        return
    ledger.steps[0] += 0.5 * c * c * square
    ledger.climb[0] += climb(f, view, row, square, margin, c)
    ledger.pairs[0] += c * margin
    ledger.gained[0] += gained(f, view, margin, y)
    ledger.etas[0] += eta
    ledger.slope[0] = max(ledger.slope[0], eta)
    ledger.gradient[0] = max(ledger.gradient[0], eta * norm)
    charge_terms(f, view, row, ledger)
    if not wrong:
        ledger.errors[0] += 1.0
        ledger.error_etas[0] += eta
        level = ledger.size[0]
        if level > 0.0:
            share = norm / level
            gain = 2.0 * curvature(f) * eta * y * (margin / level / level)
            ledger.excess[0] += eta * eta * share * share + gain - eta


def ledger_for(f: Any) -> Ledger | LossLedger:
    """Make the ledger that a regularizer's verbs can keep."""
    return LossLedger() if missing_verbs(f, LEDGER) else Ledger()


@kernel
def all_terms(f: Any, ledger: Any) -> float:
    """Σ_t F(w_t) over the whole run; nothing changes."""
    return float(ledger.terms[0] + waiting_terms(f, ledger.mark))


# ── merging ─────────────────────────────────────────────────────────────────────────────────────


def _withdrawn(ledger: Any, shards: Shards) -> None:
    """Nothing is kept: theorems speak of one run, and ``Learner.certificates`` says so after a merge."""


unite.of(Ledger)(_withdrawn)
unite.of(LossLedger)(_withdrawn)
