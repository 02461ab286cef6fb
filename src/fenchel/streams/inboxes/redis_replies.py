"""The entries of a Redis stream as the server sends them: places in its reply, found by compiled code.

A client that makes objects of a reply takes as long for that as learning takes; here few are ever made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import kernel
from fenchel._numba.jit import leaf

STAR, DOLLAR = 42, 36  # before the length of a list, and of a string
RETURN, MINUS = 13, 45
PIECE = 1 << 20
UNKNOWN = -2  # instead of a number: its line has not come whole


class StreamEntries(NamedTuple):
    """The places of ids and texts in a reply; ``fields`` counts the strings of each entry."""

    reply: bytes
    ids: NDArray[np.int64]
    texts: NDArray[np.int64]  # of entries with one field its value, of others all strings
    fields: NDArray[np.int64]


@leaf
def number(data: Any, at: Any, size: Any) -> Any:
    """The number of a line such as ``*3`` or ``$12``, and the place behind it."""
    value, i, sign = 0, at + 1, 1
    while i < size and data[i] != RETURN:
        if data[i] == MINUS:
            sign = -1
        else:
            value = 10 * value + (data[i] - 48)
        i += 1
    return (sign * value, i + 2) if i + 1 < size else (UNKNOWN, at)


@kernel
def find(data: Any, at: Any, ids: Any, texts: Any, fields: Any, found: Any) -> Any:
    """Take down the entries from ``at`` on that have come whole: their number, and where the next begins."""
    size = len(data)
    while found < len(ids):
        _, i = number(data, at, size)  # *2: an id and its fields
        length, i = number(data, i, size) if i > at else (UNKNOWN, i)
        if length < 0:
            return found, at
        ids[found, 0], ids[found, 1] = i, i + length
        i += length + 2
        if i >= size:
            return found, at
        count, j = number(data, i, size)
        if count == UNKNOWN:
            return found, at
        begin = i = j
        for k in range(max(count, 0)):
            if i >= size:
                return found, at
            length, j = number(data, i, size)
            if length == UNKNOWN or j + length + 2 > size:
                return found, at
            begin = j if k == 1 and count == 2 else begin
            i = j + length + 2
        texts[found, 0], texts[found, 1] = begin, i - 2 if count == 2 else i
        fields[found] = count
        found += 1
        at = i
    return found, at


def read_entries(connection: Any) -> StreamEntries | None:
    """Read the answer to an XREAD of one stream; None where there was nothing, or the server's error."""
    import redis

    reply = _Reply(connection)
    first = reply.line()
    if first[:1] == b"-":
        said = first[1:].decode(errors="replace")
        raise (redis.BusyLoadingError if said.startswith("LOADING") else redis.ResponseError)(said)
    if first[:1] != b"*" or first == b"*-1":
        return None
    reply.line()  # *2: the stream and its entries
    reply.skip(int(reply.line()[1:]))
    count = int(reply.line()[1:])
    ids, texts, fields = (np.zeros(shape, np.int64) for shape in ((count, 2), (count, 2), count))
    at, found = reply.at, 0
    while True:
        data = np.frombuffer(reply.data, np.uint8)
        found, at = find(data, at, ids, texts, fields, found)
        if found == count:
            return StreamEntries(reply.data, ids, texts, fields)
        reply.more()


def strings(data: bytes) -> list[bytes]:
    """The strings of one entry.

    >>> strings(b"$1\\r\\na\\r\\n$2\\r\\nbc\\r\\n")
    [b'a', b'bc']
    """
    found, at = [], 0
    while at < len(data):
        end = data.index(b"\r\n", at)
        length = int(data[at + 1 : end])
        found.append(data[end + 2 : end + 2 + length])
        at = end + length + 4
    return found


class _Reply:
    """The bytes of a reply, as many as have come."""

    def __init__(self, connection: Any) -> None:
        self._socket = connection._sock  # redis-py has no public way to the bytes
        self.data, self.at = b"", 0

    def more(self) -> None:
        """Wait for the next bytes."""
        import redis

        piece = self._socket.recv(PIECE)
        if not piece:
            raise redis.ConnectionError("Connection closed by server.")
        self.data += piece

    def line(self) -> bytes:
        """The next line."""
        while (end := self.data.find(b"\r\n", self.at)) < 0:
            self.more()
        begin, self.at = self.at, end + 2
        return self.data[begin:end]

    def skip(self, length: int) -> None:
        """Pass a string of this length."""
        while len(self.data) < self.at + length + 2:
            self.more()
        self.at += length + 2
