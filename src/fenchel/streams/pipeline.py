"""Chunks parsed on several threads, ahead of the consumer, and handed over in order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, Queue
from typing import Generic, TypeVar

C = TypeVar("C")
P = TypeVar("P")

PATIENCE = 0.5  # seconds of a wait


def ordered(
    chunks: Iterator[C], parse: Callable[[C], P], threads: int | None
) -> Iterator[tuple[C, P]]:
    """Each chunk with what ``parse`` makes of it, in order.

    With one thread everything happens in the caller's; with more, chunks are read and parsed while
    the caller works on earlier ones, a few at most.
    """
    count = threads or os.cpu_count() or 1
    if count == 1:
        for chunk in chunks:
            yield chunk, parse(chunk)
        return
    ahead = _Ahead(chunks, parse, count)
    try:
        yield from ahead.results()
    finally:
        ahead.stop()


class _Ahead(Generic[C, P]):
    """A thread that reads, a pool that parses, and a bounded queue of what is on its way."""

    def __init__(self, chunks: Iterator[C], parse: Callable[[C], P], threads: int) -> None:
        self._chunks, self._parse = chunks, parse
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="fenchel-parse")
        self._queue: Queue[tuple[C, Future[P]] | BaseException | None] = Queue()
        self._room = threading.Semaphore(threads + 1)
        self._stopped = False
        # A daemon: it may be waiting for a pipe when the program wants to end.
        threading.Thread(target=self._read, name="fenchel-read", daemon=True).start()

    def _read(self) -> None:
        try:
            for chunk in self._chunks:
                self._room.acquire()
                if self._stopped:
                    return
                self._queue.put((chunk, self._pool.submit(self._parse, chunk)))
            self._queue.put(None)
        except BaseException as error:  # handed to the consumer, in its turn
            self._queue.put(error)

    def _next(self) -> tuple[C, Future[P]] | BaseException | None:
        """Wait for what comes next; a signal that came just before a wait without end would be lost."""
        while True:
            try:
                return self._queue.get(timeout=PATIENCE)
            except Empty:
                pass

    def results(self) -> Iterator[tuple[C, P]]:
        while (item := self._next()) is not None:
            if isinstance(item, BaseException):
                raise item
            chunk, future = item
            parsed = future.result()
            self._room.release()
            yield chunk, parsed

    def stop(self) -> None:
        self._stopped = True
        self._room.release()
        self._pool.shutdown(wait=False, cancel_futures=True)
