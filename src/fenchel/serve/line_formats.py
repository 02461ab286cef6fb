"""The formats of the line protocol: which lines have labels, and how lines are answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import groupby
from typing import Protocol

import msgspec

from fenchel.serve import log, text_rows
from fenchel.serve.line_streams import LineStream
from fenchel.serve.model import ServedModel
from fenchel.serve.refusals import Refused
from fenchel.serve.requests import Verbs
from fenchel.streams.labelled_lines import all_have_labels

PIECE = 1 << 18  # bytes of lines that are learned at a time
SAVE = b"save"
COMMAND, LEARNED, PREDICTED, EMPTY = range(4)


class Format(Protocol):
    """How the lines of a connection are answered."""

    def answers(self, verbs: Verbs, model: ServedModel, data: bytes) -> AsyncIterator[bytes]:
        """Yield the answers to whole lines, in order."""


def guess(data: bytes) -> Format:
    """Tell the format by the first line."""
    first = data.lstrip()[:1]
    line = data.partition(b"\n")[0]
    if first == b"{":
        return JsonLines()
    return TextLines("svmlight") if b":" in line and b"|" not in line else TextLines("vw")


def pieces(data: bytes) -> Iterator[bytes]:
    """Cut lines into pieces of some size."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", min(begin + PIECE, len(data)) - 1) + 1
        yield data[begin:end]
        begin = end


class TextLines:
    """Vowpal Wabbit or svmlight text."""

    def __init__(self, format: str) -> None:
        self._format = format
        self._kind = log.VW if format == "vw" else log.SVMLIGHT

    async def answers(self, verbs: Verbs, model: ServedModel, data: bytes) -> AsyncIterator[bytes]:
        """Yield the answers to whole lines: runs with labels learned, runs without predicted."""
        for use, run in self._runs(data):
            if use == EMPTY:  # not answered, as Vowpal Wabbit does not
                continue
            if use == COMMAND:
                await model.save()
            elif use == LEARNED:
                yield b"".join(await self._learn(verbs, model, run))
            else:
                verbs.count(model, "predict", run.count(b"\n"))
                yield b"".join(text_rows.predict(model.learner, self._format, run))

    async def _learn(self, verbs: Verbs, model: ServedModel, run: bytes) -> list[bytes]:
        rows = run.count(b"\n")
        verbs.count(model, "learn", rows)
        while model.writer.is_full(rows, len(run)):
            await asyncio.sleep(0.002)
        try:
            return await model.writer.submit(self._kind, run, rows)
        except Refused as refusal:
            return [f"error: {refusal.error}\n".encode()] * rows

    def _runs(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Lines of one use that follow each other, joined."""
        if self._format == "vw" and all_have_labels(data):
            yield LEARNED, data
            return
        every = data.splitlines(keepends=True)
        use = _use_of_vw if self._format == "vw" else _use_of_svmlight
        for kind, run in groupby(every, use):
            joined = b"".join(run)
            yield kind, joined.replace(b"\r\n", b"\n")


def _use_of_vw(line: bytes) -> int:
    """What to do with a line, by the words before its first bar; the last may be a tag."""
    first = line[:1]
    if first.isdigit() or first == b"-":
        bar = line.find(b"|")
        if bar > 0 and line[bar - 1] == 32:
            return LEARNED
    before, bar_found, _ = line.partition(b"|")
    words = before.split()
    if words and words[-1].lstrip(b"'").startswith(SAVE):
        return COMMAND
    if not line.strip():
        return EMPTY
    tagged = words and bar_found and (words[-1].startswith(b"'") or not before[-1:].isspace())
    return LEARNED if len(words) > bool(tagged) else PREDICTED


def labelled(data: bytes, format: str) -> bytes:
    """Those of some lines that have a label.

    >>> labelled(b"1 | a\\n| b\\nsave_it |\\n0 | c\\n", "vw")
    b'1 | a\\n0 | c\\n'
    """
    if format == "vw" and all_have_labels(data):
        return data
    use = _use_of_vw if format == "vw" else _use_of_svmlight
    return b"".join([line for line in data.splitlines(keepends=True) if use(line) == LEARNED])


def _use_of_svmlight(line: bytes) -> int:
    words = line.split(None, 1)
    if not words or words[0].startswith(b"#"):
        return EMPTY
    return PREDICTED if b":" in words[0] else LEARNED


class JsonLines:
    """JSON lines: ``{"x": …, "y": …}`` is learned, ``{"x": …}`` predicted, ``{"id": …, "y": …}`` answered."""

    async def answers(self, verbs: Verbs, model: ServedModel, data: bytes) -> AsyncIterator[bytes]:
        """Yield the answers to whole lines."""
        every = [line for line in data.split(b"\n") if line.strip()]
        for verb, run in groupby(every, _verb):
            yield await LineStream(verbs, model, verb).answers(list(run))


class Keys(msgspec.Struct):
    """Which of the keys that tell the verb a line has."""

    x: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    y: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


KEYS = msgspec.json.Decoder(Keys)


def _verb(line: bytes) -> str:
    try:
        told = KEYS.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "predict"  # which says what is wrong with it
    if told.x is msgspec.UNSET:
        return "answer"
    return "predict" if told.y is msgspec.UNSET else "learn"
