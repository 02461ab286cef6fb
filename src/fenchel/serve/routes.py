"""Everything besides the verbs: making and describing models, files, metrics, health, the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from fenchel.serve.events import Events
from fenchel.serve.exchange import Gone, read_body, read_piece, refusal_headers
from fenchel.serve.gate import ADMIN, READ, Gate
from fenchel.serve.house import House
from fenchel.serve.messages import Creation, Fault, ModelList, encode
from fenchel.serve.openapi import document
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.requests import VERBS
from fenchel.serve.scraping import ServerMetrics

CREATION = msgspec.json.Decoder(Creation)
PAGE = (
    b"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
    b"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
MOST_WEIGHTS = 100_000


class Routes:
    """The endpoints that Starlette serves."""

    def __init__(self, house: House, gate: Gate, metrics: ServerMetrics) -> None:
        self._house, self._gate, self._metrics = house, gate, metrics
        self.events = Events(house)
        self.ready = True

    def app(self) -> Starlette:
        """Make the application."""
        one = "/models/{name}"
        routes = [
            Route("/", self.page),
            Route("/healthz", self.health),
            Route("/readyz", self.readiness),
            Route("/openapi.json", self.openapi),
            self._route("/metrics", GET=(READ, self.metrics)),
            self._route("/events", GET=(READ, self.watch)),
            self._route("/models", GET=(READ, self.list)),
            self._route(
                one,
                GET=(READ, self.describe),
                POST=(ADMIN, self.create),
                DELETE=(ADMIN, self.delete),
            ),
            self._route(one + "/weights", GET=(READ, self.weights)),
            self._route(one + "/file", GET=(READ, self.download), PUT=(ADMIN, self.upload)),
            # A POST never gets here: it is answered before. Other methods are told so.
            *(self._route(f"{one}/{verb}", POST=(READ, self.health)) for verb in VERBS),
        ]
        handlers: Any = {HTTPException: self._http_error}
        return Starlette(routes=routes, exception_handlers=handlers)

    def _route(self, path: str, **methods: tuple[int, Any]) -> Route:
        """A path with its methods, each for those of a role."""

        async def served(request: Request) -> Response:
            role, endpoint = methods["GET" if request.method == "HEAD" else request.method]
            try:
                self._gate.check(dict(request.scope["headers"]), role)
                answer: Response = await endpoint(request)
                return answer
            except Refused as refusal:
                return self._refused(refusal)
            except OSError as error:
                why = f"the disk cannot be written: {error.strerror or error}"
                return self._refused(Refused(507, why))
            except Gone:
                return Response(status_code=499)

        return Route(path, served, methods=list(methods))

    def _refused(self, refusal: Refused) -> Response:
        self._metrics.count_refused(refusal.status)
        headers = {k.decode(): v.decode() for k, v in refusal_headers(refusal)}
        return _json(Fault(refusal.error), refusal.status, headers)

    async def _http_error(self, request: Request, error: HTTPException) -> Response:
        return _json(Fault(error.detail), error.status_code, error.headers)

    # ── models ──────────────────────────────────────────────────────────────────────────────────

    async def list(self, request: Request) -> Response:
        """List all models."""
        models = [model.facts() for _, model in sorted(self._house.models.items())]
        return _json(ModelList(models))

    async def describe(self, request: Request) -> Response:
        """Describe a model."""
        return _json(self._model(request).facts())

    async def create(self, request: Request) -> Response:
        """Make a model."""
        body = await read_body(request.receive, self._house.settings.limits)
        try:
            wish = CREATION.decode(body) if body.strip() else Creation()
        except (ValueError, RecursionError) as error:
            status = 422 if isinstance(error, msgspec.ValidationError) else 400
            raise Refused(status, f"the body cannot be read: {in_one_line(error)}") from None
        model = await self._house.create(request.path_params["name"], wish)
        return _json(model.facts(), 201)

    async def delete(self, request: Request) -> Response:
        """Delete a model."""
        await self._house.delete(request.path_params["name"])
        return Response(status_code=204)

    async def weights(self, request: Request) -> Response:
        """The largest weights by name."""
        top = request.query_params.get("top", "100")
        if not (top.isascii() and top.isdigit() and len(top) < 7 and int(top) <= MOST_WEIGHTS):
            raise Refused(422, f"top={top[:20]!r}: give a whole number up to {MOST_WEIGHTS}")
        return _json(self._model(request).weights(int(top)))

    async def download(self, request: Request) -> Response:
        """The model as a file."""
        model = self._model(request)
        folder = TemporaryDirectory(prefix=".deleted-", dir=self._house.folder)
        path = Path(folder.name) / "model.fenchel"
        try:
            await model.file(path)
        except OSError:
            folder.cleanup()
            raise
        name = f"{model.name}.fenchel"
        done = BackgroundTask(folder.cleanup)
        return FileResponse(path, 200, None, "application/octet-stream", done, filename=name)

    async def upload(self, request: Request) -> Response:
        """Serve the model of an uploaded file."""
        with TemporaryDirectory(prefix=".deleted-", dir=self._house.folder) as folder:
            path = Path(folder) / "model.fenchel"
            await self._receive_file(request, path)
            model = await self._house.upload(request.path_params["name"], path)
        return _json(model.facts())

    async def _receive_file(self, request: Request, path: Path) -> None:
        limits, size, more = self._house.settings.limits, 0, True
        with open(path, "wb") as file:
            while more:
                data, more = await read_piece(request.receive)
                size += len(data)
                if size > limits.upload:
                    raise Refused(413, f"the file has more than {limits.upload} bytes")
                file.write(data)

    def _model(self, request: Request) -> Any:
        return self._house.get(request.path_params["name"])

    # ── the server ──────────────────────────────────────────────────────────────────────────────

    async def page(self, request: Request) -> Response:
        """The page to watch."""
        html = files("fenchel.serve").joinpath("page.html").read_bytes()
        headers = {"content-security-policy": PAGE.decode(), "x-content-type-options": "nosniff"}
        return Response(html, 200, headers, "text/html")

    async def health(self, request: Request) -> Response:
        """Whether the process lives."""
        return _json({"status": "ok"})

    async def readiness(self, request: Request) -> Response:
        """Whether requests are taken: not while stopping, nor with a model that stopped learning."""
        broken = [name for name, model in self._house.models.items() if model.writer.broken]
        ready = self.ready and not broken
        status = "ready" if ready else "stopping" if not self.ready else f"broken: {broken[0]}"
        return _json({"status": status}, 200 if ready else 503)

    async def openapi(self, request: Request) -> Response:
        """The document that describes all of this."""
        return _json(document())

    async def metrics(self, request: Request) -> Response:
        """Everything for Prometheus."""
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def watch(self, request: Request) -> Response:
        """What the page shows, each time something has changed."""

        async def lines() -> AsyncIterator[bytes]:
            async for state in self.events.follow():
                yield b"data: " + encode(state) + b"\n\n"

        headers = {"cache-control": "no-store"}
        return StreamingResponse(lines(), 200, headers, "text/event-stream")


def _json(told: Any, status: int = 200, headers: Any = None) -> Response:
    return Response(encode(told), status, headers, "application/json")
