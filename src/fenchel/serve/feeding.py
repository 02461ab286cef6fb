"""Live sources as input: ``--source MODEL=redis://host/stream``, each message learned exactly once.

A batch of messages and the marks behind them are one record of the model's log. So what is on disk has its
place with it: a start goes on behind the last whole record, whatever the broker believes was read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fenchel.serve import log, source_records
from fenchel.serve.asgi import App
from fenchel.serve.house import House
from fenchel.serve.messages import Creation
from fenchel.serve.model import ServedModel
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.source_messages import SourceMessages
from fenchel.streams.inboxes import Address, Inbox, Message, is_address, open_inbox
from fenchel.streams.inboxes.inbox import advance
from fenchel.streams.live_stream import described, dialect_of, format_of, has_header

BATCH = 1024  # messages of one write: others get their turn in between
WAIT = 0.1
RETRY = 5.0  # seconds after a source failed
VERB = {
    log.LEARN: "learn",
    log.ASK: "ask",
    log.ANSWER: "answer",
    log.VW: "learn",
    log.SVMLIGHT: "learn",
}


class Sources:
    """All sources of a server."""

    def __init__(self, house: House, app: App) -> None:
        self._house = house
        self._feeders = [Feeder(house, app, *each) for each in parsed(house.settings.sources)]
        self.facts: dict[str, Any] = {"sources": [f.told for f in self._feeders]}
        app.metrics.sources = self._feeders
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> Sources:
        """Make the models that are not there yet, and begin to read."""
        for feeder in self._feeders:
            if feeder.name not in self._house.models:
                await self._house.create(feeder.name, Creation())
        self._tasks = [asyncio.ensure_future(feeder.run()) for feeder in self._feeders]
        return self

    async def stop(self) -> None:
        """Take no more; what is on its way to the log is finished by the model's own end."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def parsed(texts: Iterable[str]) -> list[tuple[str, Address]]:
    """Read MODEL=ADDRESS each, or raise ``ValueError``.

    >>> parsed(["clicks=redis://localhost/events"])[0][1].name
    'events'
    """
    found: dict[tuple[str, str], tuple[str, Address]] = {}
    for text in texts:
        name, _, place = text.partition("=")
        if not is_address(place):
            what = "give MODEL=ADDRESS, as in clicks=redis://host/stream"
            raise ValueError(f"--source {text}: {what}")
        address = Address.parse(place)
        format_of(address)
        if (name, address.key) in found:
            raise ValueError(f"--source {name}: {address.key} is named twice; name it once")
        found[name, address.key] = name, address
    return list(found.values())


class Feeder:
    """Leads one model through one source."""

    def __init__(self, house: House, app: App, name: str, address: Address) -> None:
        self.name, self.address, self._house, self._app = name, address, house, app
        self.told = f"{name}={address.shown}"
        self._format, self._dialect = format_of(address), dialect_of(address)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fenchel-source")
        self.messages = self.refused = 0  # since the start
        self.lag: int | None = None

    async def run(self) -> None:
        """Read for ever; where the model is deleted, wait until one of its name is made."""
        try:
            while True:
                model = self._house.models.get(self.name)
                if model is None:
                    await asyncio.sleep(WAIT)
                    continue
                try:
                    await self._read(model)
                except (ValueError, OSError, Refused) as error:
                    self._tell("source failed", "error", why=in_one_line(error))
                    await asyncio.sleep(RETRY)
        finally:
            self._thread.shutdown(wait=False)

    async def _read(self, model: ServedModel) -> None:
        marks = dict(model.state.sources.get(self.address.key, {}))
        headed = has_header(self._format, described(model.learner.schema.copy(), self.address))

        def opened() -> Inbox:
            return open_inbox(self.address, dict(marks), headed=headed, tell=self._warn)

        inbox = await self._in_thread(opened)
        try:
            taking = self._in_thread(inbox.take, BATCH, WAIT)
            while self._house.models.get(self.name) is model:
                messages = await taking
                taking = self._in_thread(self._take, inbox, dict(marks))  # while these are learned
                if messages and self._house.models.get(self.name) is model:
                    advance(marks, messages)
                    await self._learn(model, messages, marks)
        finally:
            self._thread.submit(inbox.close)

    def _take(self, inbox: Inbox, marks: dict[str, Any]) -> Sequence[Message]:
        """Take messages; where none wait there is time to look at the lag, and to tell the broker."""
        found = inbox.take(BATCH, 0.0)
        if found:
            return found
        inbox.confirm(marks)
        self.lag = inbox.lag()
        return inbox.take(BATCH, WAIT)

    async def _learn(
        self, model: ServedModel, messages: Sequence[Message], marks: dict[str, Any]
    ) -> None:
        """Learn messages; returns when they are on disk, with the marks behind them."""
        sorting = SourceMessages(model.state, self._format, self._dialect, self.address)
        parts = sorting.parts(messages)
        rows = sum(part.rows for part in parts)
        payload = source_records.encoded(self.address.key, marks, parts)
        results: list[Any] = []
        while True:
            while model.writer.is_full(rows, len(payload)):
                await asyncio.sleep(0.01)
            try:
                results = await model.writer.submit(log.SOURCE, payload, rows)
                break
            except Refused as refusal:
                if refusal.status != 507 or self._house.models.get(self.name) is not model:
                    raise
                await asyncio.sleep(1.0)  # the disk is full: the messages wait where they are
        for part in parts:
            self._app.verbs.count(model, VERB[part.kind], part.rows)
        self.messages += len(messages)
        self._count_refused(sorting.refused, results)

    def _count_refused(self, unread: list[tuple[str, str]], results: Sequence[Any]) -> None:
        """Count what was refused, and tell of the first in one line."""
        why = [f"message {id}: {reason}" for id, reason in unread]
        why += [result.error for result in results if isinstance(result, Refused)]
        why += [r.decode().strip() for r in results if isinstance(r, bytes) and r[:6] == b"error:"]
        self.refused += len(why)
        if why:
            self._tell("messages refused", "warning", refused=len(why), first=why[0])

    def _warn(self, text: str) -> None:
        self._tell("source", "warning", why=text)

    def _tell(self, event: str, level: str, **facts: Any) -> None:
        self._house.tell(event, level=level, source=self.told, **facts)

    def _in_thread(self, function: Callable[..., Any], *given: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._thread, function, *given)
