"""A Kafka topic to send to: ``kafka://host/predictions``. All records go to partition 0, in order."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from fenchel.live.senders import SEARCHED, Leave, Sender, Tell, UndeliveredError, encode
from fenchel.streams.inboxes import Address
from fenchel.streams.inboxes.kafka_inbox import library, settings, silent

PATIENCE = 5.0  # seconds for the last records, once the end is asked for


class KafkaSender(Sender):
    """Produces records idempotently; at the start it asks which have arrived."""

    def __init__(
        self, address: Address, run: str, state: dict[str, Any], tell: Tell, leave: Leave
    ) -> None:
        self._kafka = library(address)
        self._address, self._run, self._tell, self._leave = address, run, tell, leave
        self._producer = self._kafka.Producer(
            {
                "enable.idempotence": True,
                "linger.ms": 20,
                "message.timeout.ms": 0,  # tried until it succeeds
                "logger": silent(),
                **settings(address),
            }
        )
        self.sent = state.get("sent", 0)
        self._arrived: int | None = None
        self._failed = ""

    def _send(self, numbered: list[tuple[int, dict[str, Any]]]) -> None:
        if self._arrived is None:
            self._arrived = self._last_number()
        for number, record in numbered:
            if number > self._arrived:
                self._produce(encode({**record, "n": number, "run": self._run}), str(record["id"]))
        self._producer.poll(0)

    def _produce(self, data: bytes, key: str) -> None:
        while True:
            try:
                self._producer.produce(
                    self._address.name, data, key, partition=0, on_delivery=self._delivered
                )
                return
            except BufferError:  # back-pressure: the queue is full
                self._producer.poll(0.1)
                if self._leave():
                    self._refuse("the broker takes nothing")

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._failed = str(error)

    def flush(self) -> None:
        """Return once everything has arrived."""
        until: float | None = None
        while self._producer.flush(0.2):
            if self._leave():
                until = until or time.monotonic() + PATIENCE
                if time.monotonic() > until:
                    self._refuse("the broker does not answer")
        if self._failed:
            self._refuse(self._failed)

    def close(self) -> None:
        """Leave: what has not arrived by now will be sent again."""
        self._producer.purge()

    def _refuse(self, what: str) -> None:
        remedy = "what was not saved is learned again at the next start"
        raise UndeliveredError(f"{self._address.shown}: {what}; {remedy}")

    def _last_number(self) -> int:
        """The number of this model's last record in the topic, as the broker has it."""
        consumer = self._kafka.Consumer(
            {"group.id": "fenchel-ends", "enable.auto.commit": False, "logger": silent(),
             **settings(self._address)}
        )  # fmt: skip
        place = self._kafka.TopicPartition(self._address.name, 0)
        try:
            first, end = self._ends(consumer, place)
            place.offset = max(first, end - SEARCHED)
            found, at = 0, place.offset
            if at < end:
                consumer.assign([place])
            while at < end:
                message = consumer.poll(1.0)
                if message is None or message.error() is not None:
                    if self._leave():
                        self._refuse("the broker does not answer")
                    continue
                at = message.offset() + 1
                found = max(found, self._number(message.value()))
            return found
        finally:
            consumer.close()

    def _ends(self, consumer: Any, place: Any) -> tuple[int, int]:
        while True:
            try:
                found: tuple[int, int] = consumer.get_watermark_offsets(place, timeout=2.0)
                return found
            except self._kafka.KafkaException as error:
                if "UNKNOWN" in error.args[0].name():  # a topic that is made by the first record
                    return 0, 0
                if self._leave():
                    self._refuse(error.args[0].str())

    def _number(self, data: bytes | None) -> int:
        try:
            told = msgspec.json.decode(data or b"")
            return int(told["n"]) if told["run"] == self._run else 0
        except (KeyError, TypeError, ValueError):
            return 0
