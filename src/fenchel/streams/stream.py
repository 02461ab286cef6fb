"""A stream: blocks of rows, one pass at a time, in bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fenchel.rows import Block, Rows
from fenchel.streams.batch import Batch, Refusal
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
    far, ``skipped`` which lines this pass left out, ``label`` the name of the label's column.
    """

    names: Names | None = None

    def __init__(self, block_rows: int | None) -> None:
        self._block_rows = block_rows
        self._columns = 0
        self.skipped = Skipped()

    @property
    def columns(self) -> int:
        """How many columns are known so far."""
        return self._columns if self.names is None else len(self.names)

    @property
    def label(self) -> str | None:
        """The name of the label's column, where columns have names and once it is known."""
        return None

    @property
    def kinds(self) -> dict[str, str]:
        """CSV: each column by name: number, category, ignored, or unknown so far."""
        return {}

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
        reader: Reader,
        names: Names | None,
        *,
        block_rows: int | None,
        skip: bool,
        threads: int | None,
        chunk: int,
    ) -> None:
        super().__init__(block_rows)
        self.names = names
        self._source, self._reader = source, reader
        self._skip, self._threads, self._chunk = skip, threads, chunk

    @property
    def label(self) -> str | None:
        """The name of the label's column, where columns have names and once it is known."""
        return self._reader.label

    @property
    def kinds(self) -> dict[str, str]:
        """CSV: each column by name: number, category, ignored, or unknown so far."""
        return self._reader.kinds

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
        indices = parsed.indices
        if self.names is not None and batch.vocabulary is not None:
            columns = self.names.columns(*batch.vocabulary)
            indices = columns.astype(np.uint32)[indices]
        self._columns = max(self._columns, parsed.columns)
        labels: NDArray[np.generic] = parsed.labels
        if batch.classes is not None:
            labels = np.array(batch.classes, dtype=object)[parsed.labels.astype(np.int64)]
        return Block(
            Rows.sparse(parsed.indptr, indices, parsed.values, self.columns),
            labels if len(labels) else None,
            parsed.weights if len(parsed.weights) else None,
            parsed.groups if len(parsed.groups) else None,
            [data[a:b].tobytes().decode(errors="replace") for a, b in parsed.tags] or None,
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
