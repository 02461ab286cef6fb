"""Learners side by side on several processes or machines: each reads the data itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from fenchel.cluster.cutting import Shard
from fenchel.cluster.jobs import ShardJob
from fenchel.cluster.training import crew_of
from fenchel.cluster.work import blocks_of
from fenchel.evaluate import Contest, Run
from fenchel.evaluate.contest import Trace
from fenchel.streams import Skipped


class ContestEntry(NamedTuple):
    """A learner's place in a contest: how to begin one with it alone."""

    name: str
    begin: Callable[[], Contest]


class Competed(NamedTuple):
    """A learner that has gone through the data: its run, and what it lost in each row."""

    run: Run
    trace: Trace
    withdrawn: bool
    skipped: Skipped


def go_alone(entry: ContestEntry, path: str, reading: Mapping[str, Any]) -> Competed:
    """Lead one learner through a file."""
    contest = entry.begin()
    traces: list[Trace] = []
    run = contest.runs[entry.name]
    opened = blocks_of(Shard(path), run.learner, reading)
    for block in opened.blocks:
        if entry.name not in contest.withdrawn:
            traces += contest.learn(block).values()
    run.finish()
    return Competed(run, _joined(traces), bool(contest.withdrawn), opened.stream.skipped)


def _joined(traces: list[Trace]) -> Trace:
    metrics = traces[0].by_metric if traces else {}
    return Trace(
        np.concatenate([trace.losses for trace in traces] or [np.zeros(0)]),
        {name: np.concatenate([trace.by_metric[name] for trace in traces]) for name in metrics},
    )


def _itself(found: Competed) -> Competed:
    return found


def _nothing(found: list[Any], path: str) -> None:
    """Keep no more: every learner has been reported."""


COMPETING = ShardJob(go_alone, _nothing, _itself)


def compete(
    contest: Contest,
    path: str,
    executor: Any = None,
    *,
    workers: int | None = None,
    tell: Callable[[str], None] = lambda name: None,
    **reading: Any,
) -> Skipped:
    """Lead every learner of a contest through a file, each on a worker; its ``result`` is as on one machine.

    ``tell`` is called with the name of each once it is done. What each lost in every row comes back: some
    16 bytes a row and learner. Returns the lines that were left out.
    """
    entries = [ContestEntry(name, contest.alone(name)) for name in contest.runs]
    found: dict[str, Competed] = {}

    def see(k: int, competed: Competed) -> None:
        found[entries[k].name] = competed
        tell(entries[k].name)

    with crew_of(executor, workers) as (crew, _):
        crew.run(COMPETING, entries, crew.share(path), {"threads": 1, **reading}, see)
    rows = max(len(competed.trace.losses) for competed in found.values())
    for entry in entries:
        contest.runs[entry.name] = found[entry.name].run
        if found[entry.name].withdrawn:
            contest.withdrawn.append(entry.name)
    kept = [name for name in contest.runs if name not in contest.withdrawn]
    contest.see({name: found[name].trace for name in kept}, rows)
    return found[kept[0]].skipped
