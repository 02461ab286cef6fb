"""Errors in the input, and their messages.

The compiled parsers know numbers only: a :class:`Mistake` and a position. Here they become one
line with the file, the line, the column, the value and the remedy.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

SHOWN_VALUE = 40
SHOWN_MESSAGES = 10


class Argument(NamedTuple):
    """Names an argument of ``open_stream`` in a remedy; without a value, which the user has to choose.

    >>> print(Argument("header", False), Argument("label"))
    header=False label=…
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        return f"{self.name}={'…' if self.value is None else repr(self.value)}"


# What to do: plain words, or words and the arguments among them.
Remedy = str | tuple[str | Argument, ...]


class BadInput(ValueError):  # noqa: N818 (what it says, not that it is an error)
    """Input that cannot be learned from: where, what, which value, and what to do.

    >>> print(BadInput("no label", "write the label first", value="3:1", file="a.svm", line=7))
    a.svm:7: no label ('3:1'); write the label first

    A remedy may name arguments; who calls them otherwise, as the command line does, says how.

    >>> error = BadInput("no rows", ("say ", Argument("header", False)), file="a.csv")
    >>> print(error.message(lambda argument: f"--no-{argument.name}"))
    a.csv: no rows; say --no-header
    """

    def __init__(
        self,
        what: str,
        remedy: Remedy,
        *,
        value: str | None = None,
        file: str,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.file, self.line, self.column = file, line, column
        self.what, self.remedy, self.value = what, remedy, value
        super().__init__(self.message())

    def at(self, lines: int) -> BadInput:
        """The same error in a text that so many lines come before."""
        line = None if self.line is None else self.line + lines
        return _bad_input(
            type(self), self.what, self.remedy, self.value, self.file, line, self.column
        )

    def __reduce__(self) -> Any:  # keywords are no arguments of a plain exception
        told = self.what, self.remedy, self.value, self.file, self.line, self.column
        return _bad_input, (type(self), *told)

    def message(self, spell: Callable[[Argument], str] = str) -> str:
        """Tell all of it in one line, the arguments as ``spell`` writes them."""
        parts = (self.file, self.line, self.column)
        place = ":".join(str(part) for part in parts if part is not None)
        value = "" if self.value is None else shorten(self.value)
        shown = f" ({value})" if value not in self.what else ""
        words = (self.remedy,) if isinstance(self.remedy, str) else self.remedy
        remedy = "".join(spell(word) if isinstance(word, Argument) else word for word in words)
        return f"{place}: {self.what}{shown}; {remedy}"


class UnreadablePlace(BadInput, OSError):  # noqa: N818 (as its base)
    """A place that cannot be read at all, as an OSError too: there is no line to name."""


def shorten(value: str) -> str:
    """Put the value between quotes, on one line, cut when it is long."""
    return repr(value if len(value) <= SHOWN_VALUE else value[: SHOWN_VALUE - 1] + "…")


class Skipped:
    """Counts the lines left out under ``on_error="skip"``, and keeps the first ten errors."""

    def __init__(self) -> None:
        self.count = 0
        self.errors: list[BadInput] = []

    @property
    def messages(self) -> list[str]:
        """List what the first ten said."""
        return [str(error) for error in self.errors]

    def add(self, error: BadInput) -> None:
        """Count one more bad line."""
        self.count += 1
        if len(self.errors) < SHOWN_MESSAGES:
            self.errors.append(error)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"Skipped({self.count} lines)"


def _bad_input(
    kind: type[BadInput],
    what: str,
    remedy: Remedy,
    value: str | None,
    file: str,
    line: int | None,
    column: int | None,
) -> BadInput:
    return kind(what, remedy, value=value, file=file, line=line, column=column)


class Mistake(IntEnum):
    """The objections that a parser can have."""

    NONE = 0
    NO_LABEL = 1
    BAD_LABEL = 2
    BAD_GROUP = 3
    BAD_INDEX = 4
    INDEX_BELOW_BASE = 5
    INDEX_TOO_LARGE = 6
    INDEX_ORDER = 7
    NO_COLON = 8
    TWO_COLONS = 9
    BAD_VALUE = 10
    NOT_FINITE = 11
    NO_BAR = 12
    LABEL_AT_BAR = 13
    BAD_WEIGHT = 14
    BAD_PREAMBLE = 15
    NO_NAME = 16
    NAME_TOO_LONG = 17
    CONTROL_BYTE = 18
    NOT_UTF8 = 19
    STRAY_QUOTE = 20
    OPEN_QUOTE = 21
    TOO_FEW_CELLS = 22
    TOO_MANY_CELLS = 23
    TEXT_IN_NUMBERS = 24
    TEXT_LABEL = 25
    EMPTY_LABEL = 26


class Explanation(NamedTuple):
    """The words for a mistake."""

    what: str
    remedy: Remedy


EXPLANATIONS = {
    Mistake.NO_LABEL: Explanation("the label is missing", "write the label first on the line"),
    Mistake.BAD_LABEL: Explanation("the label is not a number", "write a finite number"),
    Mistake.BAD_GROUP: Explanation(
        "bad query id", "write qid: and a whole number of up to 17 digits"
    ),
    Mistake.BAD_INDEX: Explanation(
        "the index is not a whole number", "write index:value with an index of digits only"
    ),
    Mistake.INDEX_BELOW_BASE: Explanation(
        "index 0 where indices start at 1",
        ("declare ", Argument("index_base", 0), " if the file counts from 0"),
    ),
    Mistake.INDEX_TOO_LARGE: Explanation(
        "the index is above 4294967294", "renumber the columns, or use names (vw, csv, jsonl)"
    ),
    Mistake.INDEX_ORDER: Explanation(
        "indices must increase along the line", "sort the line's entries and join duplicates"
    ),
    Mistake.NO_COLON: Explanation("the entry has no colon", "write index:value"),
    Mistake.TWO_COLONS: Explanation("one colon too many", "write one colon between name and value"),
    Mistake.BAD_VALUE: Explanation("the value is not a number", "write a finite decimal number"),
    Mistake.NOT_FINITE: Explanation(
        "the number is not finite", "leave the entry out or write a number below 1.8e308"
    ),
    Mistake.NO_BAR: Explanation("the line has no bar", "write label | features"),
    Mistake.LABEL_AT_BAR: Explanation(
        "a word that touches the bar is a tag, so the label is missing",
        "put a space before the bar",
    ),
    Mistake.BAD_WEIGHT: Explanation(
        "the importance is not a number of 0 or more", "write label importance 'tag | features"
    ),
    Mistake.BAD_PREAMBLE: Explanation(
        "too many words before the bar", "write label importance base 'tag | features"
    ),
    Mistake.NO_NAME: Explanation("a value without a name", "write name:value"),
    Mistake.NAME_TOO_LONG: Explanation(
        "a name of more than 65535 bytes",
        "check that the format is right, shorten the name, or declare the column as text",
    ),
    Mistake.CONTROL_BYTE: Explanation(
        "a NUL byte in the text", "check that the file is text in UTF-8 and whole"
    ),
    Mistake.NOT_UTF8: Explanation("bytes that are not UTF-8", "convert the file to UTF-8"),
    Mistake.STRAY_QUOTE: Explanation(
        "a quote in the wrong place",
        (
            "quote the whole cell and double the quotes inside it, or, if quotes are letters here, say ",
            Argument("quotes", False),
        ),
    ),
    Mistake.OPEN_QUOTE: Explanation(
        "a quote that is never closed",
        ("close the quoted cell, or, if quotes are letters here, say ", Argument("quotes", False)),
    ),
    Mistake.TOO_FEW_CELLS: Explanation(
        "the line has too few cells", "give each line as many cells as the header"
    ),
    Mistake.TOO_MANY_CELLS: Explanation(
        "the line has too many cells", "give each line as many cells as the header"
    ),
    Mistake.TEXT_IN_NUMBERS: Explanation(
        "text in a column of numbers",
        ("correct the cell, or declare the column with ", Argument("categorical")),
    ),
    Mistake.EMPTY_LABEL: Explanation(
        "the label is missing",
        (
            "fill it in, leave such lines out with ",
            Argument("on_error", "skip"),
            ", or name the label's column with ",
            Argument("label"),
        ),
    ),
    Mistake.TEXT_LABEL: Explanation(
        "a label of text after labels that are numbers", "use one kind of label throughout"
    ),
}
