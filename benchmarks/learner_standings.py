"""What pages say of single learners, from the stored figures of all of them (learner_figures.json)."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

FILE = Path(__file__).with_name("learner_figures.json")
NARROW = 300  # columns of a table; text has more


@cache
def streams() -> dict[str, Any]:
    """Every stream: its task, rows, columns, and the error of each learner."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))["streams"]
    return found


def percent(error: float) -> str:
    """A share as pages write it: 8.3 %."""
    return f"{100.0 * error:.1f} %"


def error(stream: str, learner: str) -> str:
    """The mistakes of a learner, of the best one or of the median one."""
    errors = streams()[stream]["learners"]
    finite = [value for value in errors.values() if value is not None]
    picked = {"best": min, "median": median}.get(learner)
    return percent(errors[learner] if picked is None else picked(finite))


def times(stream: str, learner: str) -> str:
    """The squared error of a learner over the best constant's."""
    return f"{streams()[stream]['learners'][learner]:.0f}"


def chosen(kind: str) -> list[dict[str, float]]:
    """The errors on every stream of a kind: binary, regression, or of the binary ones tables or text."""
    found = []
    for stream in streams().values():
        narrow = stream["columns"] <= NARROW
        fits = {"tables": narrow, "text": not narrow}.get(kind, True)
        if fits and stream["task"] == ("binary" if kind in ("tables", "text") else kind):
            found.append({k: v for k, v in stream["learners"].items() if v is not None})
    return found


def rank(errors: dict[str, float], learner: str) -> int | None:
    """The place of a learner in its best form, or of one form where that is named; None where it has none."""
    whole = ":" in learner
    own = [v for k, v in errors.items() if learner == (k if whole else k.partition(":")[0])]
    return 1 + sum(value < min(own) for value in errors.values()) if own else None


def ranks(kind: str, learner: str) -> list[int]:
    """The places of a learner on the streams of a kind."""
    return [place for errors in chosen(kind) if (place := rank(errors, learner)) is not None]


def first(kind: str, learner: str) -> str:
    """On how many streams it is the first of all: 12 of 27."""
    return f"{ranks(kind, learner).count(1)} of {len(chosen(kind))}"


def median_rank(kind: str, learner: str) -> str:
    """The median of its places."""
    return f"{median(ranks(kind, learner)):.0f}"


def better(kind: str, learner: str, other: str) -> str:
    """On how many streams one learner has a lower place than another."""
    every = [(rank(errors, learner), rank(errors, other)) for errors in chosen(kind)]
    both = [(a, b) for a, b in every if a is not None and b is not None]
    return f"{sum(a < b for a, b in both)} of {len(both)}"


def infinite(kind: str, learner: str) -> str:
    """On how many streams a learner does not stay finite."""
    played = [s for s in streams().values() if s["task"] == kind and learner in s["learners"]]
    return f"{sum(s['learners'][learner] is None for s in played)} of {len(played)}"


FAMILIES: dict[str, Callable[..., str]] = {
    "error": error,
    "times": times,
    "first": first,
    "median_rank": median_rank,
    "better": better,
    "infinite": infinite,
}
