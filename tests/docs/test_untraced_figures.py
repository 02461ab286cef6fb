"""Measured figures in README and documentation come from files: none is written by hand."""

import re
from pathlib import Path

import pytest
from benchmarks.figures import FIGURE, pages

CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`[^`\n]*`")
INDENTED = re.compile(r"^    .*$", re.MULTILINE)
# Shares with a decimal, so many of so many streams, and times of a call: what a benchmark measures.
MEASURED = re.compile(r"\b\d+\.\d+ ?%|\b\d+ of (?:the )?\d{2,}\b|\b[\d.]+ (?:µs|ms)\b")
# Pages whose figures tests compute themselves, or which tell what once was decided.
OTHERWISE = {"errata": "tests/certificates/test_errata.py", "decisions": "a record of its day"}


def untraced(text):
    """The figures of a text that no file stands behind."""
    for pattern in (FIGURE, CODE, INDENTED, INLINE):
        text = pattern.sub("", text)
    return MEASURED.findall(text)


def of_today():
    return [page for page in pages() if not OTHERWISE.keys() & {page.stem, page.parent.name}]


@pytest.mark.parametrize("page", of_today(), ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_every_measured_figure_has_its_file(page):
    found = untraced(page.read_text(encoding="utf-8"))
    assert found == [], f"write {page.name}'s as <!--figure name-->…<!--/figure-->"


def test_a_figure_by_hand_is_found():
    assert untraced("it makes 8.3 % mistakes, first on 12 of 27 streams") == ["8.3 %", "12 of 27"]
    assert untraced("<!--figure a-->8.3 %<!--/figure--> `12 of 27`") == []


def test_what_is_left_out_has_its_reason():
    assert (Path(__file__).parents[2] / OTHERWISE["errata"]).is_file()
