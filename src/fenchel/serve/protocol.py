"""Uvicorn's HTTP protocol with an end to patience: the next bytes of a request must come in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


def patient_protocol(seconds: float) -> type[asyncio.Protocol]:
    """A protocol that closes a connection whose request stands still for some seconds.

    Neither its head nor its body may; while the server itself does not read, time does not count.
    """

    class Patient(HttpToolsProtocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
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
