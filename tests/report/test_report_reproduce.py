"""``fenchel reproduce``: every claim measured, on small streams; what is in the page and the JSON."""

import json

import pytest
from benchmarks.coverage import PATH, SMALL, small_claims, tightest

from cli.cli_helpers import run
from fenchel.report import reproduce
from fenchel.report.claims import Check
from fenchel.report.claims.claim import inequality


@pytest.fixture(scope="module")
def found():
    return [reproduce.Measured(claim, 0.0) for claim in small_claims()]


def test_no_promise_is_broken(found, record_property):
    checks = [check for one in found for check in one.claim.checks]
    assert [check for check in checks if check.violated] == []
    record_property("inequalities measured by the report", len(checks))


def test_the_ratios_of_the_documentation_are_those_of_today(found):
    """``python -m benchmarks.coverage`` writes them anew."""
    told = json.loads(PATH.read_text(encoding="utf-8"))
    today = tightest([check for one in found for check in one.claim.checks])
    assert told.keys() == today.keys()
    for statement, figures in today.items():
        assert told[statement]["ratio"] == pytest.approx(figures["ratio"], rel=0.05), statement


def test_nothing_counts_that_says_nothing():
    assert not Check("c", "e", 0.0, 0.0, holds=True).counts
    assert Check("c", "e", 1.0, 101.0, holds=True).vacuous
    assert not Check("c", "e", 1.0, 99.0, holds=True).vacuous
    assert not Check("c", "e", 1e-12, 1e-9, holds=True, tolerance=True).vacuous
    assert Check("c", "e", -3.0, -2.0, holds=True).ratio == 1.5


def test_what_is_printed_fails(found):
    errata = found[-1].claim
    assert errata.section.title == "Errata"
    printed = [check for check in errata.checks if not check.promised]
    assert len(printed) >= 15
    assert not any(check.holds for check in printed)


def test_every_section_has_words_and_inequalities(found):
    titles = [one.claim.section.title for one in found]
    assert len(set(titles)) == len(titles) == 12
    for one in found:
        assert one.claim.checks, one.claim.section.title
        assert any(part.startswith("<p>") for part in one.claim.section.parts)


def test_the_files(found, tmp_path):
    reproduce.write(tmp_path / "new", SMALL, found, "fenchel reproduce")
    figures = json.loads((tmp_path / "new" / "reproduce.json").read_text())
    assert figures["violated"] == 0
    assert figures["promised"] == sum(one.promised for one in found)
    assert len(figures["checks"]) == sum(len(one.claim.checks) for one in found)
    for check in figures["checks"]:
        assert {"section", "claim", "equation", "left", "right", "holds"} <= set(check)
    text = (tmp_path / "new" / "index.html").read_text()
    for one in found:
        assert f"<h2>{one.claim.section.title}</h2>" in text
    assert "all hold" in text


def test_a_broken_promise_is_told(found, tmp_path):
    section = found[0].claim.section
    broken = [inequality("two is at most one", 2.0, 1.0)]
    one = reproduce.Measured(found[0].claim._replace(checks=broken, section=section), 0.0)
    assert one.violated == 1
    reproduce.write(tmp_path, SMALL, [one], "fenchel reproduce")
    assert json.loads((tmp_path / "reproduce.json").read_text())["violated"] == 1
    assert "1 are violated" in (tmp_path / "index.html").read_text()


def test_an_assumption_that_is_broken_promises_nothing():
    check = Check("c", "e", 2.0, 1.0, holds=False, applies=False)
    assert not check.violated
    assert check._replace(applies=True).violated
    assert not check._replace(applies=True, promised=False).violated


def test_a_violation_is_an_error_of_the_command(monkeypatch, tmp_path, found):
    broken = found[0].claim._replace(checks=[inequality("two is at most one", 2.0, 1.0)])
    monkeypatch.setattr(reproduce, "CLAIMS", (lambda source: broken,))
    done = run("reproduce", "--output", tmp_path / "out", status=1)
    assert "1 inequalities are violated" in done.stderr
    assert (tmp_path / "out" / "index.html").exists()


def test_a_folder_that_is_not_there(tmp_path):
    done = run("reproduce", "--data", tmp_path / "nowhere", status=1)
    assert "there is no such folder" in done.stderr


def test_a_folder_without_the_sets_names_what_is_missing(tmp_path):
    done = run("reproduce", "--data", tmp_path, "--output", tmp_path / "out", status=1)
    assert "spambase" in done.stderr
