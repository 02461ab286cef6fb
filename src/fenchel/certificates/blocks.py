"""Rows of a stream read a second time: as matrices, and through the compiled loop once more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fenchel._kernel import state
from fenchel._kernel.compile import suited
from fenchel._kernel.rows import DenseRows
from fenchel._kernel.state import Array
from fenchel.loops import loss_values, trace_rows


class Block(NamedTuple):
    """Sound rows of so many columns, their targets, and their importance (one number, or one a row)."""

    rows: Any
    width: int
    targets: Array
    importance: Array

    @property
    def weights(self) -> Array:
        """One importance a row."""
        return np.broadcast_to(self.importance, self.targets.shape)

    @property
    def bytes(self) -> int:
        """What its arrays take; ``bits`` are the values once more, not in memory."""
        return sum(array.nbytes for array in (*self.rows[:-1], self.targets, self.importance))

    def features(self) -> Any:
        """The rows as a dense or CSR matrix of ``width`` columns; no number is copied."""
        rows = self.rows
        if isinstance(rows, DenseRows):
            return rows.values
        first, last = rows.indptr[0], rows.indptr[-1]
        # SciPy wants signed indices: below 2³¹ the same bytes.
        indices = rows.indices[first:last]
        indices = indices.view(np.int32) if self.width < 2**31 else indices.astype(np.int64)
        shape = (len(self.targets), self.width)
        return sp.csr_array((rows.values[first:last], indices, rows.indptr - first), shape=shape)

    def matrix(self, columns: int, intercept: bool) -> Any:
        """The rows in so many columns, dense or CSR, the intercept's column first if there is one."""
        count = len(self.targets)
        X = self.features()
        if isinstance(X, np.ndarray):
            wide = np.zeros((count, columns + intercept))
            wide[:, intercept : intercept + self.width] = X
            wide[:, :intercept] = 1.0
            return wide
        X = sp.csr_array((X.data, X.indices, X.indptr), shape=(count, columns))
        lead = sp.csr_array(np.ones((count, int(intercept))))
        return sp.csr_array(sp.hstack([lead, X], format="csr")) if intercept else X

    def margins(self, u: Array, intercept: bool) -> Array:
        """⟨u, x_t⟩ of each row; one column for each column of u."""
        lead = u[0] if intercept else 0.0
        start = int(intercept)
        return np.asarray(self.features() @ u[start : start + self.width] + lead)

    def squares(self) -> Array:
        """Σ_i x²_{t,i} of each row."""
        X = self.features()
        return np.asarray((X * X).sum(axis=1))

    def note_firsts(self, firsts: Array) -> None:
        """Put |x_{t,i}| of the first row where it is not 0 into each ``firsts[i]`` that is 0 as yet."""
        X = sp.coo_array(self.features())
        columns, values = X.coords[1][X.data != 0.0], X.data[X.data != 0.0]
        columns, at = np.unique(columns, return_index=True)
        known = firsts[columns]
        firsts[columns] = np.where(known > 0.0, known, np.abs(values[at]))


Reading = Callable[[], Iterable[Block]]


def losses(loss: Any, margins: Array, y: Array) -> tuple[Array, Array]:
    """ℓ and ℓ′ of each margin, whatever the loss."""
    values, slopes = np.empty(len(y)), np.empty(len(y))
    run = suited(loss_values, loss)
    run(loss, np.ascontiguousarray(margins), np.ascontiguousarray(y), values, slopes)
    return values, slopes


def traced(
    parts: Sequence[Any], blocks: Iterable[Block], columns: int, intercept: bool
) -> Iterator[tuple[Block, Array, Array]]:
    """Each block with the margins and coefficients of a fresh run of loss, regularizer and rule."""
    loss, f, rule = (state.start(part, columns + 1) for part in parts[:3])
    run, dimensions = suited(trace_rows, loss, f, rule), state.dimensions_of(f)
    seen = 0
    for block in blocks:
        seen = max(seen, block.width)
        state.set_dimension(dimensions, seen + intercept)
        margins, coefficients = np.empty((2, len(block.targets)))
        run(
            loss,
            f,
            rule,
            block.rows,
            block.targets,
            block.importance,
            float(intercept),
            margins,
            coefficients,
        )
        yield block, margins, coefficients
