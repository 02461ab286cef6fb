"""A first run compiles in two processes, from the two ends of the list of what it needs.

What one has compiled the other finds on disk, so that they meet somewhere in the middle; nothing
else passes between them. (The compiler itself works for one thread at a time.)
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from fenchel._kernel.cache import cache_folder
from fenchel.evaluate import learn
from fenchel.learners import Learner, Mixture
from fenchel.streams import Block

HEAD = 2  # rows are enough to compile for


def compiling_ahead(
    blocks: Iterable[Block], learners: Sequence[Learner], width: int
) -> Iterator[Block]:
    """The same blocks. While the learners of a first run learn the first, they are helped."""
    rest = iter(blocks)
    for first in rest:
        with _helped(learners, first, width):
            yield first
        yield from rest


@contextmanager
def _helped(learners: Sequence[Learner], block: Block, width: int) -> Iterator[None]:
    several = len(learners) > 1 or isinstance(learners[0], Mixture)
    helper = _started(learners, block, width) if several and _is_first_run() else None
    try:
        yield
    finally:
        if helper is not None:
            helper.kill()
            helper.wait()


def _is_first_run() -> bool:
    """Whether no learner's loop was ever compiled from these sources, and there is a second core."""
    folder = cache_folder()
    cold = folder is not None and not any(folder.glob("*.learn_rows*"))
    return cold and (os.cpu_count() or 1) > 1


def _started(
    learners: Sequence[Learner], block: Block, width: int
) -> subprocess.Popen[bytes] | None:
    """The other process at its work, or None where there can be none."""
    known = max(width, int(block.indices.max(initial=0)) + 1)
    backwards = [_last_first(learner) for learner in reversed(learners)]
    work = pickle.dumps((backwards, next(block.parts(HEAD)), known))
    quiet = subprocess.DEVNULL
    helper = None
    with suppress(OSError):
        helper = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=quiet, stderr=quiet
        )
        assert helper.stdin is not None
        with helper.stdin:
            helper.stdin.write(work)
    return helper


def _last_first(learner: Learner) -> Learner:
    return learner.backwards() if isinstance(learner, Mixture) else learner


def compile_from_the_end() -> None:
    """What the other process does."""
    learners, head, width = pickle.load(sys.stdin.buffer)
    for learner in learners:
        learn(learner, head, width)


if __name__ == "__main__":
    compile_from_the_end()
