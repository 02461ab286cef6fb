"""A schema: from a raw row to features, the same at every door, saved with the model.

A raw row is what users have: a CSV line, a dict, a row of a frame, a JSON object. The schema knows of each
column what it is (``kinds``), which columns are the label, the importance and the identifier of a row,
which crosses are formed, and into how many columns names are hashed. Columns that were not declared are
recognised by their first value, and stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fenchel.schema.crosses import Entry, crossed, parse_cross
from fenchel.schema.kinds import (
    KINDS,
    CannotReadError,
    Category,
    Date,
    Ignored,
    Kind,
    Text,
    Words,
    kind_from_json,
    kind_of,
)
from fenchel.schema.missing import is_missing

LARGEST_BITS = 31
NUMBERS_OF_A_LIST = (int, float)


class Schema:
    """How raw rows become features.

    Parameters
    ----------
    columns
        The kind of each column declared: a ``Kind`` such as ``Text(words=(1, 2))``, or its word
        ("number", "category", "text", "words", "date", "ignored").
    categorical, text, words, date, ignore
        The same by lists of names, for columns without further options.
    cross
        Crosses of columns: ``("site", "ad")`` or ``"site,ad"`` each.
    label, weight, id
        The columns that hold the label, the importance and an identifier of a row.
    bits
        Hash names into 2^bits columns.
    header, index_base
        Whether CSV files begin with a header; the first index of svmlight files.

    Examples
    --------
    >>> schema = Schema(text=["body"], cross=["site,hour"], categorical=["hour"])
    >>> schema.features({"body": "Free money", "site": "a", "hour": 7})
    {'body=free': 1.0, 'body=money': 1.0, 'site=a': 1.0, 'hour=7': 1.0, 'site=a×hour=7': 1.0}
    """

    def __init__(
        self,
        columns: Mapping[str, Kind | str] | None = None,
        *,
        categorical: Iterable[str] = (),
        text: Iterable[str] = (),
        words: Iterable[str] = (),
        date: Iterable[str] = (),
        ignore: Iterable[str] = (),
        cross: Iterable[str | Sequence[str]] = (),
        label: str | None = None,
        weight: str | None = None,
        id: str | None = None,
        bits: int | None = None,
        header: bool | None = None,
        index_base: int | None = None,
    ) -> None:
        self.kinds: dict[str, Kind] = {}
        for name, kind in (columns or {}).items():
            self.kinds[name] = _made(name, kind)
        lists = ((Category, categorical), (Text, text), (Words, words), (Date, date))
        for cls, names in (*lists, (Ignored, ignore)):
            for name in _names(names):
                self._declare(name, cls())
        if bits is not None and not (isinstance(bits, int) and 1 <= bits <= LARGEST_BITS):
            raise ValueError(f"bits={bits!r}: give a whole number from 1 to {LARGEST_BITS}")
        self.declared = frozenset(self.kinds)
        self.crosses = tuple(_cross(each) for each in cross)
        self.label, self.weight, self.id, self.bits = label, weight, id, bits
        self.header, self.index_base = header, index_base

    def _declare(self, name: str, kind: Kind) -> None:
        if name in self.kinds and self.kinds[name] != kind:
            raise ValueError(
                f"the column {name!r} is declared {self.kinds[name].word} and {kind.word}: choose one"
            )
        self.kinds[name] = kind

    def __repr__(self) -> str:
        shown = [f"{name}: {kind.word}" for name, kind in self.kinds.items()]
        shown += [f"cross {','.join(cross)}" for cross in self.crosses]
        return f"<Schema {', '.join(shown) or 'of nothing yet'}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_plain(self) -> bool:
        """Whether numbers are features by their column's name and nothing else has to be done."""
        plain = all(
            kind.word in ("number", "category") and kind.missing == "absent"
            for kind in self.kinds.values()
        )
        roles = (self.label, self.weight, self.id)
        return plain and not self.crosses and roles == (None, None, None) and self.bits is None

    @property
    def roles(self) -> frozenset[str]:
        """The columns that make no features: label, importance, identifier."""
        return frozenset(name for name in (self.label, self.weight, self.id) if name is not None)

    # ── a row ───────────────────────────────────────────────────────────────────────────────────

    def features(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Turn a raw row into features, those of one name added up."""
        found: dict[str, float] = {}
        for entry in self.entries(row):
            found[entry.name] = found.get(entry.name, 0.0) + entry.value
        return found

    def entries(self, row: Mapping[str, Any], learning: bool = False) -> list[Entry]:
        """The features of a raw row in the order of its columns, crosses last.

        While learning, columns that were not known are recognised and kept.
        """
        found: list[Entry] = []
        for name, value in _flattened(row):
            if name not in self.roles:
                found += self._of_column(name, value, learning)
        for name, kind in self.kinds.items():
            if kind.missing != "absent" and name not in row and name not in self.roles:
                found += [Entry(name, kind.word, (n,), v) for n, v in kind.of_missing(name)]
        return crossed(found, self.crosses) if self.crosses else found

    def _of_column(self, name: str, value: Any, learning: bool) -> list[Entry]:
        kind = self.kinds.get(name)
        if kind is None and is_missing(value):
            return []
        if kind is None:
            kind = kind_of(value)
            if learning:
                self.kinds[name] = kind
        try:
            told = kind.of_missing(name) if is_missing(value) else kind.features(name, value)
        except CannotReadError as error:
            raise CannotReadError(f"x[{name!r}]: {error.what}", error.remedy) from None
        return [Entry(name, kind.word, (feature,), number) for feature, number in told]

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────

    def to_json(self) -> dict[str, Any]:
        """The schema as a model file keeps it."""
        return {
            "columns": {name: kind.to_json() for name, kind in self.kinds.items()},
            "declared": sorted(self.declared),
            "crosses": [list(cross) for cross in self.crosses],
            "label": self.label,
            "weight": self.weight,
            "id": self.id,
            "bits": self.bits,
            "header": self.header,
            "index_base": self.index_base,
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Schema:
        """The schema that ``to_json`` wrote."""
        schema = cls(
            {name: kind_from_json(entry) for name, entry in told["columns"].items()},
            cross=told["crosses"],
            label=told["label"],
            weight=told["weight"],
            id=told["id"],
            bits=told["bits"],
            header=told["header"],
            index_base=told["index_base"],
        )
        schema.declared = frozenset(told["declared"])
        return schema

    @property
    def is_empty(self) -> bool:
        """Whether nothing was declared or recognised yet."""
        return self == Schema()

    @property
    def learned_columns(self) -> list[str]:
        """The columns that make features."""
        return [n for n, k in self.kinds.items() if k.word != "ignored" and n not in self.roles]

    def copy(self) -> Schema:
        """The same schema, which goes its own way."""
        return Schema.from_json(self.to_json())


def _names(given: Iterable[str]) -> list[str]:
    if isinstance(given, str):
        raise ValueError(f"{given!r} is one name: give a list of names, [{given!r}]")
    return list(given)


def _made(name: str, kind: Kind | str) -> Kind:
    if isinstance(kind, Kind):
        return kind
    if kind not in KINDS:
        raise ValueError(f"the column {name!r} is {kind!r}: choose one of {', '.join(KINDS)}")
    return KINDS[kind]()


def _cross(given: str | Sequence[str]) -> tuple[str, ...]:
    return parse_cross(given) if isinstance(given, str) else parse_cross(",".join(given))


def _flattened(row: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """The columns of a row; those of an object inside it as ``outer.inner``, a list of numbers by place."""
    for key, value in row.items():
        if not isinstance(key, str):
            raise CannotReadError(
                f"x has the key {key!r}: names of features are strings", f"give {str(key)!r}"
            )
        name = prefix + key
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{name}.")
        elif isinstance(value, (list, tuple)) and value and all(map(_is_number, value)):
            yield from ((f"{name}.{k}", number) for k, number in enumerate(value))
        else:
            yield name, value


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS_OF_A_LIST) and not isinstance(value, bool)
