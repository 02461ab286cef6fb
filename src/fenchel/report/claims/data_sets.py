"""The rows on which claims are measured: embedded and generated ones, or a folder of public data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fenchel.evaluate import embedded
from fenchel.report.claims import folder

Vector = NDArray[np.float64]

IN_TIME = ("spam_stream",)  # sets whose order is that of time; others are shuffled


class Sample(NamedTuple):
    """A stream that fits into memory: a dense or CSR matrix and its labels (±1) or targets."""

    name: str
    X: Any
    y: Vector

    def unit(self) -> Sample:
        """The same rows, each divided by its length."""
        squares = np.asarray((self.X * self.X).sum(axis=1)).ravel()
        lengths = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        scaled = self.X / lengths[:, None]
        X = scaled if isinstance(scaled, np.ndarray) else scaled.tocsr()
        return Sample(f"{self.name}, rows of length 1", X, self.y)


class ClaimData(Protocol):
    """The rows on which claims are measured, by what they are needed for."""

    name: str

    def units(self) -> list[Sample]:
        """Two classes, features in raw units."""

    def classes(self) -> list[Sample]:
        """Two classes, of every kind."""

    def few_columns(self) -> list[Sample]:
        """Two classes, few enough columns for a full matrix."""

    def texts(self) -> list[Sample]:
        """Two classes of texts."""

    def numbers(self) -> list[Sample]:
        """Regression."""

    def signals(self) -> list[Sample]:
        """Filtering: rows are the last samples of a reference, targets what is to be cancelled."""


def _two_classes(name: str, title: str, positive: Any, rows: int | None = None) -> Sample:
    table = embedded.load(name)
    y = np.where(np.isin(table.y, positive), 1.0, -1.0)
    return Sample(title, table.X[:rows], y[:rows])


class EmbeddedData:
    """Data that needs no file; ``size`` below 1 makes all of it smaller, for a quick look."""

    name = "embedded and generated data"

    def __init__(self, size: float = 1.0) -> None:
        self._size = size

    def _rows(self, count: int) -> int:
        return max(int(count * self._size), 60)

    def units(self) -> list[Sample]:
        """Tumours, measured in millimetres, their squares and shares."""
        return [_two_classes("breast_cancer", "breast_cancer", "benign", self._rows(569))]

    def classes(self) -> list[Sample]:
        """Raw and scaled measurements, pixels, texts."""
        cancer = self.units()[0]
        even = _two_classes("digits", "digits, even or odd", [0, 2, 4, 6, 8], self._rows(1797))
        return [cancer, cancer.unit(), even, even.unit(), self._text(2, 3_000, 4_000, 30)]

    def few_columns(self) -> list[Sample]:
        """Measurements and pixels."""
        return [row for row in self.classes() if row.X.shape[1] <= 100]

    def texts(self) -> list[Sample]:
        """Two samples of generated texts: short ones of many words, long ones of fewer."""
        return [self._text(0, 6_000, 12_000, 40), self._text(1, 3_000, 8_000, 120)]

    def _text(self, seed: int, rows: int, words: int, length: int) -> Sample:
        rows = self._rows(rows)
        table = embedded.zipf(seed, rows, words, length)
        return Sample(
            f"zipf, {length} words a text", table.X, np.where(table.y == "spam", 1.0, -1.0)
        )

    def numbers(self) -> list[Sample]:
        """Patients, and a noisy linear function."""
        diabetes = embedded.load("diabetes", shuffle=0)
        random = np.random.default_rng(2)
        X = random.normal(size=(self._rows(8_192), 10))
        y = X @ random.normal(size=10) + random.uniform(-1.0, 1.0, size=len(X))
        return [
            Sample("diabetes", 10.0 * diabetes.X[: self._rows(442)], diabetes.y[: self._rows(442)]),
            Sample("a noisy linear function", X, y),
        ]

    def signals(self) -> list[Sample]:
        """An echo of 32 samples in noise; the input's level rises a thousandfold on the way."""
        random = np.random.default_rng(3)
        count = self._rows(6_000)
        level = np.geomspace(0.01, 10.0, count)
        reference = level * random.normal(size=count)
        echo = random.normal(size=32) * 0.8 ** np.arange(32)
        X = folder.last_samples(reference, 32)
        return [Sample("an echo, its input growing", X, X @ echo + 0.1 * random.normal(size=count))]


class FolderData:
    """A folder of public data sets, each in a folder of its own (see the documentation)."""

    def __init__(self, place: str | Path) -> None:
        self.name = str(place)
        self._place = Path(place)

    def units(self) -> list[Sample]:
        """Raw units: e-mail statistics, a physical instrument."""
        return [
            self._table("spambase/spambase.csv.gz", "spambase", "spam"),
            self._svm("svmguide1/svmguide1"),
        ]

    def classes(self) -> list[Sample]:
        """Sparse and dense, separable and noisy."""
        files = ("a9a/a9a.gz", "mushrooms/mushrooms.gz", "german/german.numer_scale",
                 "phishing/phishing.gz", "splice/splice.gz", "spam_stream/spam.libsvm.gz")  # fmt: skip
        found = [self._svm(file) for file in files]
        return [*found, *self.units(), found[0].unit(), found[-1].unit()]

    def few_columns(self) -> list[Sample]:
        """At most 123 columns."""
        return [
            self._svm(f) for f in ("german/german.numer_scale", "splice/splice.gz", "a9a/a9a.gz")
        ]

    def texts(self) -> list[Sample]:
        """Movie reviews and book reviews."""
        return [
            Sample("movie reviews", *folder.movie_reviews(self._place)),
            Sample("book reviews", *folder.amazon_reviews(self._place, "books")),
        ]

    def numbers(self) -> list[Sample]:
        """Houses and proteins, standardised: the bound is in units of the features."""
        return [
            _standard(self._table("cal_housing/cal_housing.csv.gz", "houses", "medianHouseValue")),
            _standard(self._table("casp_protein/CASP.csv.gz", "proteins", "RMSD")),
        ]

    def signals(self) -> list[Sample]:
        """The mother's heart in a recording of her child's; speech with a room's echo."""
        return [
            Sample("heart of mother and child", *folder.heart(self._place)),
            Sample("speech with an echo", *folder.speech(self._place)),
        ]

    def _svm(self, file: str) -> Sample:
        X, y = folder.read(self._place / file, format="svmlight")
        title = file.partition("/")[0]
        if title not in IN_TIME:
            X, y = folder.shuffled(X, y)
        return Sample(title, X, np.where(y == y.max(), 1.0, -1.0))

    def _table(self, file: str, title: str, label: str) -> Sample:
        X, y = folder.shuffled(*folder.read(self._place / file, label=label))
        if len(np.unique(y)) == 2:
            y = np.where(y == y.max(), 1.0, -1.0)
        return Sample(title, X.toarray(), y)


def _standard(rows: Sample) -> Sample:
    """Each column and the target with mean 0 and deviation 1."""
    X, y = rows.X, rows.y
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return Sample(rows.name, X, (y - y.mean()) / y.std())
