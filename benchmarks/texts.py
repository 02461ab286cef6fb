"""Texts on the command line against the same words through scikit-learn's CountVectorizer.

    python -m benchmarks.texts --data ../shared/data --output benchmarks/TEXTS.md

Errors are progressive, rows in one random order. Seconds are those that turning the texts into rows takes of
the processor: our reader over the file, all its threads, and CountVectorizer over texts that are in memory
already; the least of a few runs that alternate.
"""

from __future__ import annotations

import argparse
import bz2
import csv
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from fenchel import learners
from fenchel.evaluate import progressive
from fenchel.streams import from_arrays, open_stream

SETS = {
    "sms_spam": ("sms_spam/SMSSpamCollection.tsv.gz", "\t", 1),
    "sst2": ("sentiment_sst2/stsa.binary.train.gz", " ", 1),
    "movie_reviews": ("sentiment_movie_reviews/review_polarity_v2.tsv.gz", "\t", 2),
    "newsgroups20": ("newsgroups20/20news-bydate-train.tsv.bz2", "\t", 2),
}
BEST_OF = 9


def rows_of(path: Path, separator: str, splits: int) -> list[tuple[str, str]]:
    """Texts and labels, in one random order."""
    opened = {".gz": gzip.open, ".bz2": bz2.open}[path.suffix]
    with opened(path, "rt", encoding="utf-8") as file:
        cells = [line.rstrip("\n").split(separator, splits) for line in file]
    rows = [(each[-1], each[0]) for each in cells if len(each) == splits + 1]
    order = np.random.default_rng(0).permutation(len(rows))
    return [rows[k] for k in order]


def fastest(*works: Callable[[], object]) -> list[float]:
    """The least seconds of each of a few works, done in turns."""
    times = [[_seconds(work) for work in works] for _ in range(BEST_OF)]
    return [min(column) for column in zip(*times, strict=True)]


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measure(name: str, data: Path) -> str:
    """A line of the table."""
    file, separator, splits = SETS[name]
    rows = rows_of(data / file, separator, splits)
    texts = [text for text, _ in rows]
    with tempfile.TemporaryDirectory() as folder:
        path, figures = Path(folder) / "texts.csv", Path(folder) / "figures.json"
        with path.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([("text", "y"), *rows])
        command = [sys.executable, "-m", "fenchel", "train", str(path), "--text", "text", "--quiet"]
        subprocess.run([*command, "--json", str(figures)], check=True)
        (ours,) = json.loads(figures.read_text())["learners"]
        reading, counting = fastest(
            lambda: [len(block) for block in open_stream(path, text=["text"])],
            lambda: CountVectorizer().fit_transform(texts),
        )
    vectors = CountVectorizer().fit_transform(texts).astype(np.float64)
    labels = np.array([label for _, label in rows], dtype=object)
    task = "binary" if len(set(labels)) == 2 else "multiclass"
    theirs = progressive(learners.auto(task), from_arrays(vectors, labels))
    return (
        f"| {name} | {len(rows):,} | {ours['error']:.4f} | {theirs.error:.4f} | "
        f"{reading:.3f} | {counting:.3f} | {counting / reading:.1f} × |"
    )


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    lines = [
        "| texts | rows | error, `--text` | error, CountVectorizer | seconds | CountVectorizer's | speed |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in SETS:
        lines.append(measure(name, options.data))
        print(lines[-1], flush=True)
    if options.output:
        head = (
            "# Texts\n\n`python -m benchmarks.texts`: errors of `auto`, progressive; seconds that "
            "turning the texts\ninto rows takes of the processor, the least of "
            f"{BEST_OF} runs in turns, with other work on the machine.\n\n"
        )
        options.output.write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
