"""A runner over any crew: shards are learned apart, merged along a fixed tree, and go on from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import Any

from fenchel.cluster.checkpoints import Checkpoints
from fenchel.cluster.cutting import shards
from fenchel.cluster.jobs import WorkCrew
from fenchel.cluster.over_dask import OverDask, is_client
from fenchel.cluster.over_executor import Borrowed, OverExecutor
from fenchel.cluster.processes import Processes
from fenchel.cluster.work import LEARNING, Tally, blocks_of, learner_of_shard, sum_of
from fenchel.learners import Learner
from fenchel.learners.registry import learner_of
from fenchel.rows import Block

# Shards whose first rows choose what a merged model uses frozen, and how many rows.
JUDGES, SAMPLE = 16, 4096


@dataclass
class ShardedRun:
    """A run over shards: ``learner`` once it is done, and what was counted along the way."""

    shards: Sequence[Any]
    learner: Learner
    rounds: int = 1
    reading: Mapping[str, Any] = field(default_factory=dict)
    tell: Callable[[ShardedRun], None] = lambda training: None
    tally: Tally = field(default_factory=Tally)  # of the first round, in which every row is new
    costs: dict[str, float] = field(default_factory=dict)  # seconds of each shard in all rounds
    done: int = 0  # shards, of all rounds
    _tallies: dict[int, Tally] = field(default_factory=dict)

    def run(self, crew: WorkCrew, checkpoints: Checkpoints) -> Learner:
        """Learn every round; a run that was stopped goes on where its checkpoints end."""
        shared = crew.share(self.learner)
        for number in range(self.rounds):
            kept = checkpoints.merged(number)
            if kept is not None:
                learner, self.tally, self.costs = kept
                shared = crew.share(learner)
                self.done += len(self.shards)
                self.tell(self)
                continue
            see, there = partial(self._see, number), checkpoints.of_round(number)
            top = crew.run(LEARNING, self.shards, shared, self.reading, see, there)
            shared = crew.then(learner_of_shard, top)
            if len(self.shards) > 1:
                some = self.shards[:: -(-len(self.shards) // JUDGES)]
                shared = crew.then(judged, shared, self.reading, *map(crew.place, some))
            if there is not None:
                checkpoints.keep_merged(number, crew.fetch(shared), self.tally, self.costs)
        self.learner = crew.fetch(shared)
        return self.learner

    def _see(self, number: int, k: int, tally: Tally) -> None:
        """Count a shard that is done."""
        name = self.shards[k].name
        self.costs[name] = self.costs.get(name, 0.0) + tally.seconds
        self.done += 1
        if number == 0:
            self._tallies[k] = tally
            self.tally = sum_of(self._tallies[k] for k in sorted(self._tallies))
        self.tell(self)


def train(
    shards_of: Any,
    learner: Learner | str,
    executor: Executor | None = None,
    *,
    rounds: int = 1,
    workers: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    tell: Callable[[ShardedRun], None] = lambda training: None,
    **reading: Any,
) -> Learner:
    """Learn the rows of shards, each by itself, and merge what was learned.

    Parameters
    ----------
    shards_of
        Files, patterns, ``Shard`` objects, a Dask bag or frame; large files are cut into one shard for
        each worker.
    learner
        A learner or its specification; one that has learned already is what all shards begin with.
    executor
        A ``distributed.Client``, on whose workers learners stay and are merged; or whatever follows
        ``concurrent.futures.Executor``, such as ``mpi4py.futures.MPIPoolExecutor()``; without one
        ``workers`` processes of this machine.
    rounds
        After each the shards go on from what was merged, over the same rows.
    checkpoint
        A folder for what is done: the same call goes on where the last one stopped.
    tell
        Called with the ``ShardedRun`` whenever a shard is done.
    reading
        How files are read: ``format``, ``separator``, ``decimal``, ``quotes``, ``on_error``.
    """
    if rounds < 1:
        raise ValueError(f"rounds={rounds!r} must be 1 or more")
    reading = {"threads": 1, **reading}
    with crew_of(executor, workers, stays=checkpoint is None) as (crew, count):
        cut = cut_for(shards_of, count, reading)
        begun = learner_of(learner).copy()
        start = start_for(crew, begun, cut, reading)
        checkpoints = Checkpoints(checkpoint, cut, start, reading)
        return ShardedRun(cut, start, rounds, reading, tell).run(crew, checkpoints)


@contextmanager
def crew_of(
    executor: Any, workers: int | None, stays: bool = True
) -> Iterator[tuple[WorkCrew, int]]:
    """The crew of an executor, or of processes of this machine, and how many shards it does at once.

    Unless results may stay with the workers, Dask's are asked as any executor's.
    """
    refuse_no_crew(executor, workers)
    count = workers or os.cpu_count() or 1
    if executor is None:
        with Processes(count) as own:
            yield OverExecutor(own), count
    elif is_client(executor):
        dask = OverDask(executor)
        crew = dask if stays else OverExecutor(Borrowed(executor.get_executor(pure=False)))
        yield crew, workers or dask.threads
    else:
        yield OverExecutor(Borrowed(executor)), count


def refuse_no_crew(executor: Any, workers: Any) -> None:
    """Refuse what cannot be asked to work."""
    if isinstance(executor, type) or not (executor is None or hasattr(executor, "submit")):
        raise TypeError(
            f"executor={executor!r:.60} has no submit: give a distributed.Client or a "
            "concurrent.futures.Executor, or workers=4 for so many processes of this machine"
        )
    whole = isinstance(workers, Integral) and not isinstance(workers, bool)
    if workers is not None and not (whole and workers >= 1):
        raise ValueError(f"workers={workers!r:.60} must be a whole number, 1 or more")


def cut_for(shards_of: Any, count: int, reading: Mapping[str, Any]) -> list[Any]:
    """Cut what was given into shards for so many workers; there must be one."""
    cut = shards(shards_of, count, reading.get("format"))
    if not cut:
        raise ValueError("there is no shard: give at least one file")
    return cut


def start_for(
    crew: WorkCrew, learner: Learner, cut: Sequence[Any], reading: Mapping[str, Any]
) -> Learner:
    """The learner that all shards begin with, prepared by the first shard that has rows."""
    for shard in cut:
        found = crew.fetch(crew.then(prepared, learner, crew.place(shard), reading))
        if found is not None:
            start: Learner = found
            return start
    return learner


def prepared(learner: Learner, shard: Any, reading: Mapping[str, Any]) -> Learner | None:
    """Let a learner see what columns and classes are before others do, so that all agree.

    Kinds of columns and the coding of two classes are those of the first rows, as on one machine, and so is
    what products of columns are formed by; nothing is learned. None where the shard has no rows.
    """
    if learner.rounds:
        return learner
    twin = learner.copy()
    for block in blocks_of(shard, twin, reading).blocks:
        learner.schema = twin.schema.copy()
        if learner.task == "binary" and block.labels is not None:
            twin.encode(block.labels, len(block))
            learner.adopt_labels(twin.labels.known)
        if learner.task == "ranking":  # nothing of it is settled
            return learner
        if block.labels is not None and learner.settle_block(block):
            names = twin.names
            learner.names = None if names is None else names.first_names(learner.columns)
        return learner
    return None


def judged(learner: Learner, reading: Mapping[str, Any], *some: Any) -> Learner:
    """Let a merged learner choose what to use frozen, by the first rows of some shards.

    It has learned these rows, as one in many: the shards' own choices were made by what one of many knew.
    """
    if not learner.engine.has_candidates:
        return learner
    twin, sample = learner.copy(), []
    for shard in some:
        for block in blocks_of(shard, twin, reading).blocks:
            sample.append(block.part(0, min(len(block), SAMPLE // len(some))))
            break
    if not sample:
        return learner
    chosen = learner.copy()
    chosen.judge_block(Block.concatenate(sample))
    return chosen
