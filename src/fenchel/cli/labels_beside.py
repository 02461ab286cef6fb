"""Rows to predict with the labels that stand beside them: what is predicted never depends on these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fenchel.rows import Block
from fenchel.schema import Schema
from fenchel.streams import BadInput, Names, Stream
from fenchel.streams.batch import Batch
from fenchel.streams.chunks import Bytes
from fenchel.streams.frames import FrameStream
from fenchel.streams.readers import Reader
from fenchel.streams.stream import TextStream


def with_labels(bare: Stream, labelled: Stream) -> Stream:
    """Return the stream of ``bare`` rows with the labels that ``labelled``, of the same place, can read.

    Tables have labels in the column that the schema names; live sources keep theirs to themselves.
    """
    if isinstance(bare, TextStream) and isinstance(labelled, TextStream):
        return LabelledText(bare, labelled)
    if isinstance(bare, FrameStream) and isinstance(labelled, FrameStream):
        return LabelledFrames(bare, labelled)
    return bare


class LabelledText(TextStream):
    """Text read as rows to predict, with labels where a chunk has them."""

    def __init__(self, bare: TextStream, labelled: TextStream) -> None:
        self.__dict__.update(bare.__dict__)
        if not (self._tabular and labelled.schema.label is None):
            self._reader = BesideReader(
                bare._reader, labelled.schema, labelled._new_reader, self.names
            )


class BesideReader:
    """Reads rows by one reader, and the labels of the same chunks by another."""

    def __init__(
        self,
        rows: Reader,
        schema: Schema,
        new: Callable[[Schema, Names | None], Reader],
        names: Names | None,
    ) -> None:
        self._rows, self._new = rows, new
        self._given = schema, names
        self._labels: Reader | None = None  # none yet, or none at all

    @property
    def named(self) -> bool:
        """Whether columns have names."""
        return self._rows.named

    @property
    def word_ends(self) -> bytes:
        """The bytes that end the word shown in an error."""
        return self._rows.word_ends

    @property
    def schema(self) -> Schema:
        """The columns, as far as the rows have shown."""
        return self._rows.schema

    @property
    def columns(self) -> list[str]:
        """The columns of the text, where it names them first."""
        return self._rows.columns

    @property
    def header_lines(self) -> int:
        """The number of lines before the rows."""
        return self._rows.header_lines

    def split(self, data: Bytes) -> int:
        """Find where the last whole record of these bytes ends."""
        return self._rows.split(data)

    def parse(self, data: Bytes) -> Batch:
        """The rows of a chunk."""
        return self._rows.parse(data)

    def begin(self, pieces: Iterator[Bytes]) -> Iterator[Bytes]:
        """Read the header for both; yields the pieces after it."""
        head: list[Bytes] | None = []

        def noted() -> Iterator[Bytes]:
            for piece in pieces:
                if head is not None:
                    head.append(piece)
                yield piece

        rest = self._rows.begin(noted())
        first = next(rest, None)
        if first is None:
            return
        assert head is not None
        self._labels, head = self._begun(head), None
        yield first
        yield from rest

    def _begun(self, head: list[Bytes]) -> Reader | None:
        """The reader of labels behind the same header; None where that has no column of them."""
        schema, names = self._given
        try:
            reader = self._new(_of_columns(schema, self._rows.columns), names)
            next(reader.begin(iter(head)), None)
        except BadInput:
            return None
        return reader

    def settle(self, data: Bytes, batch: Batch) -> Batch:
        """The rows in the light of all earlier ones, with their labels if all can be read."""
        batch = self._rows.settle(data, batch)
        found = self._labels_in(data)
        if found is None or _size(found) != _size(batch):
            return batch
        told = batch.parsed._replace(labels=found.parsed.labels, weights=found.parsed.weights)
        return batch._replace(parsed=told, classes=found.classes)

    def _labels_in(self, data: Bytes) -> Batch | None:
        if self._labels is None:
            return None
        try:
            return self._labels.settle(data, self._labels.parse(data))
        except BadInput:
            return None


def _size(batch: Batch) -> tuple[int, int]:
    """The rows read and refused: who reads labels too refuses the same lines, or more of them."""
    return len(batch.parsed.indptr), batch.parsed.wrong


def _of_columns(schema: Schema, columns: list[str]) -> Schema:
    """The schema of labels: what was said of columns that are not there is forgotten."""
    found = schema.copy()
    found.declared, found.crosses = frozenset(), ()
    if columns:
        found.weight = found.weight if found.weight in columns else None
        found.id = found.id if found.id in columns else None
    return found


class LabelledFrames(FrameStream):
    """Frames read as rows to predict, with labels where a part has them."""

    def __init__(self, bare: FrameStream, labelled: FrameStream) -> None:
        self.__dict__.update(bare.__dict__)
        self._twin = labelled

    def _block(self, frame: Any, first_row: int) -> Block:
        block = super()._block(frame, first_row)
        if self._twin.schema.label not in frame.columns:
            return block
        try:
            labels = self._labels_of(frame[self._twin.schema.label], first_row)
            there = self._twin.schema.weight in frame.columns
            weights = self._twin._importance(frame, first_row) if there else None
        except BadInput:
            return block
        return block.replace(labels=labels, importance=weights)

    def _labels_of(self, column: Any, first_row: int) -> Any:
        """The labels; NaN, or None among texts, where the column has none."""
        there = ~column.is_null().to_numpy().astype(bool)
        known = self._labels(column.filter(there.tolist()), first_row)
        text = known.dtype.kind == "O"
        found = np.full(len(there), None if text else np.nan, object if text else np.float64)
        found[there] = known
        return found
