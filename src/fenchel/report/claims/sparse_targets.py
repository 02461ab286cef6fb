"""Section 5: where few of many features matter, regret grows like √ln d, not like √d."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from fenchel.learners import Learner
from fenchel.losses import Hinge
from fenchel.regularizers import Composite, PNorm, ScaleInvariantPNorm
from fenchel.report.claims.claim import Check, Claim, certified, check_table, inequality
from fenchel.report.claims.data_sets import ClaimData, Vector
from fenchel.report.page import Section, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure
from fenchel.rules import Subgradient

RELEVANT = 5  # features of u that are not zero: an odd number, so that no row is undecided
BLOCK = 1 << 21  # numbers in a block of rows
NAMES = ("scale-invariant p-norm", "p-norm mirror descent", "gradient descent")


class SignRows:
    """Sample of random signs, labelled by a u with few non-zeros; generated anew at each reading.

    ``small`` is the size of the relevant features: u is 1/small there, so that its loss is 0.
    """

    def __init__(self, rounds: int, columns: int, small: float = 1.0) -> None:
        self.rounds, self.columns, self.small = rounds, columns, small
        self.u = np.zeros(columns)
        self.u[:RELEVANT] = 1.0 / small

    def __iter__(self) -> Iterator[tuple[Vector, Vector]]:
        random = np.random.default_rng(self.columns)
        done = 0
        while done < self.rounds:
            count = min(self.rounds - done, max(1, BLOCK // self.columns))
            X = (
                random.integers(0, 2, size=(count, self.columns), dtype=np.int8).astype(np.float64)
                * 2.0
                - 1.0
            )
            X[:, :RELEVANT] *= self.small
            yield X, np.where(X @ self.u > 0.0, 1.0, -1.0)
            done += count


def measure(
    source: ClaimData,
    dimensions: tuple[int, ...] = (100, 1_000, 10_000, 100_000),
    rounds: int = 600,
) -> Claim:
    """Three learners, each with the step that minimises its own bound for this u."""
    checks: list[Check] = []
    regrets: dict[str, list[float]] = {name: [] for name in NAMES}
    bounds: dict[str, list[float]] = {name: [] for name in NAMES}
    for columns in dimensions:
        for name, found in _compared(SignRows(rounds, columns), checks).items():
            regrets[name].append(found[0])
            bounds[name].append(found[1])
    small = SignRows(rounds, dimensions[1], small=0.1)
    scaled = _compared(small, checks, names=NAMES[:2])
    reach, plain = RELEVANT * 1.0, float(np.abs(small.u).sum())
    where = f"d = {dimensions[1]:,}, relevant features ten times smaller"
    checks.append(
        inequality("Σ|u_i|·max|x_t,i| ≤ ‖u‖₁·max‖x_t‖_∞", reach, plain, where, "Section 5")
    )
    _growth(checks, dimensions, bounds)
    parts = [
        paragraph(
            f"Sample of d random signs; the label is the sign of a sum of {RELEVANT} of them, so that "
            f"the best u has {RELEVANT} non-zeros and no loss: the regret after {rounds:,} rounds is "
            "the loss. Each learner has the step that makes its own bound at this u least. "
            "The bound of Theorem 1 grows like √ln d, that of gradient descent like √d; the "
            "measured regret of gradient descent follows until nothing is learned any more."
        ),
        pictures(
            (_picture("Regret as the dimension grows", dimensions, regrets), "Measured regret."),
            (
                _picture("Bounds as the dimension grows", dimensions, bounds),
                "What is proven of it.",
            ),
        ),
        _table(dimensions, regrets, bounds),
        paragraph(
            "Where the relevant features are ten times smaller than the others (d = "
            f"{dimensions[1]:,}), the weighted norm does not notice: regret "
            f"{figure(scaled[NAMES[0]][0])} and bound {figure(scaled[NAMES[0]][1])}; the plain "
            f"q-norm pays for it: {figure(scaled[NAMES[1]][0])} and {figure(scaled[NAMES[1]][1])}."
        ),
        check_table(checks),
    ]
    return Claim(Section("Sparse targets", parts), checks)


def _learner(name: str, rows: SignRows) -> tuple[Learner, str]:
    """The learner with the best step for u, and the equation of its bound."""
    size = float(np.abs(rows.u).sum()) * rows.small  # Σ|u_i|·b_i
    if name == NAMES[0]:
        eta = size / math.sqrt(2.0)
        parts: Any = (ScaleInvariantPNorm(eta=eta), Subgradient(eta=eta))
        equation = "first bound"
    elif name == NAMES[1]:
        f = PNorm(p=max(2.0, 2.0 * math.log(rows.columns)))
        most = f.dual_norm(np.ones(rows.columns))
        gain = f.strong_convexity * 2.0 * f.value(rows.u) / rows.rounds
        parts = (f, Subgradient(eta=math.sqrt(gain) / most))
        equation = "eq. (composite_bound)"
    else:
        length = float(np.linalg.norm(rows.u))
        parts = (Composite(), Subgradient(eta=length / math.sqrt(2.0 * rows.columns)))
        equation = "eq. (tuned-bound)"
    return Learner.of(Hinge(), *parts, certify=True, intercept=False, classes=[-1.0, 1.0]), equation


def _compared(
    rows: SignRows, checks: list[Check], names: tuple[str, ...] = NAMES
) -> dict[str, tuple[float, float]]:
    """Regret and bound of each learner."""
    found = {}
    for name in names:
        learner, equation = _learner(name, rows)
        for X, y in rows:
            learner.learn_many(X, y)
        where = f"{name}, d = {rows.columns:,}"
        certificates = learner.certificates(rows.u, stream=rows)
        checks += [certified(c, where) for c in certificates]
        certificate = next(c for c in certificates if c.equation == equation)
        found[name] = (certificate.achieved, certificate.bound)
    return found


def _growth(
    checks: list[Check], dimensions: tuple[int, ...], bounds: dict[str, list[float]]
) -> None:
    """From the least to the largest d the bounds grow as the paper says."""
    first, last = dimensions[0], dimensions[-1]
    where = f"from d = {first:,} to {last:,}"
    slow = math.sqrt((2.0 * math.log(last) - 1.0) / (2.0 * math.log(first) - 1.0))
    grown = bounds[NAMES[0]][-1] / bounds[NAMES[0]][0]
    checks.append(inequality("Theorem 1's bound grows by √((2 ln d − 1)/…)", grown, slow, where))
    fast = math.sqrt(last / first)
    grown = bounds[NAMES[2]][-1] / bounds[NAMES[2]][0]
    checks.append(inequality("gradient descent's bound grows by √d", fast, grown, where))


def _picture(title: str, dimensions: tuple[int, ...], values: dict[str, list[float]]) -> str:
    series = [Series(name, dimensions, found) for name, found in values.items()]
    return draw(title, Axis("dimension d", log=True), Axis("hinge loss", log=True), series)


def _table(
    dimensions: tuple[int, ...], regrets: dict[str, list[float]], bounds: dict[str, list[float]]
) -> str:
    headings = ["learner", *(f"d = {d:,}: regret (bound)" for d in dimensions)]
    rows = [
        [
            name,
            *(
                f"{figure(r)} ({figure(b)})"
                for r, b in zip(regrets[name], bounds[name], strict=True)
            ),
        ]
        for name in NAMES
    ]
    return table("Regret and bound by dimension", headings, rows)
