"""Which inequalities speak of which run, and the tightest of each over several comparators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fenchel._kernel import state
from fenchel._kernel.state import Array, from_package
from fenchel.certificates import (
    classification,
    general,
    normalized,
    scale_invariance,
    second_order,
    squares,
)
from fenchel.certificates.blocks import Reading
from fenchel.certificates.certificate import Certificate
from fenchel.certificates.comparing import compare
from fenchel.certificates.replay import replay
from fenchel.certificates.runs import Run, constant, into_domain, ledger_sums, textbook
from fenchel.losses import Hinge, Squared
from fenchel.regularizers import (
    AdaGrad,
    Composite,
    DiagonalQuadratic,
    Euclidean,
    FullQuadratic,
    Leveled,
    NormalizedAdaptive,
    ScaleInvariantAdaGrad,
    ScaleInvariantPNorm,
)
from fenchel.rules import (
    Aggressive,
    Conservative,
    PassiveAggressive,
    Residual,
    Subgradient,
    Target,
    TunedAggressive,
)

Inequality = Callable[[Run], Certificate]
RESIDUE = "eq. (residue)"
CLASSIFYING = (Aggressive, Conservative, PassiveAggressive, Subgradient, TunedAggressive)


def as_read(read: Reading) -> Reading:
    """The rows as they are."""
    return read


class Origin(NamedTuple):
    """Where a certificate comes from: enough to run everything again.

    ``seen_as`` turns the rows of the whole learner into those of the one that is certified.
    """

    parts: tuple[Any, ...]
    columns: int
    intercept: bool
    u: Array
    inequality: Inequality
    seen_as: Callable[[Reading], Reading] = as_read


def offered(run: Run) -> list[Inequality]:
    """The inequalities that speak of runs of these parts, in the paper's order."""
    s, f = run.sums, run.f
    if isinstance(f, NormalizedAdaptive):
        return [normalized.published_bound]
    if not hasattr(f, "conjugate") or not math.isfinite(s.steps):
        return []
    found: list[Inequality] = []
    if math.isfinite(s.residue):
        found.append(general.lemma_1)
        if math.isfinite(s.drops):
            found.append(general.residue_inequality)
    if general.step_size(run) is not None and math.isfinite(s.terms):
        found += _regret_bounds(f)
    found += _square_loss_bounds(run)
    if isinstance(f, ScaleInvariantPNorm):
        found += [scale_invariance.p_norm_inner_bound, scale_invariance.p_norm_bound]
    if isinstance(f, ScaleInvariantAdaGrad):
        found += [
            scale_invariance.adagrad_inner_bound,
            scale_invariance.adagrad_bound,
            scale_invariance.adagrad_box_bound,
        ]
    if isinstance(run.loss, Hinge) and isinstance(run.rule, CLASSIFYING):
        found += _classification_bounds(run)
    return found


def _regret_bounds(f: Any) -> list[Inequality]:
    found: list[Inequality] = [general.composite_bound]
    if isinstance(f, AdaGrad):
        found.append(general.adaptive_bound)
    if isinstance(f, Composite) and f.root == 1.0 and f.lag == 0.0:
        found.append(general.tuned_bound)
    if isinstance(f, Composite) and f.root == 0.0 and f.lag == 0.0:
        found.append(general.log_bound)
    return found


def _square_loss_bounds(run: Run) -> list[Inequality]:
    f = run.f
    if not isinstance(run.loss, Squared):
        return []
    if isinstance(run.rule, Residual) and isinstance(f, (Euclidean, Leveled)):
        return [squares.filtering_bound]
    if not isinstance(run.rule, Target) or not getattr(f, "always", False):
        return []
    if isinstance(f, FullQuadratic):
        return [squares.forecaster_lemma, squares.forecaster_sum, squares.forecaster_logdet]
    return [squares.forecaster_lemma] if isinstance(f, DiagonalQuadratic) else []


def _classification_bounds(run: Run) -> list[Inequality]:
    f = run.f
    found: list[Inequality] = []
    if getattr(f, "homogeneous", False) and math.isfinite(run.sums.residue):
        found += [partial(classification.hinge_lemma, scale=1.0), classification.hinge_lemma]
    if constant(f):
        found += [
            classification.mistake_bound,
            classification.corrected_closing_bound,
            classification.printed_closing_bound,
        ]
    if not isinstance(run.rule, (Aggressive, Conservative)) or getattr(f, "always", False):
        return found
    if isinstance(f, FullQuadratic) and f.tentative:
        found += [
            second_order.matrix_bound,
            second_order.determinant_bound,
            second_order.arow_bound,
        ]
    if isinstance(f, DiagonalQuadratic):
        found.append(second_order.diagonal_bound)
        if isinstance(run.rule, Conservative):
            found.append(second_order.rare_feature_bound)
    return found


def certificates(
    parts: Sequence[Any],
    read: Reading,
    columns: int,
    intercept: bool,
    candidates: dict[str, Array],
) -> list[Certificate]:
    """Every certificate of a run that kept a ledger, each at the candidate with the least slack.

    ``parts`` are loss, regularizer, rule, average and ledger in the state after the run.
    """
    start = tuple(state.start(p, 1) for p in parts[:3])
    f = textbook(parts[1], columns, intercept)
    moved = {name: into_domain(f, u) for name, u in candidates.items()}
    if _from_outside(parts, f):
        runs = [replay(start, read(), columns, intercept, u, name) for name, u in moved.items()]
    else:
        runs = _measured(parts, f, read, columns, intercept, moved)
    found = []
    for inequality in offered(runs[0]):
        made = [(inequality(run), run) for run in runs]
        best, run = min(made, key=_worth)
        origin = Origin(start, columns, intercept, run.u, inequality)
        found.append(replace(best, origin=origin))
    return found


def _from_outside(parts: Sequence[Any], f: Any) -> bool:
    """Whether the ledger cannot speak of these parts and Algorithm 1 in NumPy can.

    A regularizer of one's own tells its norms to Python alone.
    """
    _, part, rule = parts[:3]
    told = hasattr(f, "dual_norm") and hasattr(f, "strong_convexity") and hasattr(f, "conjugate")
    return told and not from_package(part) and from_package(rule)


def _measured(
    parts: Sequence[Any],
    f: Any,
    read: Reading,
    columns: int,
    intercept: bool,
    candidates: dict[str, Array],
) -> list[Run]:
    """The run as its ledger tells it, beside each candidate."""
    loss, part, rule, _, ledger = parts
    sums = ledger_sums(part, f, ledger)
    compared = compare(sums, parts, read(), columns, intercept, list(candidates.values()))
    return [
        Run(loss, f, rule, each, u, name)
        for (name, u), each in zip(candidates.items(), compared, strict=True)
    ]


def _worth(made: tuple[Certificate, Run]) -> tuple[int, bool, bool, float]:
    """What applies best and is decided comes first, then least slack; the hinge lemma is idle at 0."""
    certificate, run = made
    empty = certificate.theorem == "Hinge lemma" and not run.u.any()
    slack = certificate.slack if math.isfinite(certificate.slack) else math.inf
    broken = sum(not assumption.holds for assumption in certificate.assumptions)
    broken += not math.isfinite(certificate.slack)
    return broken, certificate.undecided, empty, slack


def tightest(found: Iterable[Certificate]) -> Certificate:
    """The applicable certificate with the least slack against its bound.

    Lemmas speak only where no theorem does, Lemma 1 last; its residue inequality is about no u.
    What rounding leaves undecided speaks only where nothing else does.
    """
    found = list(found)
    fit = [c for c in found if c.applies and c.kind != "printed" and c.equation != RESIDUE]
    fit = [c for c in fit if not c.undecided] or fit
    highest = max((_rank(c) for c in fit), default=0)
    plain = [c for c in fit if _rank(c) == highest]
    if not plain:
        remedy = (
            "see learner.certificates() for what is missing"
            if found
            else "its regularizer has to tell conjugate, dual_norm and strong_convexity"
        )
        raise ValueError(f"no theorem covers this run: {remedy}")
    return min(plain, key=_looseness)


def seen_through(certificate: Certificate, change: Callable[[Reading], Reading]) -> Certificate:
    """The certificate of a learner that sees the rows changed: one of several, or in other units."""
    origin = certificate.origin
    return (
        certificate
        if origin is None
        else replace(certificate, origin=origin._replace(seen_as=change))
    )


def _rank(certificate: Certificate) -> int:
    if certificate.equation == squares.FROM_LEMMA:
        return 1
    return {"Lemma 1": 0, "Hinge lemma": 1}.get(certificate.theorem, 2)


def _looseness(certificate: Certificate) -> tuple[bool, float]:
    """The share of the bound that was not needed; where nothing was, the bound itself."""
    idle = certificate.achieved <= 0.0
    return idle, certificate.slack / (1.0 if idle else max(abs(certificate.bound), 1e-300))


def verify(certificate: Certificate, read: Reading) -> Certificate:
    """The same certificate, both sides recomputed from the data by Algorithm 1 in NumPy."""
    if certificate.origin is None:
        raise ValueError(
            "this certificate was put together from others: verify those of single learners"
        )
    o: Origin = certificate.origin
    rows = o.seen_as(read)()
    run = replay(o.parts, rows, o.columns, o.intercept, o.u, certificate.comparator)
    return replace(o.inequality(run), origin=o)


def agrees(a: Certificate, b: Certificate, tolerance: float = 1e-7) -> bool:
    """Whether two certificates state the same, up to rounding."""
    unit = tolerance * max(a.unit, b.unit, 1e-300)
    return bool(
        (a.theorem, a.equation) == (b.theorem, b.equation)
        and abs(a.achieved - b.achieved) <= unit
        and np.isclose(a.bound, b.bound, rtol=tolerance, atol=unit)
    )
