"""A served model: a learner, and what the log says of it. The same records give the same bits.

``apply`` is all that ever changes a model, while serving as well as in a replay. It also decides what
is refused or repeated: such records are in the log too, and leave no trace each time they are applied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from fenchel.learners import Learner
from fenchel.serve import lines, log
from fenchel.serve.memory import Done, Memory, OpenQuestion
from fenchel.serve.messages import Answer, Example, Prediction, Question
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.rows import REFUSALS, learn_row, predict_row
from fenchel.serve.settings import Limits
from fenchel.serve.watch import Watch

TYPES: dict[int, Any] = {log.LEARN: Example, log.ASK: Question, log.ANSWER: Answer}
DECODERS = {kind: msgspec.json.Decoder(cls) for kind, cls in TYPES.items()}
FEATURES = msgspec.json.Decoder(dict[str, Any] | list[float])

Result = Prediction | Refused


class State:
    """The learner, its memory, its scores, and how far into the log they reach."""

    def __init__(self, learner: Learner, limits: Limits, position: int = 0) -> None:
        self.learner, self.position = learner, position
        self.memory = Memory(limits)
        self.watch = Watch(squared=learner.labels is None)
        self.time = 0  # of the last record

    def replay(self, record: log.Record) -> None:
        """Apply a record of the log."""
        if record.kind in DECODERS:
            self.apply(record, decoded(record.kind, record.rows, record.payload))
        else:
            self.apply_lines(record)

    def apply(self, record: log.Record, examples: list[Any]) -> list[Result]:
        """Learn, or keep, the examples of a record in turn; what is refused leaves no trace."""
        self._clock(record.time)
        steps: dict[int, Callable[[Any, int], Prediction]] = {
            log.LEARN: self._learn,
            log.ASK: self._ask,
            log.ANSWER: self._answer,
        }
        step = steps[record.kind]
        results: list[Result] = []
        for position, example in enumerate(examples, record.position):
            try:
                results.append(step(example, position))
            except Refused as refusal:
                results.append(refusal)
            except REFUSALS as error:
                results.append(Refused(422, in_one_line(error)))
        self.position = record.position + record.rows
        return results

    def apply_lines(self, record: log.Record) -> list[bytes]:
        """Learn lines of Vowpal Wabbit or svmlight text; returns one answer a line."""
        self._clock(record.time)
        format = "vw" if record.kind == log.VW else "svmlight"
        answers = lines.learn(self.learner, format, record.payload, self.watch, record.time)
        self.position = record.position + record.rows
        return answers

    def _clock(self, time: int) -> None:
        self.time = max(time, self.time)
        self.memory.expire(self.time)

    def _learn(self, example: Example, position: int) -> Prediction:
        if example.id is None:
            return Prediction(self._step(example.x, example.y, example.weight), position=position)
        if example.id in self.memory.questions:
            raise Refused(409, f"the id {example.id!r} is an open question: send its answer")
        done = self.memory.done.get(example.id)
        if done is not None:
            return self._repeated(example.id, done)
        prediction = self._step(example.x, example.y, example.weight)
        return self._done(example.id, position, prediction)

    def _ask(self, question: Question, position: int) -> Prediction:
        assert question.id is not None, "every question in the log has one"
        before = self.memory.done.get(question.id) or self.memory.questions.get(question.id)
        if before is not None:
            return self._repeated(question.id, before)
        prediction = predict_row(self.learner, question.x)
        kept = OpenQuestion(self.time, position, msgspec.json.encode(question.x), prediction)
        self.memory.ask(question.id, kept)
        return Prediction(prediction, id=question.id, position=position)

    def _answer(self, answer: Answer, position: int) -> Prediction:
        question = self.memory.questions.get(answer.id)
        if question is None:
            done = self.memory.done.get(answer.id)
            if done is not None:
                return self._repeated(answer.id, done)
            raise Refused(404, f"no open question has the id {answer.id!r}: ask first")
        prediction = self._step(FEATURES.decode(question.x), answer.y, answer.weight)
        self.memory.take(answer.id)
        return self._done(answer.id, position, prediction)

    def _done(self, identifier: str, position: int, prediction: Any) -> Prediction:
        self.memory.done.put(identifier, Done(self.time, position, prediction))
        return Prediction(prediction, id=identifier, position=position)

    @staticmethod
    def _repeated(identifier: str, before: Done | OpenQuestion) -> Prediction:
        """The answer given before to this identifier: nothing is learned twice."""
        position = before.position
        return Prediction(before.prediction, id=identifier, position=position, repeated=True)

    def _step(self, x: Any, y: Any, weight: float) -> Any:
        """Learn a row whose label has come, now or late, and keep the score."""
        learned = learn_row(self.learner, x, y, weight)
        self.watch.see(learned.loss, y)
        self.watch.show(self.time, x, y, learned.prediction)
        return learned.prediction

    def to_json(self) -> dict[str, Any]:
        """Everything but the learner, for a snapshot."""
        told = {"position": self.position, "time": self.time}
        return {**told, "memory": self.memory.to_json(), "watch": self.watch.to_json()}

    def lay_in(self, told: dict[str, Any]) -> None:
        """Take over what a snapshot has."""
        self.position, self.time = told["position"], told["time"]
        self.memory.lay_in(told["memory"])
        self.watch.lay_in(told["watch"])


def decoded(kind: int, rows: int, payload: bytes) -> list[Any]:
    """The examples of a payload: one JSON object, or one a line."""
    decoder = DECODERS[kind]
    return [decoder.decode(payload)] if rows == 1 else decoder.decode_lines(payload)
