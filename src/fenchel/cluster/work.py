"""The work of one worker: one shard, learned from where all begin."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fenchel.cluster.cutting import ByteRange, Shard
from fenchel.cluster.files import is_remote, parquet_file
from fenchel.cluster.jobs import ShardJob
from fenchel.cluster.partitions import Partition, PartitionRows
from fenchel.evaluate import Run, whole_queries
from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.learners import Learner
from fenchel.learners.merging import merge
from fenchel.rows import Block
from fenchel.streams import BadInput, Skipped, from_frame


@dataclass
class Tally:
    """Counts kept while shards are learned."""

    average: MeanLoss = field(default_factory=MeanLoss)
    mistakes: int | None = 0
    seconds: float = 0.0
    skipped: int = 0
    errors: tuple[BadInput, ...] = ()  # the first lines that were left out

    def plus(self, other: Tally) -> Tally:
        """Count in another; the first errors stay."""
        unknown = self.mistakes is None or other.mistakes is None
        return Tally(
            self.average.with_more(other.average),
            None if unknown else self.mistakes + other.mistakes,  # type: ignore[operator]
            self.seconds + other.seconds,
            self.skipped + other.skipped,
            (*self.errors, *other.errors)[:10],
        )


@dataclass
class LearnedShard:
    """A shard once it is learned."""

    learner: Learner
    tally: Tally


def learn_shard(shard: Any, start: Learner, reading: Mapping[str, Any]) -> LearnedShard:
    """Learn the rows of a shard, each predicted before its label is seen; ``start`` goes on."""
    began = time.perf_counter()
    learner = start.copy()
    try:
        opened = blocks_of(shard, learner, reading)
        run = Run(learner)
        blocks = whole_queries(opened.blocks) if learner.task == "ranking" else opened.blocks
        for block in blocks:
            run.learn(block)
    except BadInput as error:
        raise error.at(shard.lines_before()) from None
    skipped = opened.stream.skipped
    lines = shard.lines_before() if skipped.errors else 0
    errors = tuple(error.at(lines) for error in skipped.errors)
    seconds = time.perf_counter() - began
    score = run.score
    return LearnedShard(
        learner, Tally(score.average, score.mistakes, seconds, skipped.count, errors)
    )


def merge_shards(found: list[LearnedShard], start: Learner) -> LearnedShard:
    """Merge what was learned of neighbours, which all began with ``start``."""
    origin = start if start.columns else None
    tally = sum_of([shard.tally for shard in found])
    return LearnedShard(merge([shard.learner for shard in found], origin), tally)


def sum_of(tallies: Iterable[Tally]) -> Tally:
    """All of them, in their order."""
    total = Tally()
    for tally in tallies:
        total = total.plus(tally)
    return total


def learner_of_shard(found: LearnedShard) -> Learner:
    """The learner alone."""
    return found.learner


def tally_of_shard(found: LearnedShard) -> Tally:
    """The tally alone."""
    return found.tally


LEARNING = ShardJob(learn_shard, merge_shards, tally_of_shard)


@dataclass
class Opened:
    """A shard that is read: its blocks, and the stream that knows what was left out."""

    blocks: Iterable[Block]
    stream: Any


def blocks_of(shard: Any, learner: Learner, reading: Mapping[str, Any]) -> Opened:
    """Open a shard through the learner's own schema; what is new in it is taken up."""
    if isinstance(shard, Partition):
        partition = PartitionRows(shard, learner, reading)
        return Opened(partition, partition)
    if shard.groups:
        groups = _RowGroups(shard, learner)
        return Opened(groups, groups)
    whole = shard.begin == 0 and shard.end is None and not is_remote(shard.path)
    stream = learner.open(shard.path if whole else ByteRange(shard), **reading)
    return Opened(stream, stream)


class _RowGroups:
    """Some row groups of a Parquet file, one after the other."""

    def __init__(self, shard: Shard, learner: Learner) -> None:
        self._shard, self._learner = shard, learner
        self.skipped = Skipped()

    def __iter__(self) -> Iterator[Block]:
        learner = self._learner
        with parquet_file(self._shard.path) as file:
            for group in self._shard.groups:
                names = learner.names if learner.names is not None or learner.columns else None
                stream = from_frame(file.read_row_group(group), schema=learner.schema, names=names)
                learner.names, learner.schema = stream.names, stream.schema
                self.skipped = stream.skipped
                yield from stream
