"""Independent work on all cores: the compiled loops let go of the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="fenchel")


def in_parallel(work: Callable[[Task], Result], tasks: Iterable[Task]) -> list[Result]:
    """The results in the order of the tasks; the caller works too, so that nesting cannot wait."""
    todo = list(tasks)
    if len(todo) <= 1:
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
