"""The embedded executor: processes of this machine, made anew where one of them dies."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any


class Processes:
    """A pool of the standard library's processes, started afresh (``spawn``): threads are not copied."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool = self._made()

    def _made(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, mp_context=context)

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        """Have a process call the function."""
        return self._pool.submit(function, *arguments)

    def renew(self) -> None:
        """Replace a pool that lost a process."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._made()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *error: Any) -> None:
        self._pool.shutdown(wait=error[0] is None, cancel_futures=True)
