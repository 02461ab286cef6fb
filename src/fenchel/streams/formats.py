"""The formats, and the names of files that tell them."""

from __future__ import annotations

from pathlib import Path

from fenchel.streams.compression import without_compression

SUFFIXES = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".arff": "arff",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))


def guess_format(name: str) -> str | None:
    """Tell the format by a file's name, its compression left aside.

    >>> guess_format("clicks.csv.gz"), guess_format("news.vw"), guess_format("data")
    ('csv', 'vw', None)
    """
    return SUFFIXES.get(Path(without_compression(name)).suffix.lower())


def guess_separator(name: str) -> str | None:
    """Tell the separator by a file's name: tabs in .tsv."""
    tabs = Path(without_compression(name)).suffix.lower() in (".tsv", ".tab")
    return "\t" if tabs else None
