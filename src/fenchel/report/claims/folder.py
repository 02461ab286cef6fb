"""Readers for a folder of public data: tables through the streams, texts and signals by hand."""

from __future__ import annotations

import gzip
import io
import re
import wave
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from fenchel.streams import Names, open_stream
from fenchel.streams.names import joined

Vector = NDArray[np.float64]

WORD = re.compile(r"\w+(?:'\w+)*")
SHUFFLE = 0
PAST = 32  # samples of the reference in a row
MOST_SAMPLES = 30_000


def read(path: Path, **options: Any) -> tuple[Any, Vector]:
    """All rows of a file that the streams can read, as CSR and labels."""
    blocks, labels = [], []
    for block in open_stream(path, **options):
        assert block.labels is not None
        blocks.append((block.values, block.indices.astype(np.int64), block.indptr))
        labels.append(np.asarray(block.labels, np.float64))
    width = 1 + max(int(indices.max(initial=0)) for _, indices, _ in blocks)
    parts = [csr_array(block, shape=(len(block[2]) - 1, width)) for block in blocks]
    return csr_array(vstack(parts, format="csr")), np.concatenate(labels)


def movie_reviews(place: Path) -> tuple[Any, Vector]:
    """Label, identifier and text by line; the file is sorted by label, so it is shuffled."""
    lines = _lines(place / "sentiment_movie_reviews" / "review_polarity_v2.tsv.gz")
    labels, _, texts = zip(*(line.split("\t", 2) for line in lines), strict=True)
    documents = ([(word, 1.0) for word in WORD.findall(text.lower())] for text in texts)
    y = np.where(np.array(labels) == "pos", 1.0, -1.0)
    return shuffled(bag_of_words(documents), y)


def amazon_reviews(place: Path, domain: str) -> tuple[Any, Vector]:
    """``word:count …`` by line, one class a file."""
    documents, labels = [], []
    for label, side in ((1.0, "positive"), (-1.0, "negative")):
        file = place / "sentiment_amazon_multidomain" / f"{domain}.{side}.review.gz"
        for line in _lines(file):
            pairs = (field.rsplit(":", 1) for field in line.split())
            documents.append([(word, float(n)) for word, n in pairs if word != "#label#"])
            labels.append(label)
    return shuffled(bag_of_words(documents), np.array(labels))


def bag_of_words(documents: Iterable[list[tuple[str, float]]]) -> Any:
    """A column a word, in the order of their first appearance; counts of a word add up.

    >>> bag_of_words([[("a", 1.0), ("b", 2.0), ("a", 1.0)], [("c", 1.0)]]).toarray()
    array([[2., 2., 0.],
           [0., 0., 1.]])
    """
    names, lengths, words, counts = Names(), [0], [], []
    for document in documents:
        words += [word for word, _ in document]
        counts += [count for _, count in document]
        lengths.append(len(words))
    columns = names.columns(*joined(words))
    X = csr_array((np.array(counts), columns, lengths), shape=(len(lengths) - 1, len(names)))
    X.sum_duplicates()
    return X


def heart(place: Path) -> tuple[Vector, Vector]:
    """Thoracic leads, which hear the mother alone, against the first abdominal one."""
    leads = np.loadtxt(place / "foetal_ecg" / "foetal_ecg.dat.gz")
    return last_samples(leads[:, 6], PAST), leads[:, 1]


def speech(place: Path) -> tuple[Vector, Vector]:
    """A voice, and the same with its echo beside another voice; where the first one speaks."""
    x, d = (_sound(place / "aec_speech" / f"{name}.wav.gz") for name in ("x", "d"))
    return last_samples(x, PAST)[:MOST_SAMPLES], d[:MOST_SAMPLES]


def last_samples(signal: Vector, past: int) -> Vector:
    """Row t holds signal[t], signal[t − 1], …; before the beginning there is silence.

    >>> last_samples(np.array([1.0, 2.0, 3.0]), 2)
    array([[1., 0.],
           [2., 1.],
           [3., 2.]])
    """
    padded = np.concatenate([np.zeros(past - 1), signal])
    return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(padded, past)[:, ::-1])


def _sound(path: Path) -> Vector:
    """A gzipped mono 16-bit WAV file as samples in [−1, 1)."""
    with wave.open(io.BytesIO(gzip.decompress(path.read_bytes()))) as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2") / 32768.0


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            if line.strip():
                yield line.strip()


def shuffled(X: Any, y: Vector) -> tuple[Any, Vector]:
    """In another order, always the same: many files are sorted by label."""
    order = np.random.default_rng(SHUFFLE).permutation(len(y))
    return X[order], y[order]
