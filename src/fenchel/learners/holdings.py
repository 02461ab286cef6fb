"""A number that changes whenever an engine takes other arrays than it had.

Who is bound to the arrays of many engines looks at it first: while it stays, so have they.
"""

from __future__ import annotations

from itertools import count

_numbers = count(1)  # no two threads are given the same
_now = [0]


def change() -> None:
    """Note that an engine holds other arrays from now on."""
    _now[0] = next(_numbers)


def current() -> int:
    """Return the number; one that was there before never comes back.

    >>> before = current()
    >>> change()
    >>> current() == before
    False
    """
    return _now[0]
