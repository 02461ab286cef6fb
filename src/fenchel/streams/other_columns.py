"""What rows lack of the columns that a learner has learned from, and what they have besides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fenchel.schema import Schema
from fenchel.schema.crosses import JOINT
from fenchel.streams.names import Names

SHOWN = 6  # columns, by name


class OtherColumns(NamedTuple):
    """Columns that were learned from and are not there, and columns that are there and not known."""

    absent: list[str]
    new: list[str]


def other_columns(
    schema: Schema, names: Names | None, given: Sequence[str], roles: Iterable[str | None] = ()
) -> OtherColumns:
    """Compare the columns of some rows with those that a schema and the names of features know.

    ``roles`` are columns that are no features in these rows, beside those of the schema.

    >>> known = Schema(categorical=["job"])
    >>> other_columns(known, Names.of(["job=cook", "age"]), ["job", "size"])
    OtherColumns(absent=['age'], new=['size'])
    """
    there = set(given)
    known = {*schema.learned_columns, *_numbers(schema, names)}
    absent = sorted(n for n in known - there if _list_of(n) not in there)
    known |= schema.kinds.keys() | schema.roles | {name for name in roles if name is not None}
    new = [n for n in given if not (n in known or f"{n}.0" in known or _is_met(n, names))]
    return OtherColumns(absent, new)


def told(columns: Sequence[str]) -> str:
    """Some columns by name, and how many more there are.

    >>> told(["a", "b"]), told("abcdefgh")
    ('a, b', 'a, b, c, d, e, f and 2 more')
    """
    more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
    return ", ".join(columns[:SHOWN]) + more


def _numbers(schema: Schema, names: Names | None) -> list[str]:
    """The columns of numbers that the schema does not speak of: their names are features."""
    if names is None or names.bits is not None:
        return []
    kinds = schema.kinds

    def is_of_known(name: str) -> bool:
        """Whether it is a level, a word or a part of a date of a column, or a cross."""
        heads = (name[:k] for k, letter in enumerate(name) if letter in "=.")
        return name in kinds or any(head in kinds for head in heads)

    return [n for n in names if not is_of_known(n) and not (schema.crosses and JOINT in n)]


def _list_of(name: str) -> str | None:
    """The column of lists of numbers that a column with such a name may be a place of."""
    column, _, place = name.rpartition(".")
    return column if place.isdecimal() else None


def _is_met(name: str, names: Names | None) -> bool:
    """Whether a feature has this name, or may have it where names are hashed."""
    if names is None or names.bits is None:
        return names is not None and name in names
    column = names.find(name)
    return column is not None and names.name(column) != f"#{column}"
