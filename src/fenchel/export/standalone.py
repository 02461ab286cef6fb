"""Predicts with an exported model; needs Python 3.10 or newer, and nothing else.

As a program it reads CSV with a header (or JSON lines) from standard input, with commas, semicolons or tabs
and decimal points or commas, and writes one prediction a line.
"""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
import sys
from collections import Counter
from functools import cache
from numbers import Integral
from typing import Any

Model = dict[str, Any]

MODEL: Model = {}  # the exported model goes here

MISSING = {"", "?", "na", "n/a", "nan", "null", "#n/a"}
TRUTHS = {"true": 1.0, "false": 0.0}
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def is_missing(value: Any) -> bool:
    """Whether a value says that there is none."""
    if isinstance(value, str):
        return value.strip().lower() in MISSING
    return value is None or value != value


def number_of(value: Any) -> float:
    """A number, also one written as text."""
    text = value.strip().lower().replace(",", ".") if isinstance(value, str) else ""
    return TRUTHS[text] if text in TRUTHS else float(text or value)


def level_of(value: Any) -> str:
    """The text of a level: 7.0 is 7; whole numbers keep all their digits."""
    if isinstance(value, str):
        return value.strip()
    kind = type(value).__name__
    if kind in ("bool", "bool_"):
        return str(bool(value))
    if isinstance(value, Integral) or (kind == "Decimal" and value == int(value)):
        return str(int(value))
    number = float(value)
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(float(str(value)) if kind in ("float16", "float32") else number)


def words_of(text: str, lower: bool, shortest: int) -> list[str]:
    """Runs of letters, digits and underscores."""
    words, word = [], ""
    for letter in text + " ":
        if letter.isalnum() or letter == "_":
            word += letter.lower()[0] if lower else letter
        elif word:
            words.append(word)
            word = ""
    return [word for word in words if len(word) >= shortest]


def runs_of(kind: Model, value: Any) -> list[str]:
    """The words, and runs of words or letters, of a text."""
    words = words_of(str(value), kind.get("lower", True), kind.get("shortest", 2))
    (least, most), (few, many) = kind.get("words", (1, 1)), kind.get("letters", (0, 0))
    found = []
    for n in range(least, most + 1) if most else ():
        found += [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
    for n in range(few, many + 1) if many else ():
        for edged in ("‹" + word + "›" for word in words):
            found += [edged[i : i + n] for i in range(len(edged) - n + 1)]
    return found


def moments_of(name: str, value: Any, form: str) -> list[tuple[str, float]]:
    """The calendar's features of a date in a format, by ISO 8601 without one, or of seconds since 1970."""
    if form and isinstance(value, str):
        moment = datetime.datetime.strptime(value.strip(), form)
    else:
        try:
            moment = datetime.datetime.fromisoformat(str(value).strip().replace("Z", "+00:00"))
        except ValueError:
            moment = datetime.datetime.fromtimestamp(float(str(value)), datetime.UTC)
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    day = seconds / 86400.0
    year = (moment.timetuple().tm_yday - 1 + day) / 365.2425
    found = []
    for period, share in (("day", day), ("week", (moment.weekday() + day) / 7.0), ("year", year)):
        found.append((f"{name}.{period}.sin", math.sin(2.0 * math.pi * share)))
        found.append((f"{name}.{period}.cos", math.cos(2.0 * math.pi * share)))
    since = (moment - datetime.datetime(2000, 1, 1)).total_seconds()
    found.append((f"{name}.weekday={WEEKDAYS[moment.weekday()]}", 1.0))
    found.append((f"{name}.hour={moment.hour}", 1.0))
    found.append((f"{name}.month={moment.month}", 1.0))
    return [*found, (f"{name}.years", since / (365.2425 * 86400.0))]


def of_column(name: str, value: Any, kind: Model) -> list[tuple[str, float]]:
    """The features of one column's value."""
    word = kind["kind"]
    if word == "ignored":
        return []
    if is_missing(value):
        missing = kind.get("missing", "absent")
        if missing == "absent":
            return []
        return [(f"{name}=?", 1.0)] if missing == "indicator" else [(name, float(missing))]
    if word == "number":
        return [(name, number_of(value))]
    if word == "category":
        level, levels = level_of(value), kind.get("levels")
        return [(f"{name}={level if not levels or level in levels else 'other'}", 1.0)]
    if word == "date":
        return moments_of(name, value, kind.get("format", ""))
    if word == "text":
        runs = runs_of(kind, value)
    elif isinstance(value, (list, tuple)):
        there = [part for part in value if isinstance(part, str) or not is_missing(part)]
        runs = [w for w in map(level_of, there) if w]
    else:
        runs = [w for w in map(str.strip, str(value).split(kind.get("separator") or None)) if w]
    counts = kind.get("counts", True)
    return [(f"{name}={run}", float(n) if counts else 1.0) for run, n in Counter(runs).items()]


def fits(column: str, kind: str, word: str) -> bool:
    """Whether a cross's word speaks of a column."""
    if word.endswith("*"):
        return column.startswith(word[:-1])
    return word == column or (word == "categories" and kind == "category")


def crosses_of(entries: list[Any], cross: list[str]) -> list[tuple[str, float]]:
    """The products of one cross; an entry is its column, kind, names and value."""
    products: list[Any] = [()]
    for place, word in enumerate(cross):
        chosen = [entry for entry in entries if fits(entry[0], entry[1], word)]
        again = place > 0 and cross[place - 1] == word
        products = [
            (*taken, entry) for taken in products for entry in chosen
            if not again or taken[-1][2] < entry[2] or (taken[-1][2] == entry[2] and entry[3] != 1.0)
        ]  # fmt: skip
    return [
        ("×".join(n for entry in taken for n in entry[2]), math.prod(entry[3] for entry in taken))
        for taken in products
    ]


def features(row: Model) -> list[tuple[str, float]]:
    """The features of a raw row, {column: value}, as the model learned them."""
    schema = MODEL["schema"]
    kinds, roles = schema["columns"], {schema["label"], schema["weight"], schema["id"]}
    entries = []
    for name in [*row, *(name for name in kinds if name not in row)]:
        value = row.get(name)
        word = "category" if isinstance(value, str) and name not in MODEL["weights"] else "number"
        kind = kinds.get(name, {"kind": word})
        if name not in roles:
            told = of_column(name, value, kind)
            entries += [(name, kind["kind"], (key,), v) for key, v in told if v != 0.0]
    found = [(entry[2][0], entry[3]) for entry in entries]
    for cross in schema["crosses"]:
        found += crosses_of(entries, cross)
    return found


def margins(row: Model) -> list[list[float]]:
    """⟨w, x⟩ of each expert for each output."""
    sums = [list(expert) for expert in MODEL["intercept"]]
    away = {name: -centre for name, centre in MODEL["centre"].items()}
    given: dict[str, float] = {}
    for name, value in features(row):
        given[name] = given.get(name, 0.0) + value
        add(sums, MODEL["weights"].get(name, ()), value)
        if name in away:
            away[name] += value
    for second, partners in pairs().items():
        if away[second]:
            for first, weights in partners:
                add(sums, weights, away[first] * away[second])
    for name, low, high, weights in MODEL["ramps"]:
        risen = (0.5 * given.get(name, 0.0) - 0.5 * low) / (0.5 * high - 0.5 * low)
        add(sums, weights, min(max(risen, 0.0), 1.0))
    placed = {
        name: min(max((0.5 * given.get(name, 0.0) - centre) / unit, -4.0), 4.0)
        for name, (centre, unit) in MODEL["wave_columns"].items()
    }
    for start, turns, weights in MODEL["waves"]:
        phase = start + sum(turn * placed[name] for name, turn in turns.items())
        v = phase - round(phase)
        add(sums, weights, 1.0 - 16.0 * v**2 + 32.0 * v**4)
    return sums


@cache
def pairs() -> dict[str, list[tuple[str, Any]]]:
    """The pairs of each feature with those before it: where it is 0, none of them counts."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for first, second, weights in MODEL["pairs"]:
        found.setdefault(second, []).append((first, weights))
    return found


def add(sums: list[list[float]], weights: Any, value: float) -> None:
    """Add a value's share to each sum."""
    for own, some in zip(sums, weights, strict=False):
        for output, weight in enumerate(some):
            own[output] += weight * value


def scores(row: Model) -> list[float]:
    """The scores of the outputs: a number, the margin of two classes, or one a class."""
    found, rule = margins(row), MODEL["rule"]
    low, high = MODEL["bounds"] or (-math.inf, math.inf)
    if rule == "single":
        return [min(max(m, low), high) for m in found[0]]
    shares = MODEL["shares"]
    if rule == "mean":
        return [sum(v * min(max(m[0], low), high) for v, m in zip(shares, found, strict=True))]
    votes = [0.0] * len(found[0])
    for share, own in zip(shares, found, strict=True):
        votes[own.index(max(own))] += share
    if rule == "vote":
        return votes
    logits = [0.0] * len(votes)
    for bet, size, own in zip(MODEL["bets"], MODEL["sizes"], found, strict=True):
        mean = (size + sum(map(abs, own)) / len(own)) / (MODEL["rounds"] + 1.0)
        for c, m in enumerate(own):
            logits[c] += bet * min(max(m / mean if mean > 0.0 else 0.0, -1.0), 1.0)
    best = max(logits)
    likeliest = max(range(len(votes)), key=lambda c: (logits[c] == best, votes[c], -c))
    first, second = MODEL["choice"]
    return [first * vote + second * (c == likeliest) for c, vote in enumerate(votes)]


def predict(row: Model) -> Any:
    """The label or the number predicted for a raw row; a list where there are several outputs."""
    found, classes = scores(row), MODEL["classes"]
    if MODEL["task"] == "binary" and len(found) == 1:
        return classes[found[0] > 0.0]
    if MODEL["task"] in ("binary", "multiclass"):
        return classes[found.index(max(found))]
    return found[0] if len(found) == 1 else found


def probabilities(row: Model) -> dict[Any, float]:
    """{class: probability}, of models that tell them."""
    if MODEL["sharpness"] is None:
        raise ValueError("this model was exported without probabilities")
    found = scores(row)
    found = [0.0, found[0]] if len(found) == 1 else found
    logits = [MODEL["sharpness"] * (m - max(found)) for m in found]
    most = MODEL["surest"]
    if most is not None:
        logits = [z if z > -most else -most - math.log1p(-z - most) for z in logits]
    heights = [math.exp(max(z, -700.0)) for z in logits]
    return {label: h / sum(heights) for label, h in zip(MODEL["classes"], heights, strict=True)}


def rows_of(text: str) -> Any:
    """The rows of CSV, or of JSON lines; the separator is the one that gives columns the model knows."""
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        return (json.loads(line) for line in text.split("\n") if line.strip())
    if not text.strip():
        return []
    columns = MODEL["schema"]["columns"]
    known = {*columns, *MODEL["weights"], *(name.partition("=")[0] for name in MODEL["weights"])}
    headers = {sign: next(csv.reader([text.split("\n", 1)[0]], delimiter=sign)) for sign in ",;\t|"}
    sign = max(headers, key=lambda sign: len(known.intersection(map(str.strip, headers[sign]))))
    header = [name.strip() for name in headers[sign]]
    table = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    if not known.intersection(header):
        if not all(map(str.isdecimal, columns or ["?"])):
            some = ", ".join(list(columns or MODEL["weights"])[:5])
            sys.exit(f"the header has no column that the model knows; it has learned from: {some}")
        sign = max(headers, key=lambda sign: len(headers[sign]))  # rows alone: columns by number
        table = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
        header = [str(1 + place) for place in range(len(headers[sign]))]
    else:
        next(table)
    return (dict(zip(header, row, strict=False)) for row in table if row)


def main() -> None:
    """Predict the rows of standard input."""
    if sys.argv[1:]:
        sys.exit(
            f"{sys.argv[0]} takes no options: python3 {sys.argv[0]} < rows.csv (or JSON lines)"
        )
    try:
        for row in rows_of(sys.stdin.read()):
            print(predict(row))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()


if __name__ == "__main__":
    main()
