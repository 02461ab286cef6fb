"""Running the server: sockets, signals, the order in which things begin and end."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import uvicorn

from fenchel.serve.asgi import App
from fenchel.serve.bearer_tokens import Tokens
from fenchel.serve.gate import Gate, refuse_public
from fenchel.serve.house import Build, House
from fenchel.serve.protocol import patient_protocol
from fenchel.serve.server_sockets import listen
from fenchel.serve.settings import Settings
from fenchel.serve.telling import Telling, tell


def run(settings: Settings, build: Build) -> None:
    """Serve until SIGTERM or Ctrl-C; returns after everything was written and saved."""
    tokens = Tokens.read(settings.token_file)
    refuse_public(settings.host, tokens)
    logging.getLogger().addHandler(Telling(logging.WARNING))
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(Server(settings, build, tokens).run())


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    with suppress(ImportError):
        import uvloop

        factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
        return factory
    return None


class Server:
    """One server from start to end."""

    def __init__(self, settings: Settings, build: Build, tokens: Tokens) -> None:
        self._settings, self._build, self._gate = settings, build, Gate(tokens)
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Open the models, serve, and on a signal drain and save within the time of grace."""
        settings = self._settings
        house = House(settings, self._build, tell)
        try:
            house.open_all()
        except BaseException:
            house.release()
            raise
        app = App(house, self._gate)
        try:
            helpers = await self._helpers(house, app)
        except BaseException:
            house.release()
            raise
        http = _Uvicorn(self._config(app))
        listening = listen(settings.host, settings.port, "--port")
        self._catch_signals()
        tend_to_garbage()
        serving = asyncio.ensure_future(http.serve(sockets=[listening]))
        while not http.started and not serving.done():
            await asyncio.sleep(0.01)
        self._say_where(listening, helpers)
        stopped = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait([stopped, serving], return_when=asyncio.FIRST_COMPLETED)
        await self._end(house, app, http, serving, helpers)

    async def _helpers(self, house: House, app: App) -> list[Any]:
        """Start the line protocol, the sources and the demonstration, where they are asked for."""
        helpers: list[Any] = []
        if self._settings.line_port is not None:
            from fenchel.serve.line_protocol import LineServer

            helpers.append(await LineServer(house, app, self._gate).start())
        if self._settings.sources:
            from fenchel.serve.served_sources import Sources

            helpers.append(await Sources(house, app).start())
        if self._settings.demo:
            from fenchel.serve.demo import Demo

            helpers.append(await Demo(house).start())
        return helpers

    def _config(self, app: App) -> uvicorn.Config:
        limits = self._settings.limits
        tls: dict[str, Any] = {
            "ssl_certfile": self._settings.certificate,
            "ssl_keyfile": self._settings.key,
        }
        return uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False, date_header=False,
            lifespan="off", ws="none", http=patient_protocol(limits.patience),
            limit_concurrency=limits.connections, timeout_keep_alive=int(limits.patience),
            timeout_graceful_shutdown=max(1, int(self._settings.grace / 2)), **tls,
        )  # fmt: skip

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)

    def _say_where(self, listening: socket.socket, helpers: list[Any]) -> None:
        host, port = listening.getsockname()[:2]
        scheme = "https" if self._settings.certificate else "http"
        shown = f"[{host}]" if ":" in host else host
        more = {key: value for helper in helpers for key, value in helper.facts.items()}
        tell(
            "serving", page=f"{scheme}://{shown}:{port}/", folder=str(self._settings.folder), **more
        )

    async def _end(
        self, house: House, app: App, http: Any, serving: Any, helpers: list[Any]
    ) -> None:
        """Take no more, finish what is under way, save; give up the rest when the grace is over."""
        app.routes.ready = False
        tell("stopping", grace=self._settings.grace)
        try:
            async with asyncio.timeout(self._settings.grace):
                for helper in helpers:
                    await helper.stop()
                await app.routes.events.stop()
                http.should_exit = True
                await serving
                await house.close()
            tell("stopped")
        except TimeoutError:
            tell("stopped", level="warning", why="the grace was over; the log has everything")


def tend_to_garbage() -> None:
    """Look for garbage often, among what is made from now on: a server lives long."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(5000, 20, 50)


class _Uvicorn(uvicorn.Server):
    """Uvicorn's server, whose signals are ours."""

    def capture_signals(self) -> Any:
        """Capture none: the server around this one does."""
        return nullcontext()
