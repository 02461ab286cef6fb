"""exp, log and their like, as the C library has them: to the last bit the same in Python and in kernels.

NumPy computes them by vector instructions, whose last bit is that of the processor. In Python they end as
in compiled code where ``math`` would raise: in an infinity, or in NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fenchel._numba import way


def _as_in_c(function: Callable[[float], float], pole: float) -> Callable[[float], float]:
    """The function of ``math``, with what C returns where ``math`` raises: ∞, or −∞ at the pole."""

    def call(x: float) -> float:
        try:
            return np.float64(function(x))
        except OverflowError:
            return np.float64(math.inf)
        except ValueError:
            return np.float64(-math.inf if x == pole else math.nan)

    def in_kernels(x: float) -> float:
        return function(x)  # Numba takes those of ``math`` from the C library

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"{function.__name__} x."
    way.inside(call, lambda *arguments: in_kernels, way.LEAN | way.INLINED)
    return call


exp = _as_in_c(math.exp, math.nan)
expm1 = _as_in_c(math.expm1, math.nan)
log = _as_in_c(math.log, 0.0)
log1p = _as_in_c(math.log1p, -1.0)
log2 = _as_in_c(math.log2, 0.0)
cos = _as_in_c(math.cos, math.nan)
