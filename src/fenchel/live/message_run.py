"""One learner and batches of messages: predicted, learned, asked and answered in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fenchel.evaluate import Run
from fenchel.learners import Learner
from fenchel.learners.block_cutting import predict
from fenchel.learners.tickets import ask_row
from fenchel.rows import Block
from fenchel.schema import Schema
from fenchel.streams import Names
from fenchel.streams.csv_messages import Dialect
from fenchel.streams.inboxes import Message
from fenchel.streams.live_stream import message_reader
from fenchel.streams.message_rows import ANSWER, ASK, LEARN, LabelGate, MessageGroup, RefusedMessage

WINDOW = 1000  # rounds whose loss is shown


class MessageResults(NamedTuple):
    """The outcome of a batch: predictions with the ids of their messages, and what was refused."""

    predictions: list[dict[str, Any]]
    refused: list[RefusedMessage]


class MessageRun:
    """Leads a learner through messages; where they are cut into batches makes no difference."""

    def __init__(
        self,
        learner: Learner,
        format: str,
        schema: Schema,
        names: Names | None,
        metrics: Sequence[str] = (),
        predicts: bool = True,
        dialect: Dialect | None = None,
    ) -> None:
        self.predicts = predicts  # whether anybody wants the predictions of rows with labels
        self.learner, self.schema, self.names = learner, schema, names
        learner.is_frozen = False  # it goes on learning, as if it had never been saved
        hashed = names is not None and names.bits is not None
        self.width = len(names) if names is not None and hashed else 0
        self.run = Run(learner, self.width, metrics)
        self.recent: deque[float] = deque(maxlen=WINDOW)
        self._format, self._dialect = format, dialect

    def see(self, messages: Sequence[Message]) -> MessageResults:
        """Treat messages in turn."""
        learner = self.learner
        given = self._format, self.schema, self.names
        reader = message_reader(*given, dialect=self._dialect)
        gate = LabelGate(learner.task, learner.classes)
        predictions: list[dict[str, Any]] = []
        for group in reader.groups(messages, gate, learner.tickets.waiting.__contains__):
            if group.use == ANSWER:
                for id, (label, importance) in zip(group.ids, group.answers, strict=True):
                    learner.answer(id, label, importance)
                continue
            found = self._predictions(group)
            if not self.predicts:
                continue
            pairs = zip(group.names(), found, strict=True)
            predictions += [{"id": id, "prediction": p} for id, p in pairs]
        return MessageResults(predictions, reader.refused)

    def _predictions(self, group: MessageGroup) -> list[Any]:
        """Predict the rows of a group, and learn or keep them where that is their use."""
        assert group.block is not None, "only answers have none"
        if group.use == ASK:
            return [self._ask(group, row) for row in range(len(group.messages))]
        if group.use == LEARN:
            return [p for part in self._parts(group.block) for p in self._learn(part)]
        margins = predict(self.learner, group.block)
        return [self._plain(p) for p in self.learner.decode_many(margins).tolist()]

    def _parts(self, block: Block) -> Iterator[Block]:
        """Cut a block behind each row that brings a new class: predictions before it do not know it."""
        coding, begin = self.learner.labels, 0
        if coding is not None and block.labels is not None:
            met, labels = set(coding.classes), block.labels.tolist()
            for row, label in enumerate(labels if not met.issuperset(labels) else ()):
                if label not in met:
                    met.add(label)
                    yield block.part(begin, row + 1)
                    begin = row + 1
        if begin < len(block):
            yield block.part(begin, len(block))

    def _learn(self, block: Block) -> list[Any]:
        """Learn rows; their predictions are in the words from before their labels."""
        learner = self.learner
        coding = None if learner.labels is None else type(learner.labels)(learner.labels.known)
        step = self.run.learn(block)
        self.recent.extend(step.outcome.losses[-WINDOW:].tolist())
        if not self.predicts:
            return []
        margins = learner.engine.present(step.margins)
        if coding is None:
            return [self._plain(p) for p in margins.tolist()]
        if margins.ndim == 2:
            margins = margins[:, : len(coding.classes)]
        return [self._plain(p) for p in coding.decode_many(margins).tolist()]

    def _ask(self, group: MessageGroup, row: int) -> Any:
        assert group.block is not None
        rows = group.block.rows[row : row + 1].copy()
        known = max(self.learner.columns, self.width, rows.used_columns)  # not those of later rows
        return self._plain(ask_row(self.learner, rows.widened(known), group.ids[row]).prediction)

    def _plain(self, prediction: Any) -> Any:
        """A class as users write it: 1.0 is 1."""
        found = prediction.item() if hasattr(prediction, "item") else prediction
        whole = isinstance(found, float) and found.is_integer() and abs(found) < 1e15
        return int(found) if whole and self.learner.task != "regression" else found

    @property
    def window_loss(self) -> float | None:
        """The mean loss of the last rounds."""
        return sum(self.recent) / len(self.recent) if self.recent else None
