"""The border: what users bring becomes rows of float64 or float32 and unsigned columns, once.

Everything that cannot be learned from is refused here, by argument, position, value and remedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.parts.state import Array
from fenchel.rows.rows import Rows, bits_of, is_sparse
from fenchel.rows.types import DenseRows, SparseRows

MOST_COLUMNS = 2**32 - 2


def as_rows(X: Any) -> Rows:
    """X, dense or sparse, as rows."""
    if is_sparse(X):
        return _sparse_rows(X)
    values = as_values(X, "X")
    if values.shape == (0,):  # no rows, of numbers or of anything
        values = values.reshape(0, 0)
    if values.ndim == 1:
        values = values.reshape(1, -1)
    if values.ndim != 2:
        raise ValueError(f"X has {values.ndim} dimensions: give rows × columns")
    return Rows.dense(_for_kernels(values))


def _sparse_rows(X: Any) -> Rows:
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions: give rows × columns")
    csr = X if X.format == "csr" else _converted(X)
    count, width = csr.shape
    if width > MOST_COLUMNS:
        raise ValueError(f"X has {width} columns: at most {MOST_COLUMNS}; hash the features")
    values = _for_kernels(as_values(csr.data, "X.data"))
    indptr = _for_kernels(csr.indptr.astype(np.int64, copy=False))
    if indptr.shape != (count + 1,) or indptr[0] != 0:
        raise ValueError(f"X.indptr must have {count + 1} entries, the first 0: rebuild the matrix")
    if len(csr.indices) != len(values):
        raise ValueError(
            f"X.indices has {len(csr.indices)} entries and X.data {len(values)}: "
            "they must be as many; rebuild the matrix"
        )
    view = SparseRows(indptr, _unsigned(csr.indices), values, bits_of(values))
    return Rows(view, count, width)


def _converted(X: Any) -> Any:
    """As CSR. SciPy's conversions trust the indices, and would read and write anywhere."""
    try:
        if X.format in ("csc", "bsr"):
            X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            X.check_format(full_check=True)
        elif X.format == "lil":
            X = _sound_lists(X)
        elif X.format == "coo":
            X = type(X)((X.data, X.coords), shape=X.shape)
        return X.tocsr()
    except ValueError as error:
        raise ValueError(f"X is a malformed {X.format} matrix ({error}): rebuild X") from None


def _sound_lists(X: Any) -> Any:
    """A matrix of lists as CSR, from lists that are as long as one another."""
    lengths = [len(row) if isinstance(row, list) else -1 for row in X.rows]
    if lengths != [len(row) if isinstance(row, list) else -2 for row in X.data]:
        raise ValueError("its rows and data differ in length")
    try:
        indices = np.array([int(j) for row in X.rows for j in row], np.int64)
    except (TypeError, OverflowError):
        raise ValueError("a column is no whole number") from None
    values = np.array([value for row in X.data for value in row], X.dtype)
    from scipy.sparse import csr_matrix  # deferred: it takes a while to load

    return csr_matrix((values, indices, np.cumsum([0, *lengths])), shape=X.shape)


class _Writable:
    """The memory of a read-only array under a type that allows writing."""

    def __init__(self, array: NDArray[Any]) -> None:
        interface = array.__array_interface__
        self.kept = array
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def _for_kernels(array: NDArray[Any]) -> NDArray[Any]:
    """C order, aligned, not read-only: for each other type a kernel would be compiled anew.

    Kernels never write to their input, so a read-only array (a memory map, a data frame) is seen
    through another type, not copied.
    """
    array = np.require(array, requirements=["C", "A"])
    return array if array.flags.writeable else np.asarray(_Writable(array))


def _unsigned(indices: NDArray[Any]) -> NDArray[np.uint32]:
    """Column numbers as uint32: the same bytes for int32, where a negative one becomes too large."""
    indices = _for_kernels(indices)
    if indices.dtype.itemsize == 4 and indices.dtype.kind in "iu":
        return indices.view(np.uint32)
    outside = (indices < 0) | (indices > MOST_COLUMNS)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(
            f"X.indices[{at}] is {indices[at]}: column numbers lie in 0 … {MOST_COLUMNS}"
        )
    return indices.astype(np.uint32)


def as_values(values: Any, argument: str) -> NDArray[Any]:
    """Numbers as float64, or float32 where they are that already."""
    refuse_masked(values, argument)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{argument} is ragged: give rows of the same length") from None
    except TypeError:
        raise ValueError(
            f"{argument} does not lie on the CPU: learn with device='cuda', or copy it first"
        ) from None
    if array.dtype in (np.float64, np.float32) and array.dtype.isnative:
        return array
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    if array.dtype.kind == "O":
        return _numbers(array, argument)
    raise ValueError(
        f"{argument} has dtype {array.dtype}: give real numbers (encode text and categories first)"
    )


def _numbers(array: NDArray[Any], argument: str) -> Array:
    """Python objects as float64."""
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        for at, item in np.ndenumerate(array):
            try:
                float(item)
            except (TypeError, ValueError, OverflowError):
                where = f"{argument}{list(at) if at else ''}"
                raise ValueError(f"{where} is {item!r:.60}: {_instead(item, at)}") from None
        raise


def _instead(item: Any, at: tuple[int, ...]) -> str:
    """The remedy for an object that is no number."""
    if isinstance(item, Mapping):
        return "dicts of named features go one by one to a learner's learn_one and predict_one"
    if not at and isinstance(item, Iterable):
        return "give its rows at once, as an array, a sparse matrix or a list of rows"
    return "give real numbers within the range of a float (encode text and categories first)"


def refuse_masked(values: Any, argument: str) -> None:
    """Raise for the first masked entry, if there is one."""
    if np.ma.is_masked(values):
        at = [int(numbers[0]) for numbers in np.nonzero(np.ma.getmaskarray(values))]
        raise ValueError(f"{argument}{at} is masked: fill or remove masked values first")


def as_importance(weights: Any, count: int, argument: str = "importance") -> Array:
    """Importance weights: one finite number ≥ 0 a row; a single 1 where there are none."""
    if weights is None:
        return np.ones(1)
    array = _for_kernels(as_values(weights, argument).astype(np.float64, copy=False))
    refuse_length(array, argument, count)
    refuse(array, argument, ~(np.isfinite(array) & (array >= 0.0)), "finite and not negative")
    return array if count else np.ones(1)


def as_targets(y: Any) -> Array:
    """Targets of regression: one finite number a row."""
    array = _for_kernels(as_values(y, "y").astype(np.float64, copy=False))
    if array.ndim == 1:
        refuse(array, "y", ~np.isfinite(array), "finite")
    return array


def as_outputs(y: Any) -> Array:
    """Targets of several outputs: one row of finite numbers a row of X."""
    array = _for_kernels(as_values(y, "y").astype(np.float64, copy=False))
    if array.ndim != 2:
        raise ValueError(f"y has shape {array.shape}: give rows × outputs")
    bad = ~np.isfinite(array)
    if bad.any():
        row, output = np.argwhere(bad)[0]
        raise ValueError(
            f"y[{row}, {output}] is {array[row, output]}: it must be finite; "
            "correct or remove the row"
        )
    return array


def refuse_length(array: NDArray[Any], argument: str, count: int) -> None:
    """Raise unless there is one entry a row."""
    if array.shape != (count,):
        raise ValueError(f"{argument} has shape {array.shape}, X has {count} rows: give one a row")


def refuse(array: Array, argument: str, bad: NDArray[np.bool_], must_be: str) -> None:
    """Raise for the first bad entry, if there is one."""
    if bad.any():
        at = int(np.argmax(bad))
        raise ValueError(
            f"{argument}[{at}] is {array[at]}: it must be {must_be}; correct or remove the row"
        )


def unordered(rows: Rows, t: int) -> bool:
    """Whether nothing is wrong with row t but the order of its columns or a repeated one."""
    view = rows.view
    if isinstance(view, DenseRows) or _bad_pointers(view, t):
        return False
    inside = slice(view.indptr[t], view.indptr[t + 1])
    return bool(
        np.all(view.indices[inside] < rows.width) and np.isfinite(view.values[inside]).all()
    )


def ordered(rows: Rows) -> Rows:
    """The same rows with columns in order and repeated ones added up."""
    refuse_unsound(rows)
    view = rows.view
    assert isinstance(view, SparseRows)
    from scipy.sparse import csr_array  # deferred, as above

    matrix = csr_array(
        (view.values.copy(), view.indices.astype(np.int64), view.indptr.copy()),
        shape=(rows.count, rows.width),
    )
    matrix.sum_duplicates()
    clean = _sparse_rows(matrix)
    refuse_unsound(clean)  # a sum may be more than a number can hold
    return clean


def mended(rows: Rows, bad: int) -> Rows:
    """Columns out of order or repeated are put right; anything else is refused."""
    if not unordered(rows, bad):
        raise ValueError(explain(rows, bad))
    return ordered(rows)


def refuse_unsound(rows: Rows) -> None:
    """Raise for the first row with more wrong than the order of its columns, if there is one."""
    at = _beyond_order(rows)
    if at >= 0:
        raise ValueError(explain(rows, at))


def _beyond_order(rows: Rows) -> int:
    """The first row with more wrong than the order of its columns, or −1."""
    view = rows.view
    if isinstance(view, DenseRows):
        finite = np.isfinite(view.values).all(axis=1)
        return -1 if finite.all() else int(np.argmin(finite))
    for t in np.nonzero(np.diff(view.indptr) < 0)[0]:
        return int(t)
    end = view.indptr[-1]
    if end > len(view.indices):
        return int(np.searchsorted(view.indptr, len(view.indices), side="right")) - 1
    wrong = (view.indices[:end] >= rows.width) | ~np.isfinite(view.values[:end])
    for at in np.nonzero(wrong)[0]:
        return int(np.searchsorted(view.indptr, at, side="right")) - 1
    return -1


def _bad_pointers(view: SparseRows, t: int) -> bool:
    start, stop = int(view.indptr[t]), int(view.indptr[t + 1])
    return stop < start or stop > len(view.indices)


def explain(rows: Rows, t: int) -> str:
    """Explain what is wrong with row t: argument, position, value, remedy."""
    view = rows.view
    if isinstance(view, DenseRows):
        column = int(np.argmax(~np.isfinite(view.values[t])))
        return _not_finite(t, column, view.values[t, column])
    if _bad_pointers(view, t):
        return (
            f"X.indptr[{t + 1}] is {view.indptr[t + 1]} after {view.indptr[t]} "
            f"with {len(view.indices)} entries: it must not fall nor pass the end; rebuild X"
        )
    start, stop = int(view.indptr[t]), int(view.indptr[t + 1])
    outside = view.indices[start:stop] >= rows.width
    if outside.any():
        at = start + int(np.argmax(outside))
        column = int(view.indices[at].view(np.int32))
        if column >= 0:
            column = int(view.indices[at])
        return f"X.indices[{at}] (row {t}) is {column}: X has {rows.width} columns; rebuild X"
    at = start + int(np.argmax(~np.isfinite(view.values[start:stop])))
    return _not_finite(t, int(view.indices[at]), view.values[at])


def _not_finite(row: int, column: int, value: Any) -> str:
    return (
        f"X[{row}, {column}] is {value}: values must be finite, not NaN or inf; "
        "fill or remove it (nothing was learned)"
    )
