"""A crew of Dask's workers: results stay with them, and become one near the data.

Everything is a task that Dask can do again: where a worker dies, the scheduler has others do what it held.
Only what is told of each shard, and what ``fetch`` asks for, comes to the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from fenchel.cluster.jobs import FAN, KeptResults, ShardJob
from fenchel.cluster.over_executor import MOST_TRIES, died
from fenchel.cluster.partitions import Partition


def is_client(executor: Any) -> bool:
    """Whether this is Dask's client, by its class: Dask need not be there."""
    return any(
        f"{cls.__module__}.{cls.__name__}" == "distributed.client.Client"
        for cls in type(executor).__mro__
    )


class OverDask:
    """Has the workers of a Dask cluster do jobs, by their client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._distributed, self._config = import_module("distributed"), import_module("dask").config
        self._placed: dict[
            int, Any
        ] = {}  # partitions of frames and bags, which stay on the workers

    @property
    def threads(self) -> int:
        """The number of shards that can be worked on at once."""
        return sum(self._client.nthreads().values())

    def share(self, value: Any) -> Any:
        """Hand a value over once, as a task that can be done again."""
        return self._submit(_itself, value)

    def place(self, shard: Any) -> Any:
        """A shard as an argument: a partition becomes a future, which is computed once."""
        if not isinstance(shard, Partition) or not shard.is_delayed:
            return shard
        if id(shard) not in self._placed:
            rows = self._client.compute(shard.rows)
            self._placed[id(shard)] = self._submit(partial(Partition, shard.name), rows)
        return self._placed[id(shard)]

    def fetch(self, handle: Any) -> Any:
        """Wait for a future."""
        return self._result(handle, "what was merged")

    def then(self, function: Callable[..., Any], *handles: Any) -> Any:
        """Have a worker call the function."""
        return self._submit(function, *handles)

    def run(
        self,
        job: ShardJob,
        shards: Sequence[Any],
        shared: Any,
        reading: Mapping[str, Any],
        tell: Callable[[int, Any], None],
        kept: KeptResults | None = None,
    ) -> Any:
        """Submit shards, a new one to the least busy worker whenever one is done, and the tree above them.

        Dask would place them where the model is: of four shards one of two workers got three.
        Returns the future of the top of the tree.
        """
        level: list[Any] = []
        told: dict[Any, tuple[int, str | None]] = {}
        busy: Counter[str | None] = Counter()
        under_way = self._distributed.as_completed([])

        def submit(most: int) -> None:
            for shard in shards[len(level) : most]:
                place = self._least_busy(busy)
                given = self.place(shard), shared, dict(reading)
                level.append(self._submit(job.each, *given, at=place))
                future = self._submit(job.told, level[-1])
                told[future] = len(told), place
                busy[place] += 1
                under_way.add(future)

        try:
            submit(max(self.threads, 1))
            for done, future in enumerate(under_way, 1):
                k, place = told[future]
                tell(k, self._result(future, shards[k].name))
                busy[place] -= 1
                submit(done + max(self.threads, 1))
            while len(level) > 1:
                level = [
                    self._submit(job.together, level[k : k + FAN], shared)
                    for k in range(0, len(level), FAN)
                ]
        except BaseException:
            self._client.cancel([*told, *level])
            raise
        return level[0]

    def _least_busy(self, busy: Mapping[str | None, int]) -> str | None:
        """The address of the worker with the fewest shards a thread; None where there is no worker yet."""
        threads = self._client.nthreads()
        return min(threads, key=lambda place: busy[place] / max(threads[place], 1), default=None)

    def _submit(self, function: Callable[..., Any], *arguments: Any, at: str | None = None) -> Any:
        """Submit a task, ``at`` a worker while it lives; a model among its arguments is large, no mistake."""
        where = {} if at is None else {"workers": [at], "allow_other_workers": True}
        with self._config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self._client.submit(function, *arguments, pure=False, **where)

    def _result(self, future: Any, name: str) -> Any:
        """The result of a future; where workers die under it again and again, it is named."""
        for _ in range(MOST_TRIES):
            try:
                return future.result()
            except self._distributed.KilledWorker:
                future.retry()
        raise died(name)


def _itself(value: Any) -> Any:
    return value
