"""The inputs of an evaluation: a learner or its specification, blocks, names that must agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from fenchel.learners import Learner, registry
from fenchel.rows import Block
from fenchel.streams import Names, Stream
from fenchel.streams.names import joined

ORDER = "give the learner first, then the stream"


def learner_of(given: Any) -> Learner:
    """The learner itself, or that of a specification such as ``arow:r=0.1``."""
    if isinstance(given, Stream):
        raise ValueError(f"the learner is a {type(given).__name__}: {ORDER}")
    return registry.learner_of(given)


def blocks_of(given: Any) -> Iterator[Block]:
    """The blocks of a stream, each with labels to score by."""
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
    """The learners know their features by the names of the stream, if it has some.

    Names that a learner brings keep their columns: a stream not read yet takes them over.
    """
    if not isinstance(blocks, Stream):  # blocks alone tell no names
        yield
        return
    hashed = blocks.names is not None and blocks.names.bits is not None
    names = None if hashed else blocks.names
    learners = list(learners)
    for learner in learners:
        _agree(learner, names)
    try:
        yield
    finally:
        for learner in learners:
            if names is not None and learner.columns:
                learner.names = columns_by_name(names, learner.columns)


def columns_by_name(names: Names, columns: int) -> dict[str, int]:
    """Return the first so many names, with their columns."""
    return {names.name(column): column for column in range(min(columns, len(names)))}


def _agree(learner: Learner, names: Names | None) -> None:
    """Make the columns of learner and stream mean the same, or refuse."""
    if not learner.columns:
        return
    if (learner.names is None) != (names is None):
        mine, its = ("numbered", "named") if names is not None else ("named", "numbered")
        raise ValueError(
            f"this learner has {mine} features, the stream {its} ones: "
            "give a stream like the one it learned from, or a fresh learner"
        )
    if names is None or learner.names is None:
        return
    both = min(len(names), len(learner.names))
    if columns_by_name(names, both) != dict(islice(learner.names.items(), both)):
        raise ValueError(
            "the stream was read before and numbers its names otherwise than this learner: "
            "make the stream anew, or give a fresh learner"
        )
    names.columns(*joined(learner.names))
