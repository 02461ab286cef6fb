"""Growing files, and new ones of a folder: ``tail:logs/*.jsonl``.

Files are read in the order of their names, numbers as numbers; of rotated ones, ``a.log.2``, ``a.log.1``,
``a.log``, the oldest first. What is appended to an earlier file is read when it is seen. A file is known by
its place on the disk and by its beginning, so that renaming it changes nothing, and a file that begins anew
(it was cut to nothing, or its place was given to another) is read from its start. Only whole lines are read.
"""

from __future__ import annotations

import glob
import os
import re
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from fenchel.streams.compression import without_compression
from fenchel.streams.errors import BadInput
from fenchel.streams.inboxes.address import Address
from fenchel.streams.inboxes.inbox import Inbox, Message
from fenchel.streams.inboxes.line_batch import NEWLINE, LineBatch

CHUNK = 1 << 20
LONGEST_LINE = 1 << 26
BEGINNING = 256  # bytes by which a file is known
POLL = 0.05
NUMBERS = re.compile(r"(\d+)")
ROTATED = re.compile(r"\.(\d+)$")


def in_order(path: str) -> tuple[Any, int]:
    """Give the key that files are sorted by.

    >>> sorted(["a.log", "a.log.1", "a.log.10", "a.log.2"], key=in_order)
    ['a.log.10', 'a.log.2', 'a.log.1', 'a.log']
    >>> sorted(["day-10.jsonl", "day-9.jsonl"], key=in_order)
    ['day-9.jsonl', 'day-10.jsonl']
    """
    turned = ROTATED.search(path)
    base = path[: turned.start()] if turned else path
    parts = NUMBERS.split(base)
    words = [(int(p), p) if k % 2 else (0, p) for k, p in enumerate(parts)]
    return words, -int(turned[1]) if turned else 0


class TailInbox(Inbox):
    """The lines of files that match a pattern. Marks: by inode a file's path, beginning and next byte."""

    def __init__(
        self,
        address: Address,
        marks: dict[str, Any],
        tell: Callable[[str], None],
        headed: bool = False,
    ) -> None:
        self._pattern, self._tell, self._headed = address.name, tell, headed
        kept = {int(inode): mark for inode, mark in marks.items()}
        self._files = {
            i: _File(i, path, start, at, headed) for i, (path, start, at) in kept.items()
        }
        self._rest: Sequence[Message] = []
        self._last: _File | None = None  # stays open: it may be renamed out of the pattern

    def take(self, most: int, wait: float) -> Sequence[Message]:
        """Take the next whole lines."""
        until = time.monotonic() + wait
        while not self._rest:
            self._rest = self._read_some()
            self.ended = not self._rest
            if self.ended:
                if time.monotonic() >= until:
                    return []
                time.sleep(POLL)
        taken, self._rest = self._rest[:most], self._rest[most:]
        return taken

    def _read_some(self) -> Sequence[Message]:
        """Lines of the first file that has some; the files are listed before any is read to its end."""
        files = self._listed()
        if self._last is not None and self._last not in files:
            files.insert(0, self._last)
        for file in files:
            found = file.lines()
            if found or file is files[-1]:
                self._keep_open(file)
            if found:
                return found
        return []

    def _keep_open(self, file: _File) -> None:
        if self._last is not None and self._last is not file:
            self._last.close()
        self._last = file

    def _listed(self) -> list[_File]:
        found = []
        for path in sorted(glob.glob(self._pattern), key=in_order):
            if without_compression(path) != path:
                continue  # packed by rotation: its lines were read under another name
            try:
                found.append(self._known(path))
            except OSError:  # a folder, or renamed just now; the next look finds it
                continue
        return found

    def _known(self, path: str) -> _File:
        """The file at a path: one read before, whatever its name was, or a new one."""
        place = os.stat(path)
        same = self._files.get(place.st_ino)
        if same is not None and same.is_as_seen(path, place):
            return same
        with open(path, "rb") as opened:
            start = opened.read(BEGINNING)
        copied = [f for f in self._files.values() if f.path == path and f is not same]
        for file in copied if same is None else [same, *copied]:
            if place.st_size >= file.byte and file.begins(start):
                return self._seen(file, path, place)
        if same is not None:
            self._tell(f"{path}: begins anew; it is read from its start")
            same.close()
        return self._seen(_File(place.st_ino, path, "", 0, self._headed), path, place)

    def _seen(self, file: _File, path: str, place: os.stat_result) -> _File:
        file.see(path, place)
        self._files[place.st_ino] = file
        return file

    def lag(self) -> int | None:
        """Count the bytes behind what was taken."""
        waiting = 0
        if self._rest:  # all of one file; ids end in the byte where the line begins
            waiting = self._rest[-1].mark[2] - int(self._rest[0].id.rpartition(":")[2])
        return waiting + sum(file.size - file.byte for file in self._listed())

    def confirm(self, marks: dict[str, Any]) -> None:
        """Do nothing: nobody has to be informed."""

    def close(self) -> None:
        """Close the file that is open."""
        for file in self._files.values():
            file.close()


class _File:
    """One file: its place on the disk, and its beginning as ``length:checksum``."""

    def __init__(
        self, inode: int, path: str, beginning: str, byte: int, headed: bool = False
    ) -> None:
        self.inode, self.path, self.beginning, self.byte = inode, path, beginning, byte
        self._headed, self._header = headed, b""
        self.size, self._changed = 0, -1
        self._opened: BinaryIO | None = None

    def is_as_seen(self, path: str, place: os.stat_result) -> bool:
        """Whether nothing has changed since the last look."""
        seen = self.path, self.size, self._changed
        return seen == (path, place.st_size, place.st_mtime_ns)

    def see(self, path: str, place: os.stat_result) -> None:
        """Note how the file looks now."""
        self.path, self.inode = path, place.st_ino
        self.size, self._changed = place.st_size, place.st_mtime_ns

    def begins(self, start: bytes) -> bool:
        """Whether a file that begins so is this one."""
        length = int(self.beginning.partition(":")[0] or 0)
        return not length or self.beginning == _beginning(start[:length])

    def lines(self) -> Sequence[Message]:
        """Whole lines from the next byte on, about a megabyte of them."""
        if self.size <= self.byte and self._opened is None:
            return []
        try:
            if self._opened is None:
                self._opened = open(self.path, "rb", buffering=0)  # noqa: SIM115 (until the next)
            data = self._read_on(self._opened)
        except FileNotFoundError:
            return []
        return self._messages(data[: data.rfind(b"\n") + 1])

    def _read_on(self, opened: BinaryIO) -> bytes:
        if not self.beginning:
            self.beginning = _beginning(opened.read(BEGINNING))
        if self._headed and not self._header:
            opened.seek(0)
            line = self._whole_lines(opened).partition(b"\n")[0]
            self._header, self.byte = (
                line.rstrip(b"\r"),
                max(self.byte, len(line) + 1 if line else 0),
            )
        opened.seek(self.byte)
        return self._whole_lines(opened)

    def _whole_lines(self, opened: BinaryIO) -> bytes:
        """The next bytes up to beyond a line end; none where there is no line end yet."""
        data = b""
        while b"\n" not in data:
            more = opened.read(CHUNK)
            if not more:
                return b""
            data += more
            if len(data) > LONGEST_LINE:
                what = f"a line of more than {LONGEST_LINE} bytes"
                raise BadInput(what, "check that it is text, or split the line", file=self.path)
        return data

    def _messages(self, data: bytes) -> Sequence[Message]:
        if not data:
            return []
        name, place, at = Path(self.path).name, str(self.inode), self.byte
        path, beginning, above = self.path, self.beginning, self._header + b"\n"
        stops = np.flatnonzero(np.frombuffer(data, np.uint8) == NEWLINE)
        starts = np.concatenate([[0], stops[:-1] + 1])
        headed = self._headed
        self.byte = at + len(data)

        def make(k: int, line: bytes) -> Message:
            id = f"{name}:{place}:{at + int(starts[k])}"  # names come again, after rotation
            line = above + line if headed and line.strip() else line
            return Message(id, line, place, [path, beginning, at + int(stops[k]) + 1])

        found = LineBatch(data, starts, stops, make)
        return list(found) if headed else found

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None


def _beginning(start: bytes) -> str:
    return f"{len(start)}:{zlib.crc32(start):08x}"
