"""The record of a batch of messages: its rows, and the marks behind it, written together or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from fenchel.serve.log import Record


class SourcePart(NamedTuple):
    """Rows of one kind that follow each other, as lines."""

    kind: int
    rows: int
    payload: bytes


class SourceBatch(msgspec.Struct):
    """What stands before the rows: the source, its marks, and the kind, rows and bytes of each part."""

    source: str
    marks: dict[str, Any]
    parts: list[tuple[int, int, int]]


BATCH = msgspec.json.Decoder(SourceBatch)


def encoded(source: str, marks: dict[str, Any], parts: Sequence[SourcePart]) -> bytes:
    """Write the payload of a record."""
    sizes = [(part.kind, part.rows, len(part.payload)) for part in parts]
    head = msgspec.json.encode(SourceBatch(source, marks, sizes))
    return b"\n".join([head, b"".join([part.payload for part in parts])])


def decoded(record: Record) -> tuple[SourceBatch, Iterator[Record]]:
    """Read the payload of a record: what stands before, and each part as a record of its own."""
    head, _, body = record.payload.partition(b"\n")
    batch = BATCH.decode(head)

    def records() -> Iterator[Record]:
        position, at = record.position, 0
        for kind, rows, size in batch.parts:
            yield Record(position, record.time, rows, kind, body[at : at + size])
            position, at = position + rows, at + size

    return batch, records()
