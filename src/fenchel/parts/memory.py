"""Arrays that begin with a line of the cache, and large ones with a large page."""

from __future__ import annotations

import math
import mmap
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

# So many numbers are a line of the cache. Arrays begin with one: vectors across two take twice the time.
LINE = 8
# And so many a large page: one fault at the first touch instead of 512.
PAGE = 2**18
LARGE_PAGES = hasattr(mmap, "MADV_HUGEPAGE")


def zeros(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Zeros that begin with a line of the cache; large ones with a large page."""
    size = math.prod(shape)
    page = PAGE if size >= PAGE and LARGE_PAGES else LINE
    whole = -(-size // page) * page + page
    spare = np.zeros(whole) if page == LINE else _mapped(whole)
    begin = -spare.ctypes.data // spare.itemsize % page
    return spare[begin : begin + size].reshape(shape)


def _mapped(size: int) -> NDArray[np.float64]:
    """Zeros in a mapping of their own, on large pages."""
    try:
        mapping = mmap.mmap(-1, 8 * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError) as error:
        raise MemoryError(f"no room for {size} numbers") from error
    with suppress(OSError):  # a kernel without large pages
        mapping.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(mapping, np.float64)
