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


# Files of few long tests: begun last, one of them would keep the others waiting.
LONG = (
    "report/test_report_reproduce", "certificates/test_certificates.py", "kernel/test_kernel_cache",
    "cli/test_cli_first_run", "cli/test_cli_certify", "kernel/test_kernel_contract",
    "certificates/test_certificate_mixtures", "kernel/test_kernel_plain_way", "docs/test_code_blocks",
    "certificates/test_mutants", "learners/test_plain_python", "estimators/test_battery",
    "streams/test_stream_chunks", "report/test_report_browser", "faults/test_killed_training",
    "certificates/test_growing_columns", "faults/test_bad_file_sources", "report/test_report_comparison",
    "regularizers/test_regularizer_domains", "learners/test_learner_tickets", "serve/test_serve_operation",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files come first; names differ from process to process where an address is in them."""
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONG))
    for item in items:
        if re.search(r" at 0x[0-9a-f]{6}|\\x1f\\x8b", item.nodeid):
            raise pytest.UsageError(f"{item.nodeid}: give the parameters ids=")
