"""A dict of named numbers read by compiled code.

Python's own C functions are called by their names, and nothing that could run Python code: names
are plain strings, values plain numbers. Whatever is not is left to the caller.
"""

from __future__ import annotations

import platform
import sys
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from fenchel._kernel.compile import COMPILED, locked_kernel
from fenchel._kernel.state import Array

# The layout of objects is CPython's, and no other thread may touch them meanwhile.
READABLE = (
    COMPILED
    and platform.python_implementation() == "CPython"
    and getattr(sys, "_is_gil_enabled", lambda: True)()
)

STRING, FLOAT, NUMPY_FLOAT, INTEGER, BOOLEAN = range(5)
KINDS = np.array([id(kind) for kind in (str, float, np.float64, int, bool)], np.uintp)

_WORD = np.uintp(np.dtype(np.uintp).itemsize)
_Word: Any = types.uintp
_next_item: Any = types.ExternalFunction("PyDict_Next", types.int32(_Word, _Word, _Word, _Word))
_find: Any = types.ExternalFunction("PyDict_GetItemWithError", _Word(_Word, _Word))
_as_double: Any = types.ExternalFunction("PyFloat_AsDouble", types.float64(_Word))
_as_integer: Any = types.ExternalFunction("PyLong_AsLongLongAndOverflow", types.int64(_Word, _Word))


def _load_kind(context: Any, thing: Any) -> Any:
    """The address of an object's type: the second word of every object."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = context.get_value_type(_Word)
        thing = builder.inttoptr(arguments[0], word.as_pointer())
        return builder.load(builder.gep(thing, [word(1)]))

    return _Word(_Word), build


_kind_of: Any = intrinsic(_load_kind)


@locked_kernel
def read_dict(
    x: int,
    names: int,
    more: int,
    kinds: NDArray[np.uintp],
    scratch: NDArray[np.uintp],
    columns: NDArray[np.uint32],
    values: Array,
) -> int:
    """Columns and values of the dict x, columns by the dicts ``names`` and ``more``, all by address.

    Returns how many, or −1 where a name is in neither or not a string, a value not a finite number.
    ``scratch`` has three places more than the dict has items: names are looked up after all items
    were visited, so that the processor fetches many at a time.
    """
    place = scratch.ctypes.data
    scratch[0] = 0
    count = 0
    while _next_item(x, place, place + _WORD, place + _WORD + _WORD):
        name, value = scratch[1], scratch[2]
        kind = _kind_of(value)
        if kind == kinds[FLOAT] or kind == kinds[NUMPY_FLOAT]:
            number = _as_double(value)
        elif kind == kinds[INTEGER] or kind == kinds[BOOLEAN]:
            scratch[1] = 0
            number = float(_as_integer(value, place + _WORD))
            if scratch[1] != 0:  # beyond 64 bits
                return -1
        else:
            return -1
        if not np.isfinite(number) or _kind_of(name) != kinds[STRING]:
            return -1
        scratch[3 + count] = name
        values[count] = number
        count += 1
    for k in range(count):
        column = _find(names, scratch[3 + k])
        if column == 0:
            column = _find(more, scratch[3 + k])
        if column == 0:
            return -1
        columns[k] = _as_integer(column, place + _WORD)
    return count
