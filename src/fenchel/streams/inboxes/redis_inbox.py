"""A Redis stream: ``redis://host:6379/clicks?group=fenchel&from=end&db=0``.

RedisEntries are read by XREAD from the model's own mark on, whatever the broker believes was read; a consumer
group is moved along behind what is saved, so that XINFO GROUPS shows how far the learner is. An entry of one
field is its value, one of several an object of them. One thread reads ahead, two batches at most.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from queue import Empty, Queue
from typing import Any

from fenchel.streams.inboxes.address import Address
from fenchel.streams.inboxes.backoff import Backoff
from fenchel.streams.inboxes.inbox import Inbox, Message
from fenchel.streams.inboxes.line_batch import LineBatch
from fenchel.streams.inboxes.redis_replies import RedisEntries, read_entries, strings

PORT = 6379
BATCH = 8192
BLOCK = 100  # milliseconds that XREAD waits
AHEAD = 2  # batches
FIRST = "0-0"


def connect(address: Address) -> Any:
    """Return a client for the address; nothing is sent yet."""
    try:
        import redis
    except ImportError:
        raise ValueError(
            f"{address.shown}: needs redis-py; install it with pip install fenchel[redis]"
        ) from None
    url = f"{address.scheme}://{address.host}/{address.parameters.get('db', '0')}"
    return redis.Redis.from_url(url, protocol=2, socket_timeout=30.0, socket_connect_timeout=5.0)


def failures() -> tuple[type[Exception], ...]:
    """List the errors after which one tries again: the broker is away, or still loading."""
    import redis

    return (redis.ConnectionError, redis.TimeoutError, OSError)


class RedisInbox(Inbox):
    """The entries of one stream. The mark is the id of the last, and how many it is the last of."""

    def __init__(
        self, address: Address, marks: dict[str, Any], tell: Callable[[str], None]
    ) -> None:
        self._address, self._tell, self._stream = address, tell, address.name
        self._client = connect(address)
        self._backoff = Backoff(address.shown, tell)
        self._group = address.parameters.get("group", "fenchel")
        self._stopped = threading.Event()
        self._queue: Queue[Sequence[Message] | Exception] = Queue(AHEAD)
        self._rest: Sequence[Message] = []
        self._connection: Any = None
        self._mark, self._count = marks.get(self._stream, ("", 0))
        self._taken = self._count
        threading.Thread(target=self._read_ahead, name="fenchel-redis", daemon=True).start()

    # ── the thread that reads ───────────────────────────────────────────────────────────────────

    def _read_ahead(self) -> None:
        try:
            self._persistently(self._begin)
            while not self._stopped.is_set():
                found = self._persistently(self._read)
                if found:
                    self._mark, self._count = found[-1].mark
                self._queue.put(found)
        except Exception as error:  # handed to the consumer
            if not self._stopped.is_set():
                self._queue.put(error)
        finally:
            self._hang_up()

    def _persistently(self, attempt: Callable[[], Any]) -> Any:
        return self._backoff.repeat(attempt, failures(), self._stopped.is_set)

    def _begin(self) -> None:
        """Find out where to begin, and whether anything was deleted unread."""
        import redis

        try:
            told = self._client.xinfo_stream(self._stream)
        except redis.AuthenticationError as error:
            remedy = f"give {self._address.scheme}://USER:PASSWORD@HOST/STREAM"
            raise ValueError(f"{self._address.shown}: {error}; {remedy}") from None
        except redis.ResponseError as error:
            if "no such key" not in str(error):
                raise ValueError(f"{self._address.shown}: {error}; name a stream") from None
            told = {}
        last = _text(told.get("last-generated-id", FIRST))
        if not self._mark:
            from_end = self._address.parameters.get("from") == "end"
            added = told.get("entries-added", 0)
            self._mark = last if from_end else FIRST
            self._count = self._taken = added if from_end else added - told.get("length", 0)
            return
        lost = told.get("entries-added", 0) - told.get("length", 0) - self._count
        if lost > 0:
            what = f"{lost:,} entries were deleted before they were learned"
            self._tell(f"{self._address.shown}: {what}; keep more of them (MAXLEN)")

    def _read(self) -> Sequence[Message]:
        """The next entries; a connection that fails is given up."""
        try:
            if self._connection is None:
                self._connection = self._client.connection_pool.get_connection()
            self._connection.send_command(
                "XREAD", "COUNT", BATCH, "BLOCK", BLOCK, "STREAMS", self._stream, self._mark
            )
            found = read_entries(self._connection)
        except Exception:
            self._hang_up()
            raise
        return [] if found is None else self._messages(found)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.disconnect()
            self._client.connection_pool.release(self._connection)
            self._connection = None

    def _messages(self, found: RedisEntries) -> Sequence[Message]:
        stream, before, reply, ids = self._stream, self._count + 1, found.reply, found.ids

        def make(k: int, text: bytes) -> Message:
            start, stop = ids[k]
            id = reply[start:stop].decode()
            return Message(id, text, stream, (id, before + k))

        batch = LineBatch(reply, found.texts[:, 0], found.texts[:, 1], make)
        if bool((found.fields == 2).all()):
            return batch
        one = [count == 2 for count in found.fields.tolist()]
        return [
            message if simple else message._replace(data=_as_object(strings(message.data)))
            for message, simple in zip(batch, one, strict=True)
        ]

    # ── what the learner asks ───────────────────────────────────────────────────────────────────

    def take(self, most: int, wait: float) -> Sequence[Message]:
        """Take the next entries."""
        if not self._rest:
            try:
                found = self._queue.get(timeout=wait)
            except Empty:
                return []
            if isinstance(found, Exception):
                raise found
            self._rest, self.ended = found, not found
        taken, self._rest = self._rest[:most], self._rest[most:]
        if taken:
            self._taken = taken[-1].mark[1]
        return taken

    def lag(self) -> int | None:
        """Count the entries added and not yet taken; None where the server does not say."""
        import redis

        try:
            added = self._client.xinfo_stream(self._stream).get("entries-added")
        except redis.ResponseError:  # no stream yet
            return 0
        except failures():
            return None
        return None if added is None else max(0, added - self._taken)

    def confirm(self, marks: dict[str, Any]) -> None:
        """Move the consumer group behind what is saved; the server counts from there."""
        import redis

        if self._stream not in marks:
            return
        place = {"id": marks[self._stream][0], "entries_read": marks[self._stream][1]}
        try:
            try:
                self._client.xgroup_create(self._stream, self._group, mkstream=True, **place)
            except redis.ResponseError:  # it exists
                self._client.xgroup_setid(self._stream, self._group, **place)
        except (redis.RedisError, OSError):  # an old server, or none: nothing rests on it
            return

    def close(self) -> None:
        """End the thread, and close the connections."""
        self._stopped.set()
        while not self._queue.empty():
            self._queue.get_nowait()
        self._client.close()


def _as_object(fields: list[bytes]) -> bytes:
    """Several fields as a JSON object: what reads as a number is one."""
    pairs = zip(fields[::2], fields[1::2], strict=True)
    return json.dumps({_text(k): _value(_text(v)) for k, v in pairs}).encode()


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
