"""Columns of raw values to features: each by its kind, then side by side, then crossed."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.schema import CannotReadError, Kind, Schema, Text
from fenchel.schema.missing import is_missing
from fenchel.schema.schema import in_spelling
from fenchel.streams.batch import side_by_side
from fenchel.streams.cross_products import Crosses
from fenchel.streams.intern_table import add_all
from fenchel.streams.names import joined
from fenchel.streams.text_column import features_of_texts
from fenchel.streams.writable import are_writable, refuse_unwritable

Longs = NDArray[np.int64]


class Entries(NamedTuple):
    """Rows of features: row pointers, numbers of names in a table, values."""

    indptr: Longs
    numbers: Longs
    values: NDArray[np.float64]


class BadCellError(Exception):
    """A cell that its column's kind cannot read: which row of the column, and why."""

    def __init__(self, row: int, column: str, error: CannotReadError) -> None:
        super().__init__(str(error))
        self.row, self.column, self.error = row, column, error


def nothing(rows: int) -> Entries:
    """Rows without features."""
    return Entries(np.zeros(rows + 1, np.int64), np.empty(0, np.int64), np.empty(0))


def beside(first: Entries, second: Entries) -> Entries:
    """The features of both, row by row."""
    if not len(first.numbers):
        return second
    return Entries(*side_by_side(*first, *second))


def column_entries(
    name: str, kind: Kind, cells: Sequence[Any], table: Any, known: Container[str] = ()
) -> tuple[Entries, Any]:
    """The features of a column's cells, and the table with their names.

    ``known`` are the names of the features met so far.
    """
    if isinstance(kind, Text) and kind.missing == "absent":
        return _texts(name, kind, cells, table)
    seen: dict[Any, list[tuple[int, float]]] = {}
    names: dict[str, int] = {}
    lengths, numbers, values = [0], [], []
    for row, cell in enumerate(cells):
        # With its type: True is 1 to a dict, and 1e15 the same whole number, but another level.
        key = (type(cell), cell) if isinstance(cell, (str, int, float, np.floating)) else None
        found = seen.get(key) if key is not None else None
        if found is None:
            found = _numbered(name, kind, in_spelling(name, kind, cell, known), row, names)
            if key is not None:
                seen[key] = found
        for number, value in found:
            numbers.append(number)
            values.append(value)
        lengths.append(len(numbers))
    table, places = add_all(table, *joined(names))
    indices = np.asarray(places, np.int64)[np.array(numbers, np.int64)]
    return Entries(np.array(lengths, np.int64), indices, np.array(values, np.float64)), table


def _numbered(
    name: str, kind: Kind, cell: Any, row: int, names: dict[str, int]
) -> list[tuple[int, float]]:
    """The features of one cell, by numbers that names get here."""
    try:
        found = kind.of_missing(name) if is_missing(cell) else kind.features(name, cell)
        for feature, _ in found:
            refuse_unwritable(feature, name)
    except CannotReadError as error:
        raise BadCellError(row, name, error) from None
    return [(names.setdefault(feature, len(names)), value) for feature, value in found]


def _texts(name: str, kind: Text, cells: Sequence[Any], table: Any) -> tuple[Entries, Any]:
    present = np.array([not is_missing(cell) for cell in cells], np.bool_)
    texts = [str(cell) if there else "" for cell, there in zip(cells, present, strict=True)]
    for row, cell in enumerate(() if are_writable(texts) else texts):
        try:
            refuse_unwritable(cell, name)
        except CannotReadError as error:
            raise BadCellError(row, name, error) from None
    text, offsets = joined(texts)
    return text_entries(text.copy(), offsets[:-1], offsets[1:], present, name, kind, table)


def text_entries(
    text: NDArray[np.uint8],
    starts: Longs,
    stops: Longs,
    present: NDArray[np.bool_],
    name: str,
    kind: Text,
    table: Any,
) -> tuple[Entries, Any]:
    """The features of texts that are slices of one text."""
    given = text, starts, stops, present, name, kind, table
    indptr, numbers, values, table = features_of_texts(*given)
    return Entries(indptr, numbers, values), table


class Encoder:
    """The work left to a schema once the features of the columns are there.

    These are the features of columns that are not there, and the crosses.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._crosses = Crosses(schema.crosses, schema.bits) if schema.crosses else None

    @property
    def is_idle(self) -> bool:
        """Whether the features of the columns are all there is."""
        kinds = self.schema.kinds.values()
        return self._crosses is None and all(kind.missing == "absent" for kind in kinds)

    def finished(
        self, rows: Entries, table: Any, columns: Mapping[str, str]
    ) -> tuple[Entries, Any, Entries | None]:
        """The rows with all their features, the table with their names; hashed crosses apart.

        ``columns`` are the columns or namespaces that there are, with the words of their kinds.
        """
        rows, table, columns = self._with_absent(rows, table, columns)
        if self._crosses is None:
            return rows, table, None
        found, table = self._crosses.added(rows, table, list(columns), list(columns.values()))
        if self.schema.bits is None:
            return beside(rows, Entries(*found)), table, None
        return rows, table, Entries(*found)

    def _with_absent(
        self, rows: Entries, table: Any, columns: Mapping[str, str]
    ) -> tuple[Entries, Any, Mapping[str, str]]:
        """Every value of a column that is not there is missing, which may mean something."""
        for name, kind in list(self.schema.kinds.items()):
            if kind.missing != "absent" and name not in columns and name not in self.schema.roles:
                cells = [None] * (len(rows.indptr) - 1)
                more, table = column_entries(name, kind, cells, table)
                rows, columns = beside(rows, more), {**columns, name: kind.word}
        return rows, table, columns
