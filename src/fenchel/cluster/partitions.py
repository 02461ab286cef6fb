"""Shards that are no files: partitions of Dask's bags and frames, frames, and lists of rows."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fenchel.learners import Learner
from fenchel.learners.raw_input import block_of
from fenchel.rows import Block
from fenchel.streams import BadInput, Names, Skipped
from fenchel.streams.frames import is_frame


@dataclass(frozen=True)
class Partition:
    """Rows by name: a frame, a list of dicts, a list of lines, or what Dask will compute to one."""

    name: str
    rows: Any

    @property
    def is_delayed(self) -> bool:
        """Whether Dask has yet to compute the rows."""
        return hasattr(self.rows, "dask") and hasattr(self.rows, "compute")

    def to_json(self) -> dict[str, Any]:
        """The shard as a plan keeps it."""
        return {"partition": self.name}

    def lines_before(self) -> int:
        """Lines are counted in each partition by itself."""
        return 0

    def computed(self) -> Any:
        """The rows, computed here where they are not yet."""
        return self.rows.compute(scheduler="synchronous") if self.is_delayed else self.rows


def partitions_of(collection: Any) -> list[Partition]:
    """The partitions of a Dask bag or frame, in their order."""
    kind = type(collection).__name__.lower()
    return [
        Partition(f"{kind} partition {k}", rows) for k, rows in enumerate(collection.to_delayed())
    ]


def is_collection(places: Any) -> bool:
    """Whether this is a Dask bag or frame: it has partitions."""
    return hasattr(places, "to_delayed") and hasattr(places, "npartitions")


class PartitionRows:
    """The blocks of a partition, read through a learner's schema; what is new is taken up."""

    def __init__(self, partition: Partition, learner: Learner, reading: Mapping[str, Any]) -> None:
        self._partition, self._learner, self._reading = partition, learner, reading
        self.skipped = Skipped()

    def __iter__(self) -> Iterator[Block]:
        rows, learner = self._partition.computed(), self._learner
        if not is_frame(rows):
            rows = list(rows)
        if len(rows) == 0:
            return
        if not is_frame(rows) and isinstance(rows[0], str):
            yield from self._lines(rows)
            return
        names = Names(learner.schema.bits) if learner.names is None else learner.names
        block = block_of(rows, learner.schema, names, labelled=True, frozen=False)
        learner.names = names
        yield block

    def _lines(self, rows: list[str]) -> Any:
        """Lines of text, in the format that was said."""
        if self._reading.get("format") is None:
            raise BadInput("lines of no known format", "say format=…", file=self._partition.name)
        text = "".join(line if line.endswith("\n") else f"{line}\n" for line in rows)
        stream = self._learner.open(
            NamedBytes(text.encode(), self._partition.name), **self._reading
        )
        self.skipped = stream.skipped
        return stream


class NamedBytes(io.BytesIO):
    """Bytes as a file with a name, for errors."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name
