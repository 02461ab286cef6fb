"""The formats of the line protocol: which lines have labels, and how lines are answered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import groupby
from typing import Protocol

import msgspec

from fenchel.serve import log, text_rows
from fenchel.serve.line_streams import LineStream
from fenchel.serve.model import ServedModel
from fenchel.serve.outbox import Outbox, known
from fenchel.serve.refusals import Refused
from fenchel.serve.requests import Verbs
from fenchel.streams.labelled_lines import count_labelled

PIECE = 1 << 18  # bytes of lines that are learned at a time
SAVE = b"save"
COMMAND, LEARNED, PREDICTED, EMPTY = range(4)


class Format(Protocol):
    """How the lines of a connection are answered."""

    async def answer(self, verbs: Verbs, model: ServedModel, data: bytes, outbox: Outbox) -> None:
        """Hand over the answers to whole lines, in order."""


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

    async def answer(self, verbs: Verbs, model: ServedModel, data: bytes, outbox: Outbox) -> None:
        """Answer whole lines: runs with labels are learned, runs without predicted, each in its turn."""
        for use, run, rows in self._runs(data):
            if use == LEARNED:
                await outbox.put(await self._learn(verbs, model, run, rows))
            elif use != EMPTY:  # not answered, as Vowpal Wabbit does not
                await outbox.settled()
                if use == COMMAND:
                    await asyncio.shield(model.save())
                else:
                    verbs.count(model, "predict", rows)
                    found = text_rows.predict(model.learner, self._format, run)
                    await outbox.put(known(b"".join(found)))

    async def _learn(
        self, verbs: Verbs, model: ServedModel, run: bytes, rows: int
    ) -> asyncio.Future[bytes]:
        """Queue lines, read by another thread while earlier ones are learned; their answers to come."""
        verbs.count(model, "learn", rows)
        while model.writer.is_busy(rows, len(run)):
            await asyncio.sleep(0.002)
        try:
            told = model.writer.submit_text(self._kind, run, rows)
        except Refused as refusal:
            return known(_refused(refusal, rows))
        return asyncio.ensure_future(_joined(told, rows))

    def _runs(self, data: bytes) -> Iterator[tuple[int, bytes, int]]:
        """Lines of one use that follow each other, joined, and how many they are."""
        if self._format == "vw":
            if rows := count_labelled(data):
                yield LEARNED, data, rows
                return
            rows = data.count(b"\n")
            if data[:1] == b"|" and b"\r" not in data and data.count(b"\n|") == rows - 1:
                yield PREDICTED, data, rows
                return
        every = data.splitlines(keepends=True)
        use = _use_of_vw if self._format == "vw" else _use_of_svmlight
        for kind, group in groupby(every, use):
            run = list(group)
            yield kind, b"".join(run).replace(b"\r\n", b"\n"), len(run)


async def _joined(told: asyncio.Future[list[bytes]], rows: int) -> bytes:
    try:
        return b"".join(await told)
    except Refused as refusal:
        return _refused(refusal, rows)


def _refused(refusal: Refused, rows: int) -> bytes:
    return f"error: {refusal.error}\n".encode() * rows


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
    if format == "vw" and count_labelled(data):
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

    async def answer(self, verbs: Verbs, model: ServedModel, data: bytes, outbox: Outbox) -> None:
        """Answer whole lines."""
        every = [line for line in data.split(b"\n") if line.strip()]
        for verb, run in groupby(every, _verb):
            if verb == "predict":
                await outbox.settled()
            await outbox.put(await LineStream(verbs, model, verb).begin(b"\n".join(run)))


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
