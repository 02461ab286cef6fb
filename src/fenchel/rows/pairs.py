"""Rows (e_y − e_ŷ)·xᵀ of the matrix space R^{K×d}, written out as plain sparse rows of R^{K·d}."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.rows.rows import Rows
from fenchel.rows.types import DenseRows


def pair_rows(
    rows: Rows, y: NDArray[Any], rivals: NDArray[Any], classes: int, columns: int, intercept: bool
) -> Rows:
    """x in the places of y and −x in those of ŷ; the place of class k at column j is j·classes + k.

    The intercept is column 0 where there is one, and its entries come last: the entries of a row are
    in the order in which ``PairRow`` reads them, so that sums over them have the same bits.

    >>> rows = Rows.dense(np.array([[5.0]]))
    >>> pair_rows(rows, np.array([1]), np.array([0]), 2, 1, True).to_matrix().toarray()
    array([[-1.,  1., -5.,  5.]])
    """
    view = rows.view
    indices: NDArray[Any]
    if isinstance(view, DenseRows):  # zeros too: PairRow reads them
        counts = np.full(len(rows), rows.width)
        indices, values = np.tile(np.arange(rows.width), len(rows)), view.values.reshape(-1)
    else:
        plain = rows.csr()
        counts, indices, values = np.diff(plain.indptr), plain.indices, plain.values
    lengths = counts + intercept
    ends = np.cumsum(lengths)
    places = np.zeros(int(lengths.sum()), np.int64)
    entries = np.ones(len(places))
    own = np.ones(len(places), bool)
    if intercept:
        own[ends - 1] = False
    places[own] = (indices.astype(np.int64) + intercept) * classes
    entries[own] = values
    row = np.repeat(np.arange(len(rows)), lengths)
    both = np.stack([places + y[row], places + rivals[row]], axis=1)
    signed = np.stack([entries, -entries], axis=1)
    indptr = np.concatenate([[0], 2 * ends])
    width = (columns + intercept) * classes
    return Rows.sparse(indptr, both.reshape(-1), signed.reshape(-1), width)
