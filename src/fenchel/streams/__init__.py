"""Files and frames to blocks of rows: text, Parquet, Arrow, arrays, pandas and Polars.

What needs the compiler is imported when first used: the help of the command line asks for less.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fenchel.streams.errors import BadInput, Skipped
from fenchel.streams.formats import FORMATS, guess_format

if TYPE_CHECKING:
    from fenchel.rows import Block
    from fenchel.streams.names import Names
    from fenchel.streams.open import from_arrays, from_frame, open_stream
    from fenchel.streams.stream import Stream

__all__ = [
    "FORMATS",
    "BadInput",
    "Block",
    "Names",
    "Skipped",
    "Stream",
    "from_arrays",
    "from_frame",
    "guess_format",
    "open_stream",
]

_LAZY = {
    "Block": "fenchel.rows",
    "Names": "fenchel.streams.names",
    "Stream": "fenchel.streams.stream",
    "from_arrays": "fenchel.streams.open",
    "from_frame": "fenchel.streams.open",
    "open_stream": "fenchel.streams.open",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'fenchel.streams' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
