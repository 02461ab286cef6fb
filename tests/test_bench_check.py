"""``make bench-check``: with what it compares, what it stores, and how it refuses."""

import json
import subprocess

import pytest
from benchmarks import check


class Measured:
    """A side whose works take so many seconds."""

    def __init__(self, tree):
        self.works = ["fast", "odd"]
        self._seconds = {"fast": 1.0, "odd": 2.0 if tree.name == "before" else 3.0}

    def do(self, work):
        return self._seconds[work]

    def close(self):
        pass


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of one commit without a tag, whose works are measured at once; its git."""
    root = tmp_path / "now"
    root.mkdir()
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]

    def git(*arguments):
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "-m", "first")
    monkeypatch.setattr(check, "ROOT", root)
    monkeypatch.setattr(check, "STORED", tmp_path / "check.json")
    monkeypatch.setattr(check, "Side", Measured)
    return git


def told(capsys, *arguments, status):
    assert check.main(list(arguments)) == status
    return capsys.readouterr()


def test_it_compares_with_the_last_tag_and_else_with_what_was_stored(repository, capsys):
    first, stored = check.git("rev-parse", "HEAD"), {"before": "HEAD"}
    assert check.commit_of("", stored) == first
    repository("tag", "v0.1")
    repository("commit", "--quiet", "--allow-empty", "-m", "second")
    assert check.commit_of("HEAD", stored) != first
    assert check.commit_of("", stored) == first


def test_ratios_are_stored_and_printed_beside_those_of_today(repository, capsys):
    found = told(capsys, "--before", "HEAD", "--store", "--repeats", "2", status=1).out
    assert "| odd | 2000.0 ms | 3000.0 ms | 1.500 slower |  |" in found
    assert "slower by more than 5 %: odd" in found
    stored = json.loads(check.STORED.read_text())
    assert stored["before"] == stored["commit"] == check.git("rev-parse", "HEAD")
    assert stored["machine"]
    assert stored["works"]["odd"] == {"before": 2.0, "now": 3.0, "ratio": 1.5}
    again = told(capsys, "--before", "", "fast", status=0).out
    assert "| fast | 1000.0 ms | 1000.0 ms | 1.000 | 1.000 |" in again
    assert "slower by more than 5 %: nothing" in again


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "no tag, and no benchmarks/check.json: name a commit"),
        (("--before", "nope"), "nope: there is no such commit, tag or folder here; check BEFORE"),
        (("--before", "."), "there is no src/fenchel in this folder"),
        (("--before", "HEAD", "other"), "no work was compared"),
        (("--before", "HEAD", "--repeats", "0"), "--repeats 0: it must be 1 or more"),
    ],
)
def test_it_refuses_in_one_line(repository, capsys, tmp_path, monkeypatch, arguments, why):
    monkeypatch.chdir(tmp_path)
    error = told(capsys, *arguments, status=2).err
    assert why in error
    assert error.count("\n") == 1
