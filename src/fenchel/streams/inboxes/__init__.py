"""Places where messages keep arriving, by address: growing files, Redis streams, Kafka topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fenchel.streams.inboxes.address import Address, is_address
from fenchel.streams.inboxes.inbox import Inbox, Message

__all__ = ["Address", "Inbox", "Message", "is_address", "open_inbox"]


def open_inbox(
    address: Address,
    marks: dict[str, Any] | None = None,
    *,
    drain: bool = False,
    headed: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Inbox:
    """Open the inbox of an address, behind the messages up to ``marks``; ``tell`` says what goes wrong.

    ``drain`` is for those who leave at the end: no partition is waited for that has nothing more. The first
    line of a ``headed`` file is handed on above each of the others.
    """
    marks = {} if marks is None else marks
    if not all(_is_mark(address.scheme, key, mark) for key, mark in marks.items()):
        raise ValueError(
            f"{address.shown}: the place to go on from is of the wrong form; start anew"
        )
    if address.scheme == "tail":
        from fenchel.streams.inboxes.tail import TailInbox

        return TailInbox(address, marks, tell, headed)
    if address.scheme == "kafka":
        from fenchel.streams.inboxes.kafka_inbox import KafkaInbox

        return KafkaInbox(address, marks, tell, drain)
    from fenchel.streams.inboxes.redis_inbox import RedisInbox

    return RedisInbox(address, marks, tell)


def _is_mark(scheme: str, key: Any, mark: Any) -> bool:
    """Whether a mark, which may come from a file, is one of these sources."""
    if scheme == "kafka":
        return str(key).isdigit() and type(mark) is int
    kinds = [type(part) for part in mark] if isinstance(mark, (list, tuple)) else []
    if scheme == "tail":
        return str(key).isdigit() and kinds == [str, str, int]
    return kinds == [str, int]
