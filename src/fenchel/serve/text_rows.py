"""Lines of Vowpal Wabbit or svmlight text into a learner, in blocks, with one answer a line."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.evaluate.measures import outcome
from fenchel.learners import Learner
from fenchel.learners.block_cutting import learn_block
from fenchel.learners.block_cutting import predict as margins_of
from fenchel.rows import Block
from fenchel.schema import Schema
from fenchel.serve.one_row import REFUSALS, plain, text
from fenchel.serve.served_loss import ServedLoss
from fenchel.streams.batch import Batch
from fenchel.streams.pushed import PushedText

SHOWN = 200  # bytes of a line on the page
MOST_COLUMNS = 1 << 24  # a model is as wide as the largest number of a column that one line has


class ReadAhead(NamedTuple):
    """Lines that were read before their turn, and all of the schema that this depends on."""

    batch: Batch
    by: tuple[Any, ...]


def read_ahead(format: str, schema: Schema, data: bytes) -> ReadAhead | None:
    """Read lines before their turn, on any thread; None where only their turn can tell how."""
    if schema.crosses:
        return None
    try:
        return ReadAhead(PushedText(format, schema).parse(data), _read_by(schema))
    except REFUSALS:  # said in its turn
        return None


def _read_by(schema: Schema) -> tuple[Any, ...]:
    return schema.bits, schema.index_base, schema.crosses


def learn(
    learner: Learner,
    format: str,
    data: bytes,
    watch: ServedLoss,
    time: int = 0,
    ahead: ReadAhead | None = None,
) -> list[bytes]:
    """Learn every line; returns the answers, each the prediction from before its label.

    Where one of them is refused they go one by one, and only the bad ones are left out.
    """
    try:
        pushed = _pushed(learner, format, learning=True)
        if ahead is None or ahead.by != _read_by(learner.schema):
            batch = pushed.parse(data)
        else:
            batch = ahead.batch
        labels = pushed.labels(batch)
        _check(batch)
        if learner.labels is not None:  # refused before a name is taken up
            type(learner.labels)(learner.labels.known).encode(labels)
        known, block = len(learner.classes), pushed.block(data, batch)
        margins, targets = learn_block(learner, block)
    except REFUSALS as error:
        return _one_by_one(data, error, lambda line: learn(learner, format, line, watch, time))
    if pushed.names is not None:
        learner.names, learner.schema = pushed.names, pushed.schema
    losses = outcome(learner, margins, targets, known).losses.tolist()
    told = labels.tolist()
    watch.see(losses, told)
    last = data[data.rfind(b"\n", 0, len(data) - 1) + 1 :][:SHOWN].decode(errors="replace")
    watch.show(time, last.strip(), told[-1], plain(learner.decode_many(margins[-1:])[0]))
    return answers(learner, margins, block)


def predict(learner: Learner, format: str, data: bytes) -> list[bytes]:
    """Predict every line, which has no label or one that is not looked at; nothing changes."""
    try:
        pushed = _pushed(learner, format, learning=False)
        batch = pushed.parse(data)
        _check(batch)
        block = pushed.block(data, batch)
        return answers(learner, margins_of(learner, block), block)
    except REFUSALS as error:
        return _one_by_one(data, error, lambda line: predict(learner, format, line))


def _check(batch: Batch) -> None:
    """Refuse lines that are no examples, and columns that would make a model too wide."""
    parsed = batch.parsed
    if len(parsed.indptr) - 1 != parsed.lines:
        raise ValueError("a line without an example; leave it out")
    if parsed.columns > MOST_COLUMNS:
        raise ValueError(f"a column beyond {MOST_COLUMNS}; number the features without gaps")


def answers(learner: Learner, margins: Any, block: Block) -> list[bytes]:
    """One line for each row as Vowpal Wabbit writes it: the margin or number, or the class; the tag.

    Lines of fractions without tags, which most are, come in one piece.
    """
    if learner.task in ("binary", "regression"):
        shown = learner.engine.present(margins)
        numbers = shown.tolist()
        if block.ids is None and not np.any(shown == np.round(shown)):
            return [("%.6f\n" * len(numbers) % tuple(numbers)).encode()]
        found = [f"{n:.0f}" if n.is_integer() else f"{n:.6f}" for n in numbers]
    else:
        found = [text(label) for label in learner.decode_many(margins).tolist()]
    if block.ids is not None:
        found = [f"{one} {tag}" if tag else one for one, tag in zip(found, block.ids, strict=True)]
    return [f"{one}\n".encode() for one in found]


def _pushed(learner: Learner, format: str, learning: bool) -> PushedText:
    named = format == "vw"
    if learner.columns and named != (learner.names is not None):
        kinds = ("named", "numbers") if learner.names is not None else ("numbered", "names")
        raise ValueError(f"this model has {kinds[0]} features, the line {kinds[1]}; use another")
    schema = learner.schema if learning else learner.schema.copy()
    given = {"labelled": learning, "frozen": not learning}
    return PushedText(format, schema, learner.names, **given)


def _one_by_one(data: bytes, error: Exception, treat: Any) -> list[bytes]:
    lines = data.splitlines(keepends=True)
    if len(lines) == 1:
        told = str(error).removeprefix(":1: ").removeprefix("<stream>:1: ")
        return [f"error: {' '.join(told.split())[:300]}\n".encode()]
    return [answer for line in lines for answer in treat(line)]
