"""Second order where d² does not fit: the matrix is kept by a sketch of a few directions."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, learner, positive
from fenchel.losses import named
from fenchel.regularizers import FrequentDirections, SketchedNewton
from fenchel.rules import Subgradient

SKETCHES: dict[str, Any] = {"oja": SketchedNewton, "frequent_directions": FrequentDirections}


@learner(
    tasks=("binary", "regression"),
    parts="any loss × AdaGrad's units, and a matrix of rank m by Oja's rule × subgradient",
    equation="after Luo, Agarwal, Cesa-Bianchi & Langford (2016), Algorithm 3",
    theorem="with frequent directions: a regret bound after Luo et al. (2016); by Oja's rule none",
    cost="m·non-zeros",
)
def sketched_newton(
    eta: float = 0.3,
    *,
    rank: float = 10,
    a: float = 1.0,
    sketch: str = "oja",
    loss: Any = "logistic",
    **options: Unpack[Options],
) -> Parts:
    """Newton steps by a sketch: AdaGrad, corrected along the m directions that matter most.

    Problem: correlated features, and too many of them for a matrix.

    Update: gradients in AdaGrad's units, s_j = g_j/√R_j with R_j = √(Σ g²_{s,j}); Oja's rule keeps m
    orthonormal directions V of the largest moments of s, and M, the moments along them:
    w ← w − η·D⁻¹·(I + VᵀMV/a_t)⁻¹·D⁻¹·g, D_j = √R_j, with a_t = a and 1/m of the squares that the sketch
    left over. Off the sketch that is AdaGrad's step, along it that of the online Newton step. Not
    mirror descent with a plain sum: the steps are taken from where w is.

    With ``sketch="frequent_directions"`` it is the online Newton step in plain units, its matrix
    A = a·I + Σ g·gᵀ kept by m rows B; whenever all are in use, the smaller half is given up, and a grows by
    δ, the largest moment given up.

    Guarantee: Oja's rule has none. With frequent directions and Δ = Σ δ, for every u (``certify=True``)
    Σ ℓ_t(w_t) − ℓ_t(u) ≤ (a + Δ)·‖u‖²/(2η) + η/2·Σ g_tᵀA⁻¹g_t + Σ (⟨g_t, w_t − u⟩²/(2η) − D_t), where
    A = A_{t−1} + g_t·g_tᵀ and the sum in the middle is at most ln|I + B·Bᵀ/a| + m·Δ/a for the rows B at the
    end. D_t is what the loss curves between w_t and u: for a curved loss and η large enough the last sum is
    below 0.

    Cost: the non-zeros of a row, times m; m numbers a column. Putting the directions in order takes m²
    operations a column, once m non-zeros for each column have paid for it; with frequent directions in every
    m/2 rounds, which for sparse rows is most of the work.

    Parameters: ``eta`` > 0, AdaGrad's step, or that of the online Newton step; ``rank`` = m, a whole number
    from 1 to 100, with frequent directions from 2; ``a`` > 0, how large moments must be, in AdaGrad's
    units, to count at first, or A_0 = a·I; ``sketch``, "oja" or "frequent_directions"; ``loss``. Importance
    multiplies the loss.

    References: Luo, Agarwal, Cesa-Bianchi & Langford (2016); Duchi, Hazan & Singer (2011); Ghashami, Liberty,
    Phillips & Woodruff (2016).

    >>> from fenchel import learners
    >>> learner = learners.sketched_newton(1.0, rank=1, a=1.0, loss="squared", intercept=False)
    >>> learner.learn_many([[1.0], [1.0]], [1.0, 1.0])
    array([0. , 0.5])
    """
    positive(eta=eta, a=a)
    if sketch not in SKETCHES:
        raise ValueError(f"sketch={sketch!r}: choose {' or '.join(SKETCHES)}")
    f = SKETCHES[sketch](eta=float(eta), rank=rank, a=float(a))
    return Parts(named(loss), f, Subgradient())
