"""``fenchel diff``: what changed from one model to another."""

from __future__ import annotations

import json
from typing import Any

from fenchel.certificates.tables import text_table
from fenchel.cli import models
from fenchel.cli.output import announce_compiling, printable, tell
from fenchel.learners import Learner
from fenchel.learners.explaining import WeightChange, changes


def diff(first: str, second: str, top: int, as_json: bool) -> None:
    """Run the command."""
    before, after = models.load(first), models.load(second)
    announce_compiling(quiet=False)
    moved = changes(before, after)
    facts = _facts(before, after)
    if as_json:
        told = {key: {"before": a, "after": b} for key, (a, b) in facts.items()}
        tell(json.dumps({**told, "weights": [c._asdict() for c in moved]}, ensure_ascii=False))
        return
    for key, (a, b) in facts.items():
        tell(f"{key:<12}{a}" if a == b else f"{key:<12}{a} → {b}")
    _tell_changes(moved, top)


def _facts(before: Learner, after: Learner) -> dict[str, tuple[Any, Any]]:
    """The description of each of the two models."""
    return {
        "learner": (before.specification, after.specification),
        "task": (before.task, after.task),
        "rounds": (before.rounds, after.rounds),
        "features": (before.columns, after.columns),
        "classes": (_classes(before), _classes(after)),
    }


def _classes(learner: Learner) -> str:
    return ", ".join(printable(label) for label in learner.classes) or "none"


def _tell_changes(moved: list[WeightChange], top: int) -> None:
    if not moved:
        tell("\nNo weight differs.")
        return
    several = any(change.output is not None for change in moved)
    rows = [
        [printable(c.feature), *([str(c.output)] if several else []), f"{c.before:+.6g}",
         f"{c.after:+.6g}", f"{c.after - c.before:+.6g}"]
        for c in moved[:top]
    ]  # fmt: skip
    headings = ["feature", *(["class"] if several else []), "before", "after", "change"]
    tell()
    tell("\n".join(text_table(headings, rows)))
    tell(f"\n{len(moved):,} weights differ.")
