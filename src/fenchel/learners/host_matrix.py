"""A full matrix on the CPU that several outputs share: the factor R, and θ and b = R⁻ᵀθ of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fenchel._numba import blas
from fenchel.learners import by_blocks
from fenchel.loops import blocks
from fenchel.parts.memory import zeros
from fenchel.parts.state import Array


class HostMatrix:
    """The counterpart of ``DeviceMatrix`` on the CPU: A as its factor, as wide as the columns known."""

    def __init__(self, a: float, outputs: int) -> None:
        if not blas.are_available():
            raise ValueError(
                "shared=True calls BLAS from compiled code, which needs a checked release of Numba: "
                "install one, or leave shared out"
            )
        self.a, self.outputs = float(a), outputs
        self._lay(0)

    def _lay(self, slots: int) -> None:
        self.factor = zeros((slots, slots))
        np.fill_diagonal(self.factor, np.sqrt(self.a))
        self.theta, self.rotated = zeros((self.outputs, slots)), zeros((self.outputs, slots))

    @property
    def slots(self) -> int:
        """The columns and the intercept's."""
        return len(self.factor)

    def grow(self, slots: int) -> None:
        """Make room for more columns, unseen so far."""
        n, before = self.slots, (self.factor, self.theta, self.rotated)
        if slots > n:
            self._lay(slots)
            self.factor[:n, :n], self.theta[:, :n], self.rotated[:, :n] = before

    def add_outputs(self, outputs: int) -> None:
        """Make room for more outputs, whose weights are 0."""
        known, theta, rotated = self.outputs, self.theta, self.rotated
        if outputs > known:
            self.outputs = outputs
            self.theta, self.rotated = zeros((outputs, self.slots)), zeros((outputs, self.slots))
            self.theta[:known], self.rotated[:known] = theta, rotated

    def take(self, factor: Array, theta: Array, rotated: Array) -> None:
        """Take a state computed elsewhere."""
        self.outputs = len(theta)
        self._lay(len(factor))
        self.factor[:], self.theta[:], self.rotated[:] = factor, theta, rotated

    def learn(self, load: Callable[[Array, int, int], None], count: int, decide: Any) -> None:
        """Learn ``count`` rows; ``load`` and ``decide`` as those of ``DeviceMatrix``.

        After a block that stopped early, at a row far outside of what A knows, the next ones are short.
        """
        size = min(max(count, 1), by_blocks.rows_of_block(self.slots))
        X, P, G = np.empty((size, self.slots)), np.empty((size, self.slots)), np.empty((size, size))
        starts, extra = np.empty((size, self.outputs)), np.empty((self.outputs, size))
        turns, functions = blocks.turns_for(size, self.outputs), blas.functions()
        begin, length = 0, size
        while begin < count:
            n = min(length, count - begin)
            load(X[:n], begin, begin + n)
            P[:n] = X[:n]
            blocks.look_block(
                self.a, self.factor, self.rotated, P[:n], functions, G[:n, :n], starts[:n]
            )
            some = np.ascontiguousarray(G[:n, :n])
            done, kept = decide(begin, begin + n, some, starts[:n], turns)
            Y = X[turns.places[:kept]] * turns.scales[:kept, None]
            if kept:
                room = extra[:, :kept]
                blocks.keep_block(self.factor, self.theta, self.rotated, Y, turns, room, functions)
            begin += done
            length = size if done == n else max(1, n // 4)

    def read(self, X: Array) -> tuple[Array, Array]:
        """θᵀA⁻¹x for each output, and xᵀA⁻¹x, of rows as wide as R; X is overwritten."""
        blocks.solve_block(self.factor, X, blas.functions())
        return X @ self.rotated.T, np.einsum("ij,ij->i", X, X)

    def weights(self) -> Array:
        """A⁻¹·θ, one row an output."""
        w = self.rotated.copy()
        blocks.solve_transposed(self.factor, w, blas.functions())
        return w

    def state(self) -> tuple[Array, Array, Array]:
        """R, θ and b."""
        return self.factor, self.theta, self.rotated
