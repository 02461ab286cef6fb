"""What a parser makes of one chunk of a stream, before names become columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

KEPT_MISTAKES = 10
UNKNOWN = 0  # the kind of a column before its first value; other kinds are the reader's

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class Parsed(NamedTuple):
    """Rows as CSR, and what was refused; arrays that do not apply are empty.

    ``mistakes`` holds the first few as (mistake, byte position in the chunk); ``wrong`` counts
    them all. Without names ``columns`` is one more than the largest column.
    """

    indptr: Longs
    indices: NDArray[np.uint32]
    values: Floats
    labels: Floats
    weights: Floats
    groups: Longs
    tags: Longs
    mistakes: Longs
    wrong: int
    lines: int
    columns: int
