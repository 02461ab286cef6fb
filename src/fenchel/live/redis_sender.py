"""A Redis stream to send to: ``redis://host/predictions?maxlen=100000``; the field ``data`` is JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from fenchel.live.senders import SEARCHED, Leave, Sender, Tell, UndeliveredError, encode
from fenchel.streams.inboxes import Address
from fenchel.streams.inboxes.backoff import Backoff
from fenchel.streams.inboxes.redis_inbox import connect, failures


class RedisSender(Sender):
    """Adds records; after a lost connection it asks which have arrived."""

    def __init__(
        self, address: Address, run: str, state: dict[str, Any], tell: Tell, leave: Leave
    ) -> None:
        self._address, self._run, self._leave = address, run, leave
        self._client = connect(address)
        self._backoff = Backoff(address.shown, tell)
        self._most = address.parameters.get("maxlen")
        self.sent = state.get("sent", 0)
        self._arrived = self.sent
        self._certain = False  # whether the stream was asked since the connection was made

    def _send(self, numbered: list[tuple[int, dict[str, Any]]]) -> None:
        def attempt() -> None:
            if not self._certain:
                self._arrived = max(self._arrived, self._last_number())
                self._certain = True
            missing = [(n, record) for n, record in numbered if n > self._arrived]
            self._certain = False
            self._add(missing)
            self._arrived = max(self._arrived, numbered[-1][0]) if numbered else self._arrived
            self._certain = True

        try:
            self._backoff.repeat(attempt, failures(), self._leave)
        except failures() as error:
            raise UndeliveredError(
                f"{self._address.shown}: {error}; what was not saved is learned again at the next start"
            ) from None

    def _add(self, missing: list[tuple[int, dict[str, Any]]]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for number, record in missing:
            data = encode({**record, "n": number, "run": self._run})
            limit = {"maxlen": int(self._most), "approximate": True} if self._most else {}
            pipeline.xadd(self._address.name, {"data": data}, **limit)
        if missing:
            pipeline.execute()

    def _last_number(self) -> int:
        for _, fields in self._client.xrevrange(self._address.name, count=SEARCHED):
            try:
                told = msgspec.json.decode(fields[b"data"])
                if told["run"] == self._run:
                    return int(told["n"])
            except (KeyError, TypeError, ValueError):
                continue
        return 0

    def flush(self) -> None:
        """Nothing waits: each batch was answered."""

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
