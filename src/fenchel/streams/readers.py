"""The text formats, each as a reader: where records end, how a chunk is parsed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from fenchel.schema import Schema
from fenchel.streams import svmlight, vw
from fenchel.streams.batch import (
    UNKNOWN,
    Batch,
    Parsed,
    batch_of_names,
    must_parse_again,
    refusals,
    vocabulary_of,
)
from fenchel.streams.chunks import Bytes, Labelled, after_last_line
from fenchel.streams.columns import Encoder, Entries
from fenchel.streams.decimal_fallback import Hard, parse_exactly


class Reader(Protocol):
    """Everything that a text format can be asked; ``parse`` runs on several threads at a time."""

    @property
    def named(self) -> bool:
        """Whether columns have names."""

    @property
    def word_ends(self) -> bytes:
        """The bytes that end the word shown in an error."""

    @property
    def schema(self) -> Schema:
        """The columns, as far as the text has shown."""

    @property
    def columns(self) -> list[str]:
        """The columns of the text, where it names them first."""

    @property
    def header_lines(self) -> int:
        """The number of lines before the rows."""

    def begin(self, pieces: Iterator[Bytes]) -> Iterator[Bytes]:
        """The pieces that hold rows; a header is read and taken away."""

    def split(self, data: Bytes) -> int:
        """Find where the last whole record of these bytes ends."""

    def parse(self, data: Bytes) -> Batch:
        """The rows of a chunk."""

    def settle(self, data: Bytes, batch: Batch) -> Batch:
        """The batch in the light of all earlier ones; called in order."""


class LineReader:
    """The common base of formats with one line a record."""

    word_ends = b" \t\r\n"
    header_lines = 0

    def __init__(self, schema: Schema, labelled: Labelled, stop: bool) -> None:
        self.schema, self._labelled, self._stop = schema, bool(labelled), stop
        self._gaps = labelled == "some"

    @property
    def columns(self) -> list[str]:
        """None: each line says for itself what it has."""
        return []

    def begin(self, pieces: Iterator[Bytes]) -> Iterator[Bytes]:
        """Nothing stands before the first record."""
        return pieces

    def split(self, data: Bytes) -> int:
        """Records end with their line."""
        return after_last_line(data)

    def settle(self, data: Bytes, batch: Batch) -> Batch:
        """Lines mean the same wherever they stand."""
        return batch


class SvmlightReader(LineReader):
    """svmlight text; columns are numbers."""

    named = False

    def parse(self, data: Bytes) -> Batch:
        """The rows of a chunk."""
        base = 1 if self.schema.index_base is None else self.schema.index_base
        given = data, base, self._labelled, self._stop
        parsed: Parsed = parse_exactly(data, lambda hard: svmlight.parse(*given, hard))
        return Batch(parsed, refusals=refusals(parsed))


class VwReader(LineReader):
    """Vowpal Wabbit text; columns have names, and namespaces that can be crossed."""

    named = True
    word_ends = b" \t\r\n|"

    def __init__(self, schema: Schema, labelled: Labelled, stop: bool) -> None:
        super().__init__(schema, labelled, stop)
        # Of the labels, and whether they may be missing.
        self._kind = np.array([UNKNOWN, self._gaps], np.int8)
        self._encoder = Encoder(schema)

    def expect(self, kind: int) -> None:
        """Say what kind labels are of, from rows before these."""
        self._kind = np.array([kind], np.int8)

    def parse(self, data: Bytes) -> Batch:
        """The rows of a chunk."""
        assumed = self._kind
        kind = assumed.copy()

        def parse_with(hard: Hard) -> Any:
            kind[:] = assumed
            return vw.parse(data, self._labelled, self._stop, hard, kind)

        parsed, table, classes = parse_exactly(data, parse_with)
        rows = Entries(parsed.indptr, parsed.indices.astype(np.int64), parsed.values)
        hashed = None
        if self.schema.crosses:
            spaces = dict.fromkeys(self._namespaces(table), "")
            rows, table, hashed = self._encoder.finished(rows, table, spaces)
            parsed = parsed._replace(
                indptr=rows.indptr, indices=rows.numbers.astype(np.uint32), values=rows.values
            )
        batch = batch_of_names(parsed, vocabulary_of(table), self.schema.bits)
        if kind[0] == vw.WORDS:
            text, offsets = vocabulary_of(classes)
            words = [text[a:b].tobytes().decode() for a, b in pairwise(offsets)]
            batch = batch._replace(classes=words)
        return batch._replace(assumed=assumed, found=kind, hashed=hashed)

    def _namespaces(self, table: Any) -> list[str]:
        """The namespaces of a chunk's names, and the names without one."""
        text, offsets = vocabulary_of(table)
        names = [text[a:b].tobytes().decode() for a, b in pairwise(offsets)]
        return list(dict.fromkeys(name.partition("^")[0] for name in names))

    def settle(self, data: Bytes, batch: Batch) -> Batch:
        """Parse again if an earlier chunk has labels of another kind."""
        if must_parse_again(batch, self._kind):
            batch = self.parse(data)
        self._kind = np.where(self._kind == UNKNOWN, batch.found, self._kind)
        return batch
