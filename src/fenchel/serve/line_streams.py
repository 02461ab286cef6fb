"""A stream of JSON lines in, one line out for each, while more comes in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from fenchel.serve.exchange import LINES, read_piece
from fenchel.serve.messages import encode_lines
from fenchel.serve.model import ServedModel
from fenchel.serve.outbox import Outbox, known
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.requests import DECODERS, Verbs, as_message

MOST_UNREAD = 32 << 20  # bytes of answers for a client that sends everything before it reads
PIECE = 1 << 17  # bytes of lines at a time: other requests get their turn in between


class LineStream:
    """One request that is a stream."""

    def __init__(self, verbs: Verbs, model: ServedModel, verb: str) -> None:
        self._verbs, self._model, self._verb = verbs, model, verb
        self._limits = verbs.house.settings.limits
        self._decoder = DECODERS[verb]

    async def serve(self, receive: Any, send: Any) -> None:
        """Answer every line, in order."""

        async def send_lines(data: bytes) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": True})

        headers = [(b"content-type", LINES)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        outbox = Outbox(send_lines, MOST_UNREAD)
        try:
            async for lines in self._pieces(receive):
                await outbox.put(await self.begin(lines))
                await asyncio.sleep(0)
        except Refused as refusal:
            await outbox.put(known(encode_lines([as_message(refusal)])))
        except BaseException:
            outbox.cancel()
            raise
        await outbox.finish()
        await send({"type": "http.response.body", "body": b""})

    async def _pieces(self, receive: Any) -> AsyncIterator[bytes]:
        """Cut the body into pieces of whole lines."""
        rest, more = b"", True
        while more:
            data, more = await read_piece(receive)
            data = rest + data if rest else data
            begin, end = 0, len(data) if not more else data.rfind(b"\n") + 1
            while begin < end:
                stop = data.find(b"\n", min(begin + PIECE, end) - 1, end) + 1 or end
                yield data[begin:stop]
                begin = stop
            rest = data[end:]
            if len(rest) > self._limits.line:
                raise Refused(413, f"a line has more than {self._limits.line} bytes")

    async def begin(self, data: bytes) -> asyncio.Future[bytes]:
        """Take up some lines in their turn; one line for each is to come, once all is on disk."""
        examples, payload, faults = self._decoded(data)
        rows, writer = len(examples), self._model.writer
        while self._verb != "predict" and writer.is_busy(rows, len(payload)):
            await asyncio.sleep(0.005)
        try:
            told: Any = self._verbs.begin(self._model, self._verb, examples, payload)
        except Refused as refusal:
            told = refusal
        return asyncio.ensure_future(_told(told, rows, faults))

    def _decoded(self, data: bytes) -> tuple[list[Any], bytes, list[Refused | None]]:
        """The examples of good lines, these lines, and where not all are good why not, line by line."""
        try:
            examples = self._decoder.decode_lines(data)
            lines = data.count(b"\n") + (data[-1:] != b"\n")
            if len(examples) == lines:
                if len(data) > 2 * self._limits.features:  # a feature takes two bytes at least
                    for example in examples:
                        self._verbs.check(example)
                return examples, data.rstrip(b"\n"), []
        except (Refused, ValueError, RecursionError):
            pass
        return self._one_by_one([line for line in data.split(b"\n") if line.strip()])

    def _one_by_one(self, lines: list[bytes]) -> tuple[list[Any], bytes, list[Refused | None]]:
        examples: list[Any] = []
        good: list[bytes] = []
        faults: list[Refused | None] = []
        for line in lines:
            try:
                example = self._decoder.decode(line)
                self._verbs.check(example)
                examples.append(example)
                good.append(line)
                faults.append(None)
            except (ValueError, RecursionError) as error:
                kind = 422 if isinstance(error, msgspec.ValidationError) else 400
                faults.append(Refused(kind, f"the line cannot be read: {in_one_line(error)}"))
            except Refused as refusal:
                faults.append(refusal)
        return examples, b"\n".join(good), faults


async def _told(told: Any, rows: int, faults: list[Refused | None]) -> bytes:
    """The answers as lines: results in order, and in between the faults of lines that were not taken."""
    try:
        results = [told] * rows if isinstance(told, Refused) else await told
    except Refused as refusal:
        results = [refusal] * rows
    if faults:
        good = iter(results)
        results = [next(good) if fault is None else fault for fault in faults]
    return encode_lines([as_message(result) for result in results])
