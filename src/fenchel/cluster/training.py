"""A runner over any executor: shards are learned apart, merged along a fixed tree, and go on from there.

The tree is that of the shards' numbers: what comes out does not depend on who learned what, or when.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

from fenchel.cluster.checkpoints import Checkpoints
from fenchel.cluster.cutting import Shard, shards
from fenchel.cluster.processes import Processes
from fenchel.cluster.work import LearnedShard, Tally, blocks_of, learn_shard
from fenchel.learners import Learner
from fenchel.learners.merging import merge
from fenchel.learners.registry import learner_of

FAN = 8  # learners that are merged at a time
MOST_TRIES = 5  # of a shard whose workers died


@dataclass
class ShardedRun:
    """A run over shards: ``learner`` once it is done, and what was counted along the way."""

    shards: Sequence[Shard]
    learner: Learner
    rounds: int = 1
    reading: Mapping[str, Any] = field(default_factory=dict)
    tell: Callable[[ShardedRun], None] = lambda training: None
    tally: Tally = field(default_factory=Tally)  # of the first round, in which every row is new
    costs: dict[str, float] = field(default_factory=dict)  # seconds of each shard
    done: int = 0  # shards, of all rounds

    def run(self, executor: Any, checkpoints: Checkpoints) -> Learner:
        """Learn every round; a run that was stopped goes on where its checkpoints end."""
        for number in range(self.rounds):
            kept = checkpoints.merged(number)
            if kept is None:
                self.learner = self._round(number, executor, checkpoints)
                checkpoints.keep_merged(number, self.learner, self.tally)
            else:
                self.learner, self.tally = kept
                self.done += len(self.shards)
                self.tell(self)
        return self.learner

    def _round(self, number: int, executor: Any, checkpoints: Checkpoints) -> Learner:
        start = self.learner
        tree = Tree(len(self.shards), None if start.rounds == 0 else start)
        tallies: dict[int, Tally] = {}
        for k, learned in self._learned(number, start, executor, checkpoints):
            tallies[k] = learned.tally
            self.costs[self.shards[k].name] = learned.tally.seconds
            self.done += 1
            tree.put(k, learned.learner)
            if number == 0:
                self.tally = _sum(tallies)
            self.tell(self)
        return tree.top

    def _learned(
        self, number: int, start: Learner, executor: Any, checkpoints: Checkpoints
    ) -> Iterator[tuple[int, LearnedShard]]:
        """Each shard once it is learned; a worker that dies costs its shard's time."""
        waiting = []
        for k in range(len(self.shards)):
            kept = checkpoints.shard(number, k)
            if kept is None:
                waiting.append(k)
            else:
                yield k, kept
        tries = dict.fromkeys(waiting, 0)
        running: dict[Future[LearnedShard], int] = {}
        while waiting or running:
            try:
                while waiting:
                    given = self.shards[waiting[0]], start, dict(self.reading)
                    running[executor.submit(learn_shard, *given)] = waiting[0]
                    waiting.pop(0)
                finished = wait(running, return_when=FIRST_COMPLETED).done
                for future in sorted(finished, key=running.__getitem__):
                    learned = future.result()
                    k = running.pop(future)
                    checkpoints.keep_shard(number, k, learned)
                    yield k, learned
            except BrokenExecutor:
                waiting = sorted({*waiting, *self._unfinished(running, tries)})
                running = {}
                executor.renew()
            except BaseException:
                for future in running:
                    future.cancel()
                raise

    def _unfinished(
        self, running: Mapping[Future[LearnedShard], int], tries: dict[int, int]
    ) -> list[int]:
        """The shards to be learned again; one whose workers die every time is named."""
        for k in running.values():
            tries[k] += 1
            if tries[k] >= MOST_TRIES:
                raise RuntimeError(
                    f"{self.shards[k].name}: {MOST_TRIES} workers that had this shard, or others beside "
                    "it, died; give workers more memory, or cut it into smaller shards"
                )
        return list(running.values())


class Tree:
    """Merges learners by their numbers, a few neighbours at a time, as soon as they are there."""

    def __init__(self, count: int, start: Learner | None) -> None:
        self._start, self._levels = start, [count]
        while self._levels[-1] > 1:
            self._levels.append(-(-self._levels[-1] // FAN))
        self._there: dict[tuple[int, int], Learner] = {}

    def put(self, number: int, learner: Learner, level: int = 0) -> None:
        """Add a learner; its neighbours, where all of them are there, become one."""
        self._there[level, number] = learner
        if level + 1 == len(self._levels):
            return
        above = number // FAN
        family = range(above * FAN, min((above + 1) * FAN, self._levels[level]))
        if all((level, k) in self._there for k in family):
            found = [self._there.pop((level, k)) for k in family]
            self.put(above, merge(found, self._start), level + 1)

    @property
    def top(self) -> Learner:
        """The one that has seen all rows."""
        (only,) = self._there.values()
        return only


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
        Files, patterns, or ``Shard`` objects; large files are cut into one shard for each worker.
    learner
        A learner or its specification; one that has learned already is what all shards begin with.
    executor
        Whatever follows ``concurrent.futures.Executor``: ``distributed.Client().get_executor()``, an
        ``mpi4py.futures.MPIPoolExecutor``; without one ``workers`` processes of this machine.
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
    count = workers or os.cpu_count() or 1
    cut = shards(shards_of, count, reading.get("format"))
    if not cut:
        raise ValueError("there is no shard: give at least one file")
    start = prepared(learner_of(learner).copy(), cut[0], reading)
    checkpoints = Checkpoints(checkpoint, cut, start, rounds)
    training = ShardedRun(cut, start, rounds, {"threads": 1, **reading}, tell)
    if executor is not None:
        return training.run(_Given(executor), checkpoints)
    with Processes(min(count, len(cut))) as own:
        return training.run(own, checkpoints)


def prepared(learner: Learner, shard: Shard, reading: Mapping[str, Any]) -> Learner:
    """Let a learner see what columns and classes are before others do, so that all agree.

    Kinds of columns and the coding of two classes are those of the first rows, as on one machine; nothing
    is learned.
    """
    if learner.rounds:
        return learner
    twin = learner.copy()
    for block in blocks_of(shard, twin, {**reading, "threads": 1}).blocks:
        learner.schema = twin.schema.copy()
        if learner.task == "binary" and block.labels is not None:
            twin.encode(block.labels, len(block))
            learner.adopt_labels(twin.labels.known)
        break
    return learner


class _Given:
    """Somebody else's executor: broken, it is theirs to mend."""

    def __init__(self, executor: Executor) -> None:
        self.submit = executor.submit

    def renew(self) -> None:
        """Raise: workers are the executor's own business."""
        raise RuntimeError("the executor is broken: make a new one, and give checkpoint= to go on")


def _sum(tallies: Mapping[int, Tally]) -> Tally:
    """All of them, in the order of the shards."""
    total = Tally()
    for k in sorted(tallies):
        total = total.plus(tallies[k])
    return total
