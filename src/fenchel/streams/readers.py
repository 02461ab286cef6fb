"""The text formats, each as a reader: where records end, how a chunk is parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from fenchel.streams import svmlight, vw
from fenchel.streams.batch import Batch, Parsed, batch_of_names, refusals, vocabulary_of
from fenchel.streams.chunks import Bytes, after_last_line
from fenchel.streams.decimal_fallback import parse_exactly


class Reader(Protocol):
    """Everything that a text format can be asked; ``parse`` runs on several threads at a time."""

    @property
    def named(self) -> bool:
        """Whether columns have names."""

    @property
    def word_ends(self) -> bytes:
        """The bytes that end the word shown in an error."""

    @property
    def label(self) -> str | None:
        """The name of the label's column, once it is known."""

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of the columns by name, where a format has such."""

    @property
    def header_lines(self) -> int:
        """How many lines stand before the rows."""

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
    label: str | None = None
    header_lines = 0

    @property
    def kinds(self) -> dict[str, str]:
        """None: each entry shows for itself what it is."""
        return {}

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

    def __init__(self, index_base: int | None, labelled: bool, stop: bool) -> None:
        self._arguments = (1 if index_base is None else index_base, labelled, stop)

    def parse(self, data: Bytes) -> Batch:
        """The rows of a chunk."""
        arguments = self._arguments
        parsed: Parsed = parse_exactly(data, lambda hard: svmlight.parse(data, *arguments, hard))
        return Batch(parsed, refusals=refusals(parsed))


class VwReader(LineReader):
    """Vowpal Wabbit text; columns have names."""

    named = True
    word_ends = b" \t\r\n|"

    def __init__(self, bits: int | None, labelled: bool, stop: bool) -> None:
        self._bits, self._labelled, self._stop = bits, labelled, stop

    def parse(self, data: Bytes) -> Batch:
        """The rows of a chunk."""
        labelled, stop = self._labelled, self._stop
        parsed, table = parse_exactly(data, lambda hard: vw.parse(data, labelled, stop, hard))
        return batch_of_names(parsed, vocabulary_of(table), self._bits)
