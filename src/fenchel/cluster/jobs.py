"""A job over shards: something done with each, and results of neighbours made one, along a fixed tree.

A crew does jobs: ``OverExecutor`` has workers do the shards and combines their results where the program
runs; ``OverDask`` has the workers do both, near the data. The tree is that of the shards' numbers: what
comes out does not depend on who did what, or when.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

FAN = 8  # results that become one at a time


def nothing(result: Any) -> None:
    """Tell nothing of a result."""


class ShardJob(NamedTuple):
    """A job for every shard, and for the results.

    ``each(shard, shared, reading)`` is a shard's result, ``together(results, shared)`` that of several
    neighbours, and ``told(result)`` the little that the program is told of each.
    """

    each: Callable[[Any, Any, Mapping[str, Any]], Any]
    together: Callable[[list[Any], Any], Any]
    told: Callable[[Any], Any] = nothing


class KeptResults(Protocol):
    """Results of shards that are kept, by number."""

    def shard(self, k: int) -> Any:
        """The result of shard k, or None."""

    def keep(self, k: int, result: Any) -> None:
        """Keep the result of shard k."""


class WorkCrew(Protocol):
    """Workers that do jobs; results may stay with them, as handles that ``fetch`` resolves."""

    def share(self, value: Any) -> Any:
        """Hand something to all workers; returns its handle."""

    def place(self, shard: Any) -> Any:
        """The shard as an argument of ``then``."""

    def fetch(self, handle: Any) -> Any:
        """Return what a handle stands for."""

    def then(self, function: Callable[..., Any], *handles: Any) -> Any:
        """Call a function on what handles stand for; returns the handle of what it returns."""

    def run(
        self,
        job: ShardJob,
        shards: Sequence[Any],
        shared: Any,
        reading: Mapping[str, Any],
        tell: Callable[[int, Any], None],
        kept: KeptResults | None = None,
    ) -> Any:
        """Do the job; ``tell`` is called with the number of each shard and its figures."""


class Tree:
    """Combines results by their numbers, a few neighbours at a time, as soon as they are there."""

    def __init__(self, count: int, together: Callable[[list[Any]], Any]) -> None:
        self._together, self._levels = together, [count]
        while self._levels[-1] > 1:
            self._levels.append(-(-self._levels[-1] // FAN))
        self._there: dict[tuple[int, int], Any] = {}

    def put(self, number: int, result: Any, level: int = 0) -> None:
        """Add a result; its neighbours, where all of them are there, become one."""
        self._there[level, number] = result
        if level + 1 == len(self._levels):
            return
        above = number // FAN
        family = range(above * FAN, min((above + 1) * FAN, self._levels[level]))
        if all((level, k) in self._there for k in family):
            found = [self._there.pop((level, k)) for k in family]
            self.put(above, self._together(found), level + 1)

    @property
    def top(self) -> Any:
        """The result of all."""
        (only,) = self._there.values()
        return only
