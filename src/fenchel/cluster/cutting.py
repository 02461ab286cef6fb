"""Shards: whole files, byte ranges of large ones cut at line ends, row groups of Parquet files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from fenchel.cluster.files import is_remote, named, opened, parquet_file, size_of
from fenchel.cluster.partitions import Partition, is_collection, partitions_of
from fenchel.streams import guess_format
from fenchel.streams.compression import compression_of
from fenchel.streams.frames import is_frame

LINES = ("svmlight", "vw", "jsonl")  # in which every line stands for itself
LARGEST = 1 << 30  # bytes of a shard that can be cut: what a worker that dies costs
SMALLEST = 1 << 20  # less is not worth a shard of its own
LOOK = 1 << 16


@dataclass(frozen=True)
class Shard:
    """Rows of a file: all of it, its bytes from ``begin`` to ``end``, or some of its row groups."""

    path: str
    begin: int = 0
    end: int | None = None
    groups: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The file, and which part of it."""
        if self.groups:
            return f"{self.path} row groups {self.groups[0]}-{self.groups[-1]}"
        return self.path if self.end is None else f"{self.path} bytes {self.begin}-{self.end}"

    def to_json(self) -> dict[str, Any]:
        """The shard as a plan keeps it."""
        return {**asdict(self), "groups": list(self.groups)}

    def lines_before(self) -> int:
        """The number of lines of the file before this shard."""
        count = 0
        with opened(self.path) as file:
            while (left := self.begin - file.tell()) > 0:
                count += file.read(min(LOOK, left)).count(b"\n")
        return count


READY = (Shard, Partition)


class ByteRange(io.RawIOBase):
    """Some bytes of a file, as a file of their own with the same name."""

    def __init__(self, shard: Shard) -> None:
        self.name, self._shard = shard.path, shard
        self._file = opened(shard.path)
        self._file.seek(shard.begin)

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read up to the end of the range."""
        end = self._shard.end
        room = len(buffer) if end is None else min(len(buffer), max(end - self._file.tell(), 0))
        return self._file.readinto(memoryview(buffer)[:room]) or 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def shards(
    places: str | os.PathLike[str] | Iterable[Any], count: int = 1, format: str | None = None
) -> list[Any]:
    """Cut files, or those that patterns such as ``data/part-*.svm`` name, into ``count`` shards or more.

    svmlight, vw and JSON lines are cut at line ends and Parquet between row groups, so that no shard is
    larger than a ``count``-th of all bytes, or an even part of that of at most 1 GB; anything else, and what
    is compressed, stays whole.
    Paths with a protocol, such as ``s3://bucket/part-*.svm``, are read by fsspec. Of a Dask bag or frame
    every partition is a shard.

    >>> shards(Shard("a.svm"))
    [Shard(path='a.svm', begin=0, end=None, groups=())]
    """
    if isinstance(places, READY):
        return [places]
    if is_collection(places):
        return list(partitions_of(places))
    given = _several(places)
    ready = [place for place in given if isinstance(place, READY)]
    files = [file for place in given if not isinstance(place, READY) for file in named(place)]
    total = sum(size_of(file) for file in files)
    each = -(-total // max(count, 1))
    most = max(-(-each // max(-(-each // LARGEST), 1)), SMALLEST)
    return ready + [shard for file in files for shard in _cut(file, most, format)]


def _several(places: Any) -> list[Any]:
    """What was given, one by one; anything that is no shard is refused."""
    if isinstance(places, (str, os.PathLike)):
        return [places]
    several = isinstance(places, Iterable) and not (is_frame(places) or isinstance(places, Mapping))
    given = list(places) if several else [places]
    for place in given:
        if not isinstance(place, (str, os.PathLike, *READY)):
            raise TypeError(
                f"a {type(place).__name__} is no shard: give paths, patterns, Shard objects, a Dask bag "
                'or frame, or rows of your own as Partition("name", rows)'
            )
    return given


def _cut(file: str, most: int, format: str | None) -> Iterator[Shard]:
    format, size = format or guess_format(file), size_of(file)
    pieces = -(-size // most)
    if format == "parquet" and (pieces > 1 or is_remote(file)):
        yield from _row_groups(file, pieces)
    elif format not in LINES or pieces < 2 or _is_compressed(file):
        yield Shard(file)
    else:
        ends = [_line_end(file, size * k // pieces) for k in range(1, pieces)]
        cuts = sorted({0, *ends, size})
        yield from (Shard(file, a, b) for a, b in pairwise(cuts))


def _row_groups(file: str, pieces: int) -> Iterator[Shard]:
    with parquet_file(file) as table:
        count = table.num_row_groups
    pieces = min(pieces, count)
    for k in range(pieces):
        yield Shard(file, groups=tuple(range(count * k // pieces, count * (k + 1) // pieces)))


def _line_end(file: str, place: int) -> int:
    """The position after the first line end from a place on."""
    with io.BufferedReader(ByteRange(Shard(file, place))) as found:
        return place + len(found.readline())


def _is_compressed(file: str) -> bool:
    with opened(file) as found:
        return compression_of(file, found.read(4)) is not None
