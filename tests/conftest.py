"""The counts that tests keep (cases tried, flips refused, kills survived), told in one summary."""

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
