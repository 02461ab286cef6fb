"""A crew over any ``concurrent.futures.Executor``: results come to the program, which combines them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from functools import partial
from typing import Any

from fenchel.cluster.jobs import KeptResults, ShardJob, Tree

MOST_TRIES = 5  # of a shard whose workers died


class OverExecutor:
    """Has an executor do shards; one with ``renew`` is renewed where a worker of it dies."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor

    def share(self, value: Any) -> Any:
        """Return the value itself: it travels with every shard."""
        return value

    def place(self, shard: Any) -> Any:
        """Return the shard itself."""
        return shard

    def fetch(self, handle: Any) -> Any:
        """Return the value itself."""
        return handle

    def then(self, function: Callable[..., Any], *handles: Any) -> Any:
        """Call the function here."""
        return function(*handles)

    def run(
        self,
        job: ShardJob,
        shards: Sequence[Any],
        shared: Any,
        reading: Mapping[str, Any],
        tell: Callable[[int, Any], None],
        kept: KeptResults | None = None,
    ) -> Any:
        """Do the job; a worker that dies costs its shard's time."""
        tree = Tree(len(shards), partial(_together, job, shared))
        for k, result in self._results(job, shards, (shared, dict(reading)), kept):
            tree.put(k, result)
            tell(k, job.told(result))
        return tree.top

    def _results(
        self, job: ShardJob, shards: Sequence[Any], given: tuple[Any, ...], kept: KeptResults | None
    ) -> Iterator[tuple[int, Any]]:
        waiting = []
        for k in range(len(shards)):
            done = None if kept is None else kept.shard(k)
            if done is None:
                waiting.append(k)
            else:
                yield k, done
        tries = dict.fromkeys(waiting, 0)
        running: dict[Future[Any], int] = {}
        while waiting or running:
            try:
                while waiting:
                    future = self._executor.submit(job.each, shards[waiting[0]], *given)
                    running[future] = waiting.pop(0)
                finished = wait(running, return_when=FIRST_COMPLETED).done
                for future in sorted(finished, key=running.__getitem__):
                    result = future.result()
                    k = running.pop(future)
                    if kept is not None:
                        kept.keep(k, result)
                    yield k, result
            except BrokenExecutor:
                _count_tries(shards, running, tries)
                waiting = sorted({*waiting, *running.values()})
                running = {}
                self._executor.renew()
            except BaseException:
                for future in running:
                    future.cancel()
                raise


def _together(job: ShardJob, shared: Any, results: list[Any]) -> Any:
    return job.together(results, shared)


def _count_tries(
    shards: Sequence[Any], running: Mapping[Future[Any], int], tries: dict[int, int]
) -> None:
    """Count the shards to be done again; one whose workers die every time is named."""
    for k in running.values():
        tries[k] += 1
        if tries[k] >= MOST_TRIES:
            raise died(shards[k].name)


def died(name: str) -> RuntimeError:
    """The error of a shard whose workers die every time."""
    return RuntimeError(
        f"{name}: {MOST_TRIES} workers that had this shard, or others beside it, died; give workers "
        "more memory, or cut it into smaller shards"
    )


class Borrowed:
    """Somebody else's executor: broken, it is theirs to mend."""

    def __init__(self, executor: Executor) -> None:
        self.submit = executor.submit

    def renew(self) -> None:
        """Raise: workers are the executor's own business."""
        raise RuntimeError("the executor is broken: make a new one, and give checkpoint= to go on")
