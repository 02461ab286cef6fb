"""A live source as a stream of blocks, for those who read it in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fenchel.rows import Block
from fenchel.schema import Schema
from fenchel.streams.csv_messages import CsvMessages, Dialect
from fenchel.streams.errors import BadInput
from fenchel.streams.formats import guess_format, guess_separator
from fenchel.streams.inboxes import Address, open_inbox
from fenchel.streams.inboxes.inbox import advance
from fenchel.streams.message_rows import FORMATS, LEARN, PREDICT, JsonMessages, LabelGate
from fenchel.streams.names import Names
from fenchel.streams.stream import Stream
from fenchel.streams.text_messages import TextMessages

BATCH = 8192
WAIT = 0.2


def format_of(address: Address, given: str | None = None) -> str:
    """Return the format of the messages: as said, in the address too, by the files' names, or jsonl."""
    guessed = guess_format(_file(address)) if address.scheme == "tail" else None
    format = given or address.parameters.get("format") or guessed or "jsonl"
    if format not in FORMATS:
        raise BadInput(
            f"{format} does not come by the message",
            f"send {', '.join(FORMATS)}",
            file=address.shown,
        )
    return format


def dialect_of(
    address: Address, separator: str | None = None, decimal: str | None = None
) -> Dialect:
    """Return how CSV is written there: as said, or by the files' names."""
    return Dialect(separator or guess_separator(_file(address)), decimal)


def described(schema: Schema, address: Address) -> Schema:
    """Return the schema with the columns of CSV that an address names: ``?columns=age,job,label``."""
    columns = address.parameters.get("columns")
    return schema if columns is None else schema.extended(Schema(header=columns.split(",")))


def has_header(format: str, schema: Schema) -> bool:
    """Whether files of messages begin with a header."""
    return format == "csv" and schema.header in (None, True)


def _file(address: Address) -> str:
    return address.name.rstrip("*")


def message_reader(
    format: str,
    schema: Schema,
    names: Names | None,
    predict_only: bool = False,
    dialect: Dialect | None = None,
) -> Any:
    """Return what makes rows of messages."""
    if format in ("jsonl", "csv"):
        assert names is not None, "columns of JSON and CSV have names"
        if format == "csv":
            return CsvMessages(schema, names, predict_only, dialect)
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
        dialect: Dialect | None = None,
        marks: dict[str, Any] | None = None,
        drain: bool = False,
        skip: bool = False,
        labelled: bool = True,
        frozen: bool = False,
        block_rows: int | None = None,
    ) -> None:
        super().__init__(block_rows, schema, frozen)
        self.names, self.marks = names, dict(marks or {})
        self._address, self._format, self._dialect = address, format, dialect
        self._drain, self._skip, self._labelled = drain, skip, labelled

    def _blocks(self) -> Iterator[Block]:
        headed = has_header(self._format, self.schema)
        inbox = open_inbox(self._address, dict(self.marks), drain=self._drain, headed=headed)
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

    def _read(self, messages: Sequence[Any], gate: LabelGate) -> Iterator[Block]:
        given = self._format, self.schema, self.names, not self._labelled, self._dialect
        reader = message_reader(*given)
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
