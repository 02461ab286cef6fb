"""A stream of JSON lines in, one line out for each, while more comes in."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from fenchel.serve.exchange import LINES, read_piece
from fenchel.serve.messages import encode_lines
from fenchel.serve.model import ServedModel
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.requests import DECODERS, Verbs, as_message

PIECE = 512  # lines at a time: other requests get their turn in between
AHEAD = 4  # pieces on their way to the disk
MOST_UNREAD = 32 << 20  # bytes of answers for a client that sends everything before it reads


class LineStream:
    """One request that is a stream."""

    def __init__(self, verbs: Verbs, model: ServedModel, verb: str) -> None:
        self._verbs, self._model, self._verb = verbs, model, verb
        self._limits = verbs.house.settings.limits
        self._decoder = DECODERS[verb]

    async def serve(self, receive: Any, send: Any) -> None:
        """Answer every line, in order."""
        outbox = Outbox(send)
        pending: deque[asyncio.Task[bytes]] = deque()
        try:
            await outbox.start()
            async for lines in self._pieces(receive):
                pending.append(asyncio.ensure_future(self.answers(lines)))
                await asyncio.sleep(0)
                while len(pending) > AHEAD or (pending and pending[0].done()):
                    await outbox.put(await pending.popleft())
            while pending:
                await outbox.put(await pending.popleft())
        except Refused as refusal:
            while pending:
                await outbox.put(await pending.popleft())
            await outbox.put(encode_lines([as_message(refusal)]))
        finally:
            for task in pending:
                task.cancel()
        await outbox.finish()

    async def _pieces(self, receive: Any) -> AsyncIterator[list[bytes]]:
        """Cut the body into lists of lines."""
        rest, more = b"", True
        while more:
            data, more = await read_piece(receive)
            data = rest + data
            end = len(data) if not more else data.rfind(b"\n") + 1
            rest = data[end:]
            if len(rest) > self._limits.line:
                raise Refused(413, f"a line has more than {self._limits.line} bytes")
            lines = [line for line in data[:end].split(b"\n") if line and not line.isspace()]
            for begin in range(0, len(lines), PIECE):
                yield lines[begin : begin + PIECE]

    async def answers(self, lines: list[bytes]) -> bytes:
        """One line for each of some lines, once what they say is on disk."""
        examples, faults = self._decoded(lines)
        good = [line for line, fault in zip(lines, faults, strict=True) if fault is None]
        writer = self._model.writer
        payload = b"\n".join(good)
        while self._verb != "predict" and writer.is_full(len(good), len(payload)):
            await asyncio.sleep(0.005)
        try:
            results = iter(await self._verbs.results(self._model, self._verb, examples, payload))
        except Refused as refusal:
            results = iter([refusal] * len(good))
        told = [as_message(next(results) if fault is None else fault) for fault in faults]
        return encode_lines(told)

    def _decoded(self, lines: list[bytes]) -> tuple[list[Any], list[Refused | None]]:
        """The examples of good lines, and for each line why it is none."""
        try:
            examples = self._decoder.decode_lines(b"\n".join(lines))
            for example in examples:
                self._verbs.check(example)
            return examples, [None] * len(lines)
        except (Refused, ValueError, RecursionError):
            examples = []
        faults: list[Refused | None] = []
        for line in lines:
            try:
                example = self._decoder.decode(line)
                self._verbs.check(example)
                examples.append(example)
                faults.append(None)
            except (ValueError, RecursionError) as error:
                kind = 422 if isinstance(error, msgspec.ValidationError) else 400
                faults.append(Refused(kind, f"the line cannot be read: {in_one_line(error)}"))
            except Refused as refusal:
                faults.append(refusal)
        return examples, faults


class Outbox:
    """Sends answers beside the reading, so that a client may send everything before it reads."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._size = 0
        self._room = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin the answer."""
        headers = [(b"content-type", LINES)]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        self._task = asyncio.ensure_future(self._run())

    async def put(self, data: bytes) -> None:
        """Hand over some lines; waits while too much is unread."""
        self._size += len(data)
        self._queue.put_nowait(data)
        while self._size > MOST_UNREAD and self._task is not None and not self._task.done():
            self._room.clear()
            await self._room.wait()

    async def _run(self) -> None:
        try:
            while (data := await self._queue.get()) is not None:
                await self._send({"type": "http.response.body", "body": data, "more_body": True})
                self._size -= len(data)
                self._room.set()
        finally:
            self._room.set()

    async def finish(self) -> None:
        """Send what is left, and end the answer."""
        self._queue.put_nowait(None)
        assert self._task is not None, "start comes first"
        await self._task
        await self._send({"type": "http.response.body", "body": b""})
