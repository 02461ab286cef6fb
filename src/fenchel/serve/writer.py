"""The one writer of a model: takes what waits, logs it, learns it, and answers once it is on disk.

Requests that wait together become one write and one wait for the disk. While the disk works, the rows
are learned, in the order in which they came; the answers go out when both are done.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fenchel.serve.log import SOURCE, TEXT, Log, Record
from fenchel.serve.model_state import State
from fenchel.serve.refusals import Refused
from fenchel.serve.settings import Limits
from fenchel.serve.text_rows import read_ahead

MOST_ROWS = 4096  # of one write: the loop answers others in between
ALONE = (*TEXT, SOURCE)  # each job is a record


@dataclass(slots=True, eq=False)
class Job:
    """Rows to learn or keep: JSON, one object a line, and its examples; or text, which a thread reads."""

    kind: int
    rows: int
    payload: bytes
    read: Any
    future: asyncio.Future[list[Any]]


class Writer:
    """Learns for one model, one write at a time."""

    def __init__(
        self,
        state: State,
        open_log: Log,
        limits: Limits,
        threads: Executor,
        tell: Callable[..., None],
    ) -> None:
        self.state, self.log = state, open_log
        self._limits, self._threads, self._tell = limits, threads, tell
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="fenchel-read")  # of text, in order
        self._queue: deque[Job] = deque()
        self.waiting_rows = self.waiting_bytes = 0
        self._wake = asyncio.Event()
        self.between = asyncio.Lock()  # held during a write: nothing is half done while it is free
        self.broken: str | None = None  # why nothing more is learned
        self.after_write: Callable[[], None] = lambda: None
        self._task = asyncio.get_running_loop().create_task(self._run())

    def submit_text(self, kind: int, payload: bytes, rows: int) -> asyncio.Future[list[bytes]]:
        """Queue lines of text, which are read while those before them are learned."""
        told = self.submit(kind, payload, rows)
        given = TEXT[kind], self.state.learner.schema, payload
        reading = asyncio.get_running_loop().run_in_executor(self._reader, read_ahead, *given)
        self._queue[-1].read = reading
        return told

    def submit(
        self, kind: int, payload: bytes, rows: int, read: Any = None
    ) -> asyncio.Future[list[Any]]:
        """Queue rows; the future has one result for each, once they are on disk."""
        if self.broken is not None:
            raise Refused(503, self.broken)
        if self.is_full(rows, len(payload)):
            raise Refused(429, f"{self.waiting_rows} rows wait already; try again in a second")
        job = Job(kind, rows, payload, read, asyncio.get_running_loop().create_future())
        self._queue.append(job)
        self.waiting_rows += rows
        self.waiting_bytes += len(payload)
        self._wake.set()
        return job.future

    def is_full(self, rows: int, size: int) -> bool:
        """Whether so many more rows and bytes would be too much to hold."""
        most = self._limits
        return bool(self._queue) and (
            self.waiting_rows + rows > most.queue_rows
            or self.waiting_bytes + size > most.queue_bytes
        )

    def is_busy(self, rows: int, size: int) -> bool:
        """Whether a stream should wait: enough is queued for two writes, and others come too."""
        return self.waiting_rows >= 2 * MOST_ROWS or self.is_full(rows, size)

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                async with self.between:
                    await self._write(self._take())
                    self.after_write()

    def _take(self) -> list[Job]:
        taken: list[Job] = []
        rows = 0
        while self._queue and (not taken or rows + self._queue[0].rows <= MOST_ROWS):
            job = self._queue.popleft()
            taken.append(job)
            rows += job.rows
            self.waiting_rows -= job.rows
            self.waiting_bytes -= len(job.payload)
        return taken

    async def _write(self, jobs: list[Job]) -> None:
        """Write, learn and answer; what fails fails for these jobs, and says why."""
        try:
            records = _records(jobs, self.state.position, max(_now(), self.state.time))
            self.log.append([record for record, _ in records])
        except OSError as error:
            why = f"the log cannot be written: {error.strerror}; make room on the disk"
            self._fail(jobs, Refused(507, why))
            return
        try:
            synced = asyncio.get_running_loop().run_in_executor(self._threads, self.log.sync)
            results = [await self._apply(record, its) for record, its in records]
            await synced
        except Exception as error:  # what is in memory may not be on the disk
            said = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            self.broken = f"the model has stopped learning: {said}; restart the server"
            self._fail([*jobs, *self._queue], Refused(503, self.broken))
            self._queue.clear()
            self.waiting_rows = self.waiting_bytes = 0
            return
        for (_, its), found in zip(records, results, strict=True):
            _answer(its, found)

    async def _apply(self, record: Record, jobs: list[Job]) -> list[Any]:
        if record.kind in TEXT:
            return self.state.apply_lines(record, await jobs[0].read)
        if record.kind in ALONE:
            return self.state.replay(record)
        examples = jobs[0].read if len(jobs) == 1 else [one for job in jobs for one in job.read]
        return self.state.apply(record, examples)

    def _fail(self, jobs: list[Job], refusal: Refused) -> None:
        self._tell("refused", level="error", why=refusal.error, path=str(self.log.path))
        for job in jobs:
            if not job.future.done():
                job.future.set_exception(refusal)

    async def drain(self) -> None:
        """Wait until everything that was queued is written."""
        while self._queue:
            await asyncio.sleep(0.005)
        async with self.between:
            pass

    async def close(self) -> None:
        """Stop; what was queued is written first."""
        self.broken = self.broken or "the model is being closed; try again in a second"
        await self.drain()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._reader.shutdown(wait=False)
        self.log.close()


def _now() -> int:
    return time.time_ns() // 1000


def _records(jobs: list[Job], position: int, now: int) -> list[tuple[Record, list[Job]]]:
    """Join jobs of one kind that follow each other to one record; text and batches stay as they came."""
    records = []
    for (kind, _), group in groupby(jobs, lambda job: (job.kind, job.kind in ALONE and id(job))):
        its = list(group)
        rows = sum(job.rows for job in its)
        payload = b"\n".join([job.payload for job in its])
        records.append((Record(position, now, rows, kind, payload), its))
        position += rows
    return records


def _answer(jobs: list[Job], results: list[Any]) -> None:
    begin = 0
    for job in jobs:
        if not job.future.done():  # a client may have gone
            job.future.set_result(results[begin : begin + job.rows])
        begin += job.rows
