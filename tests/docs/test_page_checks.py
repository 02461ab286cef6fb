"""A report as people see it; ``python -m tests.docs.page_checks`` looks at the documentation too."""

import pytest
from page_checks import REPORT, WIDTHS, look

from cli.cli_helpers import run
from serve.chromium import Browser

FAULTY = """<!doctype html><html lang="en"><body><p style="color: #bbb">faint</p><img src="x.png">
<div style="width: 3000px">wide</div><script>console.error("loud")</script></body></html>"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"), "about:blank?")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    file = tmp_path_factory.mktemp("pages") / "report.html"
    run(*REPORT, "--report", file)
    return file.as_uri()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_report_can_be_shown(browser, report, width):
    assert look(browser, report, width) == []


def test_faults_are_found(browser, tmp_path):
    (tmp_path / "page.html").write_text(FAULTY)
    wrong = " ".join(look(browser, (tmp_path / "page.html").as_uri(), 1280))
    for words in ("stick out", "faint text", "without words", "console"):
        assert words in wrong
