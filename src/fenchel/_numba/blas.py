"""Products and solutions of matrices by BLAS, from compiled code, on parts of arrays in C order.

The functions are SciPy's (``scipy.linalg.cython_blas``), called by their address, which is handed to
the kernel: compiled code on disk has none in it. Only in the fast way of compiling; elsewhere
full matrices are learned row by row.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import get_cython_function_address

from fenchel._numba.choice import COMPILED, FAST
from fenchel._numba.jit import helper

fortran: Any = None
if FAST:
    from fenchel._numba.fast import fortran as calling

    fortran = calling.fortran

N, T, LEFT, LOWER = (np.uint8(ord(letter)) for letter in "NTLL")


class Blas(NamedTuple):
    """The addresses of the functions."""

    gemm: int
    trsm: int

    @property
    def is_machine_code(self) -> bool:
        """Yes: Python cannot call them."""
        return True


@cache
def are_available() -> bool:
    """Whether compiled code can call BLAS: its whole numbers must have 32 bits, as its description says."""
    if not (COMPILED and FAST):
        return False
    from scipy.linalg import cython_blas  # deferred: it takes a while to load

    described = repr(cython_blas.__pyx_capi__["dgemm"])
    return "int *" in described and "int64" not in described


def functions() -> Blas:
    """The functions of this process."""
    names = ("dgemm", "dtrsm")
    return Blas(*(get_cython_function_address("scipy.linalg.cython_blas", name) for name in names))


@helper
def stride(a: Any) -> Any:
    """From one row to the next, in numbers."""
    return max(a.strides[0] // 8, a.shape[1], 1)


@helper
def add_product(blas: Any, scale: float, a: Any, b: Any, keep: float, c: Any) -> None:
    """C ← keep·C + scale·A·B."""
    m, k, n = a.shape[0], a.shape[1], b.shape[1]
    if m == 0 or n == 0:
        return
    # C in C order is Cᵀ to Fortran, and Cᵀ = Bᵀ·Aᵀ.
    fortran(blas.gemm, (N, N, n, m, k, scale, b, stride(b), a, stride(a), keep, c, stride(c)))


@helper
def add_product_with_transposed(
    blas: Any, scale: float, a: Any, b: Any, keep: float, c: Any
) -> None:
    """C ← keep·C + scale·A·Bᵀ."""
    m, k, n = a.shape[0], a.shape[1], b.shape[0]
    if m > 0 and n > 0:
        fortran(blas.gemm, (T, N, n, m, k, scale, b, stride(b), a, stride(a), keep, c, stride(c)))


@helper
def add_product_of_transposed(blas: Any, scale: float, a: Any, b: Any, keep: float, c: Any) -> None:
    """C ← keep·C + scale·Aᵀ·B."""
    k, m, n = a.shape[0], a.shape[1], b.shape[1]
    if m > 0 and n > 0:
        fortran(blas.gemm, (N, T, n, m, k, scale, b, stride(b), a, stride(a), keep, c, stride(c)))


@helper
def divide_by_triangle(blas: Any, r: Any, p: Any) -> None:
    """P ← P·R⁻¹, R the upper triangle of its array."""
    n, m = p.shape[1], p.shape[0]
    if n > 0 and m > 0:
        fortran(blas.trsm, (LEFT, LOWER, N, N, n, m, 1.0, r, stride(r), p, stride(p)))


@helper
def divide_by_transposed(blas: Any, r: Any, p: Any) -> None:
    """P ← P·R⁻ᵀ, R the upper triangle of its array."""
    n, m = p.shape[1], p.shape[0]
    if n > 0 and m > 0:
        fortran(blas.trsm, (LEFT, LOWER, T, N, n, m, 1.0, r, stride(r), p, stride(p)))
