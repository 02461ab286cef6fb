"""The line protocol: a line in, a line out, as ``vw --daemon`` speaks it; also JSON lines and svmlight.

The first line of a connection shows its format. Lines that arrived together are read and learned as a
block. A line with a label is learned, and answered with the prediction from before; one without is only
predicted. Two kinds of lines are commands:

* ``save_ANYTHING |`` saves a snapshot, as Vowpal Wabbit's tag does; no answer.
* ``fenchel model=NAME token=TOKEN`` before everything else: another model than the default, and the token
  where the server wants one; no answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from fenchel.serve import line_formats
from fenchel.serve.asgi import App
from fenchel.serve.gate import LEARN, Gate
from fenchel.serve.house import House
from fenchel.serve.line_formats import Format
from fenchel.serve.messages import Creation
from fenchel.serve.model import ServedModel
from fenchel.serve.outbox import Outbox
from fenchel.serve.refusals import Refused
from fenchel.serve.server_sockets import keep_alive, listen

MOST_CONNECTIONS = 256
READ = 1 << 18  # bytes at a time
HELLO = b"fenchel "
MOST_UNREAD = 1 << 20  # bytes of answers that a client has not read yet
QUIET = 60  # seconds after which the system asks whether a silent client is still there
GOODBYE = 3.0  # seconds for the last answers when the server stops


class LineServer:
    """Listens on the line port."""

    def __init__(self, house: House, app: App, gate: Gate) -> None:
        self.house, self.app, self.gate = house, app, gate
        self.facts: dict[str, Any] = {}
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._making: asyncio.Future[ServedModel] | None = None

    async def start(self) -> LineServer:
        """Begin to listen."""
        settings = self.house.settings
        listening = listen(settings.host, settings.line_port or 0, "--line-port")
        self.facts["line_port"] = listening.getsockname()[1]
        self._server = await asyncio.start_server(self._accept, sock=listening, limit=READ)
        return self

    async def default_model(self) -> None:
        """Make the model of lines that name none, once, whoever asks first."""
        if self._making is None or self._making.done():
            made = self.house.create(self.house.settings.line_model, Creation())
            self._making = asyncio.ensure_future(made)
        await asyncio.shield(self._making)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= MOST_CONNECTIONS:
            writer.write(b"error: too many connections; close one\n")
            writer.close()
            return
        keep_alive(writer.get_extra_info("socket"), QUIET)
        task = asyncio.ensure_future(Connection(self, reader, writer).serve())
        self._open.add(task)
        self.app.metrics.connections = len(self._open)
        task.add_done_callback(self._gone)

    def _gone(self, task: asyncio.Task[None]) -> None:
        self._open.discard(task)
        self.app.metrics.connections = len(self._open)

    async def stop(self) -> None:
        """Take no more; end the connections once what they sent is answered."""
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)


class Connection:
    """One client."""

    def __init__(
        self, server: LineServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._server, self._reader, self._writer = server, reader, writer
        self._admitted = not server.gate.wants_tokens
        self._name = server.house.settings.line_model
        self._format: Format | None = None

    async def serve(self) -> None:
        """Answer until the client has sent everything."""
        outbox = Outbox(self._send, MOST_UNREAD)
        try:
            async for lines in self._lines():
                await self._answer(lines, outbox)
            await outbox.finish()
        except Refused as refusal:
            await outbox.finish()
            await self._refuse(refusal)
        except ConnectionError:
            return
        except asyncio.CancelledError:  # the server stops: what was taken is answered
            async with asyncio.timeout(GOODBYE):
                await outbox.finish()
        finally:
            outbox.cancel()
            if not self._writer.is_closing():
                self._writer.close()

    async def _lines(self) -> AsyncIterator[bytes]:
        """Yield whole lines as they come; the rest of a line must come in time."""
        rest, limits = b"", self._server.house.settings.limits
        while data := await self._read(limits.patience if rest else None):
            end = data.rfind(b"\n") + 1
            if end:
                yield b"".join((rest, memoryview(data)[:end]))
                rest = data[end:]
            else:
                rest += data
            if len(rest) > limits.line:
                raise Refused(413, "the line is too long")
        if rest:
            yield rest + b"\n"

    async def _read(self, patience: float | None) -> bytes:
        try:
            async with asyncio.timeout(patience):
                return await self._reader.read(READ)
        except TimeoutError:
            raise Refused(408, "the rest of the line did not come") from None

    async def _send(self, answers: bytes) -> None:
        if self._writer.is_closing():
            raise ConnectionResetError
        self._writer.write(answers)
        await self._writer.drain()

    async def _refuse(self, refusal: Refused) -> None:
        """Say why, and read on for a moment: closing at once could take the line with it."""
        self._writer.write(f"error: {refusal.error}\n".encode())
        self._writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                while await self._reader.read(READ):
                    pass

    async def _answer(self, data: bytes, outbox: Outbox) -> None:
        if self._format is None:
            data = self._hello(data)
            if not data:
                return
            if not self._admitted:
                raise Refused(401, "begin with a line: fenchel token=TOKEN")
            self._format = line_formats.guess(data)
        model = await self._model()
        for piece in line_formats.pieces(data):
            await self._format.answer(self._server.app.verbs, model, piece, outbox)

    def _hello(self, data: bytes) -> bytes:
        """Take the lines for the server itself away from the beginning."""
        while data.startswith(HELLO):
            line, _, data = data.partition(b"\n")
            for word in line.split()[1:]:
                key, _, value = word.partition(b"=")
                if key == b"model":
                    self._name = value.decode(errors="replace")
                elif key == b"token":
                    self._admitted = self._server.gate.admits(value, LEARN)
                else:
                    raise Refused(400, "write fenchel model=NAME token=TOKEN")
        return data

    async def _model(self) -> ServedModel:
        """The model of this connection; the default one is made when it is needed first."""
        house = self._server.house
        if self._name not in house.models and self._name == house.settings.line_model:
            await self._server.default_model()
        return house.get(self._name)
