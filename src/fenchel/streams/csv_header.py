"""Reading the first lines of CSV text: a header or a row, decimal points or commas."""

from __future__ import annotations

import re
from itertools import pairwise

DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def is_header(cells: list[str]) -> bool | None:
    """Whether a first line names columns, which words do; None where that is undecidable.

    A frame of numbered columns begins like this, and so may a row with a missing value.

    >>> is_header(["5.1", "", "a"]), is_header(["5.1", "", "3"]), is_header(["", "0", "1"])
    (True, False, None)
    """
    if not all(cell == "" or is_number(cell) for cell in cells):
        return True
    return None if cells == ["", *map(str, range(len(cells) - 1))] else False


def names_of(cells: list[str]) -> list[str]:
    """The names in a header; a column without one goes by its number from 1, said so where it is taken.

    >>> names_of(["", "a", "1", ""]), names_of(["", "0", "1"])
    (['column 1', 'a', '1', '4'], ['column 1', '0', '1'])
    """
    named = set(cells)
    numbers = ((str(k), cell) for k, cell in enumerate(cells, 1))
    return [cell or (f"column {k}" if k in named else k) for k, cell in numbers]


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
