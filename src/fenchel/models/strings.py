"""Long tables of strings (names of features) as arrays, where a header would grow too large."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from fenchel.models.errors import NOT_OURS, ModelRefused


def pack_strings(strings: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """Pack strings: the UTF-8 bytes of all, and where each one ends.

    >>> text, ends = pack_strings(["free", "", "naïve"])
    >>> ends
    array([ 4,  4, 10])
    >>> unpack_strings(text, ends)
    ['free', '', 'naïve']
    """
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    ends = np.cumsum([len(string) for string in encoded], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), np.uint8), ends


def unpack_strings(text: np.ndarray, ends: np.ndarray) -> list[str]:
    """Unpack the strings that ``pack_strings`` packed; arrays that it cannot have made are refused."""
    places = [0, *ends.tolist()]
    raw = text.tobytes()
    if places[-1] != len(raw) or any(begin > end for begin, end in pairwise(places)):
        raise ModelRefused(f"a table of strings has ends out of order; {NOT_OURS}")
    try:
        return [raw[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(places)]
    except UnicodeDecodeError as error:
        raise ModelRefused(f"a table of strings is not UTF-8; {NOT_OURS}") from error
