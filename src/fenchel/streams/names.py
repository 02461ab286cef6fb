"""Names of features: each has a column of its own, or, with ``bits``, the column of its hash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.streams.intern_table import add_all, empty_table, find_all, own
from fenchel.streams.murmur import name_hashes

KEPT_NAMES = 1 << 20
LARGEST_BITS = 31
# A cross of hashed names has the column h ← (h·prime) xor the next name's hash.
HASH_PRIME, HASH_MASK = 16777619, (1 << 32) - 1

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
    >>> names.name(1), names.find("unseen"), len(names), list(names)
    ('money', None, 2, ['free', 'money'])

    With ``bits`` the columns are 2^bits and names may share one. The first name of each column is
    kept, up to a million of them; ``collisions`` counts the columns whose first name is known and
    that another name has reached.

    >>> names = Names(bits=1)
    >>> [names.column(name) for name in ("a", "b", "c", "d")]
    [0, 1, 1, 1]
    >>> names.name(1), names.collisions
    ('b', 1)

    There are two tables of the same names: a compiled one, which streams use, and a dict, which
    Python code does. Each catches up with the other when it is asked.
    """

    def __init__(self, bits: int | None = None) -> None:
        if bits is not None and not 1 <= bits <= LARGEST_BITS:
            raise ValueError(f"bits must be from 1 to {LARGEST_BITS}, not {bits}")
        self.bits = bits
        self._compiled = empty_table()
        self._dict: dict[str, int] = {}  # of hashed names: some of them, to be quick
        self._dict_is_behind = False
        # For hashed names: the number of the first name of a column, from 1; negative if shared.
        self._owners = np.zeros(0 if bits is None else 1 << bits, np.int32)

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """A table of these names, in turn."""
        table = cls()
        table.columns(*joined(names))
        return table

    def __len__(self) -> int:
        if self.bits is not None:
            return 1 << self.bits
        return int(self._compiled.used[0]) if self._dict_is_behind else len(self._dict)

    def __iter__(self) -> Iterator[str]:
        """The names known, in the order of their columns; of hashed names as they came."""
        if self.bits is None:
            yield from self.by_name
            return
        yield from (self._kept_name(number) for number in range(self.kept))

    def __contains__(self, name: object) -> bool:
        """Whether a name was met; of hashed names, whether it is the first of its column."""
        if not isinstance(name, str):
            return False
        try:
            column = self.find(name)
        except UnicodeEncodeError:  # no name that was met
            return False
        return column is not None and (self.bits is None or self.name(column) == name)

    @property
    def kept(self) -> int:
        """The number of names known."""
        return int(self._table.used[0])

    @property
    def by_name(self) -> dict[str, int]:
        """Columns by name, of names that are not hashed; ``add`` is how it grows."""
        if self._dict_is_behind:
            known = self._compiled.used[0]
            missing = range(len(self._dict), int(known))
            self._dict.update((self._kept_name(number), number) for number in missing)
            self._dict_is_behind = False
        return self._dict

    def add(self, new: Mapping[str, int]) -> None:
        """Take up names that are not known, whose columns are those next in turn."""
        self.by_name.update(new)

    @property
    def _table(self) -> Any:
        """The compiled table, with all names."""
        count = int(self._compiled.used[0])
        if self.bits is None and count < len(self._dict):
            missing = list(self._dict)[count:]
            self._compiled, _ = add_all(self._compiled, *joined(missing))
        return self._compiled

    @property
    def collisions(self) -> int:
        """The number of columns shared by several names; 0 when names are kept exactly."""
        return int(np.count_nonzero(self._owners < 0))

    def column(self, name: str) -> int:
        """Find the column of a name; a name not seen before gets one."""
        if self.bits is None:
            return self.by_name.setdefault(name, len(self))
        column = self._dict.get(name)
        if column is None:
            column = int(self.columns(*joined([name]))[0])
            if len(self._dict) >= KEPT_NAMES:
                self._dict.clear()
            self._dict[name] = column
        return column

    def find(self, name: str) -> int | None:
        """Find the column of a name, None if it was never seen (with ``bits``, always its hash)."""
        if self.bits is None:
            return self.by_name.get(name)
        column = self._dict.get(name)
        return int(self._hashed(*joined([name]))[0]) if column is None else column

    def name(self, column: int) -> str:
        """Return the name of a column; with ``bits`` the first that reached it, or its number."""
        number = column if self.bits is None else abs(int(self._owners[column])) - 1
        if not 0 <= number < self.kept:
            if self.bits is None:
                raise IndexError(f"no name has column {column}; there are {self.kept}")
            return f"#{column}"
        return self._kept_name(number)

    def _kept_name(self, number: int) -> str:
        table = self._table
        start, stop = table.offsets[number : number + 2]
        return str(table.text[start:stop].tobytes().decode())

    def first_columns(self) -> dict[str, int]:
        """Columns by name; of hashed names the first that reached each."""
        if self.bits is None:
            return dict(self.by_name)
        owned = np.flatnonzero(self._owners)
        return {self.name(column): column for column in owned.tolist()}

    def first_names(self, columns: int) -> Names:
        """A table of its own, of the names of the first so many columns."""
        arrays = self.to_arrays()
        if self.bits is None and columns < self.kept:
            arrays["offsets"] = arrays["offsets"][: columns + 1]
            arrays["text"] = arrays["text"][: arrays["offsets"][-1]]
        return Names.from_arrays(arrays)

    def agrees_with(self, other: Names) -> bool:
        """Whether names that both know have the same columns here and there."""
        if self.bits is not None or other.bits is not None:
            return self.bits == other.bits
        return all(a == b for a, b in zip(self, other, strict=False))

    def take_up(self, other: Names) -> Longs:
        """Add the names of another table; returns where its columns are here."""
        if self.bits != other.bits:
            raise ValueError(
                f"names hashed into 2^{other.bits} columns do not go with 2^{self.bits}: "
                "give all learners the same bits"
            )
        table = other._table
        offsets = table.offsets[: int(table.used[0]) + 1]
        columns = self.columns(table.text[: offsets[-1]], offsets)
        if self.bits is None:
            return columns
        shared = np.flatnonzero(other._owners < 0)
        self._owners[shared] = -np.abs(self._owners[shared])
        return np.arange(len(self))

    def copy(self) -> Names:
        """The same names, which go their own way."""
        return Names.from_arrays(self.to_arrays())

    def __getstate__(self) -> dict[str, Any]:
        return self.to_arrays()

    def __setstate__(self, arrays: dict[str, Any]) -> None:
        self.__dict__.update(Names.from_arrays(arrays).__dict__)

    def of_parts(self, parts: Sequence[str], learning: bool = True) -> int:
        """The column of a cross of hashed names: that of their hashes combined."""
        assert self.bits is not None, "a cross of names that are kept has a name"
        if len(parts) == 1:
            name = parts[0]
            return self.column(name) if learning else int(self._hashed(*joined([name]))[0])
        state, *others = name_hashes(*joined(parts)).tolist()
        for other in others:
            state = ((state * HASH_PRIME) & HASH_MASK) ^ other
        return int(state & ((1 << self.bits) - 1))

    def columns(self, text: Bytes, offsets: Longs) -> Longs:
        """Find the columns of many names, given as :func:`joined` gives them; new ones are added."""
        if self.bits is None:
            self._compiled, columns = add_all(self._table, text, offsets)
            self._dict_is_behind = True
            return np.asarray(columns, np.int64)
        columns = self._hashed(text, offsets)
        self._compiled = own(self._compiled, self._owners, columns, text, offsets, KEPT_NAMES)
        return columns

    def look_up(self, text: Bytes, offsets: Longs) -> tuple[Longs, int]:
        """Find the columns of many names and add none; returns them, and how many there are then.

        Names not known get columns behind all others, in the order of their letters: so the order
        of a row's features depends on the row alone.
        """
        if self.bits is not None:
            return self._hashed(text, offsets), len(self)
        columns = np.asarray(find_all(self._table, text, offsets), np.int64)
        unseen = np.flatnonzero(columns < 0)
        bytes_of = text.tobytes()
        names = [bytes_of[offsets[k] : offsets[k + 1]] for k in unseen]
        order = sorted(range(len(names)), key=names.__getitem__)
        columns[unseen[order]] = len(self) + np.arange(len(order))
        return columns, len(self) + len(order)

    def _hashed(self, text: Bytes, offsets: Longs) -> Longs:
        hashes: Longs = name_hashes(text, offsets)
        return hashes & ((1 << (self.bits or 0)) - 1)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays, for a model file."""
        table = self._table
        offsets = table.offsets[: int(table.used[0]) + 1].copy()
        arrays: dict[str, NDArray[Any]] = {
            "text": table.text[: offsets[-1]].copy(),
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
