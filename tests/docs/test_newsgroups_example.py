"""A first script of fewer than fifteen lines: fit on text, score, save, load, learn on."""

import bz2
import re
import runpy
import sys
from pathlib import Path

import pytest
from benchmarks.loaders import DataMissingError, data_folder

SCRIPT = Path(__file__).parents[2] / "docs" / "examples" / "newsgroups.py"
EMBEDDED = {
    "rec.space": [
        "the rocket reached orbit",
        "an orbit around the moon",
        "rocket fuel for the moon",
    ],
    "rec.food": ["bread with butter and salt", "salt the soup", "soup with bread and butter"],
    "rec.music": ["a song on the guitar", "the guitar and the drum", "a drum in the song"],
}


def accuracies(monkeypatch, capsys, tmp_path, train, test):
    """What the script prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["newsgroups.py", str(train), str(test)])
    runpy.run_path(str(SCRIPT))
    return [float(number) for number in re.findall(r"0\.\d+|1\.0+", capsys.readouterr().out)]


def test_it_is_short():
    lines = [line for line in SCRIPT.read_text().splitlines() if line.strip()]
    assert len(lines) < 15


def test_on_embedded_text(monkeypatch, capsys, tmp_path):
    file = tmp_path / "text.tsv.bz2"
    rows = [
        f"{group}\t{n}\t{text}" for group, texts in EMBEDDED.items() for n, text in enumerate(texts)
    ]
    file.write_bytes(bz2.compress("\n".join(rows * 2).encode()))
    before, after = accuracies(monkeypatch, capsys, tmp_path, file, file)
    assert before > 0.8
    assert after == 1.0


def test_on_newsgroups(monkeypatch, capsys, tmp_path):
    try:
        folder = data_folder() / "newsgroups20"
    except DataMissingError as missing:
        pytest.skip(str(missing))
    files = (folder / f"20news-bydate-{part}.tsv.bz2" for part in ("train", "test"))
    before, after = accuracies(monkeypatch, capsys, tmp_path, *files)
    assert before > 0.6
    assert after > before
