"""Features as SQL: a column's number, the level of a category, products of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fenchel.export.portable import ExportRefused, Portable, column_and_level
from fenchel.schema.crosses import JOINT

SQL_MISSING = "'', '?', 'na', 'n/a', 'nan', 'null', '#n/a'"


def quoted(name: str) -> str:
    """A column of the table ``d``; the prefix keeps SQLite from taking an unknown name for a text."""
    return 'd."' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A value as SQL writes it; truth values as fenchel prints them.

    A float has an exponent: without one DuckDB takes it for a decimal, and rounds sums of decimals.

    >>> literal("it's"), literal(2), literal(-0.5), literal(True), literal(None)
    ("'it''s'", '2', '(-0.5e0)', "'True'", 'NULL')
    """
    if value is None:
        return "NULL"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        text = repr(value)
        text += "e0" if isinstance(value, float) and "e" not in text else ""
        return f"({text})" if value < 0 else text
    return "'" + str(value).replace("'", "''") + "'"


def total(terms: Sequence[str]) -> str:
    """The sum of terms, in halves: databases limit how deep an expression may be.

    >>> total(["a", "b", "c"])
    '(a + (b + c))'
    """
    if len(terms) <= 1:
        return terms[0] if terms else "0.0"
    half = len(terms) // 2
    return f"({total(terms[:half])} + {total(terms[half:])})"


class Terms:
    """The terms of one model's margins."""

    def __init__(self, model: Portable) -> None:
        self._kinds = {n: k for n, k in model.schema.kinds.items() if n not in model.schema.roles}
        self._has_crosses = bool(model.schema.crosses)
        self._apart: dict[str, list[tuple[str, str | None]]] = {}

    def of(self, names: Sequence[str], weights: Sequence[float]) -> list[str]:
        """One term a number, a category, a cross; features without weight are left out."""
        numbers, levels, crosses = [], {}, []  # type: ignore[var-annotated]
        for name, weight in zip(names, weights, strict=True):
            if weight == 0.0:
                continue
            parts = self.parts_of(name)
            if len(parts) > 1:
                crosses.append(self._cross(parts, weight))
            elif parts[0][1] is None:
                numbers.append(f"{literal(weight)} * {self._number(parts[0][0])}")
            else:
                levels.setdefault(parts[0][0], {})[parts[0][1]] = weight
        return numbers + [self._category(column, of) for column, of in levels.items()] + crosses

    def parts_of(self, name: str) -> list[tuple[str, str | None]]:
        """The columns of a feature, several of a cross, each with its level; None for a number."""
        if name not in self._apart:
            self._apart[name] = [column_and_level(p, self._kinds) for p in self._parts(name)]
        return self._apart[name]

    def level(self, column: str) -> str:
        """The level of a category: ``?`` where it is missing, ``other`` where it was not declared."""
        text = f"TRIM(CAST({quoted(column)} AS TEXT))"
        levels = getattr(self._kinds[column], "levels", ())
        whens = [f"WHEN {self._is_missing(column)} THEN '?'"]
        if levels:
            whens.append(f"WHEN {text} NOT IN ({', '.join(map(literal, levels))}) THEN 'other'")
        return f"CASE {' '.join(whens)} ELSE {text} END"

    def _parts(self, name: str) -> list[str]:
        if not self._has_crosses or name in self._kinds:
            return [name]
        return name.split(JOINT)

    def _number(self, column: str) -> str:
        kind = self._kinds.get(column)
        missing = 0.0 if kind is None or isinstance(kind.missing, str) else float(kind.missing)
        return f"COALESCE(CAST({quoted(column)} AS DOUBLE PRECISION), {literal(missing)})"

    def _is_missing(self, column: str) -> str:
        text = f"LOWER(TRIM(CAST({quoted(column)} AS TEXT)))"
        return f"({quoted(column)} IS NULL OR {text} IN ({SQL_MISSING}))"

    def _category(self, column: str, weights: dict[str, float]) -> str:
        kind = self._kinds[column]
        levels = getattr(kind, "levels", ())
        whens = [f"WHEN {self._is_missing(column)} THEN {literal(weights.pop('?', 0.0))}"]
        other = weights.pop("other", 0.0) if levels else 0.0
        text = f"TRIM(CAST({quoted(column)} AS TEXT))"
        whens += [
            f"WHEN {text} = {literal(level)} THEN {literal(w)}" for level, w in weights.items()
        ]
        known = [level for level in levels if level not in weights and level != "other"]
        if other and known:
            whens.append(f"WHEN {text} IN ({', '.join(map(literal, known))}) THEN 0.0")
        return f"CASE {' '.join(whens)} ELSE {literal(other)} END"

    def _cross(self, parts: list[tuple[str, str | None]], weight: float) -> str:
        conditions, factors = [], [literal(weight)]
        for place, (column, level) in enumerate(parts):
            if level is None:
                factors.append(self._number(column))
                if place and parts[place - 1] == (column, None):  # 1 × 1 is no other feature than 1
                    conditions.append(f"{self._number(column)} <> 1.0")
            elif level == "?":
                conditions.append(self._is_missing(column))
            elif getattr(self._kinds[column], "levels", ()):
                raise ExportRefused(
                    f"sql: the cross of {column!r}, whose levels are given; use python"
                )
            else:
                conditions.append(f"TRIM(CAST({quoted(column)} AS TEXT)) = {literal(level)}")
        product = " * ".join(factors)
        return (
            f"CASE WHEN {' AND '.join(conditions)} THEN {product} ELSE 0.0 END"
            if conditions
            else product
        )
