"""Names of features: each has a column of its own, or, with ``bits``, the column of its hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.streams.intern_table import add_all, empty_table, find_one, own
from fenchel.streams.murmur import name_hashes

KEPT_NAMES = 1 << 20
LARGEST_BITS = 31

Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]


def joined(names: Iterable[str]) -> tuple[Bytes, Longs]:
    """Names as one array of UTF-8 bytes and where each begins and ends."""
    encoded = [name.encode() for name in names]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(name) for name in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


class Names:
    """Name to column and back; grows as names arrive.

    >>> names = Names()
    >>> names.column("free"), names.column("money"), names.column("free")
    (0, 1, 0)
    >>> names.name(1), names.find("unseen"), len(names)
    ('money', None, 2)

    With ``bits`` the columns are 2^bits and names may share one. The first name of each column is
    kept, up to a million of them; ``collisions`` counts the columns whose first name is known and
    that another name has reached.

    >>> names = Names(bits=1)
    >>> [names.column(name) for name in ("a", "b", "c", "d")]
    [0, 1, 1, 1]
    >>> names.name(1), names.collisions
    ('b', 1)
    """

    def __init__(self, bits: int | None = None) -> None:
        if bits is not None and not 1 <= bits <= LARGEST_BITS:
            raise ValueError(f"bits must be from 1 to {LARGEST_BITS}, not {bits}")
        self.bits = bits
        self._table = empty_table()
        self._memory: dict[str, int] = {}  # what Python code asked for; streams go past it
        # For hashed names: the number of the first name of a column, from 1; negative if shared.
        self._owners = np.zeros(0 if bits is None else 1 << bits, np.int32)

    def __len__(self) -> int:
        return self.kept if self.bits is None else 1 << self.bits

    @property
    def kept(self) -> int:
        """How many columns have a known name."""
        return int(self._table.used[0])

    @property
    def collisions(self) -> int:
        """How many columns are shared by several names; 0 when names are kept exactly."""
        return int(np.count_nonzero(self._owners < 0))

    def column(self, name: str) -> int:
        """Find the column of a name; a name not seen before gets one."""
        column = self._memory.get(name)
        if column is None:
            column = int(self.columns(*joined([name]))[0])
            self._memory[name] = column
        return column

    def find(self, name: str) -> int | None:
        """Find the column of a name, None if it was never seen (with ``bits``, always its hash)."""
        column = self._memory.get(name)
        if column is not None:
            return column
        text, offsets = joined([name])
        if self.bits is not None:
            return int(self._hashed(text, offsets)[0])
        found = int(find_one(self._table, text))
        return None if found < 0 else found

    def name(self, column: int) -> str:
        """Return the name of a column; with ``bits`` the first that reached it, or its number."""
        number = column if self.bits is None else abs(int(self._owners[column])) - 1
        if not 0 <= number < self.kept:
            if self.bits is None:
                raise IndexError(f"no name has column {column}; there are {self.kept}")
            return f"#{column}"
        start, stop = self._table.offsets[number : number + 2]
        return str(self._table.text[start:stop].tobytes().decode())

    def columns(self, text: Bytes, offsets: Longs) -> Longs:
        """Find the columns of many names, given as :func:`joined` gives them; new ones are added."""
        if self.bits is None:
            self._table, columns = add_all(self._table, text, offsets)
            return np.asarray(columns, np.int64)
        columns = self._hashed(text, offsets)
        self._table = own(self._table, self._owners, columns, text, offsets, KEPT_NAMES)
        return columns

    def _hashed(self, text: Bytes, offsets: Longs) -> Longs:
        hashes: Longs = name_hashes(text, offsets)
        return hashes & ((1 << (self.bits or 0)) - 1)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays, for a model file."""
        count = self.kept
        offsets = self._table.offsets[: count + 1].copy()
        arrays: dict[str, NDArray[Any]] = {
            "text": self._table.text[: offsets[-1]].copy(),
            "offsets": offsets,
        }
        if self.bits is not None:
            arrays["bits"] = np.array([self.bits], np.int64)
            arrays["shared"] = np.flatnonzero(self._owners < 0)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Names:
        """Rebuild the table that :meth:`to_arrays` wrote."""
        names = cls(int(arrays["bits"][0]) if "bits" in arrays else None)
        text = np.ascontiguousarray(arrays["text"], np.uint8)
        offsets = np.ascontiguousarray(arrays["offsets"], np.int64)
        _check(text, offsets)
        columns = names.columns(text, offsets)
        if len(np.unique(columns)) < len(columns):
            raise ValueError("the name table has a name twice; the file is damaged")
        if names.bits is not None:
            shared = np.asarray(arrays["shared"], np.int64)
            if len(shared) and not 0 <= shared.min() <= shared.max() < len(names):
                raise ValueError("the name table names a column out of range; the file is damaged")
            names._owners[shared] = -np.abs(names._owners[shared])
        return names


def _check(text: Bytes, offsets: Longs) -> None:
    """Refuse arrays that no table wrote, before compiled code follows their offsets."""
    whole = len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(text)
    if not whole or np.any(np.diff(offsets) < 0):
        raise ValueError("the offsets of the name table do not fit its text; the file is damaged")
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        raise ValueError("the name table is not UTF-8; the file is damaged") from None
