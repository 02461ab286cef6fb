"""Text that UTF-8 can write.

Python's strings may hold half of a surrogate pair, as ``errors="surrogateescape"`` leaves where bytes
were not UTF-8. No file could hold a feature of such a name.
"""

from __future__ import annotations

from collections.abc import Iterable

from fenchel.schema import CannotReadError
from fenchel.schema.crosses import Feature


def are_writable(names: Iterable[str]) -> bool:
    """Whether UTF-8 can write all these names.

    >>> are_writable(["a", "é"]), are_writable(["a", "\\udc85"])
    (True, False)
    """
    text = "".join(names)
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_unwritable(name: str, column: str) -> None:
    """Raise for the name of a feature, or of a column, that UTF-8 cannot write."""
    if not (name.isascii() or are_writable([name])):
        what = f"{name!r:.60} has half of a surrogate pair, which is no character"
        raise CannotReadError(what, 'decode the text as UTF-8, with errors="replace"', column)


def refuse_unwritable_row(columns: Iterable[str], found: Iterable[Feature]) -> None:
    """Raise for the first column of a row, or feature, whose name UTF-8 cannot write."""
    for column in columns:
        refuse_unwritable(column, column)
    for feature in found:
        refuse_unwritable(feature.name, feature.column)
