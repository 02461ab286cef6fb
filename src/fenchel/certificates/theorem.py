"""A theorem: an inequality, and what it needs of a run to cover it.

Needs are data: choosing the certificates of a run is matching them, and a theorem that is not offered
says which one is missing. A hypothesis that only the run itself can settle (η_t ≤ 1, u ∈ S) is no need but
an ``Assumption`` of the certificate, with its measured value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fenchel.certificates.certificate import Certificate
from fenchel.certificates.record import RunRecord
from fenchel.losses.protocol import family_of
from fenchel.regularizers.protocol import fact
from fenchel.rules import protocol as rules

Inequality = Callable[[RunRecord], Certificate]


@dataclass(frozen=True)
class Need:
    """One thing that a theorem needs of a run, in words and as a question."""

    what: str
    met: Callable[[RunRecord], bool]


@dataclass(frozen=True)
class Theorem:
    """An inequality with what it needs.

    ``watches`` makes a counter that reads the rows once more (see ``comparators``); ``replay`` is the
    run in NumPy that recomputes the sums, where it is not Algorithm 1.
    """

    name: str
    inequality: Inequality
    needs: tuple[Need, ...]
    watches: Any = None
    replay: Any = None

    def __call__(self, run: RunRecord) -> Certificate:
        """Measure both sides of the inequality on a run."""
        return self.inequality(run)

    def missing(self, run: RunRecord) -> list[str]:
        """List what the run lacks, in words; nothing where the theorem covers it."""
        return [need.what for need in self.needs if not need.met(run)]


def theorem(*needs: Need, name: str = "", **more: Any) -> Callable[[Inequality], Theorem]:
    """Function decorator: an inequality becomes a theorem that needs these."""

    def made(inequality: Inequality) -> Theorem:
        short = (inequality.__doc__ or "").strip().split("\n")[0]
        return Theorem(name or short, inequality, needs, **more)

    return made


# ── needs that several theorems share ───────────────────────────────────────────────────────────

FORMULAS = Need(
    "a regularizer that has conjugate, value, strong_convexity and dual_norm",
    lambda run: all(
        hasattr(run.f, method) for method in ("conjugate", "value", "strong_convexity", "dual_norm")
    ),
)
STEPS = Need("Σ ‖z_t‖²_{t,*}/β_t of the run", lambda run: math.isfinite(run.sums.steps))
RESIDUE = Need(
    "Σ f_t*(θ_t) − f_{t−1}*(θ_t) of the run", lambda run: math.isfinite(run.sums.residue)
)
DROPS = Need("Σ f_{t−1}(w_t) − f_t(w_t) of the run", lambda run: math.isfinite(run.sums.drops))
TERMS = Need("Σ F(w_t) of the run", lambda run: math.isfinite(run.sums.terms))
SUBGRADIENT = Need(
    "a rule with z_t = −η·ℓ′_t", lambda run: rules.rate_of(run.rule, run.loss) is not None
)
NOT_DECREASING = Need(
    "g_t ≤ g_{t+1}, which the regularizer denies",
    lambda run: fact(run.f, "nondecreasing") is not False,
)
TOWARDS_LABEL = Need(
    "a rule with z_t = η_t·y_t·x_t", lambda run: bool(rules.fact(run.rule, "towards_label"))
)
CONSTANT = Need("a regularizer that never changes", lambda run: bool(fact(run.f, "constant")))
HOMOGENEOUS = Need("f_t(λu) = λ²·f_t(u)", lambda run: bool(fact(run.f, "homogeneous")))
ONLY_UPDATES = Need("f_t kept on updates alone", lambda run: not fact(run.f, "always"))
ALL_ROUNDS = Need("f_t kept in every round", lambda run: bool(fact(run.f, "always")))


def regularizer(*families: str) -> Need:
    """A regularizer of one of these families."""
    return Need(f"f_t = {' or '.join(families)}", lambda run: fact(run.f, "family") in families)


def loss(*families: str) -> Need:
    """One of these losses."""
    return Need(f"the {' or '.join(families)} loss", lambda run: family_of(run.loss) in families)


def rule(*families: str) -> Need:
    """One of these rules."""
    return Need(
        f"the {' or '.join(families)} rule", lambda run: rules.fact(run.rule, "family") in families
    )
