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
    """The arrays of a block and of the next: X, P = X·Σ; what goes down to the host and comes up.

    What the host decides lies where the device copies it from, and what it is told where the device
    writes it: between a block and the next the host only decides, and starts two graphs.
    """

    def __init__(self, matrix: Any, size: int) -> None:
        torch, outputs, n = matrix.torch, matrix.outputs, matrix.slots
        self.matrix, self.size = matrix, size
        here = {"dtype": matrix.dtype, "device": matrix.device}
        self.X, self.P, self.X_next, self.V, self.kept, self.coming = (
            torch.zeros((size, n), **here) for _ in range(6)
        )
        self.weighed = torch.zeros((size, n + matrix.room), **here)  # s²·x and c of the rows kept
        self.both = torch.zeros((size + matrix.room, n), **here)  # P of the next rows, w below it
        self.P_next, self.w = self.both[:size], self.both[size : size + outputs]
        self.shares = torch.zeros((size + matrix.room, size), **here)  # of V in each of these
        self.eye = torch.eye(size, **here)
        self.cuda = torch.cuda if matrix.device.type == "cuda" else None
        self.G, self.starts = self._pinned(size, size), self._pinned(size, outputs)
        self.told = self.G.numpy(), self.starts.numpy()
        self.turns = turns_for(size, outputs, self._up)
        self._decide_nothing()
        self.ready = None if self.cuda is None else self.cuda.Event()
        works = self._changed, self._kept, self._kept_and_looked
        self._change, self.end, self._keep_and_look = map(self._recorded, works)

    def _decide_nothing(self) -> None:
        """No row is kept."""
        self.up.zero_()
        np.fill_diagonal(self.turns.factor, 1.0)

    def _pinned(self, *shape: int) -> Any:
        """Numbers on the host that the device copies from and to without being waited for."""
        torch = self.matrix.torch
        return torch.zeros(shape, dtype=torch.float64, pin_memory=self.cuda is not None)

    def _up(self, numbers: int) -> Array:
        """Room for what the host decides, with its copy on the device."""
        self.up = self._pinned(numbers)
        self.decided = self.matrix.torch.zeros_like(self.up, device=self.matrix.device)
        return np.asarray(self.up.numpy())

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
        self._decide_nothing()
        self.look(load, 0, count)
        self.change()

    def look(self, load: Load, begin: int, end: int) -> None:
        """Load the next rows, and multiply them by the Σ that there is."""
        self._load(load, begin, end)
        self._looked()

    def go_on(self, load: Load, begin: int, end: int) -> None:
        """Keep what was decided, go on to the next block, and look at the one after."""
        self._load(load, begin, end)
        self._keep_and_look()

    def _load(self, load: Load, begin: int, end: int) -> None:
        """Rows that come, zeros after a few of them."""
        if end - begin < self.size:
            self.coming.zero_()
        if begin < end:
            load(self.coming, begin, end)

    def answer(self, count: int) -> tuple[Array, Array]:
        """G and the margins at the start, once they have come down."""
        if self.ready is not None:
            self.ready.synchronize()
        G, starts = self.told
        return (G, starts) if count == self.size else (G[:count, :count].copy(), starts[:count])

    def change(self) -> None:
        """Take what the host decided: w moves, and the next rows are asked about."""
        self._change()
        if self.ready is not None:
            self.ready.record()

    # ── the work itself ─────────────────────────────────────────────────────────────────────────

    def _told(self) -> tuple[Any, Any, Any, Any, Any]:
        """U, t, c, s and the places of the rows kept, on the device, as ``turns_for`` lays them."""
        torch, size, outputs = self.matrix.torch, self.size, self.matrix.outputs
        sizes = [size * size, size * outputs, size * outputs, size, size]
        U, t, c, s, _ = self.decided.to(self.matrix.dtype).split(sizes)
        places = self.decided[-size:].view(torch.int64)
        table = size, outputs
        return U.view(size, size), t.view(table), c.view(table), s, places

    def _changed(self) -> None:
        """V = L⁻¹·(s ∘ P), w ← w + Vᵀt; P ← P − (X·Vᵀ)·V, G and X·w of the next rows.

        P and w are one array: products with the few rows of w alone take a GPU as long as those with all.
        It has room for more outputs, so that one of them and ten are the same work.
        """
        matrix, size, outputs = self.matrix, self.size, self.matrix.outputs
        torch = matrix.torch
        self.decided.copy_(self.up, non_blocking=True)
        U, t, _, scales, places = self._told()
        inverse = torch.linalg.solve_triangular(U.T, self.eye, upper=False)
        torch.mm(inverse * scales, self.P.index_select(0, places), out=self.V)
        self.w.copy_(matrix.w)
        torch.mm(self.X_next, self.V.T, out=self.shares[:size])
        torch.neg(t.T, out=self.shares[size : size + outputs])
        self.both.addmm_(self.shares, self.V, alpha=-1.0)
        matrix.w.copy_(self.w)
        told = (self.X_next @ self.both.T).double()
        self.G.copy_(told[:, :size].contiguous(), non_blocking=True)
        self.starts.copy_(told[:, size : size + outputs].contiguous(), non_blocking=True)

    def _looked(self) -> None:
        """The rows that came are the next, and P of them."""
        self.X_next.copy_(self.coming)
        self.matrix.torch.mm(self.X_next, self.matrix.sigma, out=self.P_next)

    def _kept_and_looked(self) -> None:
        """Σ, A and θ with the rows kept; the next rows become this block's, and those that came the next."""
        self._kept()
        self.X.copy_(self.X_next)
        self.P.copy_(self.P_next)
        self._looked()

    def _kept(self) -> None:
        """Σ ← Σ − VᵀV; A ← A + (s² ∘ X)ᵀX and below it θ ← θ + cᵀX, by strips where that is less."""
        matrix, n, outputs = self.matrix, self.matrix.slots, self.matrix.outputs
        torch, (_, _, c, scales, places) = matrix.torch, self._told()
        torch.index_select(self.X, 0, places, out=self.kept)
        torch.mul(self.kept, scales.square()[:, None], out=self.weighed[:, :n])
        self.weighed[:, n : n + outputs].copy_(c)
        matrix.sigma.addmm_(self.V.T, self.V, alpha=-1.0)
        step = -(-n // (STRIPS if n >= WIDE else 1))
        for j in range(0, n, step):
            strip = matrix.sums[j:, j : j + step]
            strip.addmm_(self.weighed[:, j:].T, self.kept[:, j : j + step])
