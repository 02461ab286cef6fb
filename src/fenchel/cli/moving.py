"""Streams that change, in ``train``: what the figures mean for each use, and where the loss went up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from fenchel.cli.output import fact, number
from fenchel.evaluate import Run
from fenchel.evaluate.watch import RATE, RECENT

MUCH = 1.25  # times the next round's loss: then what is printed is not what a saved model makes
SHOWN = 5  # changes


def horizon_of(text: str | None) -> int | str:
    """Return how many rounds late labels come, or ``rest``.

    >>> horizon_of(None), horizon_of("48"), horizon_of("rest")
    (0, 48, 'rest')
    """
    if text is None:
        return 0
    if text == "rest" or text.isdigit():
        return text if text == "rest" else int(text)
    raise click.BadParameter(
        f"{text} is neither a number of rounds nor the word rest.", param_hint="'--horizon'"
    )


def with_half_life(specification: str, half_life: float | None, named: bool) -> str:
    """Return the specification with a half-life in it.

    >>> with_half_life("arow:r=0.1", 500.0, named=True)
    'arow:r=0.1,half_life=500.0'
    """
    if half_life is None:
        return specification
    if not named:
        raise click.UsageError("--half-life needs --learner: auto finds by itself what to forget.")
    return specification + ("," if ":" in specification else ":") + f"half_life={half_life!r}"


def tell_moving(run: Run, horizon: int | str) -> None:
    """Tell the loss of late, of frozen use, of the previous label, and the changes."""
    watch, frozen, loss = run.watch, run.frozen_loss, run.score.loss
    if run.previous.loss is not None:
        fact("previous label", number(run.previous.loss))
    if watch is None:
        return
    if watch.recent is not None:
        fact("recent loss", f"{number(watch.recent)} (the last {RECENT:,} rounds)")
    if frozen is not None:
        fact("frozen", f"{number(frozen)} (saved and used on the rows ahead, without learning)")
        if horizon == 0 and frozen > MUCH * loss > 0.0:
            fact(
                "mind", "this model follows its stream: keep it learning, or expect the frozen loss"
            )
    for change, moved in list(zip(watch.found, watch.moved, strict=True))[:SHOWN]:
        told = f"after round {change.since:,}: {number(change.before)} to {number(change.after)}"
        fact("loss went up", f"{told}; moved most: {', '.join(moved)}")
    if len(watch.found) > SHOWN:
        fact("loss went up", f"{len(watch.found) - SHOWN} more times")


def moving_figures(run: Run, horizon: int | str) -> dict[str, Any]:
    """Collect the same for JSON."""
    watch = run.watch
    found: dict[str, Any] = {
        "horizon": horizon,
        **metrics_of(horizon),
        "next_round": run.score.loss if horizon in (0, "rest") else None,
        "late": run.score.loss if horizon not in (0, "rest") else None,
        "frozen": run.frozen_loss,
        "previous_label": run.previous.loss,
    }
    if watch is not None:
        found["recent"] = {"rounds": RECENT, "loss": watch.recent}
        found["false_alarm_rate"] = RATE
        found["changes"] = [
            {**change._asdict(), "moved": moved}
            for change, moved in zip(watch.found, watch.moved, strict=True)
        ]
    return found


def unwatched_figures(loss: float) -> dict[str, Any]:
    """Collect the same of a run that nobody watched: what is not known is None."""
    return {
        "horizon": 0,
        "next_round": loss,
        "late": None,
        "frozen": None,
        "previous_label": None,
        "recent": {"rounds": RECENT, "loss": None},
        "false_alarm_rate": None,
        "changes": None,
    }


def with_moving(found: dict[str, Any], moving: Mapping[str, Any]) -> dict[str, Any]:
    """Add them to the figures of a run, and to those of its learner."""
    found["learners"][0] |= {key: moving[key] for key in ("next_round", "frozen")}
    return {**found, **moving}


# ── side by side ────────────────────────────────────────────────────────────────────────────────


def previous_lines(run: Run) -> list[str]:
    """Tell what repeating the last label known would lose."""
    loss = run.previous.loss
    return [] if loss is None else [f"previous label: loss {number(loss)}"]


def horizon_figures(
    learners: list[dict[str, Any]], runs: Mapping[str, Run], horizon: int | str
) -> dict[str, Any]:
    """Put each learner's loss when frozen beside its figures; returns what is of all of them."""
    if horizon == "rest":
        for figures, run in zip(learners, runs.values(), strict=True):
            figures |= {"next_round": run.score.loss, "frozen": run.frozen_loss}
    return {"horizon": horizon, **metrics_of(horizon)}


def metrics_of(horizon: int | str) -> dict[str, str]:
    """Tell what use the metrics are of, where it is another than was asked for."""
    return {"metrics_of": "next round"} if horizon == "rest" else {}


def frozen_lines(runs: Mapping[str, Run]) -> list[str]:
    """Tell each learner's loss when frozen, best first, where that was asked for."""
    known = {name: run.frozen_loss for name, run in runs.items()}
    found = {name: loss for name, loss in known.items() if loss is not None}
    if not found:
        return []
    best = sorted(found, key=found.__getitem__)
    return ["", "frozen on the rows ahead, best first:"] + [
        f"  {number(found[name])}  {name}" for name in best
    ]
