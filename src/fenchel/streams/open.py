"""From whatever the user has to a stream."""

from __future__ import annotations

from typing import Any, Unpack

from fenchel.schema import Schema
from fenchel.schema.schema import Declared
from fenchel.streams.arff import ArffReader
from fenchel.streams.arrays import ArrayStream
from fenchel.streams.arrow import arrow_frames
from fenchel.streams.chunks import CHUNK, CROSSED_CHUNK, Labelled
from fenchel.streams.csv_reader import CsvReader
from fenchel.streams.errors import Argument, BadInput
from fenchel.streams.formats import FORMATS, guess_format, guess_separator
from fenchel.streams.frames import FrameStream, as_frame
from fenchel.streams.inboxes import Address, is_address
from fenchel.streams.json_lines import JsonReader
from fenchel.streams.live_stream import LiveStream, described, dialect_of, format_of
from fenchel.streams.names import Names
from fenchel.streams.readers import Reader, SvmlightReader, VwReader
from fenchel.streams.source import Source
from fenchel.streams.stream import Stream, TextStream

TABLES = ("csv", "arff", "jsonl")  # texts in which the order of columns says nothing


def open_stream(
    source: Any,
    *,
    schema: Schema | None = None,
    format: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    quotes: bool = True,
    labelled: Labelled = True,
    on_error: str = "stop",
    names: Names | None = None,
    frozen: bool = False,
    block_rows: int | None = None,
    threads: int | None = None,
    chunk_bytes: int = CHUNK,
    marks: dict[str, Any] | None = None,
    drain: bool = False,
    **declared: Unpack[Declared],
) -> Stream:
    """Stream the rows in a file, standard input (``"-"``), an open binary file or a live source.

    Live sources have addresses: ``tail:logs/*.jsonl``, ``redis://host/stream``, ``kafka://host/topic``. Their
    streams have no end, unless ``drain`` asks for one where there is nothing more, and have ``marks``, which
    another stream takes to go on from there. ``fenchel.live`` learns from them exactly once.

    ``format`` is one of svmlight, vw, csv, arff, jsonl, parquet, arrow, and guessed from the name
    when left out. What the columns are is said by a ``Schema``, or by its arguments (``label``,
    ``categorical``, ``text``, ``cross``, ``ignore``, ``bits``, …), and found in the first rows where
    it is not said. Where no label is named it is the last column (jsonl: ``label``, then ``y``).

    ``separator`` and ``decimal`` ("." or ",") are for csv, and found in the first lines; a first line
    that could be either header or row is refused, unless ``header`` says what it is, or names the columns
    where there is none. ``quotes=False`` reads quotes like letters, for files that put texts between tabs
    as they are.
    ``labelled=False`` reads rows to predict: a label is not needed, and not given; with "some" it
    may be missing (vw, csv, arff, jsonl), and is then NaN, or None among texts.
    ``on_error="skip"`` leaves bad lines out and counts them. ``names`` continues a table of names;
    ``frozen`` adds none to it. ``block_rows`` bounds the rows of a block.

    >>> import io
    >>> rows = open_stream(io.BytesIO(b"1 3:0.5 7:2\\n-1 1:1\\n"), format="svmlight")
    >>> for block in rows:
    ...     print(block.labels, block.indices, block.values)
    [ 1. -1.] [2 6 0] [0.5 2.  1. ]
    """
    _check_choices(format, separator, decimal, block_rows, on_error, threads)
    schema = _schema_of(schema, declared)
    if is_address(source):
        address = Address.parse(source)
        format, schema = format_of(address, format), described(schema, address)
        if names is None and format != "svmlight":
            names = Names(schema.bits)
        return LiveStream(
            address, format, schema.copy() if frozen else schema, names,
            dialect=dialect_of(address, separator, decimal), marks=marks, drain=drain,
            skip=on_error == "skip", labelled=bool(labelled), frozen=frozen,
            block_rows=block_rows,
        )  # fmt: skip
    place = Source(source)
    format = format or guess_format(place.name)
    if format is None:
        remedy = ("say it with ", Argument("format"), f": {', '.join(FORMATS)}")
        raise BadInput("the format cannot be told from the name", remedy, file=place.name)
    if names is None and format != "svmlight":
        names = Names(schema.bits)
    if names is not None and names.bits != schema.bits:
        raise ValueError(f"names of {names.bits} bits in a schema of {schema.bits}")
    schema = schema.copy() if frozen else schema
    if format in ("parquet", "arrow"):
        assert names is not None, "made above"
        frames = arrow_frames(place, format)
        return FrameStream(
            frames, place.name, schema, names,
            labelled=bool(labelled), frozen=frozen, block_rows=block_rows,
        )  # fmt: skip
    stop = on_error == "stop"
    separator = separator or guess_separator(place.name)

    def reader(schema: Schema, names: Names | None) -> Reader:
        if format == "svmlight":
            return SvmlightReader(schema, labelled, stop)
        assert names is not None, "made above"
        if format == "vw":
            return VwReader(schema, labelled, stop)
        if format == "jsonl":
            return JsonReader(schema, labelled, stop, names)
        if format == "arff":
            return ArffReader(place.name, schema, names, labelled=labelled, stop=stop)
        return CsvReader(
            place.name, schema, names,
            labelled=labelled, stop=stop, separator=separator, decimal=decimal, quotes=quotes,
        )  # fmt: skip

    return TextStream(
        place,
        reader,
        schema,
        None if format == "svmlight" else names,
        block_rows=block_rows,
        skip=not stop,
        threads=threads,
        chunk=min(chunk_bytes, CROSSED_CHUNK) if schema.crosses else chunk_bytes,
        tabular=format in TABLES,
        frozen=frozen,
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
    schema: Schema | None = None,
    names: Names | None = None,
    frozen: bool = False,
    block_rows: int | None = None,
    labelled: bool = True,
    **declared: Any,
) -> Stream:
    """Stream the rows of a pandas or Polars frame, or of an Arrow table; see ``open_stream``."""
    native = as_frame(frame)
    if label is not None:
        declared["label"] = label
    schema = _schema_of(schema, declared)
    return FrameStream(
        lambda: iter([native]),
        "frame",
        schema.copy() if frozen else schema,
        names if names is not None else Names(schema.bits),
        labelled=labelled,
        frozen=frozen,
        block_rows=block_rows,
    )


def _schema_of(schema: Schema | None, declared: Any) -> Schema:
    if schema is None:
        return Schema(**declared)
    return schema.extended(Schema(**declared)) if declared else schema


def _check_choices(
    format: str | None,
    separator: str | None,
    decimal: str | None,
    block_rows: int | None,
    on_error: str,
    threads: int | None,
) -> None:
    if format is not None and format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    if separator is not None and not (len(separator) == 1 and separator.isascii()):
        raise ValueError(f"separator must be one ASCII character, not {separator!r}")
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal must be '.' or ',', not {decimal!r}")
    if on_error not in ("stop", "skip"):
        raise ValueError(f"on_error must be 'stop' or 'skip', not {on_error!r}")
    for name, value in (("block_rows", block_rows), ("threads", threads)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be 1 or more, not {value}")
