"""The result of measuring a claim: inequalities with both sides measured, and a section of the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fenchel.certificates import Certificate, Hindsight
from fenchel.certificates.certificate import VACUOUS
from fenchel.learners import Learner, from_parameters
from fenchel.learners.certification import SecondReading
from fenchel.learners.specification import format_specification
from fenchel.report.page import Bad, Section, Words, folded, table
from fenchel.report.text import figure


class Check(NamedTuple):
    """left ≤ right, measured.

    ``applies`` is False where the run breaks an assumption of the theorem, or where
    rounding hides which side is the larger: then nothing is decided. ``promised`` is False for what
    the paper prints and the errata correct.
    """

    claim: str
    equation: str
    left: float
    right: float
    holds: bool
    where: str = ""
    against: str = ""
    applies: bool = True
    promised: bool = True
    tolerance: bool = False  # right is what rounding may do, not a bound

    @property
    def violated(self) -> bool:
        """Whether a promise was broken."""
        return self.promised and self.applies and not self.holds

    @property
    def counts(self) -> bool:
        """Whether something was promised here; 0 ≤ 0 says nothing."""
        return self.promised and self.applies and (self.left, self.right) != (0.0, 0.0)

    @property
    def statement(self) -> str:
        """The inequality by its name: theorem and equation."""
        return f"{self.claim.partition(':')[0]}, {self.equation}"

    @property
    def ratio(self) -> float:
        """right/left, 1 where they are equal; left/right where both are negative.

        Infinite where a positive bound stands above something that is not.
        """
        if self.left > 0.0:
            return self.right / self.left
        return self.left / self.right if self.right < 0.0 else math.inf

    @property
    def vacuous(self) -> bool:
        """Whether a bound is more than 100 times what was achieved."""
        beyond = self.right > VACUOUS * max(self.left, 0.0) and self.right > 0.0
        return self.counts and not self.tolerance and beyond

    def figures(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**self._asdict(), "counts": self.counts, "vacuous": self.vacuous}


class Claim(NamedTuple):
    """A family of claims: its section of the page, and its inequalities."""

    section: Section
    checks: list[Check]


def inequality(
    claim: str, left: float, right: float, where: str = "", equation: str = "measured"
) -> Check:
    """left ≤ right, up to a relative rounding of 1e−9."""
    unit = 1e-9 * max(abs(left), abs(right))
    return Check(claim, equation, float(left), float(right), bool(left <= right + unit), where)


def equality(claim: str, left: float, right: float, where: str, equation: str) -> Check:
    """left = right, up to a relative rounding of 1e−9."""
    same = abs(left - right) <= 1e-9 * max(abs(left), abs(right))
    return Check(claim, equation, float(left), float(right), bool(same), where)


def rounding(
    claim: str, apart: float, most: float, where: str, equation: str = "measured"
) -> Check:
    """Two ways to compute the same differ by at most so much."""
    return inequality(claim, apart, most, where, equation)._replace(tolerance=True)


def certified(certificate: Certificate, where: str, promised: bool = True) -> Check:
    """A certificate as a check."""
    return Check(
        f"{certificate.theorem}: {certificate.quantity}",
        certificate.equation,
        float(certificate.achieved),
        float(certificate.bound),
        certificate.holds,
        where,
        certificate.comparator,
        certificate.applies and not certificate.undecided,
        promised and certificate.kind != "printed",
    )


def certifying(name: str, **parameters: Any) -> Learner:
    """A learner that keeps what its certificates need."""
    learner: Learner = from_parameters(name, {**parameters, "certify": True})
    if learner.labels is not None:
        learner.declare([-1.0, 1.0])
    return learner


def hindsight(learner: Learner) -> Hindsight:
    """The rows that a learner kept, and the best u over them, for others on the same rows."""
    return Hindsight(SecondReading(learner, None), learner.columns)


def all_certified(found: Iterable[Certificate], learner: Learner, data: str) -> list[Check]:
    """The certificates of one run as checks."""
    own = {k: v for k, v in learner.parameters.items() if k not in ("certify", "intercept")}
    where = f"{format_specification(learner.name, own)} on {data}"
    return [certified(certificate, where) for certificate in found]


def named(found: Sequence[Certificate], equation: str) -> Certificate:
    """The certificate of this equation."""
    return next(c for c in found if c.equation == equation)


def ledger(learner: Learner) -> dict[str, float]:
    """The sums that a certified learner kept along its run, by their names in the ledger."""
    prefix = "ledger."
    kept = learner.state_arrays().items()
    return {
        name.removeprefix(prefix): float(array[0])
        for name, array in kept
        if name.startswith(prefix)
    }


def check_table(checks: Sequence[Check]) -> str:
    """The checks of a claim as a table, folded away."""
    count = sum(check.counts for check in checks)
    caption = f"Both sides of every inequality: {count:,} promised on these runs"
    return folded(caption, check_rows(checks, caption))


def check_rows(checks: Sequence[Check], caption: str) -> str:
    """Checks as a table."""
    rows = [
        [
            Words(check.claim),
            Words(check.equation),
            Words(check.where),
            figure(check.left),
            figure(check.right),
            _verdict(check),
        ]
        for check in checks
    ]
    headings = ["claim", "equation", "run", "left", "right", "left ≤ right"]
    return table(caption, headings, rows)


def _verdict(check: Check) -> str:
    if not check.promised:
        return Words("holds here, false in general" if check.holds else "fails, as it should")
    if not check.applies:
        return Words("not promised: an assumption is broken, or rounding hides the slack")
    if not check.holds:
        return Bad("VIOLATED")
    if not check.counts:
        return Words("0 ≤ 0: not counted")
    if check.vacuous:
        return Words("yes, vacuous: more than 100 times the left side")
    return Words("yes" if check.left <= check.right else "yes, up to rounding")
