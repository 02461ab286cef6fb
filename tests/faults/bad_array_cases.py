"""Arrays that say the same in every way there is, and arrays that cannot be learned from."""

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

CLEAN = np.array([[1.0, 0.0, -2.0], [0.0, 0.5, 0.0], [3.0, 1.0, 1.0], [0.25, 0.0, 0.0]])


def changed(at: tuple[int, int], value: Any) -> np.ndarray:
    X = CLEAN.astype(float if isinstance(value, float) else object)
    X[at] = value
    return X


def csr(**arrays: Any) -> Any:
    """The clean matrix as CSR, some of its arrays replaced behind SciPy's back."""
    matrix = sp.csr_array(CLEAN)
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


def with_index(at: int, column: int, dtype: Any = np.int32) -> Any:
    indices = sp.csr_array(CLEAN).indices.astype(dtype)
    indices[at] = column
    return csr(indices=indices)


def with_pointer(at: int, end: int) -> Any:
    indptr = sp.csr_array(CLEAN).indptr.copy()
    indptr[at] = end
    return csr(indptr=indptr)


def with_value(at: int, value: float) -> Any:
    data = sp.csr_array(CLEAN).data.copy()
    data[at] = value
    return csr(data=data)


def malformed(matrix: Any, name: str, value: int) -> Any:
    array = matrix.coords[0] if name == "coords" else getattr(matrix, name)
    array[-1] = value
    return matrix


def unordered_then_bad() -> Any:
    """Row 0 out of order with a column twice, row 2 with a column that does not exist."""
    data, indices = np.ones(7), np.array([2, 0, 2, 1, 0, 1, 9], dtype=np.int32)
    return sp.csr_array((data, indices, np.array([0, 3, 4, 7, 7])), shape=(4, 3), copy=True)


def read_only(matrix: Any) -> Any:
    for array in [matrix] if isinstance(matrix, np.ndarray) else [matrix.data, matrix.indices]:
        array.flags.writeable = False
    return matrix


def shuffled() -> Any:
    """The clean matrix with columns out of order and one entry in two parts."""
    data = np.array([-2.0, 1.0, 0.5, 1.0, 2.0, 1.0, 1.0, 0.25])
    indices = np.array([2, 0, 1, 2, 0, 1, 0, 0], dtype=np.int32)
    return sp.csr_array((data, indices, np.array([0, 2, 3, 7, 8])), shape=(4, 3))


NULLABLE = pd.DataFrame({"a": [1, None, 2, 3], "b": [1, 2, 3, 4], "c": [0, 0, 0, 0]}, dtype="Int64")

SAME = {  # what must give exactly the margins of the clean array
    "list": CLEAN.tolist(),
    "read-only": read_only(CLEAN.copy()),
    "Fortran": np.asfortranarray(CLEAN),
    "strided": np.repeat(CLEAN, 2, axis=1)[:, ::2],
    "reversed": CLEAN[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": CLEAN.astype(">f8"),
    "unaligned": np.frombuffer(b"x" + CLEAN.tobytes(), np.float64, 12, 1).reshape(4, 3),
    "float32": CLEAN.astype(np.float32),
    "float16": CLEAN.astype(np.float16),
    "long double": CLEAN.astype(np.longdouble),
    "objects": CLEAN.astype(object),
    "matrix": CLEAN.view(np.matrix),
    "masked, nothing masked": np.ma.array(CLEAN, mask=False),
    "data frame": pd.DataFrame(CLEAN),
    "minus zero": np.where(CLEAN == 0.0, -0.0, CLEAN),
    "csr": csr(),
    "csr matrix": sp.csr_matrix(CLEAN),
    "csr int64": csr(indices=csr().indices.astype(np.int64), indptr=csr().indptr.astype(np.int64)),
    "csr uint64": csr(indices=csr().indices.astype(np.uint64)),
    "csr float32": sp.csr_array(CLEAN.astype(np.float32)),
    "csr read-only": read_only(csr()),
    "csr out of order and repeated": shuffled(),
    "csr with zeros stored": with_value(3, 0.0)
    + sp.csr_array(CLEAN - with_value(3, 0.0).toarray()),
    **{kind: sp.csr_array(CLEAN).asformat(kind) for kind in ("csc", "coo", "lil", "dok", "dia")},
    "bsr": sp.bsr_array(CLEAN, blocksize=(2, 3)),
}

REFUSED = {  # and what the message must say, in order
    "nan": (changed((2, 1), np.nan), "X[2, 1] is nan", "must be finite", "fill or remove"),
    "inf": (changed((0, 2), np.inf), "X[0, 2] is inf", "must be finite"),
    "minus inf": (changed((3, 0), -np.inf), "X[3, 0] is -inf", "must be finite"),
    "float32 nan": (changed((2, 1), np.nan).astype(np.float32), "X[2, 1] is nan", "finite"),
    "text among numbers": (changed((1, 2), "a"), "X[1, 2] is 'a'", "real numbers", "encode text"),
    "missing object": (np.where(CLEAN == 0.5, None, CLEAN), "X[1, 1] is nan", "finite"),
    "an integer too large": (changed((1, 1), 10**400), "X[1, 1] is 1000", "range of a float"),
    "text": (CLEAN.astype(str), "X has dtype <U", "real numbers"),
    "bytes": (CLEAN.astype("S8"), "X has dtype |S8", "real numbers"),
    "raw bytes": (b"1 2 3", "X has dtype |S5", "real numbers"),
    "complex": (CLEAN.astype(complex), "X has dtype complex128", "real numbers"),
    "dates": (CLEAN.astype("datetime64[s]"), "X has dtype datetime64", "real numbers"),
    "masked": (np.ma.array(CLEAN, mask=CLEAN == 0.5), "X[1, 1] is masked", "fill or remove"),
    "ragged": ([[1.0], [1.0, 2.0]], "X is ragged", "same length"),
    "rows that come one by one": (
        (row for row in CLEAN),
        "X is <generator",
        "at once, as an array",
    ),
    "a number": (3.0, "X has 0 dimensions", "rows × columns"),
    "a cube": (np.ones((2, 2, 2)), "X has 3 dimensions", "rows × columns"),
    "csr nan": (with_value(3, np.nan), "X[2, 0] is nan", "must be finite"),
    "csr inf": (with_value(0, np.inf), "X[0, 0] is inf", "must be finite"),
    "csr complex": (sp.csr_array(CLEAN.astype(complex)), "X.data has dtype complex128"),
    "negative index": (with_index(2, -1), "X.indices[2] (row 1) is -1", "3 columns", "rebuild"),
    "negative int64 index": (with_index(2, -7, np.int64), "X.indices[2] is -7", "lie in 0"),
    "index out of range": (with_index(4, 3), "X.indices[4] (row 2) is 3: X has 3 columns"),
    "index beyond 2³²": (with_index(4, 2**32, np.int64), "X.indices[4] is 4294967296", "lie in 0"),
    "index beyond 2⁶²": (with_index(4, 2**62, np.int64), "X.indices[4] is 46116860", "lie in 0"),
    "descending pointers": (with_pointer(2, 1), "X.indptr[2] is 1 after 2", "rebuild"),
    "pointers past the end": (with_pointer(4, 99), "X.indptr[4] is 99", "7 entries", "rebuild"),
    "negative pointer": (with_pointer(1, -1), "X.indptr[1] is -1 after 0", "rebuild"),
    "pointers from 1": (with_pointer(0, 1), "X.indptr must have 5 entries, the first 0", "rebuild"),
    "too few pointers": (csr(indptr=np.array([0, 7])), "X.indptr must have 5 entries", "rebuild"),
    "indices missing": (csr(indices=np.arange(3)), "X.indices has 3", "X.data 7", "rebuild"),
    "a bad row after one out of order": (unordered_then_bad(), "X.indices[6] (row 2) is 9"),
    "csc row too large": (malformed(sp.csc_array(CLEAN), "indices", 10**7), "malformed csc"),
    "csc row negative": (malformed(sp.csc_array(CLEAN), "indices", -(10**7)), "malformed csc"),
    "csc pointers": (malformed(sp.csc_array(CLEAN), "indptr", 10**9), "malformed csc", "rebuild"),
    "coo row too large": (malformed(sp.coo_array(CLEAN), "coords", 10**7), "malformed coo"),
    "a vector of COO": (sp.coo_array(np.ones(3)), "X has 1 dimensions", "rows × columns"),
    "too wide": (sp.csr_array((4, 2**33)), "X has 8589934592 columns", "hash the features"),
}
