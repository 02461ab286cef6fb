"""Rows of a stream read a second time: as matrices, and through the compiled loop once more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fenchel._kernel import state
from fenchel._kernel.rows import DenseRows
from fenchel._kernel.state import Array
from fenchel.certificates.runs import Sums
from fenchel.loops import loss_values, trace_rows
from fenchel.regularizers import NormalizedAdaptive


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
    run = loss_values if state.from_package(loss) else loss_values.fresh  # type: ignore[attr-defined]
    run(loss, np.ascontiguousarray(margins), np.ascontiguousarray(y), values, slopes)
    return values, slopes


def set_dimension(part: Any, dimension: float) -> None:
    """Tell the parts that ask for it how many coordinates there are."""
    for name, array in state.arrays(part):
        if name.rpartition(".")[2] == "dimension":
            array[0] = dimension


def traced(
    parts: Sequence[Any], blocks: Iterable[Block], columns: int, intercept: bool
) -> Iterator[tuple[Block, Array, Array]]:
    """Each block with the margins and coefficients of a fresh run of loss, regularizer and rule."""
    loss, f, rule = (state.start(part, columns + 1) for part in parts[:3])
    ours = all(map(state.from_package, (loss, f, rule)))
    run = trace_rows if ours else trace_rows.fresh  # type: ignore[attr-defined]
    seen = 0
    for block in blocks:
        seen = max(seen, block.width)
        set_dimension(f, seen + intercept)
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


def compare(
    sums: Sums,
    parts: Sequence[Any],
    blocks: Iterable[Block],
    columns: int,
    intercept: bool,
    candidates: Sequence[Array],
) -> list[Sums]:
    """The sums of a run with those of each candidate u, by one reading of the blocks.

    The run is repeated on the way: blocks that are not those it learned from are refused.
    """
    compared = [replace(sums) for _ in candidates]
    U = np.column_stack(candidates)
    count = pairs = 0.0
    first = columns
    firsts = np.zeros(columns + intercept)
    firsts[:intercept] = 1.0
    for number, (block, margins, c) in enumerate(traced(parts, blocks, columns, intercept)):
        if number == 0:
            first = block.width
        count += len(c)
        pairs += float(c @ margins)
        if isinstance(parts[1], NormalizedAdaptive):
            block.note_firsts(firsts[intercept:])
        predicted = block.margins(U, intercept)
        for k, with_u in enumerate(compared):
            _add(with_u, parts[0], block, margins, c, predicted[:, k])
    if count != sums.rounds or not np.isclose(pairs, sums.pairs, rtol=1e-6, atol=1e-9):
        raise ValueError(
            f"the stream is not the one that was learned: {count:g} rows with Σ⟨z, w⟩ = {pairs:.9g} "
            f"against {sums.rounds:g} rows with {sums.pairs:.9g}; give the same rows in their order"
        )
    for with_u in compared:
        with_u.grown = float(columns - first)
        with_u.firsts = firsts
    return compared


def _add(s: Sums, loss: Any, block: Block, margins: Array, c: Array, predicted: Array) -> None:
    """What one block adds to the sums of one u."""
    h = block.weights
    values, _ = losses(loss, predicted, block.targets)
    s.loss_u += float(h @ values)
    s.eta_loss_u += float(np.abs(c) @ values)
    s.pairs_u += float(c @ predicted)
    s.squares_u += float(h @ predicted**2)
    s.update_squares_u += float(predicted[c != 0.0] @ predicted[c != 0.0])
    s.apart_u += float(h @ (margins - predicted) ** 2)
    s.reach = max(s.reach, float(np.abs(margins).max(initial=0.0)))
    s.reach_u = max(s.reach_u, float(np.abs(predicted).max(initial=0.0)))
