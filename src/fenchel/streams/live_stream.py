"""A live source as a stream of blocks, for those who read it in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fenchel.rows import Block
from fenchel.schema import Schema
from fenchel.streams.errors import BadInput
from fenchel.streams.inboxes import Address, open_inbox
from fenchel.streams.inboxes.inbox import advance
from fenchel.streams.message_rows import FORMATS, LEARN, PREDICT, JsonMessages, LabelGate
from fenchel.streams.names import Names
from fenchel.streams.stream import Stream
from fenchel.streams.text_messages import TextMessages

BATCH = 4096
WAIT = 0.2


def format_of(address: Address, given: str | None, guessed: str | None) -> str:
    """Return the format of the messages: as said, by the files' names, or jsonl."""
    format = given or guessed or "jsonl"
    if format not in FORMATS:
        raise BadInput(
            f"{format} does not come by the message",
            f"send {', '.join(FORMATS)}",
            file=address.shown,
        )
    return format


def message_reader(
    format: str, schema: Schema, names: Names | None, predict_only: bool = False
) -> Any:
    """Return what makes rows of messages."""
    if format == "jsonl":
        assert names is not None, "columns of JSON have names"
        return JsonMessages(schema, names, predict_only)
    return TextMessages(format, schema, names, predict_only)


class LiveStream(Stream):
    """The labelled messages of a live source as blocks, or all of them as rows to predict.

    ``marks`` say how far the blocks have come; a stream given them goes on from there. It ends where
    there is nothing more if it is to ``drain``, else never.
    """

    def __init__(
        self,
        address: Address,
        format: str,
        schema: Schema,
        names: Names | None,
        *,
        marks: dict[str, Any] | None = None,
        drain: bool = False,
        skip: bool = False,
        labelled: bool = True,
        frozen: bool = False,
        block_rows: int | None = None,
    ) -> None:
        super().__init__(block_rows, schema, frozen)
        self.names, self.marks = names, dict(marks or {})
        self._address, self._format = address, format
        self._drain, self._skip, self._labelled = drain, skip, labelled

    def _blocks(self) -> Iterator[Block]:
        inbox = open_inbox(self._address, dict(self.marks), drain=self._drain)
        gate, rows = LabelGate(None), 0
        try:
            while True:
                messages = inbox.take(self._block_rows or BATCH, WAIT)
                if not messages and inbox.ended and self._drain:
                    return
                for block in self._read(messages, gate):
                    yield block.replace(first_row=rows)
                    rows += len(block)
                advance(self.marks, messages)
        finally:
            inbox.close()

    def _read(self, messages: list[Any], gate: LabelGate) -> Iterator[Block]:
        reader = message_reader(self._format, self.schema, self.names, not self._labelled)
        wanted = LEARN if self._labelled else PREDICT
        for group in reader.groups(messages, gate, lambda id: False):
            if group.use == wanted and group.block is not None:
                self._columns = max(self._columns, group.block.rows.width)
                yield group.block.replace(ids=group.names())
            else:
                what, remedy = f"a message to {group.use}, not to {wanted}", "use fenchel train"
                self._refuse(group.messages[0].id, what, remedy, len(group.messages))
        for refused in reader.refused:
            what, _, remedy = refused.reason.rpartition("; ")
            self._refuse(refused.message.id, what, remedy, 1)

    def _refuse(self, id: str, what: str, remedy: str, count: int) -> None:
        error = BadInput(f"message {id}: {what}", remedy, file=self._address.shown)
        if not self._skip:
            raise error
        self.skipped.add(error)
        self.skipped.count += count - 1
