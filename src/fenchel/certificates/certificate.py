"""A certificate: what a theorem promised of a run, what the run achieved, and what lies between."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import msgspec

# Both sides are sums of rounded terms: each may be wrong by this share of the absolute values of all
# terms.
ROUNDING = 1e-9
# Where large terms cancelled, rounding may be more than this share of both sides: then a slack that
# is no larger says nothing.
NEGLIGIBLE = 1e-6
# A bound this many times what was achieved says nothing.
VACUOUS = 100.0


@dataclass(frozen=True)
class Assumption:
    """One hypothesis of a theorem, with the measured value that satisfies or breaks it."""

    statement: str
    measured: float
    holds: bool


@dataclass(frozen=True)
class Certificate:
    """Both sides of one inequality on one run, for one comparator u.

    ``kind`` is "tight" where some u attains the bound, "upper" otherwise, and "printed" for the
    one inequality of the paper that is false in general (the closing form of Corollary 2), shown
    beside its correction, and "variant" for a bound published of a variant of the learner, which
    promises nothing of this one. ``unit`` is the size of the terms, the unit of rounding errors.

    A certificate ``holds``, or is ``violated``, or is ``undecided`` where rounding hides which:

    >>> [Certificate("", "", "", "u", 2.0, 1.0, unit).verdict for unit in (3.0, 3e9)]
    ['VIOLATED', 'undecided: rounding (3)']
    """

    theorem: str
    equation: str
    quantity: str
    comparator: str
    achieved: float
    bound: float
    unit: float
    assumptions: tuple[Assumption, ...] = ()
    kind: str = "upper"
    origin: Any = field(default=None, repr=False, compare=False)

    @property
    def slack(self) -> float:
        """Slack of the bound, bound − achieved: what was promised beyond what the run needed."""
        return self.bound - self.achieved

    @property
    def rounding(self) -> float:
        """The most by which rounding can have moved the slack: ``ROUNDING`` of the terms."""
        return ROUNDING * max(self.unit, abs(self.achieved), abs(self.bound))

    @property
    def undecided(self) -> bool:
        """Whether rounding is more than ``NEGLIGIBLE`` of both sides, and may have made the slack."""
        sides = max(abs(self.achieved), abs(self.bound))
        return bool(0.0 < abs(self.slack) <= self.rounding and self.rounding > NEGLIGIBLE * sides)

    @property
    def holds(self) -> bool:
        """Whether achieved ≤ bound, up to a rounding that is negligible beside them."""
        return bool(self.slack >= -self.rounding) and not self.undecided

    @property
    def violated(self) -> bool:
        """Whether achieved > bound beyond rounding."""
        return not (self.holds or self.undecided)

    @property
    def applies(self) -> bool:
        """Whether the run satisfies every assumption, and both sides are finite."""
        finite = math.isfinite(self.achieved) and math.isfinite(self.bound)
        return finite and all(assumption.holds for assumption in self.assumptions)

    @property
    def ratio(self) -> float:
        """bound/achieved: 1 is a bound that is attained."""
        return self.bound / self.achieved if self.achieved > 0.0 else math.inf

    @property
    def vacuous(self) -> bool:
        """Whether the bound is more than 100 times what the run achieved."""
        return bool(self.bound > VACUOUS * max(self.achieved, 0.0)) and self.bound > 0.0

    @property
    def verdict(self) -> str:
        """The verdict in a word or two."""
        if self.kind == "printed":
            return "false in general" + (", and here" if self.violated else "")
        if self.kind == "variant":
            return "not promised, " + ("exceeded here" if self.violated else "holds here")
        if not self.applies:
            return "does not apply"
        if self.undecided:
            return f"undecided: rounding ({self.rounding:.3g})"
        return "holds" if self.holds else "VIOLATED"

    def __str__(self) -> str:
        lines = [
            f"{self.theorem}, {self.equation}: {self.verdict}",
            f"  {self.quantity} {self.achieved:.6g} ≤ {self.bound:.6g} (slack {self.slack:.6g})",
            f"  against {self.comparator}",
        ]
        for a in self.assumptions:
            mark = "yes" if a.holds else "NO"
            lines.append(f"  {a.statement}: {mark} ({a.measured:.6g})")
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return all of it as JSON; numbers that are not finite become null."""
        told = {
            "theorem": self.theorem,
            "equation": self.equation,
            "quantity": self.quantity,
            "comparator": self.comparator,
            "achieved": float(self.achieved),
            "bound": float(self.bound),
            "slack": float(self.slack),
            "applies": self.applies,
            "holds": self.holds,
            "violated": self.violated,
            "undecided": self.undecided,
            "vacuous": self.vacuous,
            "broken": [a.statement for a in self.assumptions if not a.holds],
            "rounding": float(self.rounding),
            "verdict": self.verdict,
            "kind": self.kind,
            "assumptions": [
                {"statement": a.statement, "measured": float(a.measured), "holds": bool(a.holds)}
                for a in self.assumptions
            ],
        }
        return msgspec.json.encode(told).decode()
