"""From what was typed as DATA to a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from fenchel.cli.errors import as_option
from fenchel.cli.output import announce_compiling
from fenchel.evaluate import embedded
from fenchel.rows import Block
from fenchel.streams import BadInput, Names, Stream, guess_format, open_stream
from fenchel.streams.source import STANDARD_INPUT


@dataclass(frozen=True)
class Reading:
    """Says how DATA is to be read: what a model must remember so that others read it alike."""

    format: str | None = None
    label: str | None = None
    bits: int | None = None
    index_base: int | None = None
    header: bool | None = None
    categorical: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    on_error: str = "stop"
    shuffle: int | None = None
    seed: int = 0

    @classmethod
    def of(cls, given: dict[str, Any]) -> Reading:
        """Take the options of a command out of ``given``."""
        chosen = {key: given.pop(key) for key in list(given) if key in cls.__dataclass_fields__}
        base = chosen.get("index_base")
        return cls(**{**chosen, "index_base": None if base is None else int(base)})

    def remembered(self) -> dict[str, Any]:
        """Return what goes into a model file."""
        return {
            "label": self.label,
            "bits": self.bits,
            "index_base": self.index_base,
            "header": self.header,
            "categorical": list(self.categorical),
            "kinds": dict(self.kinds),
        }

    def like(self, remembered: dict[str, Any], place: str) -> Reading:
        """Fill in what was not said now with what was said when the model was trained.

        What the format at ``place`` has no use for is left out: a refusal must not name an option
        that nobody gave.
        """
        idle = _idle_options(self.format or guess_format(place))
        unsaid = {key for key in remembered if getattr(self, key) in (None, (), {})} - idle
        chosen = {key: remembered[key] for key in unsaid}
        chosen["categorical"] = tuple(chosen.get("categorical", self.categorical))
        return replace(self, **chosen)


@dataclass(frozen=True)
class Data:
    """A stream, what users call it, and its number of columns where that is known in advance."""

    name: str
    stream: Stream
    width: int = 0


def open_data(
    place: str, reading: Reading, names: Names | None = None, labelled: bool = True
) -> Data:
    """Open a file, standard input, or embedded data."""
    if place in embedded.TABLES:
        table = embedded.load(place, reading.shuffle, reading.seed)
        rows = embedded.Embedded(table, names if names is not None else Names(reading.bits))
        return Data(place, rows, rows.columns)
    if reading.shuffle is not None:
        raise click.UsageError("--shuffle is for embedded data; files are read in their order.")
    _refuse_idle_options(place, reading)
    _refuse_missing(place)
    stream = open_stream(
        place,
        format=reading.format,
        label=reading.label,
        bits=reading.bits,
        index_base=reading.index_base,
        header=reading.header,
        categorical=reading.categorical,
        ignore=reading.ignore,
        kinds=reading.kinds,
        names=names,
        on_error=reading.on_error,
        labelled=labelled,
    )
    hashed = stream.names is not None and stream.names.bits is not None
    return Data(place, stream, stream.columns if hashed else 0)


def begin(source: Data, quiet: bool) -> tuple[Block, Iterator[Block]]:
    """Read the first block, which there must be; returns it, and all blocks.

    Only then is compiling announced: a bad file is told alone.
    """
    blocks = iter(source.stream)
    first = next(blocks, None)
    if first is None:
        what = "there are no rows"
        for error in source.stream.skipped.errors[:1]:
            what = f"no row is left; the first bad line: {error.message(as_option)}"
        raise BadInput(what, "give at least one", file=source.name)
    announce_compiling(quiet)
    return first, chain([first], blocks)


def _refuse_idle_options(place: str, reading: Reading) -> None:
    """Refuse an option that could do nothing: it is a misunderstanding."""
    format = reading.format or guess_format(place)
    why = {
        "bits": "--bits hashes names; svmlight has numbers.",
        "label": f"--label names a column; in {format} the label comes first.",
        "index_base": f"--index-base is for svmlight, not {format}.",
        "header": f"--header and --no-header are for csv, not {format}.",
        "categorical": f"--categorical is for csv, not {format}.",
        "ignore": f"--ignore is for csv, not {format}.",
    }
    for key in sorted(_idle_options(format)):
        if getattr(reading, key) not in (None, (), {}):
            raise click.UsageError(why[key])


def _idle_options(format: str | None) -> set[str]:
    """List the options that have no meaning for a format."""
    if format is None:
        return set()
    idle = {"bits"} if format == "svmlight" else {"index_base"}
    idle |= {"label"} if format in ("svmlight", "vw") else set()
    return idle | (set() if format == "csv" else {"header", "categorical", "ignore", "kinds"})


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
        return names.name(column)
    return str(column + (1 if index_base is None else index_base))
