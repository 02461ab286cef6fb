"""What a served model remembers besides its learner: open questions, and identifiers already learned.

Both are bounded by number and by age. The age is that of the log's own clock, so that a replay forgets
exactly what the server forgot.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from fenchel.serve.settings import Limits


class OpenQuestion(NamedTuple):
    """A question whose label has not come: the raw row as JSON, and the prediction given."""

    time: int
    position: int
    x: bytes
    prediction: Any


class Done(NamedTuple):
    """Something learned under an identifier: where, and the prediction before."""

    time: int
    position: int
    prediction: Any


E = TypeVar("E", OpenQuestion, Done)


class ByAge(Generic[E]):
    """Entries by identifier, oldest first."""

    def __init__(self, age: float, most: int | None = None) -> None:
        self._age, self._most = int(age * 1e6), most
        self.entries: dict[str, E] = {}

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self.entries

    def get(self, identifier: str) -> E | None:
        """Return the entry of an identifier, None where there is none."""
        return self.entries.get(identifier)

    def put(self, identifier: str, entry: E) -> None:
        """Keep an entry; the oldest makes room where there are too many."""
        self.entries[identifier] = entry
        if self._most is not None and len(self.entries) > self._most:
            del self.entries[next(iter(self.entries))]

    def expired(self, now: int) -> Iterator[str]:
        """Yield the identifiers that are too old."""
        oldest = now - self._age
        for identifier, entry in self.entries.items():
            if entry.time >= oldest:
                return
            yield identifier


class Remembered:
    """The open questions and the identifiers of one model."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.questions: ByAge[OpenQuestion] = ByAge(limits.question_age)
        self.done: ByAge[Done] = ByAge(limits.identifier_age, limits.identifiers)
        self.question_bytes = 0

    def ask(self, identifier: str, question: OpenQuestion) -> None:
        """Keep a question."""
        self.questions.put(identifier, question)
        self.question_bytes += len(question.x) + len(identifier)

    def take(self, identifier: str) -> OpenQuestion | None:
        """Take an open question away, since its label has come."""
        question = self.questions.entries.pop(identifier, None)
        if question is not None:
            self.question_bytes -= len(question.x) + len(identifier)
        return question

    @property
    def full(self) -> bool:
        """Whether no more questions are taken now."""
        most = self.limits
        return len(self.questions) >= most.questions or self.question_bytes >= most.question_bytes

    def expire(self, now: int) -> None:
        """Forget what is too old at a time of the log."""
        for identifier in list(self.questions.expired(now)):
            self.take(identifier)
        for identifier in list(self.done.expired(now)):
            del self.done.entries[identifier]

    def to_json(self) -> dict[str, Any]:
        """Everything, for a snapshot; copied, since the server goes on meanwhile."""
        return {"questions": dict(self.questions.entries), "done": dict(self.done.entries)}

    def lay_in(self, told: dict[str, Any]) -> None:
        """Take over what a snapshot has."""
        for identifier, (time, position, x, prediction) in told["questions"].items():
            self.ask(identifier, OpenQuestion(time, position, b64decode(x), prediction))
        for identifier, entry in told["done"].items():
            self.done.put(identifier, Done(*entry))
