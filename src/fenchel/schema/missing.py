"""Missing values: nothing at all, NaN, and the words that tables write for it."""

from __future__ import annotations

from typing import Any

# In any case of letters; the compiled CSV reader knows the same (streams/csv_cells.py).
MISSING_WORDS = frozenset({"", "?", "na", "n/a", "nan", "null", "#n/a"})


def is_missing(value: Any) -> bool:
    """Whether a value of a row says that there is none.

    >>> [is_missing(v) for v in (None, float("nan"), " NA ", "?", 0, "none", False)]
    [True, True, True, True, False, False, False]
    """
    if value is None:
        return True
    if isinstance(value, str):
        return value.strip().lower() in MISSING_WORDS
    try:
        return bool(value != value)  # NaN and NaT
    except (TypeError, ValueError):  # pandas' NA compares to nothing
        return type(value).__name__ == "NAType"
