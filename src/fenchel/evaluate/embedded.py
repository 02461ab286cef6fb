"""Data that needs no file: scikit-learn's small tables, and generated text-like rows."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.rows import Block, Rows
from fenchel.schema import Schema
from fenchel.streams import Names, Stream, from_arrays
from fenchel.streams.batch import in_columns, merge_repeated
from fenchel.streams.names import joined

TABLES = ("breast_cancer", "wine", "digits", "diabetes", "zipf")


class Dataset(NamedTuple):
    """Rows, labels, and the names of the columns."""

    X: Any
    y: NDArray[Any]
    names: list[str]


class Embedded(Stream):
    """A table as a stream; its columns have names."""

    names: Names

    def __init__(self, table: Dataset, names: Names) -> None:
        super().__init__(None)
        self._rows = from_arrays(table.X, table.y)
        self._given_names = table.names
        self.follow(Schema(bits=names.bits), names)

    def follow(self, schema: Schema, names: Names | None) -> None:
        """Go on with what a learner knows of its columns."""
        assert names is not None, "the columns have names"
        self.schema, self.names = schema, names
        self._places = names.columns(*joined(self._given_names)).astype(np.uint32)

    def _blocks(self) -> Iterator[Block]:
        for block in self._rows:
            yield self._merged(block)

    def _merged(self, block: Block) -> Block:
        """Columns by name; where hashing gave two of a row one column, their values add up."""
        indptr, indices, values, _ = block.rows.csr()
        indptr, indices, values = indptr.copy(), indices.copy(), values.copy()
        kept = merge_repeated(indptr, indices, values, self._places.astype(np.int64))
        indices, values = self._places[indices[:kept]], values[:kept]
        rows = in_columns(indptr, indices, values, None, tabular=True)
        return block.replace(rows=Rows.sparse(*rows, self.columns))


def load(name: str, shuffle: int | None = None, seed: int = 0) -> Dataset:
    """Load the table of this name, its rows shuffled if asked."""
    table = zipf(seed) if name == "zipf" else _from_scikit_learn(name)
    if shuffle is None:
        return table
    order = np.random.default_rng(shuffle).permutation(len(table.y))
    return Dataset(table.X[order], table.y[order], table.names)


def _from_scikit_learn(name: str) -> Dataset:
    bunch = getattr(import_module("sklearn.datasets"), f"load_{name}")()
    labels = bunch.target
    classes = np.asarray(getattr(bunch, "target_names", []))
    if classes.dtype.kind == "U":
        labels = classes.astype(object)[labels]
    return Dataset(bunch.data, labels, [str(feature) for feature in bunch.feature_names])


def zipf(seed: int = 0, rows: int = 20_000, words: int = 30_000, length: int = 40) -> Dataset:
    """Short texts: word k occurs as often as 1/(k + 5); some words lean to one of two classes.

    The same seed gives the same rows.

    >>> table = zipf(rows=100)
    >>> table.X.shape, table.y[:3].tolist()
    ((100, 30000), ['spam', 'ham', 'ham'])
    """
    from scipy.sparse import csr_array

    random = np.random.default_rng(seed)
    frequency = 1.0 / (np.arange(words) + 5.0)
    leaning = random.normal(size=words) * (random.random(words) < 0.2)
    lengths = 1 + random.poisson(length - 1, rows)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    drawn = random.choice(words, indptr[-1], p=frequency / frequency.sum())
    X = csr_array((np.ones(len(drawn)), drawn, indptr), shape=(rows, words))
    X.sum_duplicates()
    X.data = 1.0 + np.log(X.data)
    evidence = X @ leaning + random.normal(size=rows)
    y = np.where(evidence > np.median(evidence), "spam", "ham").astype(object)
    return Dataset(X, y, [f"word{k}" for k in range(words)])
