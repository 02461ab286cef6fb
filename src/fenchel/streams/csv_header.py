"""What the first lines of CSV text tell: a header or a row, decimal points or commas."""

from __future__ import annotations

import re
from itertools import pairwise

DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def first_number_of_a_row(cells: list[str], label: str | None) -> str | None:
    """The first number in what should be a header; None where it is one.

    Beside words, numbers are names only if they count up by one, as the columns of frames and
    years do; a word that names the label settles it.

    >>> first_number_of_a_row(["5.1", "3.5", "setosa"], None)
    '5.1'
    >>> first_number_of_a_row(["", "0", "1", "species"], None) is None
    True
    """
    numbers = [cell for cell in cells if cell and is_number(cell)]
    if not numbers or (label in cells and label not in numbers) or _count_up(numbers):
        return None
    return numbers[0]


def decimal_commas(line: str, separator: str, columns: list[str]) -> dict[str, str]:
    """The cells written with a decimal comma, which would pass for categories, by column.

    >>> decimal_commas("cook;1,5;2", ";", ["job", "pay", "y"])
    {'pay': '1,5'}
    """
    cells = zip(columns, line.split(separator), strict=False)
    return {name: cell.strip() for name, cell in cells if DECIMAL_COMMA.fullmatch(cell.strip())}


def is_number(cell: str) -> bool:
    """Whether a cell can be read as a number; Python's underscores are part of names here."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _count_up(numbers: list[str]) -> bool:
    """At least two whole numbers, each one more than the one before."""
    if len(numbers) < 2 or not all(cell.isdecimal() for cell in numbers):
        return False
    return all(int(b) == int(a) + 1 for a, b in pairwise(numbers))
