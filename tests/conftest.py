"""The counts that tests keep (cases tried, flips refused, kills survived), told in one summary."""

from __future__ import annotations

import re
from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        if report.when == "call":
            for name, number in report.user_properties:
                counts[name] += number
    if counts:
        terminalreporter.section("what was tried")
        for name, number in sorted(counts.items()):
            terminalreporter.write_line(f"{number:>9,}  {name}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Names differ from process to process where an address or gzip's clock is in them."""
    for item in items:
        if re.search(r" at 0x[0-9a-f]{6}|\\x1f\\x8b", item.nodeid):
            raise pytest.UsageError(f"{item.nodeid}: give the parameters ids=")
