"""Every code block of the README and of the documentation is executed."""

import runpy
from pathlib import Path

import pytest
from code_blocks import Session, blocks_of

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
ASKING_FOR_FILES = {"newsgroups.py"}  # it has a test of its own
EXAMPLES = [example for example in EXAMPLES if example.name not in ASKING_FOR_FILES]


def named(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_blocks_of_a_page_run(page, tmp_path, monkeypatch, record_property):
    monkeypatch.chdir(tmp_path)
    session = Session(page, tmp_path)
    blocks = list(blocks_of(page.read_text(encoding="utf-8")))
    for block in blocks:
        session.run(block)
    record_property("code blocks of the documentation executed", session.executed)
    record_property("code blocks shown with a reason not to", sum(bool(b.not_run) for b in blocks))


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_examples_run(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


def test_a_wrong_block_is_found_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    for wrong in (
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nassert False\n```\n",
        "```console\n$ fenchel --version\nfenchel 99\n```\n",
        "```console\n$ fenchel train missing.svm\n```\n",
        "```sh\n$ fenchel --version\n```\n",
    ):
        (block,) = blocks_of(wrong)
        with pytest.raises(AssertionError):
            Session(page, tmp_path).run(block)


def test_a_block_is_left_out_with_a_reason_alone(tmp_path):
    (block,) = blocks_of(
        "<!-- not run: a peer is no dependency -->\n```python\nassert False\n```\n"
    )
    assert block.not_run == "a peer is no dependency"
    Session(tmp_path / "page.md", tmp_path).run(block)
