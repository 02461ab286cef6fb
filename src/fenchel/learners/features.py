"""One example as a row: a dict of raw columns to columns and values, by the learner's schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from fenchel._numba.choice import READS_DICTS
from fenchel._numba.jit import settled
from fenchel._numba.pydict import KINDS, NameTable, read_dict, read_dicts
from fenchel._numba.undisturbed import undisturbed
from fenchel.rows.types import SparseRows
from fenchel.schema import CannotReadError, Kind, Schema
from fenchel.schema.crosses import Feature
from fenchel.streams.names import Names
from fenchel.streams.writable import are_writable, refuse_unwritable_row

ONE = np.ones(1)
NOTHING: dict[str, int] = {}
NOTHING_MET: dict[str, Kind] = {}


class SingleRow:
    """A block of one row, in arrays that the next example overwrites.

    They may be longer than the row: ``indptr`` has where it ends.
    """

    def __init__(self) -> None:
        self._end = np.zeros(2, np.int64)
        self._known = NameTable()
        self._new = NOTHING
        self.met: dict[str, Kind] = {}  # columns that the last row showed first, by their kinds
        self._widen(16)

    def _widen(self, room: int) -> None:
        values = np.zeros(room)
        rows = SparseRows(self._end, np.zeros(room, np.uint32), values, values.view(np.uint64))
        with undisturbed:  # compiled code writes as far as ``_room`` says
            self.rows = rows
            self._arrays = KINDS, np.zeros(3 + 2 * room, np.uintp), *rows[:3]
            self._room = room

    def fill(
        self, x: Mapping[str, Any], names: Names, schema: Schema, learning: bool
    ) -> dict[str, int]:
        """Put a raw row into the arrays; returns the columns that names not known yet would get.

        Columns stand in order, so that a row is the same however it was written. A dict of numbers
        that are known features is read by compiled code; all else as the schema says.
        """
        self.met = NOTHING_MET  # nothing is left of a row that was refused, or only predicted
        if READS_DICTS and schema.is_plain and type(x) is dict:
            if len(x) > self._room:
                self._widen(2 * len(x))
            by_name, known = names.by_name, self._known
            if len(by_name) != known.count or by_name is not known.names:
                known.follow(by_name, self._new)
            if self._read(x, NOTHING, known.table, *self._arrays):
                return NOTHING
            met = [name for name in x if name not in by_name]
            if learning and met and schema.knows_none(met):
                self._new = {name: column for column, name in enumerate(met, len(by_name))}
                is_read = self._read(x, self._new, known.table, *self._arrays)
                if is_read and all(map(x.get, met)) and are_writable(met):
                    return self._new
        self._new, self.met = {}, {}
        self._put(self._one_by_one(x, names, schema, learning))
        return self._new

    def known_rows(self, several: list[Any], names: Names, schema: Schema) -> SparseRows | None:
        """The rows of the first raw rows that compiled code can read: dicts of numbers, all names known.

        None where that is none of them.
        """
        if not (READS_DICTS and schema.is_plain):
            return None
        longest = max(map(len, several), default=0)
        if longest > self._room:
            self._widen(2 * longest)
        by_name, known = names.by_name, self._known
        if len(by_name) != known.count or by_name is not known.names:
            known.follow(by_name, self._new)
        entries = sum(map(len, several))
        ends = np.zeros(len(several) + 1, np.int64)
        columns, values = np.empty(entries, np.uint32), np.empty(entries)
        given = several, NOTHING, known.table, *self._arrays[:2], ends, columns, values
        count = _reader_of_several()(*given)
        if not count:
            return None
        ends = ends[: count + 1]
        columns, values = columns[: ends[-1]], values[: ends[-1]]
        return SparseRows(ends, columns, values, values.view(np.uint64))

    @cached_property
    def _read(self) -> Any:
        return _reader()

    def _one_by_one(
        self, x: Mapping[str, Any], names: Names, schema: Schema, learning: bool
    ) -> dict[int, float]:
        """The row by the schema: values by column, those of one column added up."""
        try:
            found = schema.entries(x, names, self.met)
            unseen = self._unseen(found, names)
        except CannotReadError as error:
            self.met = {}
            raise ValueError(f"{error} (nothing was learned)") from None
        if names.bits is not None:
            with undisturbed:  # the table of names changes in several steps
                pairs = [(names.of_parts(f.parts, learning), f.value) for f in found]
            return _added_up(pairs)
        by_name, new = names.by_name, self._new
        if not learning:  # as ``Names.look_up`` does
            unseen.sort(key=str.encode)
        new.update((name, column) for column, name in enumerate(unseen, len(by_name)))
        columns = {**new, **{f.name: by_name[f.name] for f in found if f.name in by_name}}
        return _added_up([(columns[f.name], f.value) for f in found if f.value])

    def _unseen(self, found: list[Feature], names: Names) -> list[str]:
        """The names of a row that are not known, which a file must be able to hold; none where hashed."""
        if names.bits is None:
            by_name = names.by_name
            new = list(dict.fromkeys(f.name for f in found if f.value and f.name not in by_name))
            is_writable = are_writable(new)
        else:
            new, is_writable = [], are_writable([part for f in found for part in f.parts])
        if not is_writable or not are_writable(self.met):
            refuse_unwritable_row(self.met, found)
        return new

    def _put(self, row: dict[int, float]) -> None:
        count = len(row)
        if count > self._room:
            self._widen(2 * count)
        columns = sorted(row)
        self._end[1] = count
        self.rows.indices[:count] = columns
        self.rows.values[:count] = [row[column] for column in columns]


def _added_up(pairs: list[tuple[int, float]]) -> dict[int, float]:
    total: dict[int, float] = {}
    for column, value in pairs:
        total[column] = total.get(column, 0.0) + value
    return total


@cache
def _reader() -> Any:
    row = SingleRow()
    return settled(read_dict, (dict, dict, row._known.table, *row._arrays))


@cache
def _reader_of_several() -> Any:
    row = SingleRow()
    return settled(read_dicts, (list, dict, row._known.table, *row._arrays))
