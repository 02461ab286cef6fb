"""Learning from a live source until it is to stop, saved so that each message counts exactly once."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fenchel.learners import Learner, storage
from fenchel.live import bookmarks
from fenchel.live.bookmarks import Bookmark
from fenchel.live.message_run import MessageRun
from fenchel.live.senders import Sender, open_sender
from fenchel.schema import Schema
from fenchel.streams import BadInput, Names
from fenchel.streams.inboxes import Address, Message, open_inbox
from fenchel.streams.inboxes.inbox import advance
from fenchel.streams.live_stream import described, dialect_of, format_of, has_header

BATCH = 8192
WAIT = 0.1  # seconds: after so long a request to stop is seen


@dataclass(frozen=True)
class LiveSettings:
    """Says what is saved and sent, and when."""

    save: str | None = None
    checkpoint_every: int | None = None
    checkpoint_seconds: float | None = 30.0
    predictions: str | None = None
    dead_letters: str | None = None
    skip: bool = False  # refused messages are left out, and counted
    drain: bool = False
    metrics: tuple[str, ...] = ()
    tell: Callable[[str], None] = field(default=lambda text: None)
    before_save: Callable[[], None] = field(default=lambda: None)
    after_save: Callable[[], None] = field(default=lambda: None)
    after_batch: Callable[[], None] = field(default=lambda: None)


class LiveTraining:
    """Leads a learner through the messages of an address.

    What was learned and how far are one file: it is written whole or not at all, and a start from it goes on
    behind the last message that it has learned.
    """

    def __init__(
        self,
        address: str,
        learner: Learner,
        settings: LiveSettings,
        *,
        format: str | None = None,
        schema: Schema | None = None,
        stored: dict[str, Any] | None = None,
        csv: tuple[str | None, str | None] = (None, None),  # separator and decimal
    ) -> None:
        self.address, self._settings = Address.parse(address), settings
        self._others = dict(stored or {})
        told = self._others.pop(self.address.key, None)
        self.bookmark = (
            Bookmark() if told is None else Bookmark.restored(told, settings.save or "the model")
        )
        format, dialect = format_of(self.address, format), dialect_of(self.address, *csv)
        schema = described(learner.schema if schema is None else schema, self.address)
        names = learner.names
        if names is None and format != "svmlight":
            names = Names(schema.bits)
        wanted = settings.predictions is not None
        given = learner, format, schema, names, settings.metrics, wanted, dialect
        self.messages = MessageRun(*given)
        self.stop = threading.Event()
        self._senders: dict[str, Sender] = {}
        self._unsaved, self._saved_at = 0, time.monotonic()
        self.inbox = open_inbox(
            self.address, dict(self.bookmark.marks),
            drain=settings.drain, headed=has_header(format, schema), tell=settings.tell,
        )  # fmt: skip

    @property
    def learner(self) -> Learner:
        """The learner."""
        return self.messages.learner

    def run(self) -> None:
        """Learn until ``stop`` is set, or up to the end of what is there if it is to drain."""
        with little_garbage():
            self._run()

    def _run(self) -> None:
        try:
            self._open_senders()
            if self._settings.save and not self.bookmark.messages:
                self.save()  # from now on a start goes on with this run
            while not self.stop.is_set():
                messages = self.inbox.take(self._room(), WAIT)
                if messages:
                    self._learn(messages)
                elif self._settings.drain and self.inbox.ended:
                    break
                if self._is_due():
                    self.save()
                self._settings.after_batch()
            if self._unsaved:
                self.save()
            self._tell_learner()
        finally:
            self.inbox.close()
            for sender in self._senders.values():
                sender.close()

    def _open_senders(self) -> None:
        for name in ("predictions", "dead_letters"):
            place = getattr(self._settings, name)
            if place:
                state, tell = getattr(self.bookmark, name), self._settings.tell
                given = place, self.bookmark.run, state, tell, self.stop.is_set
                self._senders[name] = open_sender(*given)

    def _room(self) -> int:
        every = self._settings.checkpoint_every
        return BATCH if every is None else min(BATCH, every - self._unsaved)

    def _learn(self, messages: Sequence[Message]) -> None:
        found = self.messages.see(messages)
        if found.refused and not (self._settings.skip or self._settings.dead_letters):
            first = found.refused[0]
            what, _, remedy = first.reason.rpartition("; ")
            raise BadInput(f"message {first.message.id}: {what}", remedy, file=self.address.shown)
        if "predictions" in self._senders:
            self._senders["predictions"].send(found.predictions)
        if "dead_letters" in self._senders:
            self._senders["dead_letters"].send([_letter(*refused) for refused in found.refused])
        advance(self.bookmark.marks, messages)
        self.bookmark.messages += len(messages)
        self.bookmark.refused += len(found.refused)
        self._unsaved += len(messages)

    # ── saving ──────────────────────────────────────────────────────────────────────────────────

    def _is_due(self) -> bool:
        settings = self._settings
        if not (settings.save and self._unsaved):
            return False
        if settings.checkpoint_every and self._unsaved >= settings.checkpoint_every:
            return True
        waited = time.monotonic() - self._saved_at
        return settings.checkpoint_seconds is not None and waited >= settings.checkpoint_seconds

    def save(self) -> None:
        """Write the learner and its place together, once everything that was sent has arrived."""
        for name, sender in self._senders.items():
            sender.flush()
            setattr(self.bookmark, name, sender.state())
        if self._settings.save is not None:
            self._tell_learner()
            section = bookmarks.section(self._others, self.address.key, self.bookmark)
            self._settings.before_save()
            storage.save(self.learner, self._settings.save, more_metadata=section)
            self._settings.after_save()
            self.inbox.confirm(self.bookmark.marks)
        self._unsaved, self._saved_at = 0, time.monotonic()

    def _tell_learner(self) -> None:
        """Let the learner know the columns that were met."""
        learner, found = self.learner, self.messages
        learner.schema = found.schema
        learner.names = found.names if learner.columns else None


@contextmanager
def little_garbage() -> Iterator[None]:
    """Look for garbage less often, and not among what was there before: messages come by the thousand."""
    often = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*often)
        gc.unfreeze()


def _letter(message: Message, reason: str) -> dict[str, Any]:
    return {"id": message.id, "reason": reason, "message": message.data.decode(errors="replace")}


def learn(
    address: str,
    learner: Learner,
    *,
    save: str | None = None,
    format: str | None = None,
    schema: Schema | None = None,
    **settings: Any,
) -> Learner:
    """Learn from a live source until nothing more is there, and save with ``save``; returns the learner.

    ``address`` is ``tail:logs/*.jsonl``, ``redis://host/stream`` or ``kafka://host/topic``. If the file
    ``save`` has learned from that source before, it goes on from there, and ``learner`` is not used.
    Further settings are those of ``LiveSettings``; ``drain=False`` goes on for ever.
    """
    stored: dict[str, Any] = {}
    if save is not None and Path(save).exists():
        stored, learner = bookmarks.all_of(save), Learner.load(save)
    given = replace(LiveSettings(save=save, drain=True), **settings)
    said = None if schema is None else learner.schema.extended(schema)
    training = LiveTraining(address, learner, given, format=format, schema=said, stored=stored)
    training.run()
    return training.learner
