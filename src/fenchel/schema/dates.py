"""Moments in time as features: what recurs by the day, the week and the year, and how time goes on."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from typing import Any

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ORIGIN = datetime(2000, 1, 1)
SECONDS_OF_A_YEAR = 365.2425 * 86400.0


def moment_of(value: Any) -> datetime | None:
    """The moment that a value tells: a date, seconds since 1970, or text by ISO 8601; None otherwise.

    A time zone is converted to UTC, then left out.

    >>> moment_of("2024-02-29 13:30"), moment_of(86400), moment_of("soon")
    (datetime.datetime(2024, 2, 29, 13, 30), datetime.datetime(1970, 1, 2, 0, 0), None)
    """
    if hasattr(value, "to_pydatetime"):  # pandas
        value = value.to_pydatetime()
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, str):
        return _from_text(value.strip())
    try:
        return datetime.fromtimestamp(float(value), UTC).replace(tzinfo=None)
    except (TypeError, ValueError, OverflowError, OSError):
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
