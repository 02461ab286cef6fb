"""Independent work on all cores: the compiled loops let go of the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from time import perf_counter
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="fenchel")


def in_parallel(
    work: Callable[[Task], Result], tasks: Iterable[Task], together: bool = True
) -> list[Result]:
    """The results in the order of the tasks; one after the other unless ``together``.

    The caller works too, so that nesting cannot wait.
    """
    todo = list(tasks)
    if len(todo) <= 1 or not together:
        return [work(task) for task in todo]
    # A pool of threads does not survive a fork: each process has its own.
    helpers = [_pool(os.getpid()).submit(work, task) for task in todo[1:]]
    first = work(todo[0])
    return [
        first,
        *(_result(helper, work, task) for helper, task in zip(helpers, todo[1:], strict=True)),
    ]


def _result(helper: Future[Result], work: Callable[[Task], Result], task: Task) -> Result:
    # Work that no thread has begun is done here instead of waited for.
    return work(task) if helper.cancel() else helper.result()


class Crew:
    """Does the same kinds of work again and again, what took longest the last time first."""

    def __init__(self) -> None:
        self._seconds: dict[Any, float] = {}

    def do(self, work: Mapping[Any, Callable[[], None]], together: bool) -> None:
        """All of it, by kind; one after the other unless ``together``."""
        kinds = sorted(work, key=lambda kind: -self._seconds.get(kind, 0.0))
        in_parallel(lambda kind: self._timed(kind, work[kind]), kinds, together)

    def _timed(self, kind: Any, task: Callable[[], None]) -> None:
        begin = perf_counter()
        task()
        self._seconds[kind] = perf_counter() - begin
