"""Kinds of columns of raw data, and the features that a value of each makes.

A feature is a name and a number. Each kind answers ``features(name, value)`` for one value that is not
missing; this is the definition, to which the compiled readers are held.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from numbers import Integral
from typing import Any, ClassVar

from fenchel.schema import dates, tokens
from fenchel.schema.from_numpy import is_truth
from fenchel.schema.missing import is_missing

Named = tuple[str, float]  # a feature: its name, its value
TRUTHS = {"true": 1.0, "false": 0.0}


# Types that Python would make a number of, or a word, and which are neither.
UNREAL = frozenset({"complex64", "clongdouble", "timedelta", "timedelta64", "Timedelta"})
NARROW = ("float16", "float32")  # NumPy's numbers of fewer digits than Python's


class CannotReadError(ValueError):
    """A value that its column's kind cannot read: what is wrong, and what to do."""

    def __init__(self, what: str, remedy: str, column: str = "") -> None:
        super().__init__(f"{f'x[{column!r}]: ' if column else ''}{what}; {remedy}")
        self.what, self.remedy, self.column = what, remedy, column


@dataclass(frozen=True)
class Kind:
    """The kind of a column; ``missing`` says what no value means.

    "absent": nothing (no feature); "indicator": the feature ``column=?``; a number: that value.
    """

    word: ClassVar[str]
    missing: str | float = "absent"

    def features(self, name: str, value: Any) -> list[Named]:
        """The features of a value; zeros are absent."""
        raise NotImplementedError

    def of_missing(self, name: str) -> list[Named]:
        """The features where there is no value."""
        if self.missing == "absent":
            return []
        return (
            [(f"{name}=?", 1.0)] if self.missing == "indicator" else [(name, float(self.missing))]
        )

    def to_json(self) -> dict[str, Any]:
        """The kind as a model file keeps it: what differs from the defaults."""
        plain = asdict(type(self)())
        changed = {k: v for k, v in asdict(self).items() if v != plain[k]}
        return {"kind": self.word, **changed}


@dataclass(frozen=True)
class Number(Kind):
    """A number: the feature ``column``.

    >>> Number().features("age", "41"), Number().features("age", True), Number().features("age", 0)
    ([('age', 41.0)], [('age', 1.0)], [])
    """

    word = "number"

    def features(self, name: str, value: Any) -> list[Named]:
        """The number itself."""
        number = number_of(value)
        return [(name, number)] if number != 0.0 else []


def refuse_unreal(value: Any) -> None:
    """Raise for what is neither a real number nor a word: complex numbers and durations."""
    if isinstance(value, complex) or type(value).__name__ in UNREAL:
        what = f"{value!r:.60} is not a real number"
        raise CannotReadError(what, "give its real part, or a duration's seconds")


def number_of(value: Any) -> float:
    """A number, also one written as text, true and false as 1 and 0; refused unless it is finite."""
    refuse_unreal(value)
    value = value.strip() if isinstance(value, str) else value
    try:
        if isinstance(value, str) and value.lower() in TRUTHS:
            return TRUTHS[value.lower()]
        if isinstance(value, str) and ("_" in value or not value.isascii()):
            raise ValueError("Python would read 1_000, and digits of any script")
        number = float(value)
    except (TypeError, ValueError):
        what = f"{value!r:.60} is not a number"
        raise CannotReadError(what, "correct it, or declare the column categorical") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise CannotReadError(f"{value!r:.60} is not finite", "leave the value out")
    return number


@dataclass(frozen=True)
class Category(Kind):
    """One of several levels: the feature ``column=level``.

    Numbers are levels by their text, so that 7 in a dict is the 7 of a CSV file. Where ``levels``
    are given, all others together are one more, ``column=other``.

    >>> Category().features("hr", "7"), Category().features("hr", 7.0)
    ([('hr=7', 1.0)], [('hr=7', 1.0)])
    >>> Category(levels=("red", "blue")).features("color", "mauve")
    [('color=other', 1.0)]
    """

    word = "category"
    levels: tuple[str, ...] = ()

    def features(self, name: str, value: Any) -> list[Named]:
        """1 for the level."""
        level = level_of(value)
        if self.levels and level not in self.levels:
            level = "other"
        return [(f"{name}={level}", 1.0)]


def level_of(value: Any) -> str:
    """The text of a level: words as they are, numbers by their fewest digits, without a needless .0.

    >>> level_of(" red "), level_of(7.0), level_of(12345678901234567)
    ('red', '7', '12345678901234567')
    """
    if isinstance(value, str):
        return value.strip()
    refuse_unreal(value)
    if isinstance(value, (list, tuple, set, dict)):
        what = f"{value!r:.60} is not one level"
        raise CannotReadError(what, "declare a column of lists as words")
    if is_truth(value):
        return str(bool(value))
    try:
        if isinstance(value, Integral) or (isinstance(value, Decimal) and value == int(value)):
            return str(int(value))
        number = float(value)
    except OverflowError:
        return str(value)
    except (TypeError, ValueError):
        if hasattr(value, "year"):
            return str(value)
        raise CannotReadError(*_unknown(value)) from None
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(float(str(value)) if type(value).__name__ in NARROW else number)


@dataclass(frozen=True)
class Text(Kind):
    """A text: its words, and runs of words or letters, as features ``column=word``.

    ``words`` and ``letters`` are the lengths of the shortest and longest runs; (0, 0) is none. ``counts``
    tells how often a word occurs, otherwise that it does. ``shortest`` leaves shorter words out.

    >>> Text().features("body", "Free, FREE money")
    [('body=free', 2.0), ('body=money', 1.0)]
    """

    word = "text"
    words: tuple[int, int] = (1, 1)
    letters: tuple[int, int] = (0, 0)
    lower: bool = True
    counts: bool = True
    shortest: int = 2

    def __post_init__(self) -> None:
        for key, told in (("words", self.words), ("letters", self.letters)):
            if not is_range(told):
                remedy = "give the lengths of the shortest and of the longest run, such as (1, 2)"
                raise ValueError(f"{key}={told!r}: {remedy}, or (0, 0) for none")

    def features(self, name: str, value: Any) -> list[Named]:
        """Each word once, in the order met."""
        found = tokens.words_of(str(value), self.lower, self.shortest)
        runs = tokens.ngrams(found, *self.words) if self.words[1] else []
        runs += tokens.letter_grams(found, *self.letters) if self.letters[1] else []
        return _counted(name, runs, self.counts)


def is_range(lengths: Any) -> bool:
    """Whether these are the lengths of the shortest and of the longest run, or (0, 0) for none.

    >>> [is_range(lengths) for lengths in ((1, 2), (0, 0), (2, 1), (0, 2), 3)]
    [True, True, False, False, False]
    """
    try:
        least, most = lengths
        return bool(1 <= least <= most or least == most == 0)
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True)
class WordList(Kind):
    """A list of words, or a text of words between separators: each the feature ``column=word``.

    What is missing in a list, such as None, makes nothing.

    >>> WordList().features("tags", ["red", "big"]), WordList(separator="|").features("tags", "red|big")
    ([('tags=red', 1.0), ('tags=big', 1.0)], [('tags=red', 1.0), ('tags=big', 1.0)])
    """

    word = "words"
    separator: str = ""
    counts: bool = True

    def features(self, name: str, value: Any) -> list[Named]:
        """Each word once, in the order met."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            parts: Iterable[Any] = str(value).split(self.separator or None)
        else:
            parts = [part for part in value if isinstance(part, str) or not is_missing(part)]
        return _counted(name, [w for w in map(level_of, parts) if w], self.counts)


@dataclass(frozen=True)
class Date(Kind):
    """A date or time: see ``fenchel.schema.dates``.

    ``format`` says how text is written, in the letters of Python's ``strptime``; without it by ISO 8601.

    >>> Date(format="%d/%m/%Y").features("seen", "29/02/2024")[-2]
    ('seen.month=2', 1.0)
    """

    word = "date"
    format: str = ""

    def features(self, name: str, value: Any) -> list[Named]:
        """Waves and categories of the calendar."""
        refuse_unreal(value)
        moment = dates.moment_of(value, self.format)
        if moment is None:
            raise CannotReadError(f"{value!r:.60} is not a date", self._remedy(name, value))
        return [feature for feature in dates.features_of(name, moment) if feature[1] != 0.0]

    def _remedy(self, name: str, value: Any) -> str:
        text = str(value).strip()
        if text.lower() in TRUTHS:
            return "write a date, or declare the column a number or a category"
        moment = datetime(2024, 12, 31, 23, 59, 59)
        written = (
            f"write it as {moment.strftime(self.format) if self.format else moment.isoformat()}"
        )
        found = dates.format_of([text])
        if self.format or found == "":  # by ISO 8601, but no day of the calendar
            return written
        form = found or "%m/%d/%Y"
        told = f"Date(format={form!r}), or --date '{name}:format={form}' on the command line"
        return f"{written}, or give the column a format: {told}"


@dataclass(frozen=True)
class Ignored(Kind):
    """A column that makes no features."""

    word = "ignored"

    def features(self, name: str, value: Any) -> list[Named]:
        """None."""
        return []


def _counted(name: str, runs: list[str], counts: bool) -> list[Named]:
    found = Counter(runs)
    return [(f"{name}={run}", float(n) if counts else 1.0) for run, n in found.items()]


KINDS: dict[str, type[Kind]] = {
    kind.word: kind for kind in (Number, Category, Text, WordList, Date, Ignored)
}


def kind_of(value: Any) -> Kind:
    """The kind that a first value suggests: numbers and booleans are numbers, lists words.

    >>> [kind_of(v).word for v in (3, "3", "red", True, ["a"])]
    ['number', 'category', 'category', 'number', 'words']
    """
    if isinstance(value, (list, tuple, set, frozenset)):
        return WordList()
    if isinstance(value, str):
        return Category()
    refuse_unreal(value)
    if hasattr(value, "year") and hasattr(value, "month"):
        return Date()
    try:
        float(value)
    except OverflowError:  # a number all the same, which will be refused
        return Number()
    except (TypeError, ValueError):
        raise CannotReadError(*_unknown(value)) from None
    return Number()


def _unknown(value: Any) -> tuple[str, str]:
    what = f"{value!r:.60} is no number, truth value, text, date or list"
    return what, "give one of these, such as its text"


def kind_from_json(entry: dict[str, Any]) -> Kind:
    """The kind that ``to_json`` wrote."""
    options: dict[str, Any] = {k: v for k, v in entry.items() if k != "kind"}
    for name, value in options.items():
        options[name] = tuple(value) if isinstance(value, list) else value
    if entry["kind"] == Text.word:
        options |= {key: _as_read(options[key]) for key in ("words", "letters") if key in options}
    return KINDS[entry["kind"]](**options)


def _as_read(lengths: tuple[int, int]) -> tuple[int, int]:
    """The runs that were made by a range which is refused today: none from a longer to a shorter one."""
    least, most = lengths
    return (max(least, 1), most) if most >= max(least, 1) else (0, 0)
