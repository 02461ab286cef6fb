"""Categories of many levels, and crosses of them, as tables of weights that a query joins.

A ``CASE`` with a branch a level takes databases minutes to read, and every row goes through it from the top.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from fenchel.export.portable import Portable
from fenchel.export.sql_terms import Terms, literal
from fenchel.parts.state import Array

FEW = 40  # levels that stay in a CASE
MOST_JOINED = 50  # tables in one query; SQLite has room for 64


class LevelTable(NamedTuple):
    """The weights of a category, or of a cross of several: levels × experts × outputs."""

    name: str
    columns: tuple[str, ...]
    levels: list[tuple[str, ...]]
    weights: Array

    def is_used(self, expert: int, output: int) -> bool:
        """Whether a margin has weights here."""
        return bool(self.weights[:, expert, output].any())

    def term(self, expert: int, output: int) -> str:
        """What the row's level adds to a margin; 0 for one that was never seen."""
        return f"COALESCE({self.name}.w{expert}_{output}, 0.0e0)"

    def written(self) -> str:
        """The table as one step of a query."""
        used = [(k, c) for k, c in np.ndindex(self.weights.shape[1:]) if self.is_used(k, c)]
        names = [f"level{at}" for at in range(len(self.columns))] + [f"w{k}_{c}" for k, c in used]
        rows = (
            [*map(literal, levels), *(literal(w[k][c]) for k, c in used)]
            for levels, w in zip(self.levels, self.weights.tolist(), strict=True)
        )
        values = ",\n".join(f"({', '.join(row)})" for row in rows)
        return f"fenchel_{self.name}({', '.join(names)}) AS MATERIALIZED (\nVALUES {values}\n)"

    def joined(self, terms: Terms) -> str:
        """The clause that finds the levels of a row."""
        found = [
            f"{self.name}.level{at} = {terms.level(column)}"
            for at, column in enumerate(self.columns)
        ]
        return f"LEFT JOIN fenchel_{self.name} AS {self.name} ON {' AND '.join(found)}"


def level_tables(model: Portable, terms: Terms) -> tuple[list[LevelTable], set[str]]:
    """The tables of a model, of its largest categories and crosses, and the features that are in them."""
    weights = model.form.weights
    found: dict[tuple[str, ...], dict[tuple[str, ...], int]] = defaultdict(dict)
    for slot, name in enumerate(model.names, start=1):
        parts = terms.parts_of(name)
        levels = tuple(level for _, level in parts if level is not None)
        if len(levels) == len(parts) and weights[slot].any():
            found[tuple(column for column, _ in parts)][levels] = slot
    large = sorted((c for c in found if len(found[c]) > FEW), key=lambda c: -len(found[c]))
    tables: list[LevelTable] = []
    inside: set[str] = set()
    for columns in large[:MOST_JOINED]:
        slots = list(found[columns].values())
        name = f"levels{len(tables)}"
        tables.append(LevelTable(name, columns, list(found[columns]), weights[slots]))
        inside |= {model.names[slot - 1] for slot in slots}
    return tables, inside
