"""The container of rows, from reader to loop: sparse or dense, sliced, selected, joined."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.parts.state import Array
from fenchel.rows.types import DenseRows, SparseRows

# Fewer entries than this are learned from before another thread wakes up.
FEW_ENTRIES = 4096


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix of SciPy's: where these are not loaded there is none."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


class Rows:
    """Some rows of so many columns. ``view`` is what compiled code sees of them.

    Nothing is copied where it can be helped: a slice of sparse rows shares their entries.

    >>> rows = Rows.sparse([0, 1, 3], [2, 0, 1], [1.0, 2.0, 3.0], width=3)
    >>> len(rows), rows[1:].to_matrix().toarray().tolist()
    (2, [[2.0, 3.0, 0.0]])
    """

    __slots__ = ("count", "view", "width")

    def __init__(self, view: SparseRows | DenseRows, count: int, width: int) -> None:
        self.view, self.count, self.width = view, count, width

    @classmethod
    def sparse(cls, indptr: Any, indices: Any, values: Any, width: int = 0) -> Rows:
        """Make CSR rows: row i is indices[indptr[i]:indptr[i + 1]] with the same slice of values.

        ``width`` 0: one more than the largest column.
        """
        indptr = np.asarray(indptr, np.int64)
        indices = np.asarray(indices, np.uint32)
        values = np.asarray(values)
        if values.dtype not in (np.float64, np.float32):
            values = values.astype(np.float64)
        width = width or (int(indices.max()) + 1 if len(indices) else 0)
        return cls(SparseRows(indptr, indices, values, bits_of(values)), len(indptr) - 1, width)

    @classmethod
    def dense(cls, values: NDArray[Any]) -> Rows:
        """Make rows of an array in C order, float64 or float32."""
        return cls(DenseRows(values, bits_of(values)), *values.shape)

    @classmethod
    def concatenate(cls, several: Sequence[Rows]) -> Rows:
        """Join rows in turn, as wide as the widest."""
        if len(several) == 1:
            return several[0]
        width = max(rows.width for rows in several)
        if all(rows.is_dense and rows.width == width for rows in several):
            return cls.dense(np.concatenate([rows.view.values for rows in several]))
        parts = [rows.csr() for rows in several]
        ends = np.cumsum([0, *(part.indptr[-1] for part in parts)])
        indptr = [np.zeros(1, np.int64)]
        indptr += [part.indptr[1:] + end for part, end in zip(parts, ends, strict=False)]
        indices = np.concatenate([part.indices for part in parts])
        values = np.concatenate([part.values for part in parts])
        return cls.sparse(np.concatenate(indptr), indices, values, width)

    # ── what there is ───────────────────────────────────────────────────────────────────────────

    def __len__(self) -> int:
        return self.count

    @property
    def is_dense(self) -> bool:
        """Whether every column of a row is stored."""
        return isinstance(self.view, DenseRows)

    @property
    def entries(self) -> int:
        """The count of numbers stored."""
        if isinstance(self.view, DenseRows):
            return int(self.view.values.size)
        return int(self.view.indptr[self.count] - self.view.indptr[0])

    def count_nonzero(self) -> int:
        """Return the count of numbers other than 0."""
        if isinstance(self.view, DenseRows):
            return int(np.count_nonzero(self.view.values))
        first, last = self.view.indptr[0], self.view.indptr[self.count]
        return int(np.count_nonzero(self.view.values[first:last]))

    @property
    def used_columns(self) -> int:
        """One more than the largest column that a row names."""
        if isinstance(self.view, DenseRows):
            return self.width
        first, last = self.view.indptr[0], self.view.indptr[self.count]
        return int(self.view.indices[first:last].max()) + 1 if last > first else 0

    @property
    def nbytes(self) -> int:
        """The bytes that a copy of the rows takes."""
        if isinstance(self.view, DenseRows):
            return int(self.view.values.nbytes)
        each = self.view.indices.itemsize + self.view.values.itemsize
        return self.entries * each + 8 * (self.count + 1)

    @property
    def are_many(self) -> bool:
        """Whether they are worth handing to other threads."""
        return self.entries >= FEW_ENTRIES

    # ── some of them ────────────────────────────────────────────────────────────────────────────

    def __getitem__(self, which: slice) -> Rows:
        start, stop, _ = which.indices(self.count)
        return self.part(start, stop)

    def part(self, start: int, stop: int) -> Rows:
        """Return rows start … stop − 1, nothing copied."""
        if start == 0 and stop == self.count:
            return self
        view = self.view
        if isinstance(view, DenseRows):
            return Rows(
                DenseRows(view.values[start:stop], view.bits[start:stop]), stop - start, self.width
            )
        return Rows(SparseRows(view.indptr[start : stop + 1], *view[1:]), stop - start, self.width)

    def pieces(self, entries: int) -> Iterator[tuple[int, int, Rows]]:
        """Yield begin, end and rows of pieces of about so many entries."""
        begin = 0
        while begin < self.count:
            if isinstance(self.view, DenseRows):
                end = begin + max(1, entries // max(1, self.width))
            else:
                indptr = self.view.indptr
                end = int(np.searchsorted(indptr, indptr[begin] + entries, side="right")) - 1
            end = min(self.count, max(begin + 1, end))
            yield begin, end, self.part(begin, end)
            begin = end

    def select(self, keep: NDArray[np.bool_]) -> Rows:
        """Select the rows for which ``keep`` is true, copied."""
        if isinstance(self.view, DenseRows):
            return Rows.dense(self.view.values[keep])
        rows = self.csr()
        lengths = np.diff(rows.indptr)
        chosen = np.repeat(keep, lengths)
        indptr = np.zeros(int(keep.sum()) + 1, np.int64)
        np.cumsum(lengths[keep], out=indptr[1:])
        return Rows.sparse(indptr, rows.indices[chosen], rows.values[chosen], self.width)

    def take(self, which: NDArray[np.int64]) -> Rows:
        """Take the rows of these numbers, copied."""
        if isinstance(self.view, DenseRows):
            return Rows.dense(self.view.values[which])
        rows = self.csr()
        starts = rows.indptr[which]
        lengths = rows.indptr[which + 1] - starts
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Rows.sparse(indptr, rows.indices[entries], rows.values[entries], self.width)

    def compact(self) -> Rows:
        """Return the same rows as CSR whose entries begin at 0 and end with the last."""
        view = self.view
        if isinstance(view, DenseRows):
            row, columns = np.nonzero(view.values)
            lengths = np.bincount(row, minlength=self.count)
            indptr = np.concatenate([[0], np.cumsum(lengths)])
            return Rows.sparse(indptr, columns, view.values[row, columns], self.width)
        first, last = view.indptr[0], view.indptr[self.count]
        if first == 0 and last == len(view.indices) and len(view.indptr) == self.count + 1:
            return self
        indptr = view.indptr[: self.count + 1] - first
        return Rows.sparse(indptr, view.indices[first:last], view.values[first:last], self.width)

    def csr(self) -> SparseRows:
        """Return the arrays of ``compact``."""
        view = self.compact().view
        assert isinstance(view, SparseRows), "compact rows are sparse"
        return view

    def copy(self) -> Rows:
        """Copy the rows into arrays of their own, no longer than needed."""
        if isinstance(self.view, DenseRows):
            return Rows.dense(self.view.values.copy())
        rows = self.csr()
        return Rows.sparse(rows.indptr.copy(), rows.indices.copy(), rows.values.copy(), self.width)

    def widened(self, width: int) -> Rows:
        """Return the same rows as part of a wider space."""
        return Rows(self.view, self.count, width)

    # ── in NumPy and SciPy ──────────────────────────────────────────────────────────────────────

    def to_matrix(self) -> Any:
        """Return the rows as a NumPy array or a SciPy CSR array; no number is copied."""
        if isinstance(self.view, DenseRows):
            return self.view.values
        rows = self.csr()
        # SciPy wants signed indices: below 2³¹ the same bytes.
        small = self.width < 2**31
        indices = rows.indices.view(np.int32) if small else rows.indices.astype(np.int64)
        from scipy.sparse import csr_array  # deferred: it takes a while to load

        return csr_array((rows.values, indices, rows.indptr), shape=(self.count, self.width))

    def with_intercept(self, columns: int, intercept: bool) -> Any:
        """Return the rows as a matrix of so many columns, the intercept's first where there is one."""
        X = self.to_matrix()
        if isinstance(X, np.ndarray):
            wide = np.zeros((self.count, columns + intercept))
            wide[:, intercept : intercept + self.width] = X
            wide[:, :intercept] = 1.0
            return wide
        from scipy.sparse import csr_array, hstack  # deferred, as above

        X = csr_array((X.data, X.indices, X.indptr), shape=(self.count, columns))
        lead = csr_array(np.ones((self.count, int(intercept))))
        return csr_array(hstack([lead, X], format="csr")) if intercept else X

    def margins(self, u: Array, intercept: bool) -> Array:
        """⟨u, x_t⟩ of each row; one column for each column of u."""
        lead = u[0] if intercept else 0.0
        start = int(intercept)
        return np.asarray(self.to_matrix() @ u[start : start + self.width] + lead)

    def squares(self) -> Array:
        """Σ_i x²_{t,i} of each row."""
        X = self.to_matrix()
        return np.asarray((X * X).sum(axis=1))

    def slots_and_values(self, t: int, intercept: bool) -> tuple[NDArray[np.int64], Array]:
        """Return slots and values of row t, the intercept's first where there is one."""
        view = self.view
        if isinstance(view, DenseRows):
            values, slots = view.values[t], np.arange(1, self.width + 1)
        else:
            inside = slice(view.indptr[t], view.indptr[t + 1])
            values, slots = view.values[inside], view.indices[inside].astype(np.int64) + 1
        if intercept:
            return np.concatenate([[0], slots]), np.concatenate([[1.0], values])
        return slots, values.astype(np.float64)


def bits_of(values: NDArray[Any]) -> NDArray[Any]:
    """The numbers as whole numbers of the same bytes, which show quickly whether all are finite."""
    return values.view(np.uint64 if values.dtype.itemsize == 8 else np.uint32)
