"""Answers sent in the order of their questions, beside the reading of more."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

AHEAD = 8  # pieces that are read before their turn, or on their way to the disk

Answer = asyncio.Future[bytes]


class Outbox:
    """Takes answers that are still to come, and sends each when it is known and those before it are sent."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]], most_unread: int) -> None:
        self._send, self._most_unread = send, most_unread
        self._answers: asyncio.Queue[Answer | None] = asyncio.Queue()
        self._open: deque[Answer] = deque()  # not known yet
        self._unread = 0
        self._changed = asyncio.Event()
        self._task = asyncio.ensure_future(self._run())

    async def put(self, answer: Answer) -> None:
        """Hand over the next answer; waits while too many are to come, or too much is unread."""
        self._answers.put_nowait(answer)
        self._open.append(answer)
        answer.add_done_callback(self._known)
        await self._until(lambda: len(self._open) < AHEAD and self._unread <= self._most_unread)

    async def settled(self) -> None:
        """Wait until every answer is known: what was learned for it shows in what comes next."""
        await self._until(lambda: not self._open)

    async def _until(self, so: Callable[[], bool]) -> None:
        while not (so() or self._task.done()):
            self._changed.clear()
            await self._changed.wait()
        if self._task.done():
            self._task.result()  # why nothing more is sent

    def _known(self, answer: Answer) -> None:
        self._open.remove(answer)
        if not answer.cancelled() and answer.exception() is None:
            self._unread += len(answer.result())
        self._changed.set()

    async def _run(self) -> None:
        try:
            while (answer := await self._answers.get()) is not None:
                data = await answer
                await self._send(data)
                self._unread -= len(data)
                self._changed.set()
        finally:
            self._changed.set()

    async def finish(self) -> None:
        """Wait until everything is sent."""
        self._answers.put_nowait(None)
        await asyncio.shield(self._task)

    def cancel(self) -> None:
        """Send nothing more: the client is gone."""
        self._task.cancel()
        for answer in list(self._open):
            answer.cancel()


def known(data: bytes) -> Answer:
    """An answer that is known already."""
    answer: Answer = asyncio.get_running_loop().create_future()
    answer.set_result(data)
    return answer
