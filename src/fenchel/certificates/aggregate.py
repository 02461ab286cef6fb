"""Certificates put together: over classes, labels or outputs, and over a mixture's experts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fenchel.certificates.certificate import Assumption, Certificate
from fenchel.loops.adahedge import Hedge
from fenchel.loops.newton_mixture import Refinement, bound_of
from fenchel.loops.switching import SwitchingHedge, best_path, path_bound

EVERY = "a u for every"


def every_member(
    by_member: dict[str, list[Certificate]], one: str, several: str
) -> list[Certificate]:
    """Each inequality added up over the members, then those of each by its name.

    ``one`` and ``several`` say what members are for: a class, classes. A row that is mistaken among
    several classes is so for at least one of their learners, so that what bounds the sum of their
    mistakes bounds those of the whole.
    """
    apart = [
        replace(c, comparator=f"{name}: {c.comparator}")
        for name, found in by_member.items()
        for c in found
    ]
    names = dict.fromkeys((c.theorem, c.equation) for c in apart)
    summed = []
    for name in names:
        same = [c for c in apart if (c.theorem, c.equation) == name]
        if len(same) == len(by_member):
            summed.append(_added(same, one, several))
    return summed + apart


def _added(each: list[Certificate], one: str, several: str) -> Certificate:
    """Σ achieved ≤ Σ bound."""
    assumptions: dict[str, Assumption] = {}
    for c in each:
        for a in c.assumptions:
            if a.statement not in assumptions or assumptions[a.statement].holds:
                assumptions[a.statement] = a  # one that is broken stays
    return replace(
        each[0],
        quantity=f"{each[0].quantity}, all {several}",
        comparator=f"{EVERY} {one}",
        achieved=math.fsum(c.achieved for c in each),
        bound=math.fsum(c.bound for c in each),
        unit=math.fsum(c.unit for c in each),
        assumptions=tuple(assumptions.values()),
        origin=None,
    )


def speaks_for_all(certificate: Certificate) -> bool:
    """Whether a certificate is a sum over all members."""
    return certificate.comparator.startswith(EVERY)


def hedge_gap(hedge: Hedge | SwitchingHedge) -> float:
    """Bound what AdaHedge loses to its best expert: (1 + ln K/ln K′)·Δ_T, 2·Δ_T while K′ = K.

    K′ of the K experts are still active. With the mix loss M and the step η = ln K′/Δ: a retired
    expert takes its share with it, so that M ≤ L_k + ln K/η for those that stay, and Σ h_t = M + Δ.
    """
    if isinstance(hedge, SwitchingHedge):
        return path_bound(hedge, 0)
    left, all_experts = float(hedge.active.sum()), len(hedge.active)
    if all_experts < 2:
        return 2.0 * float(hedge.gap[0])
    return float((1.0 + math.log(all_experts) / math.log(max(left, 2.0))) * hedge.gap[0])


def hedge_bound(hedge: Hedge, choice: Hedge | None = None) -> Certificate:
    """Σ h_t − min_k L_k ≤ (1 + ln K/ln K′)·Δ_T (``hedge_gap``), over the K′ experts still active.

    Where all are, this is 2·Δ_T (AdaHedge; de Rooij et al., 2014).
    ``choice`` is a second AdaHedge between the mixture and something else: it adds its own 2·Δ′_T.
    """
    best = float(np.min(hedge.losses[hedge.active > 0.0]))
    expected, gap = _expected(hedge, choice), _gap(hedge, choice)
    return Certificate(
        "AdaHedge",
        "de Rooij et al., Lemma 3",
        "regret to the best expert",
        "the best expert",
        expected - best,
        gap,
        expected + best + gap,
    )


def path_bounds(hedge: SwitchingHedge, choice: Hedge | None = None) -> list[Certificate]:
    """Σ h_t − min L over the sequences of experts with at most k changes ≤ ``path_bound``."""
    expected, more = _expected(hedge, choice), 0.0 if choice is None else hedge_gap(choice)
    found = []
    for k in (0, 1, 2, 4, 8):
        best, bound = best_path(hedge, k), path_bound(hedge, k) + more
        who = "the best expert" if k == 0 else f"the best sequence of experts with {k} changes"
        found.append(
            Certificate(
                "AdaHedge with shares",
                "Herbster & Warmuth, decreasing share",
                f"regret to {who}",
                who,
                expected - best,
                bound,
                expected + best + bound,
            )
        )
    return found


def bayes_bound(mixture: Refinement) -> Certificate:
    """Σ −ln p_t(y_t) − min_i Σ −ln p_{t,i}(y_t) ≤ ln N + ln(T + 1): a mixture of N forecasters.

    One share in t + 1 of the weight is given back after round t (Herbster & Warmuth, 1998). Where examples
    have an importance above 1, what their weighted log loss exceeds the mixture's own by is added.
    """
    lost, best, promised = bound_of(mixture)
    return Certificate(
        "Bayes mixture",
        "Herbster & Warmuth, fixed share",
        "log loss beyond the best forecaster's",
        "the best of what is given and its corrections",
        lost - best,
        promised,
        lost + best + promised,
    )


def _expected(hedge: Hedge | SwitchingHedge, choice: Hedge | None) -> float:
    return float((hedge if choice is None else choice).expected[0])


def _gap(hedge: Hedge, choice: Hedge | None) -> float:
    return hedge_gap(hedge) + (0.0 if choice is None else hedge_gap(choice))


COUNTS = ("mistakes", "updates M + U")


def through_expert(
    hedge: Hedge,
    choice: Hedge | None,
    number: int,
    name: str,
    total: float,
    found: Iterable[Certificate],
) -> list[Certificate]:
    """Carry an expert's certificates over to the mixture: Σ h_t ≤ L_k + ``hedge_gap``, L_k by the theorem.

    With ``total`` = Σ ℓ_t(w_t) of expert k: mistakes are bounded by its mistake bounds, the regret
    against u by its regret bounds. Where L_k, its loss inside the mixture, is the larger (a
    prediction was held inside the targets seen so far, in vain), what is beyond is added.
    """
    charged, gap = float(hedge.losses[number]), _gap(hedge, choice)
    expected = _expected(hedge, choice)
    made = []
    for c in found:
        if c.quantity not in (*COUNTS, "regret") or not c.applies or c.kind == "printed":
            continue
        own = c.achieved if c.quantity in COUNTS else total
        beyond = max(0.0, charged - own)
        made.append(
            Certificate(
                f"AdaHedge and {c.theorem}",
                c.equation,
                "expected loss" if c.quantity in COUNTS else "expected loss beyond u's",
                f"{c.comparator}, by {name}",
                expected - own + c.achieved,
                c.bound + gap + beyond,
                expected + own + c.unit + gap,
                c.assumptions,
            )
        )
    return made
