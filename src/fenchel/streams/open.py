"""From whatever the user has to a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fenchel.streams.arrays import ArrayStream
from fenchel.streams.arrow import arrow_frames
from fenchel.streams.chunks import CHUNK
from fenchel.streams.compression import without_compression
from fenchel.streams.csv_reader import CsvReader
from fenchel.streams.errors import BadInput
from fenchel.streams.frames import FrameStream, as_frame
from fenchel.streams.json_lines import JsonReader
from fenchel.streams.names import Names
from fenchel.streams.readers import Reader, SvmlightReader, VwReader
from fenchel.streams.source import Source
from fenchel.streams.stream import Stream, TextStream

FORMATS = ("svmlight", "vw", "csv", "jsonl", "parquet", "arrow")
SUFFIXES = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}


def guess_format(name: str) -> str | None:
    """Guess the format from a file's name, its compression left aside.

    >>> guess_format("clicks.csv.gz"), guess_format("news.vw"), guess_format("data")
    ('csv', 'vw', None)
    """
    return SUFFIXES.get(Path(without_compression(name)).suffix.lower())


def open_stream(
    source: Any,
    *,
    format: str | None = None,
    label: str | None = None,
    bits: int | None = None,
    index_base: int | None = None,
    names: Names | None = None,
    block_rows: int | None = None,
    on_error: str = "stop",
    threads: int | None = None,
    labelled: bool = True,
    separator: str | None = None,
    header: bool | None = None,
    categorical: Sequence[str] = (),
    ignore: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    chunk_bytes: int = CHUNK,
) -> Stream:
    """Open a stream of the rows in a file, standard input (``"-"``) or an open binary file.

    ``format`` is one of svmlight, vw, csv, jsonl, parquet, arrow, and guessed from the name when
    left out. ``label`` names the label's column (csv: the last; jsonl: ``label``, then ``y``).
    ``bits`` hashes names into 2^bits columns. ``index_base`` is svmlight's first index, 1 unless
    declared 0. ``names`` continues an existing table of names. ``block_rows`` bounds the rows of a
    block. ``on_error="skip"`` leaves bad lines out and counts them. ``labelled=False`` reads rows
    to predict: a label is not needed, and not given. ``separator``, ``header`` and ``categorical``
    are for csv: found in the first line, and by each column's first value, when left out; a first
    line that could be either header or row is refused. Columns in ``ignore`` are left out.
    ``kinds`` continues those of another stream.

    >>> import io
    >>> rows = open_stream(io.BytesIO(b"1 3:0.5 7:2\\n-1 1:1\\n"), format="svmlight")
    >>> for block in rows:
    ...     print(block.labels, block.indices, block.values)
    [ 1. -1.] [2 6 0] [0.5 2.  1. ]
    """
    _check_choices(format, index_base, block_rows, on_error, threads)
    place = Source(source)
    format = format or guess_format(place.name)
    if format is None:
        remedy = f"name it: {', '.join(FORMATS)}"
        raise BadInput("the format cannot be told from the name", remedy, file=place.name)
    if format in ("parquet", "arrow"):
        frames = arrow_frames(place, format)
        table = names if names is not None else Names(bits)
        return FrameStream(
            frames, place.name, label=label, labelled=labelled, names=table, block_rows=block_rows
        )
    bits = names.bits if names is not None else bits
    stop = on_error == "stop"
    reader: Reader
    if format == "svmlight":
        reader = SvmlightReader(index_base, labelled, stop)
    elif format == "vw":
        reader = VwReader(bits, labelled, stop)
    elif format == "csv":
        reader = CsvReader(
            place.name,
            bits,
            label=label,
            labelled=labelled,
            stop=stop,
            separator=separator,
            header=header,
            categorical=categorical,
            ignore=ignore,
            kinds=kinds or {},
        )
    else:
        reader = JsonReader(bits, label, labelled, stop)
    return TextStream(
        place,
        reader,
        (names if names is not None else Names(bits)) if reader.named else None,
        block_rows=block_rows,
        skip=not stop,
        threads=threads,
        chunk=chunk_bytes,
    )


def from_arrays(
    X: Any, y: Any = None, importance: Any = None, block_rows: int | None = None
) -> Stream:
    """Stream the rows of a NumPy array or a SciPy sparse matrix, with or without labels."""
    return ArrayStream(X, y, importance, block_rows)


def from_frame(
    frame: Any,
    label: str | None = None,
    *,
    bits: int | None = None,
    names: Names | None = None,
    block_rows: int | None = None,
    labelled: bool = True,
) -> Stream:
    """Stream the rows of a pandas or Polars frame, or of an Arrow table."""
    native = as_frame(frame)
    return FrameStream(
        lambda: iter([native]),
        "frame",
        label=label,
        labelled=labelled,
        names=names if names is not None else Names(bits),
        block_rows=block_rows,
    )


def _check_choices(
    format: str | None,
    index_base: int | None,
    block_rows: int | None,
    on_error: str,
    threads: int | None,
) -> None:
    if format is not None and format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    if index_base not in (None, 0, 1):
        raise ValueError(f"index_base must be 0 or 1, not {index_base!r}")
    if on_error not in ("stop", "skip"):
        raise ValueError(f"on_error must be 'stop' or 'skip', not {on_error!r}")
    for name, value in (("block_rows", block_rows), ("threads", threads)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be 1 or more, not {value}")
