"""Files and frames to blocks of rows: text, Parquet, Arrow, arrays, pandas and Polars."""

from fenchel.rows import Block
from fenchel.streams.errors import BadInput, Skipped
from fenchel.streams.names import Names
from fenchel.streams.open import FORMATS, from_arrays, from_frame, guess_format, open_stream
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
