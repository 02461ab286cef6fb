"""The counterexamples of the errata, executed: what is printed fails, what is corrected holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fenchel import losses, regularizers, rules
from fenchel.certificates import Certificate, RunRecord, replay
from fenchel.certificates.theorems import (
    corollary_1,
    hinge_bounds,
    matrix_bounds,
    square_loss,
    theorem_1,
)
from fenchel.mirror import MirrorDescent
from fenchel.report.claims.claim import Check, Claim, certified, check_rows
from fenchel.report.claims.data_sets import ClaimData, Vector
from fenchel.report.claims.printed import PlainEntropy, PrintedExponent, PrintedPNorm, Slope
from fenchel.report.page import Section, paragraph
from fenchel.rows import Block, Rows

HINGE = losses.Hinge()
TUNED = (HINGE, regularizers.PNorm(p=2.0), rules.TunedAggressive(beta=1.0))
PA = (HINGE, regularizers.Euclidean(), rules.PassiveAggressive())
PERCEPTRON = (HINGE, regularizers.Euclidean(), rules.Conservative())


def run_of(parts: Sequence[Any], X: ArrayLike, y: ArrayLike, u: ArrayLike) -> RunRecord:
    """A run of parts through Algorithm 1 in NumPy, without an intercept."""
    rows = np.ascontiguousarray(X, dtype=np.float64)
    block = Block(Rows.dense(rows), np.asarray(y, dtype=np.float64))
    return replay(parts, [block], rows.shape[1], False, np.asarray(u, dtype=np.float64))


class Pair(NamedTuple):
    """The inequality as printed, and as it is right."""

    printed: Certificate
    right: Certificate


def printed_update() -> Pair:
    """Eq. (update1) has a factor 1/(p_t − 1) too many: Theorem 1 fails with it."""
    X, y = np.ones((200, 200)), -np.ones(200)
    u = np.zeros(200)
    u[0] = 200.0 / np.sqrt(math.e * 201.0 * (2.0 * np.log(200.0) - 1.0))
    printed, right = (
        theorem_1.p_norm_bound(run_of((Slope(), f, rules.Subgradient()), X, y, u))
        for f in (PrintedPNorm(), regularizers.ScaleInvariantPNorm())
    )
    return Pair(printed, right)


def printed_right_hand_side() -> Pair:
    """2·ln m_T − 1 for rows of two non-zeros is 0.386, where p_T − 1 = 1 is needed."""
    X, y = np.ones((60, 2)), np.tile([1.0, -1.0], 30)
    parts = (Slope(), regularizers.ScaleInvariantPNorm(), rules.Subgradient())
    right = theorem_1.p_norm_bound(run_of(parts, X, y, np.zeros(2)))
    bound = float(np.sqrt(math.e * 61.0 * (2.0 * np.log(2.0) - 1.0)))
    return Pair(replace(right, bound=bound), right)


def printed_exponent() -> Pair:
    """p_t = 2·ln m_t < 2: the algorithm itself breaks its bound."""
    X, y = np.ones((60, 2)), np.tile([1.0, -1.0], 30)
    X[1:, 1] = 0.0
    printed, right = (
        theorem_1.p_norm_bound(run_of((Slope(), f, rules.Subgradient()), X, y, np.zeros(2)))
        for f in (PrintedExponent(), regularizers.ScaleInvariantPNorm())
    )
    return Pair(printed, right)


def printed_sign() -> Pair:
    """Filtering with z_t = −(y_t − ⟨w_t, x_t⟩)·x_t runs away."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 2))
    u = np.array([1.0, -2.0])
    y = X @ u + 0.3 * rng.normal(size=15)
    f = regularizers.MaxNormScaled(regularizers.PNorm(p=2.0))
    printed, right = (
        square_loss.filtering_bound(run_of((losses.Squared(), f, rules.Residual(eta=eta)), X, y, u))
        for eta in (-1.0, 1.0)
    )
    return Pair(printed, right)


def printed_box() -> Pair:
    """The box is |u_i·x_t,i| ≤ C, not (u_i·x_t,i)² ≤ C: C = 0.01."""
    eta = 0.01 / np.sqrt(2.0)
    parts = (Slope(), regularizers.ScaleInvariantAdaGrad(eta=eta), rules.Subgradient(eta=eta))
    printed, right = (
        theorem_1.adagrad_box_bound(run_of(parts, [[1.0]], [-1.0], [u])) for u in (0.1, 0.01)
    )
    return Pair(printed, right)


def printed_beta() -> Pair:
    """e·L²·p_T in β_{T+1} is more than the closing bound has: β_{T+1} against that bound."""
    X, y = np.ones((10, 20)), np.tile([1.0, -1.0], 5)
    parts = (Slope(), regularizers.ScaleInvariantPNorm(), rules.Subgradient())
    run = run_of(parts, X, y, np.zeros(20))
    right = replace(theorem_1.p_norm_bound(run), quantity="β_{T+1}", achieved=float(run.f.beta))
    return Pair(replace(right, achieved=float(np.sqrt(run.f.beta**2 + math.e))), right)


def logarithmic_step() -> Pair:
    """Eq. (log-bound) needs η = 1; here η = 3."""

    def found(eta: float) -> Certificate:
        parts = (Slope(), regularizers.Composite(l2=1.0, root=0.0), rules.Subgradient(eta=eta))
        run = run_of(parts, [[1.0], [1.0]], [1.0, -1.0], [0.0])
        run.sums.gradient /= eta  # max‖ℓ′‖
        return corollary_1.log_bound(run)

    return Pair(found(3.0), found(1.0))


COROLLARY_2: dict[str, tuple[list[list[float]], list[float]]] = {
    "x = 10, then 0.001; u = 0": ([[10.0], [0.001]], [0.0]),
    "lengths almost equal; u = 0": ([[1.0, 0.0], [0.04, 0.948]], [0.0, 0.0]),
    "a u that is right everywhere": ([[1.0]] + [[0.05]] * 12 + [[1.0]] * 100, [1.0]),
}


def corollary_2(name: str) -> tuple[Certificate, Certificate, Certificate]:
    """The closing form of Corollary 2 as printed, as corrected, and eq. (gen_aggr_bound2)."""
    X, u = COROLLARY_2[name]
    run = run_of(TUNED, X, np.ones(len(X)), u)
    return (
        hinge_bounds.printed_closing_bound(run),
        hinge_bounds.corrected_closing_bound(run),
        hinge_bounds.mistake_bound(run),
    )


def passive_aggressive_rows() -> tuple[Vector, Vector]:
    """Ten times a noisy short example, then 14 clean long ones, each with a feature of its own."""
    X, y = np.zeros((150, 141)), np.ones(150)
    X[:, 0] = 1.0
    y[::15] = -1.0
    X[np.flatnonzero(y > 0.0), np.arange(1, 141)] = 4.0
    return X, y


def long_rows() -> Pair:
    """PA-I on long rows steps by less than 1 on mistakes: Corollary 2 fails; the hinge lemma holds."""
    X, y = passive_aggressive_rows()
    run = run_of(PA, X, y, np.eye(141)[0])
    return Pair(hinge_bounds.mistake_bound(run), hinge_bounds.hinge_lemma(run))


def matrix_of_all_rounds() -> Pair:
    """A_t grows on updates alone: over all rounds the displayed bound fails."""
    X = [[1.0, 1.0]] + [[1.0, 0.0]] * 4000
    found = []
    for always in (True, False):
        f = regularizers.FullQuadratic(r=1.0, always=always)
        rows = adversarial(f, np.array(X), 60)
        run = run_of((HINGE, f, rules.Conservative()), rows, np.ones(len(rows)), [1.0, 0.0])
        found.append(matrix_bounds.determinant_bound(run))
    return Pair(*found)


def adversarial(f: Any, X: Vector, rounds: int) -> Vector:
    """X, then (1, ±2) with the sign that makes the conservative learner err where one does."""
    descent = MirrorDescent(f, 2)
    rows = []

    def wrong(x: Vector) -> bool:
        descent.observe(x)
        return float(descent.predict() @ x) <= 0.0

    def learn(x: Vector) -> None:
        descent.observe(x)
        descent.update(x if descent.predict() @ x <= 0.0 else 0.0 * x)
        rows.append(x)

    for x in X:
        learn(x)
    for _ in range(rounds):
        for sign in (1.0, -1.0):
            x = np.array([1.0, 2.0 * sign])
            if wrong(x):
                learn(x)
                break
    return np.array(rows)


def step_of_arow() -> Pair:
    """2U in eq. (diag-bound) presumes η = 1; with η = 1/r, r = 10, it fails."""
    found = []
    for eta in (0.1, 1.0):
        parts = (HINGE, regularizers.DiagonalQuadratic(r=10.0), rules.Aggressive(eta=eta))
        run = run_of(parts, np.ones((33, 1)), np.ones(33), [1.0])
        found.append(matrix_bounds.diagonal_bound(run))
    return Pair(*found)


def negative_entropy() -> Pair:
    """Corollary 1 needs g ≥ 0: the entropy without ln d breaks it on zero losses."""
    X, y, u = np.zeros((3, 4)), np.zeros(3), np.full(4, 0.25)
    printed, right = (
        corollary_1.composite_bound(run_of((Slope(), f, rules.Subgradient()), X, y, u))
        for f in (PlainEntropy(), regularizers.Entropic())
    )
    return Pair(printed, right)


def rarity_of_another_u() -> Pair:
    """s depends on u: with another u's the last bound of Section 6.3 fails."""
    f = regularizers.DiagonalQuadratic(r=1e-4)
    run = run_of((HINGE, f, rules.Conservative()), [[1.0, 0.0]], [1.0], [1.0, 0.0])
    return Pair(matrix_bounds.rare_feature_bound(run, 1e-4), matrix_bounds.rare_feature_bound(run))


PAIRS: tuple[Callable[[], Pair], ...] = (
    printed_update,
    printed_right_hand_side,
    printed_exponent,
    printed_sign,
    printed_box,
    printed_beta,
    logarithmic_step,
    long_rows,
    matrix_of_all_rounds,
    step_of_arow,
    negative_entropy,
    rarity_of_another_u,
)


def measure(source: ClaimData) -> Claim:
    """Every counterexample, beside what is right."""
    checks: list[Check] = []
    for case in PAIRS:
        printed, right = case()
        what = (case.__doc__ or "").strip()
        checks += [
            certified(printed, f"as printed. {what}", promised=False),
            certified(right, f"as corrected. {what}"),
        ]
    for name in COROLLARY_2:
        printed, corrected, bound = corollary_2(name)
        checks.append(certified(printed, f"as printed. Corollary 2: {name}", promised=False))
        checks += [certified(c, f"as corrected. Corollary 2: {name}") for c in (corrected, bound)]
    parts = [
        paragraph(
            "The paper has slips, most of them small. Each that can be executed is executed here "
            "twice: as printed, where the inequality fails on a stream of a few rounds, and as "
            "corrected, where it holds."
        ),
        check_rows(checks, "Counterexamples and corrections"),
    ]
    return Claim(Section("Errata", parts), checks)
