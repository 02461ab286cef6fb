"""A Kafka topic: ``kafka://host:9092/clicks?group=fenchel&from=end&order=strict&security.protocol=SSL``.

Partitions are assigned from the model's own offsets on, whatever the group has committed; offsets are
committed behind what is saved, for those who watch the group. Parameters with a dot go to librdkafka.

The order of several partitions: the message with the earliest timestamp among the next ones of all
partitions, of equal ones that of the lowest partition. A partition of which the broker says that it has no
more is not waited for; with ``order=strict`` it is, and then the order depends on the messages alone, not
on when they came.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from fenchel.streams.errors import BadInput
from fenchel.streams.inboxes.address import Address
from fenchel.streams.inboxes.inbox import Inbox, Message

PORT = 9092
BATCH = 4096
MOST_WAITING = 8192  # messages of a partition, while another is waited for
MOMENT = 0.02  # seconds that a batch is collected for
ORDERS = ("time", "strict")
NOT_FOUND = "there is no such topic"


def settings(address: Address) -> dict[str, Any]:
    """The configuration of a client for the address."""
    hosts = [h if ":" in h else f"{h}:{PORT}" for h in address.host.split(",")]
    given = {key: value for key, value in address.parameters.items() if "." in key}
    return {
        "bootstrap.servers": ",".join(hosts),
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 10_000,
        **given,
    }


def library(address: Address) -> Any:
    """Import confluent-kafka, or say how to get it."""
    try:
        import confluent_kafka
    except ImportError:
        raise ValueError(
            f"{address.shown}: needs confluent-kafka; install it with pip install fenchel[kafka]"
        ) from None
    return confluent_kafka


class KafkaInbox(Inbox):
    """The messages of one topic. Marks: by partition the next offset."""

    def __init__(
        self,
        address: Address,
        marks: dict[str, Any],
        tell: Callable[[str], None],
        drain: bool = False,
    ) -> None:
        order = address.parameters.get("order", "time")
        if order not in ORDERS:
            raise ValueError(f"{address.text}: order={order}; choose time or strict")
        self._kafka = library(address)
        self._address, self._tell, self._topic = address, tell, address.name
        self._strict = order == "strict" and not drain
        self._told = ""
        self._consumer = self._kafka.Consumer(
            {
                "group.id": address.parameters.get("group", "fenchel"),
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
                "queued.max.messages.kbytes": 16_384,
                "queued.min.messages": BATCH,
                "fetch.wait.max.ms": 100,
                "error_cb": self._complain,
                "logger": silent(),
                **settings(address),
            }
        )
        self._marks = marks
        self._waiting: dict[int, deque[Any]] = {}
        self._at_end: dict[int, bool] = {}
        self._paused: set[int] = set()

    def _complain(self, error: Any) -> None:
        """Tell what librdkafka reports, once a kind; it tries again by itself."""
        if error.name() != self._told:
            self._told = error.name()
            self._tell(f"{self._address.shown}: {error.str()}; trying again until it answers")

    # ── where to begin ──────────────────────────────────────────────────────────────────────────

    def _begin(self, until: float) -> bool:
        """Assign all partitions, once the broker answers."""
        try:
            topics = self._consumer.list_topics(self._topic, timeout=_left(until)).topics
        except self._kafka.KafkaException:
            return False
        found = topics[self._topic]
        if found.error is not None or not found.partitions:
            if found.error is None or found.error.retriable():
                if found.error is not None:
                    self._complain(found.error)
                return False
            remedy = "create it, or check the name"
            raise BadInput(f"{NOT_FOUND} ({found.error})", remedy, file=self._address.shown)
        begin = self._kafka.OFFSET_BEGINNING
        if self._address.parameters.get("from") == "end" and not self._marks:
            begin = self._kafka.OFFSET_END
        self._consumer.assign(
            [
                self._kafka.TopicPartition(self._topic, p, self._marks.get(str(p), begin))
                for p in found.partitions
            ]
        )
        self._waiting = {p: deque() for p in sorted(found.partitions)}
        self._at_end = dict.fromkeys(self._waiting, False)
        return True

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def take(self, most: int, wait: float) -> list[Message]:
        """Take the next messages of all partitions, merged."""
        until = time.monotonic() + wait
        while not self._waiting:
            if not self._begin(until) and time.monotonic() >= until:
                return []
        while not (found := self._merged(most)):
            self.ended = all(self._at_end.values()) and not any(self._waiting.values())
            arrived = self._consumer.consume(BATCH, timeout=min(MOMENT, _left(until)))
            for message in arrived:
                self._put(message)
            if not arrived and time.monotonic() >= until:
                return []
        self.ended = False
        return found

    def _put(self, message: Any) -> None:
        error, partition = message.error(), message.partition()
        if error is None:
            self._told = ""
            self._at_end[partition] = False
            self._waiting[partition].append(message)
            if len(self._waiting[partition]) > MOST_WAITING and partition not in self._paused:
                self._paused.add(partition)
                self._consumer.pause([self._kafka.TopicPartition(self._topic, partition)])
        elif error.code() == self._kafka.KafkaError._PARTITION_EOF:
            self._at_end[partition] = True
        elif error.fatal() or not error.retriable():
            self._complain(error)

    def _merged(self, most: int) -> list[Message]:
        """The next messages as far as their order is certain."""
        found: list[Message] = []
        while len(found) < most:
            heads = []
            for partition, waiting in self._waiting.items():
                if waiting:
                    heads.append((waiting[0].timestamp()[1], partition))
                elif self._strict or not self._at_end[partition]:
                    return found  # its next message may be earlier
            if not heads:
                return found
            partition = min(heads)[1]
            found.append(self._message(self._waiting[partition].popleft()))
            self._resume(partition)
        return found

    def _message(self, message: Any) -> Message:
        partition, offset = message.partition(), message.offset()
        id = f"{self._topic}/{partition}/{offset}"
        return Message(id, message.value() or b"", str(partition), offset + 1)

    def _resume(self, partition: int) -> None:
        if partition in self._paused and len(self._waiting[partition]) < MOST_WAITING // 2:
            self._paused.remove(partition)
            self._consumer.resume([self._kafka.TopicPartition(self._topic, partition)])

    # ── for those who watch ─────────────────────────────────────────────────────────────────────

    def lag(self) -> int | None:
        """Count the messages behind those taken, as far as the brokers have said."""
        total = 0
        for partition, waiting in self._waiting.items():
            place = self._kafka.TopicPartition(self._topic, partition)
            try:
                _, end = self._consumer.get_watermark_offsets(place, cached=True)
                (at,) = self._consumer.position([place])
            except self._kafka.KafkaException:
                return None
            if end >= 0 and at.offset >= 0:
                total += max(0, end - at.offset)  # the end is what the last answer said
            total += len(waiting)
        return total

    def confirm(self, marks: dict[str, Any]) -> None:
        """Commit the offsets behind what is saved, without waiting for the answer."""
        places = [self._kafka.TopicPartition(self._topic, int(p), m) for p, m in marks.items()]
        if places:
            try:
                self._consumer.commit(offsets=places, asynchronous=True)
            except self._kafka.KafkaException:  # nothing rests on it
                return

    def close(self) -> None:
        """Leave the brokers."""
        self._consumer.close()


def _left(until: float) -> float:
    return max(0.001, until - time.monotonic())


def silent() -> Any:
    """A logger that says nothing: what matters comes as an error."""
    import logging

    logger = logging.getLogger("fenchel.kafka")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
