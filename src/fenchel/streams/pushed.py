"""Text that arrives in pieces, such as lines from a socket, as blocks: no file, no threads."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.rows import Block
from fenchel.schema import Schema
from fenchel.streams.batch import Batch
from fenchel.streams.chunks import CHUNK
from fenchel.streams.names import Names
from fenchel.streams.readers import Reader, SvmlightReader, VwReader
from fenchel.streams.source import Source
from fenchel.streams.stream import TextStream

NOTHING = Source(io.BytesIO())
READERS: dict[str, Any] = {"vw": VwReader, "svmlight": SvmlightReader}


class PushedText(TextStream):
    """Makes a block of each piece of text given, whole lines of svmlight or Vowpal Wabbit text.

    A piece with a bad line is refused whole, before any name in it is taken up.

    >>> pushed = PushedText("svmlight")
    >>> pushed.block(b"1 3:0.5\\n-1 1:1\\n").labels
    array([ 1., -1.])
    """

    def __init__(
        self,
        format: str,
        schema: Schema | None = None,
        names: Names | None = None,
        *,
        labelled: bool = True,
        frozen: bool = False,
    ) -> None:
        schema = Schema() if schema is None else schema
        if names is None and format == "vw":
            names = Names(schema.bits)

        def reader(schema: Schema, names: Names | None) -> Reader:
            made: Reader = READERS[format](schema, labelled, True)
            return made

        super().__init__(
            NOTHING, reader, schema, names,
            block_rows=None, skip=False, threads=1, chunk=CHUNK, tabular=False, frozen=frozen,
        )  # fmt: skip

    def expect(self, kind: int) -> None:
        """Say what labels are from before: numbers (1), words (2), or not known (0)."""
        if isinstance(self._reader, VwReader):
            self._reader.expect(kind)

    def parse(self, data: bytes) -> Batch:
        """Parse a piece, or raise the first mistake in it; no name is taken up yet."""
        text = np.frombuffer(data, np.uint8)
        batch = self._reader.settle(text, self._reader.parse(text))
        self._refuse(text, batch, 0)
        return batch

    def labels(self, batch: Batch) -> NDArray[Any]:
        """Return the labels of a piece: numbers, or words as objects."""
        if batch.classes is None:
            return batch.parsed.labels
        return np.array(batch.classes, dtype=object)[batch.parsed.labels.astype(np.int64)]

    def block(self, data: bytes, batch: Batch | None = None) -> Block:
        """Make the block of a piece, parsed already or not; its names get their columns."""
        batch = self.parse(data) if batch is None else batch
        return self._block(np.frombuffer(data, np.uint8), batch, 0)
