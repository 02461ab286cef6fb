"""Uvicorn's HTTP protocol with an end to patience: a request's head must come in some seconds."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


def patient_protocol(seconds: float) -> type[asyncio.Protocol]:
    """A protocol that closes a connection whose first request does not come within some seconds."""

    class Patient(HttpToolsProtocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._patience = self.loop.call_later(seconds, self._give_up)

        def on_headers_complete(self) -> None:
            self._patience.cancel()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._patience.cancel()
            super().connection_lost(exc)

        def _give_up(self) -> None:
            if not self.transport.is_closing():
                self.transport.close()

    return Patient
