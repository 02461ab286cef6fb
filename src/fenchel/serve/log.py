"""A log of records in one file: only ever appended to, each record with its checksum.

A file begins with ``MAGIC``. A record is a header, (length, checksum, position, time, rows, kind), and a
payload of that length; the checksum covers everything after itself. A record may hold several rows;
its position is the place of the first. The next record's is behind them all.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from struct import Struct
from typing import NamedTuple

MAGIC = b"fenchel log 1\n\x00\x00"
FRONT = Struct("<II")  # length of the payload, checksum of all that follows
REST = Struct("<QqIB")  # position, microseconds since 1970, rows, kind
HEADER = FRONT.size + REST.size
LARGEST = 1 << 28

LEARN, ASK, ANSWER, VW, SVMLIGHT, SOURCE = 1, 2, 3, 4, 5, 6
KINDS = (LEARN, ASK, ANSWER, VW, SVMLIGHT, SOURCE)
TEXT = {VW: "vw", SVMLIGHT: "svmlight"}  # the formats of lines of text


class LogDamaged(ValueError):  # noqa: N818 (a refusal, not a failure of fenchel)
    """A log that cannot be trusted: one line, with the remedy."""


class Record(NamedTuple):
    """One entry of the log: JSON (a line a row), lines of text, or both from a source, as its kind says."""

    position: int
    time: int
    rows: int
    kind: int
    payload: bytes

    def encode(self) -> bytes:
        """Write the record as bytes."""
        rest = REST.pack(self.position, self.time, self.rows, self.kind)
        checksum = zlib.crc32(self.payload, zlib.crc32(rest))
        return b"".join((FRONT.pack(len(self.payload), checksum), rest, self.payload))


def decode(data: bytes, at: int) -> Record | None:
    """Read the record that begins at a place; None where there is no whole and sound one."""
    start = at + HEADER
    if start > len(data):
        return None
    length, checksum = FRONT.unpack_from(data, at)
    if length > LARGEST or start + length > len(data):
        return None
    if zlib.crc32(memoryview(data)[at + FRONT.size : start + length]) != checksum:
        return None
    position, time, rows, kind = REST.unpack_from(data, at + FRONT.size)
    if kind not in KINDS:
        return None
    return Record(position, time, rows, kind, data[start : start + length])


class Contents(NamedTuple):
    """What a file holds: its records, where the last whole one ends, and whether bytes follow it."""

    records: list[Record]
    end: int
    torn: int


def read(path: Path, first: int) -> Contents:
    """Read the whole records of a file whose first one is to have the position ``first``.

    An end that was cut or never written whole is left out, as ``torn`` bytes. Damage with a sound
    record behind it is refused: labels that were acknowledged would be missing in the middle.
    """
    data = path.read_bytes()
    if data[: len(MAGIC)] != MAGIC:
        if MAGIC.startswith(data):
            return Contents([], 0, len(data))
        raise LogDamaged(f"{path}: is no log of this version; restore it from a copy")
    records: list[Record] = []
    at, position = len(MAGIC), first
    while at < len(data):
        record = decode(data, at)
        if record is None or record.position != position:
            break
        records.append(record)
        at += HEADER + len(record.payload)
        position += record.rows
    if at < len(data):
        behind = _sound_record_after(data, at, position)
        if behind is not None:
            raise LogDamaged(
                f"{path}: byte {at}: damaged, with sound records from byte {behind} on; restore the "
                "folder from a copy, or move it away to begin anew"
            )
    return Contents(records, at, len(data) - at)


def _sound_record_after(data: bytes, at: int, position: int) -> int | None:
    """Find the next sound record behind a damaged place that continues the log.

    The upper half of a position hardly ever changes: only places that have it are looked at.
    """
    upper = REST.pack(position, 0, 0, 0)[4:8]
    ahead = FRONT.size + 4  # bytes of a header before it
    found = data.find(upper, at + ahead)
    while found >= 0:
        record = decode(data, found - ahead)
        if record is not None and position <= record.position:
            return found - ahead
        found = data.find(upper, found + 1)
    return None


class Log:
    """A log file to append to. Nothing is durable before ``sync`` has returned."""

    def __init__(self, path: Path, end: int | None = None) -> None:
        """Make a new file, or go on with one at the end of its last whole record."""
        flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if end is None else 0)
        self.path = path
        self._file = os.open(path, flags, 0o600)
        self.size = end or 0
        os.ftruncate(self._file, self.size)
        os.lseek(self._file, self.size, os.SEEK_SET)
        if not self.size:
            self._write(MAGIC)
        self.sync()
        sync_folder(path.parent)

    def append(self, records: list[Record]) -> None:
        """Write records; when the disk is full nothing of them stays, and OSError says so."""
        self._write(b"".join([record.encode() for record in records]))

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            os.ftruncate(self._file, self.size)
            os.lseek(self._file, self.size, os.SEEK_SET)
            raise
        self.size += len(data)

    def sync(self) -> None:
        """Wait until all that was written is on the disk; other threads run meanwhile."""
        getattr(os, "fdatasync", os.fsync)(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable."""
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
