"""Sources of bytes: a file, standard input, a pipe, an open file; compressed or not."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from pathlib import Path
from typing import Any, BinaryIO

from fenchel.streams.compression import Decompressed, compression_of
from fenchel.streams.errors import BadInput, UnreadablePlace

STANDARD_INPUT = "-"
MAGIC_BYTES = 4


class Source:
    """A place to read bytes from, once or, where it can be rewound, again and again."""

    def __init__(self, place: Any) -> None:
        _refuse_other_places(place)
        self.place = place
        self.name = _name(place)
        seekable = getattr(place, "seekable", None)
        self._start = place.tell() if seekable is not None and seekable() else None
        self._read_before = False

    @property
    def repeatable(self) -> bool:
        """Whether a second pass over the same bytes is possible."""
        if isinstance(self.place, (str, Path)):
            return self.place != STANDARD_INPUT and Path(self.place).is_file()
        return self._start is not None

    def open(self) -> OpenedSource:
        """Start a pass over the bytes."""
        raw, owned = self.open_raw()
        return OpenedSource(self.name, raw, owned)

    def open_raw(self) -> tuple[Any, bool]:
        """Start a pass over the bytes as they are stored; whether the file is ours to close."""
        if self._read_before and not self.repeatable:
            raise BadInput(
                "the input can be read only once", "save it to a file first", file=self.name
            )
        self._read_before = True
        if isinstance(self.place, (str, Path)):
            if self.place == STANDARD_INPUT:
                return _unbuffered(sys.stdin), False
            return _open_path(Path(self.place)), True
        if self._start is not None:
            self.place.seek(self._start)
        return self.place, False


class OpenedSource:
    """One pass over a source's bytes, decompressed."""

    def __init__(self, name: str, raw: Any, owned: bool) -> None:
        self.name = name
        self._owned = raw if owned else None
        self._descriptor = _pipe_descriptor(raw)
        start = _read_start(raw)
        self._stream: Any = _Prefixed(start, raw)
        kind = compression_of(name, start)
        if kind is not None:
            self._stream = Decompressed(kind, self._stream, name)

    def read_into(self, buffer: memoryview) -> int:
        """Fill the buffer as far as bytes are there; 0 at the end of the input."""
        return int(self._stream.readinto(buffer))

    def would_wait(self) -> bool:
        """Whether the next read may have to wait for the other end of a pipe."""
        if self._descriptor is None:
            return False
        return not _has_input(self._descriptor)

    def close(self) -> None:
        """Close what was opened here; what the caller opened stays open."""
        if self._owned is not None:
            self._owned.close()


def _has_input(descriptor: int) -> bool:
    """Whether bytes or an end are there to be read, of a descriptor with any number."""
    if hasattr(select, "poll"):
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(0))
    return bool(select.select([descriptor], [], [], 0)[0])


class _Prefixed:
    """A stream whose first bytes were already read."""

    def __init__(self, start: bytes, rest: Any) -> None:
        self._start = start
        self._rest = rest

    def readinto(self, buffer: memoryview) -> int:
        if self._start:
            size = min(len(buffer), len(self._start))
            buffer[:size] = self._start[:size]
            self._start = self._start[size:]
            return size
        return _read_into(self._rest, buffer)


def _read_into(stream: Any, buffer: memoryview) -> int:
    if hasattr(stream, "readinto"):
        return stream.readinto(buffer) or 0
    data = stream.read(len(buffer))
    buffer[: len(data)] = data
    return len(data)


def _read_start(raw: Any) -> bytes:
    """The first few bytes, fewer only at the end of the input."""
    start = b""
    while len(start) < MAGIC_BYTES:
        more = bytearray(MAGIC_BYTES - len(start))
        size = _read_into(raw, memoryview(more))
        if size == 0:
            break
        start += more[:size]
    return start


def _refuse_other_places(place: Any) -> None:
    if isinstance(place, io.TextIOBase):
        raise ValueError("the file is open as text: open it with mode 'rb', or give its path")
    if not isinstance(place, (str, Path)) and not hasattr(place, "read"):
        raise ValueError(
            f"the source is a {type(place).__name__}: give a path, '-' or an open binary file; "
            "from_frame takes frames, from_arrays(X, y) arrays"
        )


def _name(place: Any) -> str:
    if isinstance(place, (str, Path)):
        return "standard input" if place == STANDARD_INPUT else str(place)
    name = getattr(place, "name", None)
    return name if isinstance(name, str) else "input"


def _unbuffered(stream: Any) -> Any:
    """The descriptor below standard input: a buffer would hold back what a pipe has."""
    try:
        return io.FileIO(stream.fileno(), closefd=False)
    except (OSError, ValueError, AttributeError):  # replaced by an object without a descriptor
        return stream.buffer


def _open_path(path: Path) -> BinaryIO:
    file = str(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UnreadablePlace("this is a directory", "name a file in it", file=file)
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
            raise UnreadablePlace("this is a device", "name a file, a pipe, or - ", file=file)
        return path.open("rb", buffering=0)
    except UnreadablePlace:
        raise
    except FileNotFoundError:
        raise UnreadablePlace("there is no such file", "check the path", file=file) from None
    except OSError as error:
        what = f"the file cannot be read: {error.strerror or error}"
        raise UnreadablePlace(what, "check its permissions", file=file) from None
    except ValueError as error:
        raise UnreadablePlace(f"not a path: {error}", "check the path", file=repr(file)) from None


def _pipe_descriptor(raw: Any) -> int | None:
    """The descriptor to wait on when bytes arrive over time; None for files on disk."""
    try:
        descriptor = int(raw.fileno())
        mode = os.fstat(descriptor).st_mode
    except (OSError, ValueError, AttributeError):
        return None
    return None if stat.S_ISREG(mode) else descriptor
