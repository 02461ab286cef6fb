"""A schema: from a raw row to features, the same wherever it comes in, saved with the model.

A raw row is what users have: a CSV line, a dict, a row of a frame, a JSON object. The schema knows of each
column what it is (``kinds``), which columns are the label, the importance and the identifier of a row,
which crosses are formed, and into how many columns names are hashed. Columns that were not declared are
recognised by their first value, and stay what they are.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from fenchel.schema.crosses import CATEGORIES, Feature, crossed, fits, parse_cross
from fenchel.schema.from_numpy import in_python, is_truth
from fenchel.schema.kinds import (
    KINDS,
    CannotReadError,
    Category,
    Date,
    Ignored,
    Kind,
    Number,
    Text,
    WordList,
    kind_from_json,
    kind_of,
)
from fenchel.schema.missing import is_missing

LARGEST_BITS = 31
NUMBERS_OF_A_LIST = (int, float)
NUMBER = Number()
PLAIN = (NUMBER, Category(), Ignored())


class Declared(TypedDict, total=False):
    """The arguments of ``Schema``: all that may be said of the columns."""

    columns: Mapping[str, Kind | str] | None
    categorical: Iterable[str]
    text: Iterable[str]
    words: Iterable[str]
    date: Iterable[str]
    ignore: Iterable[str]
    cross: Iterable[str | Sequence[str]]
    label: str | None
    weight: str | None
    id: str | None
    bits: int | None
    header: bool | Iterable[str] | None
    index_base: int | None


class Schema:
    """The way from raw rows to features.

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
        Whether CSV begins with a header, or the names of its columns where it does not; the first index
        of svmlight files.

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
        header: bool | Iterable[str] | None = None,
        index_base: int | None = None,
    ) -> None:
        self.kinds: dict[str, Kind] = {}
        for name, kind in (columns or {}).items():
            self.kinds[name] = _made(name, kind)
        lists = ((Category, categorical), (Text, text), (WordList, words), (Date, date))
        for cls, names in (*lists, (Ignored, ignore)):
            for name in _names(names):
                self._declare(name, cls())
        if bits is not None and not (isinstance(bits, int) and 1 <= bits <= LARGEST_BITS):
            raise ValueError(f"bits={bits!r}: give a whole number from 1 to {LARGEST_BITS}")
        if index_base not in (None, 0, 1):
            raise ValueError(f"index_base={index_base!r}: svmlight counts from 0 or 1")
        taken = [name for name in (label, weight, id) if name is not None]
        if len(set(taken)) < len(taken):
            raise ValueError(
                f"label, weight and id are {label}, {weight} and {id}: name three columns"
            )
        self.declared = frozenset(self.kinds)
        self.crosses = tuple(_cross(each) for each in cross)
        self.label, self.weight, self.id, self.bits = label, weight, id, bits
        self.header, self.index_base = _header(header), index_base
        # Whether a number is a feature by its column's name, and a word by column=word, and no more.
        self.is_plain = not self.crosses and bits is None and all(map(_plain, self.kinds.values()))

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

    def recognise(self, name: str, kind: Kind) -> None:
        """Keep what a column is, that nobody declared."""
        self.kinds[name] = kind
        self.is_plain = self.is_plain and _plain(kind)

    def recognise_all(self, met: Mapping[str, Kind]) -> None:
        """Keep what some columns are."""
        for name, kind in met.items():
            self.recognise(name, kind)

    @property
    def roles(self) -> frozenset[str]:
        """The columns that make no features: label, importance, identifier."""
        return frozenset(name for name in (self.label, self.weight, self.id) if name is not None)

    def absent_from(self, columns: Iterable[str]) -> list[str]:
        """List what was named, in declarations, roles and crosses, and is not among these columns.

        The label is left out: readers may find one.
        """
        there = set(columns)
        named = sorted((self.declared | self.roles) - {self.label})
        crossed = {word for cross in self.crosses for word in cross} - {CATEGORIES}
        learned = there - self.roles
        unmet = sorted(w for w in crossed if not any(fits(name, "", w) for name in learned))
        return [name for name in named if name not in there] + unmet

    def knows_none(self, names: Collection[str]) -> bool:
        """Whether nothing was said of any of these columns."""
        roles = self.label, self.weight, self.id
        unknown = not self.kinds or self.kinds.keys().isdisjoint(names)
        return unknown and not any(role is not None and role in names for role in roles)

    # ── a row ───────────────────────────────────────────────────────────────────────────────────

    def features(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Turn a raw row into features, those of one name added up."""
        found: dict[str, float] = {}
        for entry in self.entries(row):
            found[entry.name] = found.get(entry.name, 0.0) + entry.value
        return found

    def entries(
        self,
        row: Mapping[str, Any],
        known: Container[str] = (),
        met: dict[str, Kind] | None = None,
    ) -> list[Feature]:
        """The features of a raw row in the order of its columns, crosses last.

        ``known`` are the names of the features met so far. Columns that the schema does not know are
        recognised by their value and put into ``met``, for ``recognise_all``; numbers need not be, as
        their names are features.
        """
        met = {} if met is None else met
        found: list[Feature] = []
        roles = self.roles
        for name, value in flattened(row, self.kinds):
            if name not in roles:
                found += self._of_column(name, value, known, met)
        for name, kind in self.kinds.items():
            if kind.missing != "absent" and name not in row and name not in roles:
                found += [Feature(name, kind.word, (n,), v) for n, v in kind.of_missing(name)]
        return crossed(found, self.crosses) if self.crosses else found

    def _of_column(
        self, name: str, value: Any, known: Container[str], met: dict[str, Kind]
    ) -> list[Feature]:
        kind = self.kinds.get(name)
        if is_missing(value):
            told = [] if kind is None else kind.of_missing(name)
            word = "" if kind is None else kind.word
            return [Feature(name, word, (feature,), number) for feature, number in told]
        value = in_python(value)
        try:
            if kind is None:
                kind = NUMBER if name in known else kind_of(value)
                if kind.word != "number":
                    met[name] = kind
            told = kind.features(name, in_spelling(name, kind, value, known))
        except CannotReadError as error:
            raise CannotReadError(error.what, error.remedy, name) from None
        return [Feature(name, kind.word, (feature,), number) for feature, number in told]

    # ── saying more ─────────────────────────────────────────────────────────────────────────────

    def extended(self, said: Schema) -> Schema:
        """This schema and what is said besides; a column that is known cannot become another kind.

        >>> known = Schema(categorical=["hour"])
        >>> known.extended(Schema(ignore=["hour"]))
        Traceback (most recent call last):
        ValueError: the column 'hour' is known as category, not ignored: train a new model for that
        """
        both = self.copy()
        for name in said.declared:
            known, kind = self.kinds.get(name), said.kinds[name]
            if type(kind) is type(known) and kind == type(kind)():
                kind = known  # named again, without its options
            if known is not None and known != kind:
                its = "with other options" if kind.word == known.word else f"not {kind.word}"
                raise ValueError(
                    f"the column {name!r} is known as {known.word}, {its}: train a new model for that"
                )
            both.recognise(name, kind)
        both.declared = self.declared | said.declared
        for key in ("crosses", "bits"):
            mine, its = getattr(self, key), getattr(said, key)
            if its and mine != its and not self.is_empty:
                raise ValueError(
                    f"the model has {key} {_spelled(mine)}, not {_spelled(its)}: train a new one"
                )
            setattr(both, key, mine or its)
        for key in ("label", "weight", "id", "header", "index_base"):
            its = getattr(said, key)
            if its in self.learned_columns:
                raise ValueError(f"the column {its!r} is learned from: it cannot be the {key}")
            setattr(both, key, getattr(self, key) if its is None else its)
        both.is_plain = both.is_plain and not both.crosses and both.bits is None
        return both

    def united(self, other: Schema, known: Container[str] = (), met: Container[str] = ()) -> Schema:
        """This schema and another, of learners that are merged; what both speak of must agree.

        ``known`` and ``met`` are the features of the one and of the other: a number has no entry.

        >>> Schema(categorical=["a"]).united(Schema(categorical=["b"]))
        <Schema a: category, b: category>
        """
        both = self.copy()
        for name, kind in other.kinds.items():
            mine = self.kinds.get(name, NUMBER if name in known else kind)
            if mine != kind:
                raise _at_odds(f"the column {name!r}", mine.word, kind.word)
            both.recognise(name, kind)
        for name, kind in self.kinds.items():
            if name not in other.kinds and kind.word == "category" and name in met:
                raise _at_odds(f"the column {name!r}", kind.word, NUMBER.word)
        both.declared = self.declared | other.declared
        for key in ("crosses", "bits", "label", "weight", "id", "header", "index_base"):
            mine, its = getattr(self, key), getattr(other, key)
            told = [said for said in (mine, its) if said is not None and said != ()]
            if len(told) == 2 and mine != its:
                spelled = map(_spelled, (mine, its)) if key == "crosses" else (mine, its)
                raise _at_odds(key, *spelled)
            setattr(both, key, told[0] if told else mine)
        return both.copy()

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
            "header": list(self.header) if isinstance(self.header, tuple) else self.header,
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

    def declared_only(self) -> Schema:
        """Return the schema as it was declared, without what was recognised since."""
        told = self.to_json()
        told["columns"] = {n: kind for n, kind in told["columns"].items() if n in self.declared}
        return Schema.from_json(told)

    def copy(self) -> Schema:
        """The same schema, which goes its own way."""
        return Schema.from_json(self.to_json())


def _at_odds(what: str, mine: Any, its: Any) -> ValueError:
    return ValueError(
        f"{what} is {mine!r} to one learner and {its!r} to another: declare it in a schema before training"
    )


def _spelled(said: Any) -> str:
    """Crosses as they are declared, ``site,ad``; anything else as it is."""
    if not isinstance(said, tuple):
        return str(said)
    return " and ".join(",".join(cross) for cross in said) or "None"


def _plain(kind: Kind) -> bool:
    return kind in PLAIN


def _names(given: Iterable[str]) -> list[str]:
    if isinstance(given, str):
        raise ValueError(f"{given!r} is one name: give a list of names, [{given!r}]")
    return list(given)


def _header(given: bool | Iterable[str] | None) -> bool | tuple[str, ...] | None:
    if given is None or isinstance(given, bool):
        return given
    names = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else ()
    if not names or len(set(names)) < len(names) or not all(type(n) is str and n for n in names):
        raise ValueError(
            f"header={given!r:.60}: give True, False, or all columns, each by its name"
        )
    return names


def _made(name: str, kind: Kind | str) -> Kind:
    if isinstance(kind, Kind):
        return kind
    if kind not in KINDS:
        raise ValueError(f"the column {name!r} is {kind!r}: choose one of {', '.join(KINDS)}")
    return KINDS[kind]()


def _cross(given: str | Sequence[str]) -> tuple[str, ...]:
    return parse_cross(given) if isinstance(given, str) else parse_cross(",".join(given))


def in_spelling(name: str, kind: Kind, value: Any, known: Container[str]) -> Any:
    """A truth value that is a level, spelled as in the file that the levels came from."""
    if kind.word != "category" or not is_truth(value):
        return value
    spellings = str(bool(value)), str(bool(value)).lower(), str(bool(value)).upper()
    return next((word for word in spellings if f"{name}={word}" in known), spellings[0])


def flattened(
    row: Mapping[str, Any], known: Container[str], prefix: str = ""
) -> Iterable[tuple[str, Any]]:
    """The columns of a row; those of an object inside it as ``outer.inner``.

    A list of numbers is as many columns, by place, unless its column is known as something else; None in it
    is a missing number.
    """
    for key, value in row.items():
        if not isinstance(key, str):
            raise CannotReadError(
                f"x has the key {key!r}: names of features are strings", f"give {str(key)!r}"
            )
        name = prefix + key
        if isinstance(value, Mapping):
            yield from flattened(value, known, f"{name}.")
        elif name not in known and is_vector(value):
            yield from ((f"{name}.{k}", number) for k, number in enumerate(value))
        else:
            yield name, value


def is_vector(value: Any) -> bool:
    """Whether a value is a list of numbers, some of which may be missing."""
    if not isinstance(value, (list, tuple)):
        return False
    there = [part for part in value if part is not None]
    return bool(there) and all(map(_is_number, there))


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS_OF_A_LIST) and not isinstance(value, bool)
