"""Messages of CSV to rows: a message is one line, and its columns are named.

The names come with the message, in a header above its line, as ``tail:`` hands on the first line of a file;
or the schema has them (``header=["age", "job", "label"]``). Cells mean what they mean in a file; where a
label or an identifier is missing, its cell is empty.
"""

from __future__ import annotations

import csv
import math
from typing import Any, NamedTuple

from fenchel.schema import Number, Schema
from fenchel.schema.missing import is_missing
from fenchel.streams.csv_header import DECIMAL_COMMA, is_number
from fenchel.streams.csv_reader import CsvReader
from fenchel.streams.errors import BadInput
from fenchel.streams.inboxes import Message
from fenchel.streams.message_rows import JsonMessages, LabelGate, UnfitError, reason_of
from fenchel.streams.names import Names
from fenchel.streams.raw_rows import TEXT

NO_COLUMNS = "the columns have no names; give --columns A,B,C, or send the header above the line"


class Dialect(NamedTuple):
    """The form of CSV, where options say it."""

    separator: str | None = None
    decimal: str | None = None


class MessageHeader(NamedTuple):
    """The columns of a line, and what stands between its cells."""

    columns: list[str]
    separator: str


class CsvRows:
    """Makes raw rows of CSV."""

    def __init__(self, schema: Schema, names: Names, labelled: bool, dialect: Dialect) -> None:
        self._schema, self._names, self._dialect = schema, names, dialect
        self._labelled = labelled
        self._headers: dict[bytes, MessageHeader] = {}

    def row(self, data: bytes) -> dict[str, Any] | None:
        """The row of a message, the label as its text; None where it has none, ``UnfitError`` if wrong."""
        if not data.strip():
            return None
        above, line = b"", data.strip(b"\r\n")
        if not isinstance(self._schema.header, tuple):
            above, _, line = line.partition(b"\n")
            if not line.strip():
                raise UnfitError(NO_COLUMNS)
        header = self._headers.get(above) or self._read(above)
        cells = _cells(line, header.separator)
        if set(cells) == set(header.columns):  # the header itself
            return None
        if len(cells) != len(header.columns):
            what = f"{len(cells)} cells for {len(header.columns)} columns"
            raise UnfitError(f"{what}; give each column a cell, if an empty one")
        pairs = zip(header.columns, cells, strict=True)
        return {name: self._value(name, cell) for name, cell in pairs if not is_missing(cell)}

    def _read(self, above: bytes) -> MessageHeader:
        """Read a header as that of a file is read."""
        if self._schema.header is False:
            raise UnfitError(NO_COLUMNS)
        given: Any = {"labelled": self._labelled, "stop": True, **self._dialect._asdict()}
        try:
            found = CsvReader("", self._schema, self._names, **given).header_alone(above)
        except BadInput as error:
            raise UnfitError(reason_of(error)) from None
        self._headers[above] = MessageHeader(*found)
        return self._headers[above]

    def _value(self, name: str, cell: str) -> Any:
        """A cell as its column has it: a number where nothing else is known of the column."""
        kind = self._schema.kinds.get(name)
        if name in self._schema.roles or not (kind is None or isinstance(kind, Number)):
            return cell
        if self._dialect.decimal == "," and DECIMAL_COMMA.fullmatch(cell):
            cell = cell.replace(",", ".")
        if not is_number(cell):
            return cell
        if not math.isfinite(number := float(cell)):
            raise UnfitError(f"{name}: {cell[:40]!r} is not finite; leave the value out")
        return number


class CsvMessages(JsonMessages):
    """Lines of CSV; see ``JsonMessages`` for the methods."""

    def __init__(
        self,
        schema: Schema,
        names: Names,
        predict_only: bool = False,
        dialect: Dialect | None = None,
    ) -> None:
        super().__init__(schema, names, predict_only)
        self._rows = CsvRows(schema, names, not predict_only, dialect or Dialect())

    def _row(self, message: Message) -> dict[str, Any] | None:
        return self._rows.row(message.data)

    def _use(
        self, row: dict[str, Any], id: str | None, waiting: bool, gate: LabelGate
    ) -> tuple[str, Any]:
        label = self._schema.label
        if label in row:
            row[label] = label_of(row[label], gate.kind)
        return super()._use(row, id, waiting, gate)


def label_of(cell: str, kind: int) -> str | float:
    """A label as those before it are: a word, or a number where it reads as one.

    >>> label_of("1", 0), label_of("1", TEXT), label_of("spam", 0)
    (1.0, '1', 'spam')
    """
    number = kind != TEXT and is_number(cell) and math.isfinite(float(cell))
    return float(cell) if number else cell


def _cells(line: bytes, separator: str) -> list[str]:
    """The cells of one record, quoted as tables quote them."""
    try:
        records = list(
            csv.reader([line.decode()], delimiter=separator, skipinitialspace=True, strict=True)
        )
    except UnicodeDecodeError:
        raise UnfitError("bytes that are not UTF-8; convert them to UTF-8") from None
    except csv.Error as error:
        raise UnfitError(f"{error}; write one line of csv a message") from None
    return [cell.strip() for cell in records[0]]
