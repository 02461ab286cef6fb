"""Uvicorn's HTTP protocol with an end to patience, and with one write for an answer.

The next bytes of a request must come in time. Head and body of an answer are written apart by uvicorn; to the
system they go together: a call of it costs more than a prediction.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Gathered:
    """A transport that writes what it is given in one turn of the loop at once, at the end of the turn."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._pieces: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Keep bytes for the end of the turn."""
        if not self._pieces:
            self._loop.call_soon(self.flush)
        self._pieces.append(data)

    def flush(self) -> None:
        """Write everything now."""
        pieces, self._pieces = self._pieces, []
        if pieces and not self._transport.is_closing():
            self._transport.write(pieces[0] if len(pieces) == 1 else b"".join(pieces))

    def close(self) -> None:
        """Write everything, and close."""
        self.flush()
        self._transport.close()


def patient_protocol(seconds: float) -> type[asyncio.Protocol]:
    """A protocol that closes a connection whose request stands still for some seconds.

    Neither its head nor its body may; while the server itself does not read, time does not count.
    """

    class Patient(HttpToolsProtocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.transport: Any = Gathered(transport, self.loop)
            self._begin()

        def _begin(self) -> None:
            self._patience = self.loop.call_later(seconds, self._give_up)

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._patience.cancel()
            self._begin()

        def on_body(self, body: bytes) -> None:
            super().on_body(body)
            self._patience.cancel()
            self._begin()

        def on_message_complete(self) -> None:
            self._patience.cancel()
            super().on_message_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._patience.cancel()
            super().connection_lost(exc)

        def _give_up(self) -> None:
            if self.flow.read_paused:
                self._begin()
            elif not self.transport.is_closing():
                self.transport.close()

    return Patient
