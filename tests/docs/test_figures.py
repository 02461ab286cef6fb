"""Figures in the text are those of the files that benchmarks wrote."""

import json
import re

import pytest
from benchmarks.figures import FIGURE, FIGURES, ROOT, pages, renewed

from cli.cli_helpers import run
from fenchel.evaluate import learners_for

WITH_FIGURES = [page for page in pages() if FIGURE.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_FIGURES, ids=lambda page: page.stem)
def test_no_figure_of_a_page_is_stale(page):
    text = page.read_text(encoding="utf-8")
    assert renewed(text) == text, f"python -m benchmarks.figures renews {page.name}"


@pytest.mark.parametrize("page", WITH_FIGURES, ids=lambda page: page.stem)
def test_no_line_begins_with_a_figure(page):
    """Markdown would read the rest of the paragraph as HTML."""
    assert "\n<!--figure" not in page.read_text(encoding="utf-8")


def test_pages_agree_on_where_auto_stands():
    assert {page.stem for page in WITH_FIGURES} >= {"README", "auto", "vowpal_wabbit"}
    for page in WITH_FIGURES:
        text = page.read_text(encoding="utf-8")
        assert " of 28" not in FIGURE.sub("", text), f"{page.name} tells it without its file"


def test_a_stale_figure_is_found():
    stale = "<!--figure quality.binary.vowpal-->28 of 28<!--/figure-->"
    assert renewed(stale) != stale
    with pytest.raises(KeyError):
        renewed("<!--figure of.nothing-->1<!--/figure-->")


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_its_file(name):
    assert FIGURES[name]()


README = (ROOT / "README.md").read_text(encoding="utf-8")
DEMO = README.partition("breast_cancer: 569 rounds")[2].partition("```")[0]
ROW = re.compile(r"^(\w\S*) +([\d.]+)% +(\d+) +(\d+) +(\S+) ", re.MULTILINE)


def test_the_comparison_in_the_readme_is_that_of_today(tmp_path):
    shown = ROW.findall(DEMO)
    asked = [word for spec, *_ in shown for word in ("--learner", spec)]
    said = run("compare", "breast_cancer", *asked, "--json", tmp_path / "j.json").stdout
    found = {
        each["spec"]: each for each in json.loads((tmp_path / "j.json").read_text())["learners"]
    }
    for spec, error, *counts in shown:
        own = found[spec]
        assert f"{100 * own['error']:.2f}" == error
        updates = "–" if own["updates"] is None else str(own["updates"])
        assert counts == [str(own["mistakes"]), str(own["margin_errors"]), updates]
    advice = DEMO.partition("\nUse ")[2].split()
    assert " ".join(advice) in " ".join(said.split())


def test_the_comparison_in_the_readme_counts_the_others():
    left = re.search(r"… (\d+) more …", DEMO)
    assert len(ROW.findall(DEMO)) + int(left[1]) == len(learners_for("binary", 30))
