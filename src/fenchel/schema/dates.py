"""Moments in time as features: what recurs by the day, the week and the year, and how time goes on."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

from fenchel.schema.from_numpy import in_python, is_truth

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ORIGIN = datetime(2000, 1, 1)
SECONDS_OF_A_YEAR = 365.2425 * 86400.0
ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
OTHER = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2\d{4}( \d{1,2}:\d{2})?(:\d{2})?")


def moment_of(value: Any, format: str = "") -> datetime | None:
    """The moment that a value tells: a date, seconds since 1970, or text by a format; None otherwise.

    Without a format text is ISO 8601, or a number of seconds. A time zone is converted to UTC, then left out.
    True and False tell none.

    >>> moment_of("2024-02-29 13:30"), moment_of(86400), moment_of("soon")
    (datetime.datetime(2024, 2, 29, 13, 30), datetime.datetime(1970, 1, 2, 0, 0), None)
    >>> moment_of("2/29/2024", "%m/%d/%Y")
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    value = value.to_pydatetime() if hasattr(value, "to_pydatetime") else in_python(value)  # pandas
    if is_truth(value):
        return None
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, str):
        return _by_format(value.strip(), format) if format else _from_text(value.strip())
    try:
        return datetime.fromtimestamp(float(value), UTC).replace(tzinfo=None)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def format_of(texts: Sequence[str], share: float = 0.0) -> str | None:
    """Guess the format where more than this share of texts are dates, "" for ISO 8601; otherwise None.

    >>> [format_of(texts) for texts in (["2024-03-01"], ["3/1/2024", "3/13/2024"], ["1.3.2024"], ["soon"])]
    ['', '%m/%d/%Y', '%d.%m.%Y', None]
    """
    enough = share * len(texts)
    if sum(ISO.match(text) is not None for text in texts) > enough:
        return ""
    found = [told for told in map(OTHER.fullmatch, texts) if told]
    if len(found) <= enough:
        return None
    mark = found[0][2]
    time = (" %H:%M" if found[0][4] else "") + (":%S" if found[0][5] else "")
    # Points are a custom of those who write the day first; elsewhere a number above 12 tells.
    day_first = mark == "." or any(int(told[1]) > 12 for told in found)
    return (f"%d{mark}%m{mark}%Y" if day_first else f"%m{mark}%d{mark}%Y") + time


@lru_cache(maxsize=4096)  # rows that follow each other often have one date
def _by_format(text: str, format: str) -> datetime | None:
    try:
        return moment_of(datetime.strptime(text, format))
    except ValueError:
        return None


def _from_text(text: str) -> datetime | None:
    try:
        return moment_of(datetime.fromisoformat(text))
    except ValueError:
        pass
    try:
        return moment_of(float(text))
    except (ValueError, TypeError):
        return None


def features_of(name: str, moment: datetime) -> list[tuple[str, float]]:
    """The features of a moment: waves of the day, week and year, weekday, hour and month, years.

    >>> [key for key, _ in features_of("t", datetime(2024, 2, 29, 13, 30))][:4]
    ['t.day.sin', 't.day.cos', 't.week.sin', 't.week.cos']
    """
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    day = seconds / 86400.0
    week = (moment.weekday() + day) / 7.0
    year = (moment.timetuple().tm_yday - 1 + day) / 365.2425
    found: list[tuple[str, float]] = []
    for period, share in (("day", day), ("week", week), ("year", year)):
        angle = 2.0 * math.pi * share
        found.append((f"{name}.{period}.sin", math.sin(angle)))
        found.append((f"{name}.{period}.cos", math.cos(angle)))
    found.append((f"{name}.weekday={WEEKDAYS[moment.weekday()]}", 1.0))
    found.append((f"{name}.hour={moment.hour}", 1.0))
    found.append((f"{name}.month={moment.month}", 1.0))
    found.append((f"{name}.years", (moment - ORIGIN).total_seconds() / SECONDS_OF_A_YEAR))
    return found
