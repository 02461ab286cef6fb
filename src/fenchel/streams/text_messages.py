"""Messages of Vowpal Wabbit or svmlight text to rows: learned, asked, answered or only predicted.

In Vowpal Wabbit text the tag is the id: ``'a17 | free money`` asks, ``1 'a17 |`` is its label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from fenchel.schema import Schema
from fenchel.streams.errors import BadInput, shorten
from fenchel.streams.inboxes import Message
from fenchel.streams.inboxes.line_batch import LineBatch
from fenchel.streams.labelled_lines import are_plain
from fenchel.streams.message_rows import (
    ANSWER,
    ASK,
    LEARN,
    PREDICT,
    LabelGate,
    MessageGroup,
    RefusedMessage,
    reason_of,
)
from fenchel.streams.names import Names
from fenchel.streams.pushed import PushedText
from fenchel.streams.raw_rows import TEXT

EMPTY, BAD = "empty", "bad"


class Line(NamedTuple):
    """A message, its text without line end, its id, whether it has label and features, and its use."""

    message: Message
    text: bytes
    id: str | None = None
    labelled: bool = False
    empty: bool = False
    use: str = ""


class TextMessages:
    """Lines of text, parsed by compiled code; see ``JsonMessages`` for the methods."""

    def __init__(
        self, format: str, schema: Schema, names: Names | None, predict_only: bool = False
    ) -> None:
        self._format, self._schema, self._names = format, schema, names
        self._predict_only = predict_only
        self.refused: list[RefusedMessage] = []

    def groups(
        self, messages: Sequence[Message], gate: LabelGate, waits: Callable[[str], bool]
    ) -> Iterator[MessageGroup]:
        """Yield groups in order; each is to be learned before the next is asked for."""
        at = 0
        while at < len(messages) and not gate.kind:  # the first label accepted says what labels are
            yield from self._sorted(messages[at : at + 1], gate, waits)
            at += 1
        rest = messages[at:]
        plain = self._plain_group(rest, gate) if rest else None
        if plain is not None:
            yield plain
        else:
            yield from self._sorted(rest, gate, waits)

    def _sorted(
        self, messages: Sequence[Message], gate: LabelGate, waits: Callable[[str], bool]
    ) -> Iterator[MessageGroup]:
        """The groups of any messages, each looked at."""
        pending: list[Line] = []
        ids: set[str | None] = set()
        for message in messages:
            line = self._line(message)
            met = line.id is not None and line.id in ids
            use = line.use or self._use(line, waits)
            if pending and (met or pending[0].use != use):
                yield from self._treated(pending, gate, waits)
                pending, ids = [], set()
                use = line.use or self._use(line, waits)  # only now is known whether its id waits
            pending.append(line._replace(use=use))
            ids.add(line.id)
        if pending:
            yield from self._treated(pending, gate, waits)

    def _plain_group(self, messages: Sequence[Message], gate: LabelGate) -> MessageGroup | None:
        """All messages at once, where each is a row with a known label and no id; else None."""
        if self._predict_only or not gate.kind:
            return None
        data = _text_of(messages)
        if not are_plain(data, self._format, len(messages)):
            return None
        pushed = self._pushed(True, False, gate.kind)
        try:
            batch = pushed.parse(data)
        except BadInput:
            return None
        labels = pushed.labels(batch)
        if len(labels) != len(messages) or not gate.accept_all(labels.tolist()):
            return None
        block = pushed.block(data, batch)
        return MessageGroup(LEARN, messages, [None] * len(messages), block)

    def _treated(
        self, lines: list[Line], gate: LabelGate, waits: Callable[[str], bool]
    ) -> Iterator[MessageGroup]:
        """The groups of lines of one use."""
        use = lines[0].use
        if use == LEARN:
            yield from self._learned(lines, gate)
        elif use == ANSWER:
            yield from self._answered(lines, gate, waits)
        elif use in (ASK, PREDICT):
            yield from self._unlabelled(lines, use, waits)
        elif use == BAD:
            for line in lines:
                self._refuse(line, "several lines in one message; send one a message")

    def _line(self, message: Message) -> Line:
        text = message.data.rstrip(b"\r\n")
        if b"\n" in text:
            return Line(message, text, use=BAD)
        if self._format == "svmlight":
            use = _use_of_svmlight(text)
            return Line(message, text, use=PREDICT if use == LEARN and self._predict_only else use)
        before, _, after = text.partition(b"|")
        words = before.split()
        if not words and not text.strip():
            return Line(message, text, use=EMPTY)
        tagged = words and (words[-1][:1] == b"'" or not before[-1:].isspace())
        tag = words.pop().removeprefix(b"'").decode(errors="replace") if tagged else None
        return Line(message, text, tag, bool(words), not after.strip())

    def _use(self, line: Line, waits: Callable[[str], bool]) -> str:
        if self._predict_only or (line.id is None and not line.labelled):
            return PREDICT
        if not line.labelled:
            return ASK
        return ANSWER if line.id is not None and (line.empty or waits(line.id)) else LEARN

    def _refuse(self, line: Line, reason: str) -> None:
        self.refused.append(RefusedMessage(line.message, reason))

    # ── rows ────────────────────────────────────────────────────────────────────────────────────

    def _pushed(self, labelled: bool, frozen: bool, kind: int = 0) -> PushedText:
        schema = self._schema.copy() if frozen else self._schema
        pushed = PushedText(self._format, schema, self._names, labelled=labelled, frozen=frozen)
        pushed.expect(kind)
        return pushed

    def _learned(self, lines: list[Line], gate: LabelGate) -> Iterator[MessageGroup]:
        """The rows with labels, those left out whose label does not fit."""
        pushed, data = self._pushed(True, False, gate.kind), _joined(lines)
        try:
            batch = pushed.parse(data)
            labels = pushed.labels(batch).tolist()
            _refuse_missing(labels, lines)
        except BadInput as error:
            yield from self._halves(lines, error, lambda part: self._learned(part, gate))
            return
        fit = []
        for line, label in zip(lines, labels, strict=True):
            objection = gate.objection(label)
            if objection is None:
                gate.accept(label)
                fit.append(line)
            else:
                self._refuse(line, objection)
        if len(fit) < len(lines):
            yield from self._learned(fit, gate) if fit else ()
            return
        block = pushed.block(data, batch)
        yield MessageGroup(LEARN, [line.message for line in lines], _ids(lines), block)

    def _unlabelled(
        self, lines: list[Line], use: str, waits: Callable[[str], bool]
    ) -> Iterator[MessageGroup]:
        fresh: dict[str | None, Line] = {}
        for line in lines if use == ASK else ():
            if line.id in fresh or waits(line.id or ""):
                self._refuse(line, f"id {shorten(line.id or '')} waits for its label already")
            else:
                fresh[line.id] = line
        lines = list(fresh.values()) if use == ASK else lines
        if not lines:
            return
        pushed, data = self._pushed(False, use == PREDICT), _joined(lines)
        try:
            batch = pushed.parse(data)
            _refuse_missing(batch.parsed.indptr[1:], lines)
        except BadInput as error:
            yield from self._halves(lines, error, lambda part: self._unlabelled(part, use, waits))
            return
        block = pushed.block(data, batch)
        yield MessageGroup(use, [line.message for line in lines], _ids(lines), block)

    def _halves(
        self, lines: list[Line], error: BadInput, treat: Callable[[list[Line]], Any]
    ) -> Iterator[MessageGroup]:
        if len(lines) == 1:
            self._refuse(lines[0], reason_of(error))
            return
        middle = len(lines) // 2
        yield from treat(lines[:middle])
        yield from treat(lines[middle:])

    def _answered(
        self, lines: list[Line], gate: LabelGate, waits: Callable[[str], bool]
    ) -> Iterator[MessageGroup]:
        for line in lines:
            words = line.text.partition(b"|")[0].split()
            label = _label(words[0].decode(errors="replace"), gate.kind)
            try:
                importance = float(words[1]) if len(words) > 2 else 1.0
            except ValueError:
                importance = -1.0
            objection = gate.objection(label)
            if not (line.id is not None and waits(line.id)):
                objection = (
                    f"no id {shorten(line.id or '')} waits for a label; send the row with it"
                )
            elif not (np.isfinite(importance) and importance >= 0.0):
                objection = "the importance is not a number of 0 or more; write one"
            if objection is not None:
                self._refuse(line, objection)
                continue
            gate.accept(label)
            yield MessageGroup(ANSWER, [line.message], [line.id], None, [(label, importance)])


def _text_of(messages: Sequence[Message]) -> bytes:
    """All messages, each with a line end."""
    if isinstance(messages, LineBatch):
        return messages.text()
    return b"\n".join([message.data for message in messages]) + b"\n"


def _use_of_svmlight(text: bytes) -> str:
    words = text.split(None, 1)
    if not words or words[0].startswith(b"#"):
        return EMPTY
    return PREDICT if b":" in words[0] else LEARN


def _label(word: str, kind: int) -> Any:
    if kind == TEXT:
        return word
    try:
        return float(word)
    except ValueError:
        return word


def _joined(lines: list[Line]) -> bytes:
    return b"".join([line.text + b"\n" for line in lines])


def _ids(lines: list[Line]) -> list[str | None]:
    return [line.id for line in lines]


def _refuse_missing(rows: Any, lines: list[Line]) -> None:
    """Every line must give one row."""
    if len(rows) != len(lines):
        raise BadInput("a message without a row", "leave it out", file="")
