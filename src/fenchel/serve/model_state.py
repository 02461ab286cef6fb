"""A served model: a learner, and what the log says of it. The same records give the same bits.

``apply`` is all that ever changes a model, while serving as well as in a replay. It also decides what
is refused or repeated: such records are in the log too, and leave no trace each time they are applied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from fenchel.learners import Learner
from fenchel.serve import log, source_records, text_rows
from fenchel.serve.identifiers import Done, OpenQuestion, Remembered
from fenchel.serve.messages import Answer, Example, Prediction, Question
from fenchel.serve.one_row import REFUSALS, predict_row
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.served_loss import ServedLoss
from fenchel.serve.settings import Limits
from fenchel.serve.waiting_blocks import Blocks

TYPES: dict[int, Any] = {log.LEARN: Example, log.ASK: Question, log.ANSWER: Answer}
DECODERS = {kind: msgspec.json.Decoder(cls) for kind, cls in TYPES.items()}
FEATURES = msgspec.json.Decoder(dict[str, Any] | list[float])

Result = Prediction | Refused


class State:
    """The learner, its memory, its scores, and how far into the log they reach."""

    def __init__(self, learner: Learner, limits: Limits, position: int = 0) -> None:
        self.learner, self.position = learner, position
        self.memory = Remembered(limits)
        self.watch = ServedLoss(squared=learner.labels is None)
        self.time = 0  # of the last record
        self.sources: dict[str, dict[str, Any]] = {}  # marks behind what was learned, by source
        self._blocks = Blocks(learner)

    def replay(self, record: log.Record) -> list[Any]:
        """Apply a record of the log; returns one result a row."""
        if record.kind in DECODERS:
            return self.apply(record, decoded(record.kind, record.rows, record.payload))
        return self._apply_batch(record) if record.kind == log.SOURCE else self.apply_lines(record)

    def _apply_batch(self, record: log.Record) -> list[Any]:
        """Apply a batch of messages, and keep how far its source was read."""
        batch, parts = source_records.decoded(record)
        results = [result for part in parts for result in self.replay(part)]
        self.sources[batch.source] = batch.marks
        return results

    def apply(self, record: log.Record, examples: list[Any]) -> list[Result]:
        """Learn, or keep, the examples of a record in turn; what is refused leaves no trace."""
        self._clock(record.time)
        results: list[Result] = []
        if record.kind == log.LEARN:
            while len(results) < len(examples):  # up to an identifier that comes twice
                results += self._learn(examples, len(results), record.position)
        else:
            step: Any = self._ask if record.kind == log.ASK else self._answer
            for position, example in enumerate(examples, record.position):
                results.append(_or_refused(step, example, position))
        self.position = record.position + record.rows
        return results

    def apply_lines(
        self, record: log.Record, ahead: text_rows.ReadAhead | None = None
    ) -> list[bytes]:
        """Learn lines of Vowpal Wabbit or svmlight text; returns their answers, some in one piece."""
        self._clock(record.time)
        format = log.TEXT[record.kind]
        given = format, record.payload, self.watch, record.time, ahead
        answers = text_rows.learn(self.learner, *given)
        self.position = record.position + record.rows
        return answers

    def _clock(self, time: int) -> None:
        self.time = max(time, self.time)
        self.memory.expire(self.time)

    def _learn(self, examples: list[Example], begin: int, first: int) -> list[Result]:
        """Learn examples from a place on, as far as no identifier comes twice among them."""
        results: list[Any] = []
        new: dict[int, Example] = {}
        seen: set[str] = set()
        for k in range(begin, len(examples)):
            example = examples[k]
            if example.id is not None:
                if example.id in seen:
                    break
                seen.add(example.id)
            results.append(self._known(example.id))
            if results[-1] is None:
                new[k] = example
        told = self._told(list(new.values()), [first + k for k in new])
        for k, result in zip(new, told, strict=True):
            results[k - begin] = result
        return results

    def _known(self, identifier: str | None) -> Result | None:
        """The answer to an identifier that was learned or asked already; None for a new one."""
        if identifier is None:
            return None
        if identifier in self.memory.questions:
            return Refused(409, f"the id {identifier!r} is an open question: send its answer")
        done = self.memory.done.get(identifier)
        return None if done is None else self._repeated(identifier, done)

    def _told(self, rows: list[Example], positions: list[int]) -> list[Result]:
        """Learn rows, and keep their score and their identifiers."""
        results: list[Result] = []
        losses, labels = [], []
        for row, outcome, at in zip(rows, self._blocks.learn(rows), positions, strict=True):
            if isinstance(outcome, Exception):
                results.append(Refused(422, in_one_line(outcome)))
                continue
            prediction, loss = outcome
            losses.append(loss)
            labels.append(row.y)
            self.watch.last.append([self.time, row.x, row.y, prediction])
            if row.id is None:
                results.append(Prediction(prediction, position=at))
            else:
                results.append(self._done(row.id, at, prediction))
        self.watch.see(losses, labels)
        return results

    def _ask(self, question: Question, position: int) -> Prediction:
        assert question.id is not None, "every question in the log has one"
        before = self.memory.done.get(question.id) or self.memory.questions.get(question.id)
        if before is not None:
            return self._repeated(question.id, before)
        prediction = predict_row(self.learner, question.x)
        kept = OpenQuestion(self.time, position, msgspec.json.encode(question.x), prediction)
        self.memory.ask(question.id, kept)
        return Prediction(prediction, id=question.id, position=position)

    def _answer(self, answer: Answer, position: int) -> Result:
        question = self.memory.questions.get(answer.id)
        if question is None:
            done = self.memory.done.get(answer.id)
            if done is not None:
                return self._repeated(answer.id, done)
            raise Refused(404, f"no open question has the id {answer.id!r}: ask first")
        row = Example(FEATURES.decode(question.x), answer.y, answer.id, answer.weight)
        (result,) = self._told([row], [position])
        if isinstance(result, Prediction):
            self.memory.take(answer.id)
        return result

    def _done(self, identifier: str, position: int, prediction: Any) -> Prediction:
        self.memory.done.put(identifier, Done(self.time, position, prediction))
        return Prediction(prediction, id=identifier, position=position)

    @staticmethod
    def _repeated(identifier: str, before: Done | OpenQuestion) -> Prediction:
        """The answer given before to this identifier: nothing is learned twice."""
        position = before.position
        return Prediction(before.prediction, id=identifier, position=position, repeated=True)

    def to_json(self) -> dict[str, Any]:
        """Everything but the learner, for a snapshot."""
        told = {"position": self.position, "time": self.time, "sources": dict(self.sources)}
        return {**told, "memory": self.memory.to_json(), "watch": self.watch.to_json()}

    def lay_in(self, told: dict[str, Any]) -> None:
        """Take over what a snapshot has."""
        self.position, self.time = told["position"], told["time"]
        self.sources = told.get("sources", {})
        self.memory.lay_in(told["memory"])
        self.watch.lay_in(told["watch"])


def _or_refused(step: Callable[[Any, int], Result], example: Any, position: int) -> Result:
    try:
        return step(example, position)
    except Refused as refusal:
        return refusal
    except REFUSALS as error:
        return Refused(422, in_one_line(error))


def decoded(kind: int, rows: int, payload: bytes) -> list[Any]:
    """The examples of a payload: one JSON object, or one a line."""
    decoder = DECODERS[kind]
    return [decoder.decode(payload)] if rows == 1 else decoder.decode_lines(payload)
