"""Readers of the file formats in which the public data sets come.

Every reader keeps the file's row order and the raw, unscaled values.
"""

import bz2
import csv
import gzip
import io
import re
import wave
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_files

Matrix = NDArray[np.float64] | sparse.csr_matrix
Vector = NDArray[np.float64]

WORD = re.compile(r"\w+(?:'\w+)*")


def open_text(path: Path) -> TextIO:
    """Open a plain, gzip or bzip2 file; a byte that is not UTF-8 becomes the replacement mark."""
    openers = {".gz": gzip.open, ".bz2": bz2.open}
    opener = openers.get(path.suffix, open)
    return opener(path, "rt", encoding="utf-8", errors="replace", newline="\n")


def lines(*paths: Path) -> Iterator[str]:
    """Yield the lines of the files that hold anything, one file after the other."""
    for path in paths:
        with open_text(path) as file:
            for line in file:
                if stripped := line.strip():
                    yield stripped


def csr_from_rows(rows: Iterable[dict[int, float]]) -> sparse.csr_matrix:
    """Stack dictionaries of column to value as the rows of one matrix."""
    columns: list[int] = []
    values: list[float] = []
    row_ends = [0]
    for row in rows:
        columns.extend(row.keys())
        values.extend(row.values())
        row_ends.append(len(columns))
    arrays = (np.array(values, dtype=np.float64), np.array(columns, dtype=np.int32), row_ends)
    matrix = sparse.csr_matrix(arrays)
    matrix.sort_indices()
    return matrix


def bag_of_words(documents: Iterable[Iterable[tuple[str, float]]]) -> sparse.csr_matrix:
    """Count the words of each document; columns are numbered as their words first appear."""
    vocabulary: dict[str, int] = {}

    def counts(document: Iterable[tuple[str, float]]) -> dict[int, float]:
        row: dict[int, float] = {}
        for word, count in document:
            column = vocabulary.setdefault(word, len(vocabulary))
            row[column] = row.get(column, 0.0) + count
        return row

    return csr_from_rows(counts(document) for document in documents)


def texts(documents: Iterable[str]) -> sparse.csr_matrix:
    """Turn plain texts into a bag of lower-case words."""
    return bag_of_words(((word, 1.0) for word in WORD.findall(text.lower())) for text in documents)


def word_counts(path: Path) -> Iterator[list[tuple[str, float]]]:
    """Yield documents written as ``word:count``, without the field that holds the label."""
    for line in lines(path):
        pairs = (field.rsplit(":", 1) for field in line.split())
        yield [(word, float(count)) for word, count in pairs if word != "#label#"]


def quoted_csv(path: Path) -> list[dict[str, str]]:
    """Read a CSV file whose quoted fields may span lines."""
    with open_text(path) as file:
        return list(csv.DictReader(file))


def svmlight(*paths: Path) -> tuple[sparse.csr_matrix, Vector]:
    """Join svmlight files with columns counted from one."""
    parts = load_svmlight_files([str(path) for path in paths], zero_based=False)
    return sparse.vstack(parts[0::2], format="csr"), np.concatenate(parts[1::2])


def vowpal_text(*paths: Path) -> tuple[sparse.csr_matrix, Vector]:
    """Join Vowpal Wabbit files of one namespace whose features are numbers."""
    labels, rows = [], []
    for line in lines(*paths):
        label, features = line.split("|", 1)
        pairs = (field.split(":") for field in features.split()[1:])
        labels.append(float(label))
        rows.append({int(column): float(value) for column, value in pairs})
    return csr_from_rows(rows), np.array(labels)


def table(*paths: Path, **options: object) -> pd.DataFrame:
    """Read delimited files without a header unless told; ``@`` starts a KEEL or ARFF header."""
    options = {"header": None, "comment": "@", "skipinitialspace": True, **options}
    return pd.concat([pd.read_csv(path, **options) for path in paths], ignore_index=True)


def columns_as_features(frame: pd.DataFrame) -> Matrix:
    """Give numbers as they are; a table with categories becomes sparse, one column a category."""
    numbers = frame.select_dtypes("number")
    blocks: list[Matrix] = [numbers.to_numpy(dtype=np.float64)]
    for name in frame.columns.difference(numbers.columns, sort=False):
        codes, categories = pd.factorize(frame[name])
        ones = np.ones(len(codes))
        shape = (len(codes), len(categories))
        blocks.append(sparse.csr_matrix((ones, codes, np.arange(len(codes) + 1)), shape=shape))
    if len(blocks) == 1:
        return blocks[0]
    return sparse.hstack([sparse.csr_matrix(block) for block in blocks], format="csr")


def idx(path: Path) -> NDArray[np.uint8]:
    """Read a gzipped idx file of bytes: two zeros, type, number of axes, big-endian shape, data."""
    content = gzip.decompress(path.read_bytes())
    axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=axes, offset=4).astype(int)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * axes).reshape(shape)


def wav(path: Path) -> Vector:
    """Read a gzipped mono 16-bit WAV file as samples in [-1, 1)."""
    with wave.open(io.BytesIO(gzip.decompress(path.read_bytes()))) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2")
    return samples / 32768.0
