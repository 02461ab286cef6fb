"""Messages to rows: which are learned, asked, answered or only predicted, and which are refused.

Where messages are cut into batches makes no difference: whatever is refused leaves nothing behind, neither a
name nor a class, and what the labels are is decided by those that were accepted before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from fenchel.rows import Block
from fenchel.schema import Schema
from fenchel.streams.batch import UNKNOWN, labels_of, rows_by_name
from fenchel.streams.errors import BadInput, shorten
from fenchel.streams.inboxes import Message
from fenchel.streams.names import Names
from fenchel.streams.raw_rows import LABELS, NUMBER, TEXT, RawRows, UnreadableRowError

LEARN, ASK, PREDICT, ANSWER = "learn", "ask", "predict", "answer"
FORMATS = ("jsonl", "vw", "svmlight", "csv")


class MessageGroup(NamedTuple):
    """Messages of one use that follow each other: a block of their rows, or labels for earlier ones."""

    use: str
    messages: Sequence[Message]
    ids: Sequence[str | None]  # as the messages say; None where one does not
    block: Block | None = None
    answers: Sequence[tuple[Any, float]] = ()  # label and importance

    def names(self) -> list[str]:
        """One id a message: its own, or the one that the source gave it."""
        pairs = zip(self.ids, self.messages, strict=True)
        return [message.id if id is None else id for id, message in pairs]


class RefusedMessage(NamedTuple):
    """A message that cannot be learned from, and why."""

    message: Message
    reason: str


class UnfitError(Exception):
    """Why a message is refused, with the remedy."""


def reason_of(error: BadInput) -> str:
    """Tell an error in one line, without its place: what, which value, and the remedy."""
    value = f" ({shorten(error.value)})" if error.value else ""
    remedy = error.remedy if isinstance(error.remedy, str) else "".join(map(str, error.remedy))
    return f"{error.what}{value}; {remedy}"


class LabelGate:
    """Says why a label does not fit the task and the classes so far; keeps those that are accepted.

    >>> gate = LabelGate("binary")
    >>> for label in (1.0, 0.0, 2.0, "spam"):
    ...     print(gate.objection(label) or gate.accept(label))
    None
    None
    the label 2.0 is a third class beside 0.0 and 1.0; use --task multiclass
    the label 'spam' is of another kind than those before; use one kind throughout
    """

    def __init__(self, task: str | None, classes: Sequence[Any] = ()) -> None:
        self._task, self._classes = task, list(classes)

    @property
    def kind(self) -> int:
        """The kind of the labels so far."""
        if self._task == "regression":
            return NUMBER
        if not self._classes:
            return UNKNOWN
        return TEXT if isinstance(self._classes[0], str) else NUMBER

    def objection(self, label: Any) -> str | None:
        """Say why a label is refused; None where it is not."""
        if type(label) is float and label in self._classes:
            return None
        if not isinstance(label, (str, bool, int, float)):
            return f"the label {shorten(str(label))} is neither number nor text; write one"
        text = isinstance(label, str)
        if self._task == "regression":
            return f"the label {label!r:.40} is not a number; write one" if text else None
        if self._classes and text != isinstance(self._classes[0], str):
            what = "is of another kind than those before"
            return f"the label {label!r:.40} {what}; use one kind throughout"
        if self._task == "binary" and len(self._classes) == 2 and label not in self._classes:
            one, other = sorted(self._classes)
            what = f"is a third class beside {one!r:.40} and {other!r:.40}"
            return f"the label {label!r:.40} {what}; use --task multiclass"
        if self._task == "multiclass" and not isinstance(label, str) and label != round(label):
            return f"the label {label!r} is a fraction; use --task regression"
        return None

    def accept_all(self, labels: Sequence[Any]) -> bool:
        """Count labels in, of one kind each; where one of them is refused none is."""
        if self._task == "regression":
            return not (labels and self.objection(labels[0]))
        twin = LabelGate(self._task, self._classes)
        for label in dict.fromkeys(labels):
            if twin.objection(label) is not None:
                return False
            twin.accept(label)
        self._classes = twin._classes
        return True

    def accept(self, label: Any) -> None:
        """Count a label in that was learned."""
        if self._task == "regression" or label in self._classes:
            return
        if self._task is not None or not self._classes:
            self._classes.append(float(label) if isinstance(label, bool) else label)


class JsonMessages:
    """JSON objects, read through the schema."""

    def __init__(self, schema: Schema, names: Names, predict_only: bool = False) -> None:
        self._schema, self._names, self._predict_only = schema, names, predict_only
        self._decode = msgspec.json.Decoder(dict).decode
        self.refused: list[RefusedMessage] = []

    def groups(
        self, messages: Sequence[Message], gate: LabelGate, waits: Callable[[str], bool]
    ) -> Iterator[MessageGroup]:
        """Yield groups in order; each is to be learned before the next is asked for."""
        found: _Group | None = None
        for message in messages:
            try:
                row = self._row(message)
                if row is None:
                    continue
                id = self._id(row)
                if found is not None and id is not None and id in found.ids:
                    yield from self._finished(found)  # only then it is known whether it waits
                    found = None
                use, label = self._use(row, id, id is not None and waits(id), gate)
                if found is not None and found.use != use:
                    yield from self._finished(found)
                    found = None
                if found is None:
                    found = _Group(use, self._schema, self._names, gate.kind)
                found.add(message, id, row, label)
                if label is not None:
                    gate.accept(label)
            except UnreadableRowError as bad:
                value = f" ({shorten(bad.value)})" if bad.value else ""
                place = f"{bad.column}: " if bad.column else ""
                self._refuse(message, f"{place}{bad}{value}; {bad.remedy}")
            except UnfitError as error:
                self._refuse(message, str(error))
        if found is not None:
            yield from self._finished(found)

    def _refuse(self, message: Message, reason: str) -> None:
        self.refused.append(RefusedMessage(message, reason))

    def _finished(self, group: _Group) -> Iterator[MessageGroup]:
        """The group; where the features of one of its rows add up beyond all numbers, without that row."""
        try:
            finished = group.finished()
        except BadInput as error:
            if len(group.entries) == 1:
                self._refuse(group.entries[0][0], f"{error.what}; {error.remedy}")
                return
            middle = len(group.entries) // 2
            for entries in (group.entries[:middle], group.entries[middle:]):
                yield from self._finished(group.of(entries))
            return
        if finished.messages:
            yield finished

    def _row(self, message: Message) -> dict[str, Any] | None:
        if not message.data.strip():
            return None
        try:
            row: dict[str, Any] = self._decode(message.data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            told = " ".join(str(error).split())
            raise UnfitError(f"{told}; write one JSON object a message") from None
        return row

    def _id(self, row: dict[str, Any]) -> str | None:
        id = row.get(self._schema.id) if self._schema.id is not None else None
        return None if id is None else str(id)

    def _use(
        self, row: dict[str, Any], id: str | None, waiting: bool, gate: LabelGate
    ) -> tuple[str, Any]:
        """The purpose of a row, and its label, which must fit."""
        if self._predict_only:
            return PREDICT, None
        column = self._schema.label or next((name for name in LABELS if name in row), None)
        label = row.get(column) if column is not None else None
        if label is None:
            if waiting:
                raise UnfitError(f"id {shorten(id or '')} waits for its label already; use another")
            return (PREDICT if id is None else ASK), None
        if (objection := gate.objection(label)) is not None:
            raise UnfitError(objection)
        roles = (column, self._schema.id, self._schema.weight)
        if id is None or not (waiting or all(name in roles for name in row)):
            return LEARN, label
        if not waiting:
            raise UnfitError(f"no id {shorten(id)} waits for a label; send the row with it")
        return ANSWER, label


class _Group:
    """A group of JSON messages that grows."""

    def __init__(self, use: str, schema: Schema, names: Names, kind: int) -> None:
        self.use, self._given = use, (schema, names, kind)
        known = schema.copy() if use == PREDICT else schema  # nothing new is taken up
        self._rows = RawRows(known, names, use == LEARN, kind)
        self.entries: list[tuple[Message, str | None, dict[str, Any], Any]] = []
        self.ids: set[str | None] = set()

    def of(self, entries: Sequence[Any]) -> _Group:
        """A group of the same kind of some of its messages."""
        made = _Group(self.use, *self._given)
        for entry in entries:
            made.add(*entry)
        return made

    def add(self, message: Message, id: str | None, row: dict[str, Any], label: Any) -> None:
        """Add a message, or raise and change nothing."""
        if self.use == ANSWER:
            weight = self._given[0].weight
            label = label, 1.0 if weight is None or weight not in row else self._rows.weight_of(row)
        else:
            self._rows.add(row)
        self.ids.add(id)
        self.entries.append((message, id, row, label))

    def finished(self) -> MessageGroup:
        """The group as it is; its names get their columns."""
        messages, ids = [e[0] for e in self.entries], [e[1] for e in self.entries]
        if self.use == ANSWER:
            return MessageGroup(ANSWER, messages, ids, None, [e[3] for e in self.entries])
        batch = self._rows.batch()
        rows = rows_by_name(batch, self._given[1], frozen=self.use == PREDICT, tabular=True)
        importance = batch.parsed.weights if len(batch.parsed.weights) else None
        return MessageGroup(self.use, messages, ids, Block(rows, labels_of(batch), importance))
