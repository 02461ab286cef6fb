"""One block of rows on a device: the products before and after the host decides its rows.

On a GPU each half of the work is recorded once and replayed as a graph: launching its dozen small
operations one by one would take longer than running them. So every array has its place for good, and
blocks with fewer rows are filled up with zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fenchel.loops.blocks import turns_for
from fenchel.parts.state import Array

# A grows in strips of columns from the diagonal down: 9/16 of the operations of all of it.
STRIPS = 8
WIDE = 4096

Load = Callable[[Any, int, int], None]


class DeviceBlock:
    """The arrays of a block and of the next: X, P = X·Σ; what goes down to the host and comes up."""

    def __init__(self, matrix: Any, size: int) -> None:
        torch, outputs, n = matrix.torch, matrix.outputs, matrix.slots
        self.matrix, self.size, self.turns = matrix, size, turns_for(size, outputs)
        here = {"dtype": matrix.dtype, "device": matrix.device}
        self.X, self.P, self.X_next, self.V, self.kept = (
            torch.zeros((size, n), **here) for _ in range(5)
        )
        self.weighed = torch.zeros((size, n + matrix.room), **here)  # s²·x and c of the rows kept
        self.both = torch.zeros((size + matrix.room, n), **here)  # P of the next rows, w below it
        self.P_next, self.w = self.both[:size], self.both[size : size + outputs]
        self.shares = torch.zeros((size + matrix.room, size), **here)  # of V in each of these
        self.eye = torch.eye(size, **here)
        self.cuda = torch.cuda if matrix.device.type == "cuda" else None
        pinned = {"pin_memory": self.cuda is not None}
        self.down = torch.zeros((size, size + matrix.room), dtype=matrix.dtype, **pinned)
        self.up = torch.zeros((size, size + 2 + 2 * outputs), dtype=torch.float64, **pinned)
        self.decided = torch.zeros_like(self.up, device=matrix.device)
        self.ready: Any = None
        self.changed = False
        self._pack(0)
        works = self._changed, self._kept, self._advanced
        self._change, self._keep, self._advance = map(self._recorded, works)

    def _recorded(self, work: Callable[[], None]) -> Callable[[], None]:
        """The same work, replayed as a graph on a GPU; done once before with nothing to change."""
        if self.cuda is None:
            return work
        aside = self.cuda.Stream()
        aside.wait_stream(self.cuda.current_stream())
        with self.cuda.stream(aside):
            work()
            work()
        self.cuda.current_stream().wait_stream(aside)
        graph = self.cuda.CUDAGraph()
        with self.cuda.graph(graph):
            work()
        return graph.replay  # type: ignore[no-any-return]

    # ── in the order of a round of blocks ───────────────────────────────────────────────────────

    def begin(self, load: Load, count: int) -> None:
        """Ask the host for the first rows: G and the margins at the start."""
        self.look(load, 0, count)
        self.change(0)

    def look(self, load: Load, begin: int, end: int) -> None:
        """Load the next rows, and multiply them by the Σ that there is; zeros after a few rows."""
        if end - begin < self.size:
            self.X_next.zero_()
        load(self.X_next, begin, end)
        self.matrix.torch.mm(self.X_next, self.matrix.sigma, out=self.P_next)

    def advance(self, load: Load, begin: int, end: int) -> None:
        """Go on to the next block, and look at the one after."""
        self._advance()
        if begin < end:
            self.look(load, begin, end)

    def answer(self, count: int) -> tuple[Array, Array]:
        """G and the margins at the start, once they have come down."""
        if self.ready is not None:
            self.ready.synchronize()
        both, last = self.down[:count].numpy(), self.size + self.matrix.outputs
        starts = both[:, self.size : last].astype(np.float64)
        return both[:, :count].astype(np.float64), starts

    def change(self, kept: int) -> None:
        """Take what the host decided: w moves, and the next rows are asked about."""
        self._pack(kept)
        self._change()
        self.changed = kept > 0
        if self.cuda is not None:
            self.ready = self.cuda.current_stream().record_event()

    def keep(self) -> None:
        """Σ, A and θ with the rows of the block that were kept."""
        if self.changed:
            self._keep()

    # ── the work itself ─────────────────────────────────────────────────────────────────────────

    def _pack(self, kept: int) -> None:
        """L, s, the places, t and c of the rows kept, one a row; after them rows that change nothing."""
        turns, size, k = self.turns, self.size, kept
        table = self.up.numpy()
        table[:] = 0.0
        table[k:, k:size].flat[:: size - k + 1] = 1.0
        table[:k, :k] = turns.factor[:k, :k].T
        table[:k, size], table[:k, size + 1] = turns.scales[:k], turns.places[:k]
        outputs = self.matrix.outputs
        table[:k, size + 2 : size + 2 + outputs] = turns.along[:k]
        table[:k, size + 2 + outputs :] = turns.steps[:k]

    def _changed(self) -> None:
        """V = L⁻¹·(s ∘ P), w ← w + Vᵀt; P ← P − (X·Vᵀ)·V, G and X·w of the next rows.

        P and w are one array: products with the few rows of w alone take a GPU as long as those with all.
        It has room for more outputs, so that one of them and ten are the same work.
        """
        matrix, size, outputs = self.matrix, self.size, self.matrix.outputs
        torch = matrix.torch
        self.decided.copy_(self.up, non_blocking=True)
        places, told = self.decided[:, size + 1].long(), self.decided.to(matrix.dtype)
        scales, t = told[:, size], told[:, size + 2 : size + 2 + outputs]
        inverse = torch.linalg.solve_triangular(told[:, :size], self.eye, upper=False)
        torch.mm(inverse * scales, self.P.index_select(0, places), out=self.V)
        self.w.copy_(matrix.w)
        torch.mm(self.X_next, self.V.T, out=self.shares[:size])
        torch.neg(t.T, out=self.shares[size : size + outputs])
        self.both.addmm_(self.shares, self.V, alpha=-1.0)
        matrix.w.copy_(self.w)
        self.down.copy_(self.X_next @ self.both.T, non_blocking=True)

    def _advanced(self) -> None:
        """The next rows are this block's."""
        self.X.copy_(self.X_next)
        self.P.copy_(self.P_next)

    def _kept(self) -> None:
        """Σ ← Σ − VᵀV; A ← A + (s² ∘ X)ᵀX and below it θ ← θ + cᵀX, by strips where that is less."""
        matrix, n, size, outputs = self.matrix, self.matrix.slots, self.size, self.matrix.outputs
        torch, told = matrix.torch, self.decided.to(matrix.dtype)
        torch.index_select(self.X, 0, self.decided[:, size + 1].long(), out=self.kept)
        torch.mul(self.kept, told[:, size, None].square(), out=self.weighed[:, :n])
        self.weighed[:, n : n + outputs].copy_(told[:, size + 2 + outputs :])
        matrix.sigma.addmm_(self.V.T, self.V, alpha=-1.0)
        step = -(-n // (STRIPS if n >= WIDE else 1))
        for j in range(0, n, step):
            strip = matrix.sums[j:, j : j + step]
            strip.addmm_(self.weighed[:, j:].T, self.kept[:, j : j + step])
