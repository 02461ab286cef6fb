"""Figures in the text are those of the files that benchmarks wrote."""

import pytest
from benchmarks.figures import FIGURE, FIGURES, pages, renewed

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
