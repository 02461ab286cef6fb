"""A stream: blocks of rows, one pass at a time, in bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from fenchel.rows import Block, Rows
from fenchel.schema import Schema
from fenchel.streams.batch import Batch, Refusal, labels_of, rows_by_name
from fenchel.streams.chunks import chunks
from fenchel.streams.errors import BadInput, Skipped, UnreadablePlace
from fenchel.streams.names import Names
from fenchel.streams.pipeline import ordered
from fenchel.streams.readers import Reader
from fenchel.streams.source import Source

Bytes = NDArray[np.uint8]


class Stream(ABC):
    """Blocks of rows; each ``for`` over it is a pass from the start, where the source allows it.

    ``names`` has columns by name (None: columns are numbers), ``columns`` how many are known so
    far, ``skipped`` which lines this pass left out, ``schema`` what the raw columns are.
    """

    names: Names | None = None

    def __init__(
        self, block_rows: int | None, schema: Schema | None = None, frozen: bool = False
    ) -> None:
        self._block_rows = block_rows
        self.schema = Schema() if schema is None else schema
        self._frozen = frozen  # whether names that are not known stay so
        self._columns = 0
        self.skipped = Skipped()

    @property
    def columns(self) -> int:
        """The number of columns known so far."""
        return self._columns if self.names is None else len(self.names)

    @property
    def label(self) -> str | None:
        """The name of the label's column, where columns have names and once it is known."""
        return self.schema.label

    @property
    def raw_columns(self) -> list[str]:
        """The columns of a table, where it names them, once it was opened."""
        return []

    def follow(self, schema: Schema, names: Names | None) -> None:
        """Go on with what a learner knows of its columns; before the first pass."""
        self.schema, self.names = schema, names

    def __iter__(self) -> Iterator[Block]:
        self.skipped = Skipped()
        for block in self._blocks():
            if len(block):
                yield from block.parts(self._block_rows)

    @abstractmethod
    def _blocks(self) -> Iterator[Block]:
        """The blocks of one pass."""


class TextStream(Stream):
    """A stream of text: read in chunks, parsed on several threads, delivered in order."""

    def __init__(
        self,
        source: Source,
        reader: Callable[[Schema, Names | None], Reader],
        schema: Schema,
        names: Names | None,
        *,
        block_rows: int | None,
        skip: bool,
        threads: int | None,
        chunk: int,
        tabular: bool,
        frozen: bool,
    ) -> None:
        super().__init__(block_rows, schema, frozen)
        self.names = names
        self._source, self._reader = source, reader(schema, names)
        self._new_reader = reader
        self._skip, self._threads, self._chunk = skip, threads, chunk
        self._tabular = tabular

    @property
    def raw_columns(self) -> list[str]:
        """The columns of a table, where it names them, once it was opened."""
        return self._reader.columns

    def follow(self, schema: Schema, names: Names | None) -> None:
        """Go on with what a learner knows of its columns; before the first pass."""
        super().follow(schema, names)
        self._reader = self._new_reader(schema, names)

    def _blocks(self) -> Iterator[Block]:
        rows = lines = 0
        pieces = self._reader.begin(chunks(self._source, self._chunk, self._reader.split))
        try:
            for data, batch in ordered(pieces, self._reader.parse, self._threads):
                batch = self._reader.settle(data, batch)
                yield self._block(data, batch, rows)
                self._refuse(data, batch, lines)
                rows += len(batch.parsed.indptr) - 1
                lines += batch.parsed.lines
        except BadInput as error:
            if error.line is not None or isinstance(error, UnreadablePlace):
                raise
            # The bytes themselves were refused: say how far the text was read.
            raise BadInput(
                error.what, error.remedy, value=error.value, file=self._source.name, line=lines + 1
            ) from None

    def _block(self, data: Bytes, batch: Batch, first_row: int) -> Block:
        parsed = batch.parsed
        self._columns = max(self._columns, parsed.columns)
        if self.names is None:
            rows = Rows.sparse(*parsed[:3], self._columns)
        else:
            rows = rows_by_name(batch, self.names, frozen=self._frozen, tabular=self._tabular)
        tags = [data[a:b].tobytes().decode(errors="replace") for a, b in parsed.tags] or None
        return Block(
            rows,
            labels_of(batch),
            parsed.weights if len(parsed.weights) else None,
            parsed.groups if len(parsed.groups) else None,
            tags if batch.ids is None else batch.ids,
            first_row,
        )

    def _refuse(self, data: Bytes, batch: Batch, lines: int) -> None:
        """Raise the first bad line, or count them all."""
        for refusal in batch.refusals:
            error = self._error(data, refusal, lines)
            if not self._skip:
                raise error
            self.skipped.add(error)
        self.skipped.count += batch.parsed.wrong - len(batch.refusals)

    def _error(self, data: Bytes, refusal: Refusal, lines: int) -> BadInput:
        before = data[: refusal.offset].tobytes()
        start = before.rfind(b"\n") + 1
        value = self._word(data, refusal.offset) if refusal.value is None else refusal.value
        return BadInput(
            refusal.what,
            refusal.remedy,
            value=value or None,
            file=self._source.name,
            line=self._reader.header_lines + lines + before.count(b"\n") + 1,
            column=len(before[start:].decode(errors="replace")) + 1,
        )

    def _word(self, data: Bytes, start: int) -> str:
        """The word at a position, as far as it is worth showing."""
        word = data[start : start + 200].tobytes()
        ends = (k for k, byte in enumerate(word) if byte in self._reader.word_ends)
        return word[: next(ends, len(word))].decode(errors="backslashreplace")
