"""Truth values and moments in time, as Python or as NumPy has them."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_truth(value: Any) -> bool:
    """Whether a value is True or False.

    >>> [is_truth(value) for value in (True, np.bool_(False), 1, "true")]
    [True, True, False, False]
    """
    return isinstance(value, (bool, np.bool_))


def in_python(value: Any) -> Any:
    """A moment of NumPy's as Python has it, to the microsecond; anything else as it is.

    >>> in_python(np.datetime64("2024-01-02")), in_python(7)
    (datetime.datetime(2024, 1, 2, 0, 0), 7)
    """
    return value.astype("datetime64[us]").item() if isinstance(value, np.datetime64) else value
