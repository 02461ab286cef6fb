"""The ASGI application: the verbs directly, everything else by Starlette's routes."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from fenchel.serve.exchange import LINES, Gone, refuse
from fenchel.serve.gate import Gate
from fenchel.serve.house import House
from fenchel.serve.line_streams import LineStream
from fenchel.serve.refusals import Refused
from fenchel.serve.requests import ROLE, VERBS, Verbs
from fenchel.serve.routes import Routes
from fenchel.serve.scraping import ServerMetrics


class App:
    """Everything that is served over HTTP."""

    def __init__(self, house: House, gate: Gate) -> None:
        self.house, self._gate = house, gate
        self.metrics = ServerMetrics(house)
        self.verbs = Verbs(house, self.metrics)
        self.routes = Routes(house, gate, self.metrics)
        self._others = self.routes.app()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["method"] == "POST":
            parts = scope["path"].split("/")
            if len(parts) == 4 and parts[1] == "models" and parts[3] in VERBS:
                await self._verb(scope, receive, send, parts[2], parts[3])
                return
        await self._others(scope, receive, send)

    async def _verb(self, scope: Any, receive: Any, send: Any, name: str, verb: str) -> None:
        began = perf_counter()
        try:
            headers = dict(scope["headers"])
            self._gate.check(headers, ROLE[verb])
            if headers.get(b"content-type", b"").startswith(LINES):
                await LineStream(self.verbs, self.house.get(name), verb).serve(receive, send)
            else:
                await self.verbs.serve(receive, send, name, verb)
        except Refused as refusal:
            self.metrics.count_refused(refusal.status)
            await refuse(send, refusal)
        except Gone:
            return
        self.metrics.observe(verb, perf_counter() - began)
