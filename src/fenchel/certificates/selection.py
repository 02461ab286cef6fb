"""Choose the inequalities that cover a run, and the tightest of each over several comparators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fenchel.certificates.certificate import Certificate
from fenchel.certificates.comparators import compare
from fenchel.certificates.record import RunRecord, Sums, into_domain, ledger_sums, textbook
from fenchel.certificates.replay import replay
from fenchel.certificates.theorem import FORMULAS, Theorem
from fenchel.certificates.theorems import THEOREMS
from fenchel.certificates.theorems.corollary_1 import FROM_LEMMA
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.regularizers.protocol import LEDGER, missing_verbs
from fenchel.rows import ReadBlocks

RESIDUE = "eq. (residue)"


def as_read(read: ReadBlocks) -> ReadBlocks:
    """The rows as they are."""
    return read


class Origin(NamedTuple):
    """The origin of a certificate: enough to run everything again.

    ``seen_as`` turns the rows of the whole learner into those of the one that is certified.
    """

    parts: tuple[Any, ...]
    columns: int
    intercept: bool
    u: Array
    theorem: Theorem
    seen_as: Callable[[ReadBlocks], ReadBlocks] = as_read


def offered(run: RunRecord) -> list[Theorem]:
    """Return the theorems that cover runs of these parts, in the paper's order."""
    return [theorem for theorem in THEOREMS if not theorem.missing(run)]


def missing(parts: Sequence[Any], columns: int, intercept: bool) -> dict[str, list[str]]:
    """List every theorem by name, with what it misses of these parts; nothing where it is offered."""
    f = textbook(parts[1], columns, intercept)
    # What only the run can tell is granted as long as there is none.
    kept = parts[4].kept and _has_ledger(parts[1]) and parts[4].rounds[0] > 0.0
    sums = ledger_sums(parts[1], f, parts[4]) if kept else Sums(drops=0.0)
    record = RunRecord(parts[0], f, parts[2], sums, np.zeros(columns + intercept))
    found = {theorem.name: theorem.missing(record) for theorem in THEOREMS}
    if not _has_ledger(parts[1]) and not _has_formulas(record):
        lacking = " and ".join(missing_verbs(parts[1], LEDGER))
        found["Lemma 1, general"] += [f"the verbs {lacking}, or those methods"]
    return found


def _has_ledger(f: Any) -> bool:
    return not missing_verbs(f, LEDGER)


def _has_formulas(run: RunRecord) -> bool:
    return FORMULAS.met(run)


def certificates(
    parts: Sequence[Any],
    read: ReadBlocks,
    columns: int,
    intercept: bool,
    candidates: dict[str, Array],
) -> list[Certificate]:
    """Measure every certificate of a run that kept a ledger, each at the candidate with the least slack.

    ``parts`` are loss, regularizer, rule, average and ledger in the state after the run. A regularizer
    without the verbs of the ledger is run again in NumPy, if it has its formulas.
    """
    start = tuple(state.start(p, 1) for p in parts[:3])
    f = textbook(parts[1], columns, intercept)
    moved = {name: into_domain(f, u) for name, u in candidates.items()}
    plain = RunRecord(parts[0], f, parts[2], Sums(), next(iter(moved.values())))
    if not _has_ledger(parts[1]) and _has_formulas(plain) and hasattr(parts[2], "step"):
        runs = [replay(start, read(), columns, intercept, u, name) for name, u in moved.items()]
    else:
        runs = _measured(parts, f, read, columns, intercept, moved)
    found = []
    for theorem in offered(runs[0]):
        made = [(theorem.inequality(run), run) for run in runs]
        best, run = min(made, key=_worth)
        origin = Origin(start, columns, intercept, run.u, theorem)
        found.append(replace(best, origin=origin))
    return found


def _measured(
    parts: Sequence[Any],
    f: Any,
    read: ReadBlocks,
    columns: int,
    intercept: bool,
    candidates: dict[str, Array],
) -> list[RunRecord]:
    """The run as its ledger has it, beside each candidate."""
    loss, part, rule, _, ledger = parts
    sums = ledger_sums(part, f, ledger)
    plain = RunRecord(loss, f, rule, sums, next(iter(candidates.values())))
    watches = [t.watches for t in offered(plain) if t.watches is not None]
    points = list(candidates.values())
    compared = compare(sums, parts, read(), columns, intercept, points, watches)
    return [
        RunRecord(loss, f, rule, each, u, name)
        for (name, u), each in zip(candidates.items(), compared, strict=True)
    ]


def _worth(made: tuple[Certificate, RunRecord]) -> tuple[int, bool, bool, float]:
    """Sort key: what applies and is decided first, then least slack; the hinge lemma is idle at 0."""
    certificate, run = made
    empty = certificate.theorem == "Hinge lemma" and not run.u.any()
    slack = certificate.slack if math.isfinite(certificate.slack) else math.inf
    broken = sum(not assumption.holds for assumption in certificate.assumptions)
    broken += not math.isfinite(certificate.slack)
    return broken, certificate.undecided, empty, slack


def tightest(found: Iterable[Certificate]) -> Certificate:
    """Return the applicable certificate with the least slack against its bound.

    Lemmas count only where no theorem applies, Lemma 1 last; its residue inequality is about no u.
    One that is vacuous, or that rounding leaves undecided, counts only where there is no other.
    """
    found = list(found)
    fit = [c for c in found if c.applies and c.kind != "printed" and c.equation != RESIDUE]
    fit = [c for c in fit if not c.undecided] or fit
    fit = [c for c in fit if not c.vacuous] or fit
    highest = max((_rank(c) for c in fit), default=0)
    plain = [c for c in fit if _rank(c) == highest]
    if not plain:
        remedy = (
            "see learner.certificates() for the assumptions that it breaks"
            if found
            else "see learner.theorems() for what each one misses"
        )
        raise ValueError(f"no theorem covers this run: {remedy}")
    return min(plain, key=_looseness)


def seen_through(
    certificate: Certificate, change: Callable[[ReadBlocks], ReadBlocks]
) -> Certificate:
    """Return the certificate of a learner that sees the rows changed: one of several, or in other units."""
    origin = certificate.origin
    return (
        certificate
        if origin is None
        else replace(certificate, origin=origin._replace(seen_as=change))
    )


def _rank(certificate: Certificate) -> int:
    if certificate.equation == FROM_LEMMA:
        return 1
    return {"Lemma 1": 0, "Hinge lemma": 1}.get(certificate.theorem, 2)


def _looseness(certificate: Certificate) -> tuple[bool, float]:
    """The share of the bound that was not needed; where nothing was, the bound itself."""
    idle = certificate.achieved <= 0.0
    return idle, certificate.slack / (1.0 if idle else max(abs(certificate.bound), 1e-300))


def verify(certificate: Certificate, read: ReadBlocks) -> Certificate:
    """Recompute both sides of a certificate from the data by Algorithm 1 in NumPy."""
    if certificate.origin is None:
        raise ValueError(
            "this certificate was put together from others: verify those of single learners"
        )
    o: Origin = certificate.origin
    rows, kind = o.seen_as(read)(), o.theorem.replay
    run = replay(o.parts, rows, o.columns, o.intercept, o.u, certificate.comparator, kind)
    return replace(o.theorem.inequality(run), origin=o)


def agrees(a: Certificate, b: Certificate, tolerance: float = 1e-7) -> bool:
    """Whether two certificates state the same, up to rounding."""
    unit = tolerance * max(a.unit, b.unit, 1e-300)
    return bool(
        (a.theorem, a.equation) == (b.theorem, b.equation)
        and abs(a.achieved - b.achieved) <= unit
        and np.isclose(a.bound, b.bound, rtol=tolerance, atol=unit)
    )
