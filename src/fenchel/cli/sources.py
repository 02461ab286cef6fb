"""From what was typed as DATA to a stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Timer
from typing import Any

import click

from fenchel.cli.errors import as_option
from fenchel.cli.labels_beside import with_labels
from fenchel.cli.output import announce_compiling, fact, printable
from fenchel.evaluate import embedded
from fenchel.learners import Learner
from fenchel.rows import Block
from fenchel.schema import Category, Date, Kind, Number, Schema, Text, WordList, parse_column
from fenchel.schema.crosses import of_letters
from fenchel.streams import BadInput, Names, Stream, guess_format, open_stream
from fenchel.streams.chunks import Labelled
from fenchel.streams.errors import Argument
from fenchel.streams.inboxes import is_address
from fenchel.streams.source import STANDARD_INPUT

SILENCE = 2.0  # seconds
TABLES = ("csv", "arff", "jsonl", "parquet", "arrow")
# For which formats an option means something, and what to say elsewhere.
MEANT_FOR: dict[str, tuple[tuple[str, ...], str]] = {
    "bits": (("vw", *TABLES), "--bits hashes names; svmlight has numbers."),
    "label": (TABLES, "--label names a column; in {format} the label comes first."),
    "index_base": (("svmlight",), "--index-base is for svmlight, not {format}."),
    "header": (("csv",), "--header and --no-header are for csv, not {format}."),
    "columns": (("csv",), "--columns names those of csv without a header, not of {format}."),
    "separator": (("csv",), "--separator is for csv, not {format}."),
    "decimal": (("csv",), "--decimal is for csv, not {format}."),
    "quotes": (("csv",), "--quotes and --no-quotes are for csv, not {format}."),
    "cross": (("vw", *TABLES), "--cross is for columns with names; svmlight has numbers."),
    **{
        option: (TABLES, f"--{option} names a column; {{format}} has none.")
        for option in ("number", "categorical", "text", "words", "date", "ignore", "weight", "id")
    },
}
# The options that say of which kind a column is.
KINDS: dict[str, type[Kind]] = {
    "number": Number,
    "categorical": Category,
    "text": Text,
    "words": WordList,
    "date": Date,
}


@dataclass(frozen=True)
class Reading:
    """Says how DATA is to be read: its form, and what its columns are."""

    format: str | None = None
    separator: str | None = None
    decimal: str | None = None
    quotes: bool | None = None
    on_error: str = "stop"
    shuffle: int | None = None
    seed: int = 0
    label: str | None = None
    weight: str | None = None
    id: str | None = None
    bits: int | None = None
    index_base: int | None = None
    header: bool | None = None
    columns: str | None = None
    number: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    cross: tuple[Any, ...] = ()

    @classmethod
    def of(cls, given: dict[str, Any]) -> Reading:
        """Take the options of a command out of ``given``."""
        chosen = {key: given.pop(key) for key in list(given) if key in cls.__dataclass_fields__}
        base = chosen.get("index_base")
        letters = (*given.pop("quadratic", ()), *given.pop("cubic", ()))
        chosen["cross"] = (*chosen.get("cross", ()), *map(of_letters, letters))
        separator = chosen.get("separator")
        if separator is not None:
            chosen["separator"] = {"tab": "\t", "\\t": "\t", "space": " "}.get(separator, separator)
        return cls(**{**chosen, "index_base": None if base is None else int(base)})

    def schema(self) -> Schema:
        """The options about columns, as a schema."""
        names = None if self.columns is None else [n.strip() for n in self.columns.split(",")]
        if names is not None and self.header:
            raise click.UsageError("--columns is for csv without a header; leave out --header.")
        try:
            return Schema(
                self._kinds(),
                ignore=self.ignore,
                cross=self.cross,
                label=self.label,
                weight=self.weight,
                id=self.id or None,
                bits=self.bits,
                header=names or self.header,
                index_base=self.index_base,
            )
        except ValueError as error:
            raise click.UsageError(f"{error}.") from None

    def _kinds(self) -> dict[str, Kind]:
        """The kinds of the columns that options speak of."""
        found: dict[str, Kind] = {}
        for option, cls in KINDS.items():
            for text in getattr(self, option):
                name, kind = parse_column(cls, text)
                if found.setdefault(name, kind) != kind:
                    raise ValueError(
                        f"the column {name!r} is declared twice: choose one kind for it"
                    )
        return found


@dataclass(frozen=True)
class Data:
    """A stream, what users call it, and its number of columns where that is known in advance."""

    name: str
    stream: Stream
    width: int = 0


def open_data(
    place: str,
    reading: Reading,
    learner: Learner | None = None,
    frozen: bool = False,
    labelled: Labelled | None = None,
    beside: bool = False,
) -> Data:
    """Open a file, standard input, or embedded data, for a learner that knows some columns or none.

    ``frozen`` is for rows to predict: labels are not needed unless ``labelled``, and nothing new is
    taken up. Labels that can be read come ``beside`` the rows where that is asked for.
    """
    said = reading.schema()
    schema = said if learner is None else extended(learner.schema, said)
    names = None if learner is None or learner.names is None else learner.names.copy()
    if place in embedded.TABLES:
        refuse_idle_options(place, reading, embedded_data=True)
        table = embedded.load(place, reading.shuffle, reading.seed)
        rows = embedded.Embedded(table, names if names is not None else Names(schema.bits))
        return Data(place, rows, rows.columns)
    if reading.shuffle is not None:
        raise click.UsageError("--shuffle is for embedded data; files are read in their order.")
    refuse_idle_options(place, reading)
    if not is_address(place):
        _refuse_missing(place)
    opened = partial(
        open_stream,
        place,
        schema=schema,
        names=names,
        format=reading.format,
        separator=reading.separator,
        decimal=reading.decimal,
        quotes=reading.quotes is not False,
        on_error=reading.on_error,
        frozen=frozen,
        drain=True,
    )
    stream = opened(labelled=not frozen if labelled is None else labelled)
    if beside and not is_address(place):
        stream = with_labels(stream, opened(labelled="some"))
    hashed = stream.names is not None and stream.names.bits is not None
    return Data(place, stream, stream.columns if hashed else 0)


def extended(known: Schema, said: Schema) -> Schema:
    """The schema of a model with what options say besides; what contradicts it is refused."""
    try:
        return known.extended(said)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None


def begin(source: Data, quiet: bool, rows: int = 1) -> tuple[Block, Iterator[Block]]:
    """Read the first block, which there must be; returns it, and all blocks.

    It has so many ``rows`` at least, however a pipe delivers them, unless the stream ends before.
    Only then is compiling announced: a bad file is told alone.
    """
    blocks = iter(source.stream)
    first = next(blocks, None)
    if first is not None and len(first) < rows:
        first = _filled(first, blocks, rows, quiet)
    if first is None:
        what = "there are no rows"
        for error in source.stream.skipped.errors[:1]:
            what = f"no row is left; the first bad line: {error.message(as_option)}"
        raise BadInput(what, "give at least one", file=source.name)
    announce_compiling(quiet)
    return first, chain([first], blocks)


def _filled(first: Block, blocks: Iterator[Block], rows: int, quiet: bool) -> Block:
    """Join blocks until there are so many rows; a pipe that keeps silent for long is mentioned."""
    wait = f"to guess the task from the first {rows:,} rows; say --task to begin at once"
    told = Timer(SILENCE, lambda: fact("waiting", wait, quiet))
    told.daemon = True
    told.start()
    try:
        found, count = [first], len(first)
        while count < rows and (block := next(blocks, None)) is not None:
            found.append(block)
            count += len(block)
    finally:
        told.cancel()
    return Block.concatenate(found)


def refuse_idle_options(place: str, reading: Reading, embedded_data: bool = False) -> None:
    """Refuse an option that could do nothing: it is a misunderstanding."""
    format = "embedded data" if embedded_data else reading.format or guess_format(place)
    if format is None:
        return
    for option, (formats, why) in MEANT_FOR.items():
        idle = option != "bits" if embedded_data else format not in formats
        if idle and getattr(reading, option) not in (None, (), ""):
            if embedded_data:
                raise click.UsageError(f"{as_option(Argument(option))} is for files.")
            raise click.UsageError(why.format(format=format))


def _refuse_missing(place: str) -> None:
    if place == STANDARD_INPUT:
        return
    if Path(place).is_dir():
        raise BadInput("this is a directory", "name a file in it", file=place)
    if not Path(place).exists():
        remedy = f"check the path, or name embedded data: {', '.join(embedded.TABLES)}"
        raise BadInput("there is no such file", remedy, file=place)


def column_name(names: Names | None, index_base: int | None, column: int) -> str:
    """Return the feature's name, or its number as svmlight counts."""
    if names is not None:
        return printable(names.name(column))
    return str(column + (1 if index_base is None else index_base))
