"""Crosses: products of features of several columns, ``site=a×ad=b``.

A cross names two columns or more. Besides names there are two words: ``*`` is any column (every pair of
features), ``categories`` any column of categories; ``a*`` is every column that begins with an a. Features
of the same column are crossed with one another where it stands twice, and with themselves where that is
another feature (2 × 2 is 4, 1 × 1 is 1).

The value of a cross is the product of its features'; its name is theirs, joined by ×, in the order of the
cross, and among features of one word by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

JOINT = "×"
ANY, CATEGORIES = "*", "categories"
MOST_WORDS = 6


class Feature(NamedTuple):
    """One feature of a row: the column it comes from, that column's kind, its name and value.

    ``parts`` are the names that a cross is made of.
    """

    column: str
    kind: str
    parts: tuple[str, ...]
    value: float

    @property
    def name(self) -> str:
        """The feature's name."""
        return JOINT.join(self.parts)


def crossed(entries: Sequence[Feature], crosses: Sequence[tuple[str, ...]]) -> list[Feature]:
    """The features and all their crosses.

    >>> row = [Feature("a", "category", ("a=1",), 1.0), Feature("b", "number", ("b",), 3.0)]
    >>> [(entry.name, entry.value) for entry in crossed(row, [("a", "b"), ("b", "b")])]
    [('a=1', 1.0), ('b', 3.0), ('a=1×b', 3.0), ('b×b', 9.0)]
    """
    found = list(entries)
    for cross in crosses:
        found += _products(entries, cross)
    return found


def _products(entries: Sequence[Feature], cross: tuple[str, ...]) -> list[Feature]:
    """The products of one cross, the features of its first word outermost."""
    products: list[tuple[Feature, ...]] = [()]
    for place, word in enumerate(cross):
        chosen = [entry for entry in entries if fits(entry.column, entry.kind, word)]
        again = place > 0 and cross[place - 1] == word
        products = [
            (*taken, entry)
            for taken in products
            for entry in chosen
            if not again or _follows(taken[-1], entry)
        ]
    return [_joined(taken) for taken in products]


def fits(column: str, kind: str, word: str) -> bool:
    """Whether a cross's word speaks of a column of this kind."""
    if word.endswith(ANY):
        return column.startswith(word[:-1])
    return word == column or (word == CATEGORIES and kind == "category")


def _follows(first: Feature, second: Feature) -> bool:
    """Each pair of one word once: by name, and with itself only where that is another feature."""
    if first.parts == second.parts:
        return first.value != 1.0
    # Two levels of one category never meet; two words of one text do.
    return first.parts < second.parts


def _joined(taken: tuple[Feature, ...]) -> Feature:
    value = 1.0
    for entry in taken:
        value *= entry.value
    parts = tuple(part for entry in taken for part in entry.parts)
    return Feature(JOINT.join(entry.column for entry in taken), "cross", parts, value)


def parse_cross(text: str) -> tuple[str, ...]:
    """The columns of ``site,ad``.

    >>> parse_cross("site, ad"), parse_cross("*,*")
    (('site', 'ad'), ('*', '*'))
    """
    parts = tuple(part.strip() for part in text.split(","))
    if not (2 <= len(parts) <= MOST_WORDS and all(parts)):
        raise ValueError(f"cross {text!r}: name from two to {MOST_WORDS} columns, as in site,ad")
    return parts


def of_letters(letters: str) -> tuple[str, ...]:
    """The cross that Vowpal Wabbit writes ``ab``: each letter begins namespaces, a colon is any.

    >>> of_letters("ab"), of_letters("::")
    (('a*', 'b*'), ('*', '*'))
    """
    return tuple(ANY if letter == ":" else letter + ANY for letter in letters)
