"""The best fixed u in hindsight, found by reading the stream again in bounded memory.

One reading gathers a sample of the rows, spread evenly over the stream (all of them while they are
few); the minimisers are found on it. Any u is a fair comparator: its loss is measured on every row,
whichever rows it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from fenchel.certificates.problem import Problem, problem_of
from fenchel.parts.state import Array
from fenchel.rows import Block, ReadBlocks

if TYPE_CHECKING:
    from fenchel.certificates.minimise import Minimum

# So many bytes of rows are held at once.
MOST_HELD = 50_000_000
# How many λ of λ/2·‖u‖² + Σ ℓ_t(u): from the larger of Σ‖x_t‖²/d and 100 times the mean ‖x_t‖²,
# about what the bounds charge for a norm, down to 1e−5·Σ‖x_t‖²/d, which is no ridge.
PATH = 6
# A comparator with a ridge need not be the best of its kind.
NEAR = 1e-2


class Hindsight:
    """A stream that can be read again, and the best u over it, found once for each loss.

    ``read`` opens the stream anew each time it is called.
    """

    def __init__(self, read: ReadBlocks, columns: int) -> None:
        self.columns = columns
        self._read = read
        self._sample: tuple[list[Block], float] | None = None
        self._problems: dict[bool, Problem] = {}
        self._found: dict[tuple[str, bool], dict[str, Array]] = {}
        self._minima: dict[tuple[str, bool], Minimum] = {}
        self._derived: dict[Any, Hindsight] = {}

    def best(self, loss: Any, intercept: bool, path: int = PATH) -> dict[str, Array]:
        """Find candidates u by name: 0, and minimisers of Σ h·ℓ_t(u) + λ/2·‖u‖² for several λ.

        The bounds hold for every u and weigh its loss against its norm, so that the tightest needs
        several norms. The last one, with hardly any ridge, is ``minimum``.
        """
        key = repr(loss), intercept
        if key not in self._found:
            self._found[key] = self._candidates(loss, intercept, path)
        return self._found[key]

    def minimum(self, loss: Any, intercept: bool, starts: Iterable[Array] = ()) -> Minimum:
        """Find the u of least total loss over the rows held, with the gap to any better one."""
        from fenchel.certificates.minimise import least  # deferred: it loads SciPy's optimisers

        key = repr(loss), intercept
        if key not in self._minima:
            self._minima[key] = least(self.problem(intercept), loss, starts)
        return self._minima[key]

    def problem(self, intercept: bool) -> Problem:
        """Return the rows held, to be minimised over."""
        if intercept not in self._problems:
            self._problems[intercept] = problem_of(self.gathered()[0], self.columns, intercept)
        return self._problems[intercept]

    def seen_as(
        self, key: Any, change: Callable[[ReadBlocks], ReadBlocks], columns: int | None = None
    ) -> Hindsight:
        """Return the same rows changed (other targets, units or columns), remembered by a key."""
        if key not in self._derived:
            wide = self.columns if columns is None else columns
            self._derived[key] = Hindsight(change(self._read), wide)
        return self._derived[key]

    def _candidates(self, loss: Any, intercept: bool, path: int) -> dict[str, Array]:
        from fenchel.certificates.minimise import least  # deferred, as above

        rows, (blocks, share) = self.problem(intercept), self.gathered()
        sizes = rows.squares()
        d, energy = rows.dimension, float(sizes.sum())
        found = {"u = 0": np.zeros(d)}
        if energy == 0.0:
            return found
        count = sum(len(block) for block in blocks)
        ridges = np.geomspace(max(energy / d, 100.0 * energy / count), 1e-5 * energy / d, path)
        u = found["u = 0"]
        where = "hindsight" if share == 1.0 else f"hindsight on {share:.2g} of the rows"
        for ridge in ridges.tolist():
            u = least(rows, loss, [u], NEAR, np.full(d, ridge)).u
            found[f"{where}, λ = {ridge / share:.3g}"] = u
        found[f"the best in {where}"] = self.minimum(loss, intercept, [u]).u
        return found

    def gathered(self) -> tuple[list[Block], float]:
        """Every block, or where they are too many every other, every fourth, …; and their share."""
        if self._sample is None:
            kept: list[Block] = []
            stride, total = 1, 0
            for number, block in enumerate(self._read()):
                total += len(block)
                if number % stride == 0:
                    kept.append(block)
                if len(kept) > 1 and sum(b.nbytes for b in kept) > MOST_HELD:
                    kept, stride = kept[::2], 2 * stride
            share = sum(len(block) for block in kept) / max(total, 1)
            self._sample = kept, share
        return self._sample


def best_in_hindsight(
    read: ReadBlocks, loss: Any, columns: int, intercept: bool, path: int = PATH
) -> dict[str, Array]:
    """Find ``Hindsight.best`` of a stream that is asked once."""
    return Hindsight(read, columns).best(loss, intercept, path)
