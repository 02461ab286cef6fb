"""Plain tables of at most 80 columns: names to the left, figures to the right."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 80
GAP = 2


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int = WIDTH) -> list[str]:
    """The lines of a table; a name too long for its column has a line of its own.

    A heading may have several lines, the last one at the bottom.

    >>> print(*table(["name", "loss"], [["a", "0.5"], ["a long name", "12.25"]], width=14), sep="\\n")
    name      loss
    a          0.5
    a long name
             12.25
    """
    tall = max(heading.count("\n") for heading in headings)
    heads = [[""] * (tall - h.count("\n")) + h.split("\n") for h in headings]
    everything = [*zip(*heads, strict=True), *rows]
    columns = list(zip(*everything, strict=True))
    widths = [max(map(len, column)) + GAP for column in columns[1:]]
    first = min(max(map(len, columns[0])), width - sum(widths))
    lines = []
    for name, *cells in everything:
        shown = "".join(f"{cell:>{size}}" for cell, size in zip(cells, widths, strict=True))
        if len(name) > first:
            lines.append(name)
            name = ""
        lines.append(f"{name:<{first}}{shown}".rstrip())
    return lines
