"""What a regularizer tells the ledger of one row: its size, its dual norm, what f_t keeps of it.

Each verb reads the row's coordinates alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import verb
from fenchel._kernel.rows import largest_of, squared_norm, sum_over, term
from fenchel.regularizers.adagrad import AdaGrad
from fenchel.regularizers.composite import Composite
from fenchel.regularizers.diagonal import DiagonalQuadratic
from fenchel.regularizers.entropic import Entropic
from fenchel.regularizers.euclidean import Euclidean
from fenchel.regularizers.full import FullQuadratic
from fenchel.regularizers.leveled import Leveled, dual_norm_of
from fenchel.regularizers.p_norm import PNorm, WeightedPNorm
from fenchel.regularizers.quotients import over
from fenchel.regularizers.scale_invariant import ScaleInvariantAdaGrad, ScaleInvariantPNorm
from fenchel.regularizers.verbs import spread


@verb
def size(f: Any, row: Any) -> float:
    """‖x_t‖_* in a norm that stays the same over the run; 0 where no certificate asks for it."""
    return 0.0


@verb
def curvature(f: Any) -> float:
    """β of a regularizer that does not change."""
    return 1.0


@verb
def dual_square(f: Any, view: Any, row: Any, size: float) -> float:
    """‖x_t‖²_{t,*}/β_t; 0 where ``Standing`` tells its sum."""
    return float(np.nan)


@dual_square.of(ScaleInvariantPNorm)
def _told_by_standing(f: Any, view: Any, row: Any, size: float) -> float:
    return 0.0


@verb
def keeps_all(f: Any) -> bool:
    """Whether f_t keeps x_t in rounds without an update."""
    return False


@verb
def gained(f: Any, view: Any, margin: float, y: float) -> float:
    """2·y_t·⟨w_t, x_t⟩ − m_t²/(r + χ_t) of Section 6.2."""
    return 0.0


# ── ‖x‖_* and β ─────────────────────────────────────────────────────────────────────────────────


@size.of(Euclidean)
def _euclidean_size(f: Any, row: Any) -> float:
    return float(np.sqrt(squared_norm(row)))


@size.of(Composite)
def _composite_size(f: Any, row: Any) -> float:
    return float(np.sqrt(squared_norm(row)))


@size.of(DiagonalQuadratic)
def _diagonal_size(f: Any, row: Any) -> float:
    return float(np.sqrt(squared_norm(row)))


@size.of(PNorm)
def _p_norm_size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f, row))


@size.of(WeightedPNorm)
def _weighted_size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f, row))


@size.of(Leveled)
def _leveled_size(f: Any, row: Any) -> float:
    return float(dual_norm_of(f.inner, row))


@size.of(Entropic)
def _entropic_size(f: Any, row: Any) -> float:
    return largest_of(row)


@size.of(AdaGrad)
def _adagrad_size(f: Any, row: Any) -> float:
    """‖x‖_∞, which AdaGrad's published bound asks for."""
    return largest_of(row)


@curvature.of(PNorm)
def _p_norm_curvature(f: Any) -> float:
    """β = c·(q − 1) = c/(p − 1)."""
    return float(f.c / (f.p - 1.0))


@curvature.of(Entropic)
def _entropic_curvature(f: Any) -> float:
    return float(1.0 / (f.total * f.total))


@dual_square.of(Euclidean)
def _euclidean_square(f: Any, view: Any, row: Any, size: float) -> float:
    return size * size


@dual_square.of(Composite)
def _composite_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / view.curvature)


@dual_square.of(PNorm)
def _p_norm_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / curvature(f))


@dual_square.of(WeightedPNorm)
def _weighted_square(f: Any, view: Any, row: Any, size: float) -> float:
    return size * size


@dual_square.of(Leveled)
def _leveled_square(f: Any, view: Any, row: Any, size: float) -> float:
    share = size / view.level if view.level > 0.0 else 0.0
    return float(share * share / curvature(f.inner))


@dual_square.of(Entropic)
def _entropic_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(size * size / curvature(f))


@dual_square.of(DiagonalQuadratic)
def _diagonal_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(spread(f, view, row))


@dual_square.of(FullQuadratic)
def _full_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(spread(f, view, row))


class _AdaGradSquares(NamedTuple):
    """The sum that is ‖x‖²_{t,*} of AdaGrad."""


@term.of(_AdaGradSquares)
def _adagrad_term(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    return float(x * (x / (f.roots[slot] + view.extra)))


@dual_square.of(AdaGrad)
def _adagrad_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(sum_over(_AdaGradSquares(), f, view, row))


class _InvariantSquares(NamedTuple):
    """The sum that is ‖x‖²_{t,*} of its scale-invariant form."""


@term.of(_InvariantSquares)
def _invariant_term(what: Any, f: Any, view: Any, slot: Any, x: float) -> float:
    size = abs(x)
    if f.units[slot] > 0.0 and size <= f.largest[slot]:
        return float(size * f.units[slot] * (size * f.scales[slot]) * view)
    share = over(size, max(f.largest[slot], size))
    return float(share * share / np.sqrt(f.lipschitz * f.lipschitz + f.squares[slot]) * view)


@dual_square.of(ScaleInvariantAdaGrad)
def _invariant_square(f: Any, view: Any, row: Any, size: float) -> float:
    return float(sum_over(_InvariantSquares(), f, view, row))


@keeps_all.of(DiagonalQuadratic)
def _diagonal_keeps(f: Any) -> bool:
    return bool(f.always)


@keeps_all.of(FullQuadratic)
def _full_keeps(f: Any) -> bool:
    return bool(f.always)


@gained.of(FullQuadratic)
def _full_gained(f: Any, view: Any, margin: float, y: float) -> float:
    """With r/(r + χ) = shrink, m_t²/(r + χ) = ⟨w, x⟩²·(r + χ)/r²."""
    return float(2.0 * y * margin - margin * margin / (f.r * view.shrink))
