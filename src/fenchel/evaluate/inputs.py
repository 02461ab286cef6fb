"""The inputs of an evaluation: a learner or its specification, blocks, names that must agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from fenchel.learners import Learner, registry
from fenchel.rows import Block
from fenchel.streams import Names, Stream

ORDER = "give the learner first, then the stream"


def learner_of(given: Any) -> Learner:
    """Return the learner itself, or that of a specification such as ``arow:r=0.1``."""
    if isinstance(given, Stream):
        raise ValueError(f"the learner is a {type(given).__name__}: {ORDER}")
    return registry.learner_of(given)


def blocks_of(given: Any) -> Iterator[Block]:
    """Yield the blocks of a stream, each with labels to score by."""
    if isinstance(given, Learner):
        raise ValueError(f"the stream is the learner {given.specification}: {ORDER}")
    if not isinstance(given, Iterable):
        raise _no_stream(given)
    for block in given:
        if not isinstance(block, Block):
            raise _no_stream(given)
        if block.labels is None:
            raise ValueError(
                f"row {block.first_row + 1} has no label to score by: "
                "give y to from_arrays, or name the label's column with label="
            )
        yield block


def _no_stream(given: Any) -> ValueError:
    what = "None" if given is None else f"a {type(given).__name__}"
    return ValueError(
        f"the stream is {what}: make one in fenchel.streams, by from_arrays(X, y), "
        "from_frame(frame, label=…) or open_stream(file)"
    )


@contextmanager
def naming(learners: Iterable[Learner], blocks: Any) -> Iterator[None]:
    """Let the learners know the columns of the stream, raw ones and features, by their names.

    What a learner knows already holds: a stream that was not read yet takes it over.
    """
    if not isinstance(blocks, Stream):  # blocks alone tell no names
        yield
        return
    learners = list(learners)
    for learner in learners:
        _agree(learner, blocks)
    try:
        yield
    finally:
        for learner in learners:
            if learner.columns:
                learner.schema = blocks.schema.copy()
            if learner.columns and blocks.names is not None:
                learner.names = blocks.names.first_names(learner.columns)


def _agree(learner: Learner, stream: Stream) -> None:
    """Make the columns of learner and stream mean the same, or refuse."""
    names = stream.names
    unread = names is not None and names.kept == 0
    if not learner.columns:
        if unread and stream.schema.is_empty and not learner.schema.is_empty:
            stream.follow(learner.schema.copy(), Names(learner.schema.bits))
        return
    if (learner.names is None) != (names is None):
        mine, its = ("numbered", "named") if names is not None else ("named", "numbered")
        raise ValueError(
            f"this learner has {mine} features, the stream {its} ones: "
            "give a stream like the one it learned from, or a fresh learner"
        )
    if names is None or learner.names is None:
        return
    if unread:
        stream.follow(learner.schema.extended(stream.schema), learner.names.copy())
    elif not names.agrees_with(learner.names):
        raise ValueError(
            "the stream was read before and numbers its names otherwise than this learner: "
            "make the stream anew, or give a fresh learner"
        )
