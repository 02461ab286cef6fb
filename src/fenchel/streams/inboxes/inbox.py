"""A message, and what every inbox can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple


class Message(NamedTuple):
    """One message: its id, its text, and the mark to go on from in its partition once it is learned."""

    id: str
    data: bytes
    partition: str
    mark: Any


class Inbox(ABC):
    """Messages in order, in bounded memory; several partitions are merged in a stated order.

    Marks say how far a reader has come: a dict by partition, which goes into a model file as JSON.
    """

    ended = False  # whether the last look found nothing more to read

    @abstractmethod
    def take(self, most: int, wait: float) -> Sequence[Message]:
        """Take the next messages, up to ``most``; none where none came within ``wait`` seconds."""

    @abstractmethod
    def lag(self) -> int | None:
        """Count the messages (of files the bytes) that have arrived and were not taken; None: unknown."""

    @abstractmethod
    def confirm(self, marks: dict[str, Any]) -> None:
        """Let the broker know what is learned and saved: for those who watch it, nothing rests on it."""

    @abstractmethod
    def close(self) -> None:
        """Close connections and files."""


def advance(marks: dict[str, Any], messages: Sequence[Message]) -> None:
    """Move the marks behind some messages."""
    if not isinstance(messages, list):  # a batch, which is of one partition
        messages = messages[-1:]
    marks |= {partition: mark for _, _, partition, mark in messages}
