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
from threading import Thread

from fenchel._kernel.cache import cache_folder
from fenchel.evaluate import learn
from fenchel.learners import Learner, Mixture
from fenchel.streams import Block

HEAD = 2  # rows are enough to compile for
WIDEST = 1 << 20  # columns: the other process holds a state of its own


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
    columns = max(width, int(block.indices.max(initial=0)) + 1)
    wanted = several and columns <= WIDEST and _is_first_run()
    helper = _started(learners, block, columns) if wanted else None
    try:
        yield
    finally:
        if helper is not None:
            helper.communicate()  # the end of what it reads is the end of its work


def _is_first_run() -> bool:
    """Whether no learner's loop was ever compiled from these sources, and there is a second core."""
    folder = cache_folder()
    cold = folder is not None and not any(folder.glob("*.learn_rows*"))
    return cold and (os.cpu_count() or 1) > 1


def _started(
    learners: Sequence[Learner], block: Block, columns: int
) -> subprocess.Popen[bytes] | None:
    """The other process at its work, or None where there can be none."""
    backwards = [_last_first(learner) for learner in reversed(learners)]
    work = pickle.dumps((backwards, next(block.parts(HEAD)), columns))
    # -P: modules in the user's folder are not ours.
    command = [sys.executable, "-P", "-m", __name__]
    quiet = subprocess.DEVNULL
    helper = None
    with suppress(OSError):
        helper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
        assert helper.stdin is not None
        helper.stdin.write(work)
        helper.stdin.flush()
    return helper


def _last_first(learner: Learner) -> Learner:
    return learner.backwards() if isinstance(learner, Mixture) else learner


def compile_from_the_end() -> None:
    """What the other process does, as long as the first holds the line."""
    learners, head, columns = pickle.load(sys.stdin.buffer)
    Thread(target=_leave_at_the_end, daemon=True).start()
    for learner in learners:
        learn(learner, head, columns)


def _leave_at_the_end() -> None:
    os.read(sys.stdin.fileno(), 1)  # unlike a file's, this read does not mind an end of the process
    os._exit(0)


if __name__ == "__main__":
    compile_from_the_end()
