"""ln x by additions, multiplications and one division: of one number, or of four at once in vector registers.

The C library's is as exact (both err by less than one unit of the last place) but takes one number at a
time. The polynomial is that of Sun's fdlibm (``e_log.c``), on √½ ≤ m < √2 for x = m·2^e.
"""

from __future__ import annotations

from typing import Any

from fenchel._numba.intrinsics import split
from fenchel._numba.jit import inlined

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
L1, L2, L3 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01
L4, L5 = 2.222219843214978396e-01, 1.818357216161805012e-01
L6, L7 = 1.531383769920937332e-01, 1.479819860511658591e-01


@inlined
def quick_log(x: Any) -> Any:
    """ln x of positive floats of full precision, which the least ones are not."""
    m, e = split(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (L2 + w * (L4 + w * L6))
    odd = z * (L1 + w * (L3 + w * (L5 + w * L7)))
    half = 0.5 * f * f
    return e * LN2_HIGH - ((half - (s * (half + (even + odd)) + e * LN2_LOW)) - f)
