"""Messages that arrived in one text: each is made when it is asked for, most never are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import kernel
from fenchel.streams.inboxes.inbox import Message

NEWLINE = 10
Places = NDArray[np.int64]


class LineBatch(Sequence[Message]):
    """Messages of one partition, as places in a text; ``make`` gives the k-th its id and its mark."""

    def __init__(
        self,
        data: bytes,
        starts: Places,
        stops: Places,
        make: Callable[[int, bytes], Message],
        first: int = 0,
    ) -> None:
        self._data, self._starts, self._stops = data, starts, stops
        self._make, self._first = make, first

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, key: int) -> Message: ...

    @overload
    def __getitem__(self, key: slice) -> LineBatch: ...

    def __getitem__(self, key: int | slice) -> Message | LineBatch:
        if isinstance(key, slice):
            begin, end, step = key.indices(len(self))
            part = slice(begin, max(begin, end), step)
            given = self._data, self._starts[part], self._stops[part], self._make
            return LineBatch(*given, self._first + begin)
        k = range(len(self))[key]
        return self._make(self._first + k, self._data[self._starts[k] : self._stops[k]])

    def __iter__(self) -> Iterator[Message]:
        data, make = self._data, self._make
        places = zip(self._starts.tolist(), self._stops.tolist(), strict=True)
        for k, (start, stop) in enumerate(places, self._first):
            yield make(k, data[start:stop])

    def text(self) -> bytes:
        """All messages, each with a line end."""
        size = int((self._stops - self._starts).sum()) + len(self)
        data = np.frombuffer(self._data, np.uint8)
        return bytes(joined(data, self._starts, self._stops, size))


@kernel
def joined(data: Any, starts: Any, stops: Any, size: Any) -> Any:
    """The pieces of a text between starts and stops, a line end behind each."""
    out = np.empty(size, np.uint8)
    at = 0
    for k in range(len(starts)):
        for i in range(starts[k], stops[k]):
            out[at] = data[i]
            at += 1
        out[at] = NEWLINE
        at += 1
    return out
