"""Raw rows of every kind of column, and the same rows in every form that users have them in."""

import json
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = ("hour", "price", "rare", "site", "ad", "flag", "body", "when", "tags")
WORDS = ["free", "money", "über", "see", "you", "o'clock", "state-of", "42"]


def raw_rows(count: int, seed: int) -> list[dict[str, Any]]:
    """Rows as Python has them: numbers, words, truth values, None."""
    random = np.random.default_rng(seed)
    rows = []
    for k in range(count):
        body = " ".join(random.choice(WORDS, 1 + random.integers(6)))
        row: dict[str, Any] = {
            "hour": int(random.integers(24)),
            "price": float(np.round(random.lognormal(), 3)),
            "rare": float(random.integers(3)) if random.random() < 0.5 else None,
            "site": str(random.choice(["a", "b b", "c,d", 'e"f'])),
            "ad": str(random.choice(["x", "y", "z"])) if random.random() < 0.8 else None,
            "flag": bool(random.random() < 0.3),
            "body": body,
            "when": f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}T{k % 24:02d}:30:00",
            "tags": " ".join(random.choice(["red", "big", "new"], random.integers(1, 4))),
        }
        row["y"] = float(np.round(len(body) + 3.0 * (row["site"] == "a") - row["price"], 2))
        rows.append(row)
    return rows


def cell(value: Any) -> str:
    """A value as CSV has it."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows as CSV."""
    lines = [",".join(rows[0]), *(",".join(map(cell, row.values())) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows as JSON lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def as_strings(row: dict[str, Any]) -> dict[str, Any]:
    """The row as ``csv.DictReader`` gives it."""
    return {name: "" if value is None else str(value) for name, value in row.items()}
