"""Plain tables of at most 80 columns, of certificates and of anything else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fenchel.certificates.certificate import Certificate

WIDTH = 80
GAP = 2
FIGURES = ("achieved", "bound", "slack", "holds")


def text_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int = WIDTH
) -> list[str]:
    """Lay out a table in lines: names to the left, figures to the right.

    A name too long for its column has a line of its own. A heading may have several lines, the last
    one at the bottom.

    >>> lines = text_table(["name", "loss"], [["a", "0.5"], ["a long name", "12.25"]], width=14)
    >>> print(*lines, sep="\\n")
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


def table(certificates: Iterable[Certificate]) -> str:
    """Lay out certificates as a table, one a line.

    >>> print(table([Certificate("Corollary 2", "eq. (7)", "mistakes", "u", 3.0, 4.5, 7.5)]))
    theorem               achieved  bound  slack  holds
    Corollary 2, eq. (7)         3    4.5    1.5    yes
    """
    rows = [[f"{c.theorem}, {c.equation}", *figures(c)] for c in certificates]
    return "\n".join(text_table(["theorem", *FIGURES], rows))


def figures(c: Certificate) -> list[str]:
    """Write what a line tells of a certificate: both sides, the slack, and whether it holds."""
    return [*(f"{value:.6g}" for value in (c.achieved, c.bound, c.slack)), _answer(c)]


def _answer(c: Certificate) -> str:
    if c.kind == "printed":
        return "printed"
    if c.kind == "variant":
        return f"{'yes' if c.holds else 'no'} (not promised)"
    if not c.applies:
        return "does not apply"
    if c.undecided:
        return "undecided: rounding"
    return "yes" if c.holds else "NO"
