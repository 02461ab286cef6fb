"""Certificates of coverage: the gap of a run, bounded through the conjugate of what it gained."""

from __future__ import annotations

import math

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.loops import coverage as loop
from fenchel.loops.coverage import Coverage


def coverage_bounds(side: Coverage, alpha: float, name: str) -> list[Certificate]:
    """|misses/T − α| ≤ (h_T + 1)/T, and by the conjugate of the regret, for one side.

    With z_t = 1[s_t > r_t] − α and c_t = ∇ψ_t(θ_t) mirror descent promises, for the regret R_T of c_t on the
    linearised losses −z_t·c against any u, R_T(u) = ψ_T*(u) + Σ ½·z_t²·max ψ_t″ + Σ (ψ_{t+1} − ψ_t)(θ_{t+1}).
    Its conjugate at θ_{T+1}, the gap times T, is at most Σ z_t·c_t:

        ψ_T(θ_{T+1}) ≤ Σ z_t·c_t + Σ ½·z_t²·max ψ_t″ + Σ (ψ_{t+1} − ψ_t)(θ_{t+1}),

    three sums that are kept along the run; the inverse of ψ_T makes a bound of the gap of them.
    """
    rounds = float(side.sums[loop.ROUNDS])
    if rounds == 0.0:
        raise ValueError("nothing was learned yet: there is no coverage to certify")
    gap = abs(float(side.sums[loop.MISSES]) / rounds - alpha)
    far = float(side.sums[loop.BEYOND])
    reached = Assumption("no score was out of reach where |θ| ≥ 0.999·h", far, far == 0.0)
    room = float(loop.room_of(side))
    gained = float(side.sums[[loop.GAINED, loop.CURVED, loop.MOVED]].sum())
    size = float(loop.PUSH * side.sums[loop.SIZE] / rounds)
    told = "|share of misses − α|", f"{name}, α = {alpha:g}"
    barrier = Certificate(
        "Coverage by a barrier",
        "|θ_T| ≤ h_T + 1",
        *told,
        gap,
        (room + 1.0) / rounds,
        1.0,
        (reached,),
    )
    theta = _inverse_psi(gained, size, room)
    conjugate = Certificate(
        "Coverage by the conjugate of the regret",
        "R_T*(θ_{T+1}) ≤ Σ z_t·c_t",
        *told,
        gap,
        theta / rounds,
        1.0,
    )
    return [barrier, conjugate]


def _inverse_psi(value: float, a: float, h: float) -> float:
    """The θ ≥ 0 with ψ(θ) = value."""
    if a <= 0.0:
        return math.inf
    edge = loop.REACH * h
    at_edge = float(loop.psi(edge, a, h))
    if value <= at_edge:
        cosine = math.exp(-max(value, 0.0) * math.pi / (2.0 * h * a))
        return 2.0 * h / math.pi * math.acos(min(cosine, 1.0))
    return edge + (value - at_edge) / float(loop.push_of(edge, a, h))
