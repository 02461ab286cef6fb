"""Places that predictions and dead letters go to: a file, a Redis stream, a Kafka topic.

Records are numbered from the model's beginning. After a restart some are made again, the same as before: a
file is cut back to the length that the model knows, a broker is asked for the last number it has, and what is
there is not sent twice.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import msgspec

from fenchel.streams.inboxes import Address, is_address

Tell = Callable[[str], None]
Leave = Callable[[], bool]
SEARCHED = 1000  # records at the end of a place among which a model looks for its own
encode = msgspec.json.Encoder().encode


class UndeliveredError(ValueError):
    """Records that could not be sent before the end was asked for."""


class Sender(ABC):
    """Takes records in order, each once."""

    sent = 0

    def send(self, records: list[dict[str, Any]]) -> None:
        """Number the records, and send them."""
        numbered = [(self.sent + k, record) for k, record in enumerate(records, 1)]
        self.sent += len(records)
        self._send(numbered)

    @abstractmethod
    def _send(self, numbered: list[tuple[int, dict[str, Any]]]) -> None:
        """Send records with their numbers, those that the place has already left out."""

    @abstractmethod
    def flush(self) -> None:
        """Return once everything that was sent has arrived."""

    def state(self) -> dict[str, Any]:
        """The part that a model file keeps."""
        return {"sent": self.sent}

    @abstractmethod
    def close(self) -> None:
        """Close files and connections."""


class FileSender(Sender):
    """JSON lines in a file."""

    def __init__(self, path: str, state: dict[str, Any], tell: Tell) -> None:
        self.sent = state.get("sent", 0)
        known = state.get("bytes", 0)
        self._file = open(path, "a+b")  # noqa: SIM115 (until the run ends)
        size = self._file.seek(0, os.SEEK_END)
        if size < known:
            tell(f"{path}: shorter than when the model was saved; it goes on at its end")
        self._file.truncate(min(size, known))

    def _send(self, numbered: list[tuple[int, dict[str, Any]]]) -> None:
        self._file.writelines(encode(record) + b"\n" for _, record in numbered)
        self._file.flush()

    def flush(self) -> None:
        """Force it to the disk."""
        os.fsync(self._file.fileno())

    def state(self) -> dict[str, Any]:
        """The part that a model file keeps."""
        return {"sent": self.sent, "bytes": self._file.tell()}

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class OutputSender(Sender):
    """JSON lines on standard output, where nothing can be taken back."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.sent = state.get("sent", 0)

    def _send(self, numbered: list[tuple[int, dict[str, Any]]]) -> None:
        text = b"".join(encode(record) + b"\n" for _, record in numbered)
        sys.stdout.write(text.decode())
        self.flush()

    def flush(self) -> None:
        """Hand it to the reader."""
        sys.stdout.flush()

    def close(self) -> None:
        """Leave standard output open: it is not ours."""


def open_sender(place: str, run: str, state: dict[str, Any], tell: Tell, leave: Leave) -> Sender:
    """Open a place; ``run`` names the model's records there, ``leave`` says when to wait no longer."""
    if place == "-":
        return OutputSender(state)
    if not is_address(place):
        return FileSender(place, state, tell)
    address = Address.parse(place)
    if address.scheme == "tail":
        raise ValueError(f"{place}: tail: is for reading; name the file itself")
    if address.scheme == "kafka":
        from fenchel.live.kafka_sender import KafkaSender

        return KafkaSender(address, run, state, tell, leave)
    from fenchel.live.redis_sender import RedisSender

    return RedisSender(address, run, state, tell, leave)
