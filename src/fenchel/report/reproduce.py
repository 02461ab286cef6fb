"""Every claim of the paper, measured: one page for people, one file for programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fenchel import _version
from fenchel.report.claims import (
    Claim,
    ClaimData,
    EmbeddedData,
    FolderData,
    aggressive,
    composite_losses,
    errata,
    filtering,
    forecaster,
    full_matrices,
    other_parameters,
    proof_steps,
    rare_features,
    sparse_targets,
    standalone_lemmas,
    units,
)
from fenchel.report.page import page, paragraph, table
from fenchel.report.text import figure, json_text

CLAIMS: tuple[Callable[[ClaimData], Claim], ...] = (
    units.measure,
    sparse_targets.measure,
    aggressive.measure,
    full_matrices.measure,
    rare_features.measure,
    forecaster.measure,
    filtering.measure,
    composite_losses.measure,
    other_parameters.measure,
    proof_steps.measure,
    standalone_lemmas.measure,
    errata.measure,
)


class Measured(NamedTuple):
    """A claim and the seconds it took."""

    claim: Claim
    seconds: float

    @property
    def violated(self) -> int:
        """The number of promises that were broken."""
        return sum(check.violated for check in self.claim.checks)

    @property
    def promised(self) -> int:
        """The number of inequalities promised on these runs, 0 ≤ 0 not counted."""
        return sum(check.counts for check in self.claim.checks)

    @property
    def vacuous(self) -> int:
        """The number of those with a right side of more than 100 times the left one."""
        return sum(check.vacuous for check in self.claim.checks)


def source_of(folder: str | None) -> ClaimData:
    """The public data of a folder, or data that needs none."""
    return EmbeddedData() if folder is None else FolderData(folder)


def measured(source: ClaimData) -> Iterator[Measured]:
    """The claims, one after the other."""
    for measure in CLAIMS:
        began = time.perf_counter()
        claim = measure(source)
        yield Measured(claim, time.perf_counter() - began)


def write(output: Path, source: ClaimData, found: Sequence[Measured], command: str) -> None:
    """``index.html`` and ``reproduce.json``."""
    output.mkdir(parents=True, exist_ok=True)
    (output / "index.html").write_text(_page(source, found, command), encoding="utf-8")
    (output / "reproduce.json").write_text(json_text(_figures(source, found)), encoding="utf-8")


def _figures(source: ClaimData, found: Sequence[Measured]) -> dict[str, Any]:
    return {
        "version": _version.__version__,
        "data": source.name,
        "promised": sum(one.promised for one in found),
        "violated": sum(one.violated for one in found),
        "vacuous": sum(one.vacuous for one in found),
        "checks": [
            {"section": one.claim.section.title, **check.figures()}
            for one in found
            for check in one.claim.checks
        ],
    }


def _page(source: ClaimData, found: Sequence[Measured], command: str) -> str:
    promised, violated, vacuous = (
        sum(getattr(one, key) for one in found) for key in ("promised", "violated", "vacuous")
    )
    outcome = "all hold" if violated == 0 else f"{violated:,} are violated"
    lead = [
        paragraph(
            "The paper: F. Orabona, K. Crammer and N. Cesa-Bianchi, A generalized online mirror "
            "descent with applications to classification and regression, Machine Learning 99, 2015."
        ),
        paragraph(
            f"Measured on {source.name}: {promised:,} inequalities whose assumptions the runs "
            f"satisfy; {outcome}. An inequality holds when its left side is at most its right one, "
            "up to a share of 10⁻⁹ of their terms for rounding; where that is more than 10⁻⁶ of both "
            "sides, a slack that is no larger promises nothing. "
            f"{vacuous:,} are vacuous on their run, the right side more than 100 times the left "
            "one, and marked so. All of them are in reproduce.json."
        ),
        table(
            "By section",
            ["section", "inequalities", "promised", "violated", "vacuous", "seconds"],
            [
                [
                    one.claim.section.title,
                    f"{len(one.claim.checks):,}",
                    f"{one.promised:,}",
                    f"{one.violated:,}",
                    f"{one.vacuous:,}",
                    figure(one.seconds, 2),
                ]
                for one in found
            ],
        ),
    ]
    sections = [one.claim.section for one in found]
    return page("Claims of the paper, measured", lead, sections, command)
