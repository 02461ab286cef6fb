"""Messages of a live source as rows of the log: learned, asked or answered, as the same rows over HTTP are.

A JSON message is a row as the server takes it, ``{"x": …, "y": …}``, or a flat object: the schema, or the
names ``label`` (or ``y``) and ``id``, say what is what. CSV is flat. Of Vowpal Wabbit and svmlight text the
lines with a label are learned. What has neither label nor id changes nothing, and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec

from fenchel.learners import Learner
from fenchel.serve import line_formats, log
from fenchel.serve.identifiers import Remembered
from fenchel.serve.messages import encode
from fenchel.serve.model_state import DECODERS, State
from fenchel.serve.refusals import in_one_line
from fenchel.serve.source_records import SourcePart
from fenchel.streams import Names
from fenchel.streams.csv_messages import CsvRows, Dialect, label_of
from fenchel.streams.inboxes import Address, Message
from fenchel.streams.live_stream import described
from fenchel.streams.message_rows import LabelGate, UnfitError
from fenchel.streams.raw_rows import LABELS

OWN = frozenset({"x", "y", "id", "weight"})
OBJECT = msgspec.json.Decoder(dict)
TEXT = {"vw": log.VW, "svmlight": log.SVMLIGHT}


class SourceMessages:
    """Sorts the messages of one batch for one model."""

    def __init__(self, state: State, format: str, dialect: Dialect, address: Address) -> None:
        self._learner: Learner = state.learner
        self._memory: Remembered = state.memory
        self._format = format
        self.refused: list[tuple[str, str]] = []  # id of a message, and why
        self._asked: set[str] = set()
        schema = described(self._learner.schema.copy(), address)
        names = self._learner.names or Names(schema.bits)
        self._csv = CsvRows(schema, names, True, dialect)
        self._schema = schema
        self._kind = LabelGate(self._learner.task, self._learner.classes).kind

    def parts(self, messages: Sequence[Message]) -> list[SourcePart]:
        """The rows of messages, those left out that are refused."""
        if self._format in TEXT:
            return self._text(messages)
        rows = [row for message in messages if (row := self._row(message)) is not None]
        found = []
        for kind, group in groupby(rows, lambda row: row[0]):
            lines = [line for _, line in group]
            found.append(SourcePart(kind, len(lines), b"\n".join(lines)))
        return found

    def _row(self, message: Message) -> tuple[int, bytes] | None:
        """The kind and the line of one message; None where it changes nothing."""
        try:
            told = self._told(message.data)
            if told is None:
                return None
            kind, row = told
            line = encode(row)
            example = DECODERS[kind].decode(line)  # what a replay reads is what is checked
            if kind != log.ANSWER and len(example.x) > self._memory.limits.features:
                raise UnfitError(f"more than {self._memory.limits.features} features; send fewer")
            return kind, line
        except UnfitError as error:
            self.refused.append((message.id, str(error)))
        except (ValueError, RecursionError) as error:
            self.refused.append((message.id, in_one_line(error)))
        return None

    def _told(self, data: bytes) -> tuple[int, dict[str, Any]] | None:
        if not data.strip():
            return None
        if self._format == "csv":
            given = self._csv.row(data)
            row = None if given is None else self._flat(given)
        else:
            given = OBJECT.decode(data)
            own = isinstance(given.get("x"), (dict, list)) and given.keys() <= OWN
            row = given if own else self._flat(given)
        return None if row is None else self._with_kind(row)

    def _flat(self, given: dict[str, Any]) -> dict[str, Any]:
        """A flat object as x, y, id and weight."""
        schema, row = self._schema, {}
        label = schema.label or next((name for name in LABELS if name in given), LABELS[0])
        for key, column in (("y", label), ("id", schema.id or "id"), ("weight", schema.weight)):
            if column is not None and (value := given.pop(column, None)) is not None:
                row[key] = str(value) if key == "id" else value
        if self._format == "csv" and "y" in row:
            row["y"] = label_of(row["y"], self._kind)
        return {**row, "x": given} if given else row

    def _with_kind(self, row: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        id = row.get("id")
        asked = id is not None and (id in self._memory.questions or id in self._asked)
        if row.get("y") is not None:
            if "x" in row and not asked:
                return log.LEARN, row
            return log.ANSWER, {key: value for key, value in row.items() if key != "x"}
        if id is None or "x" not in row:
            return None
        if self._memory.full and not asked:
            raise UnfitError("too many questions are open; send their labels")
        self._asked.add(id)
        return log.ASK, {"x": row["x"], "id": id}

    def _text(self, messages: Sequence[Message]) -> list[SourcePart]:
        """Lines of text with a label, as one part."""
        lines = []
        for message in messages:
            line = message.data.strip(b"\r\n")
            if b"\n" in line:
                self.refused.append(
                    (message.id, "several lines in one message; send one a message")
                )
            else:
                lines.append(line + b"\n")
        data = line_formats.labelled(b"".join(lines), self._format)
        return [SourcePart(TEXT[self._format], data.count(b"\n"), data)] if data else []
