"""The best fixed u in hindsight, found by reading the stream again in bounded memory.

One reading gathers a sample of the rows, spread evenly over the stream (all of them while they are
few); the minimisers are found on it. Any u is a fair comparator: its loss is measured on every row,
whichever rows it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fenchel.certificates.descending import descend
from fenchel.certificates.rerun import losses, targets_of
from fenchel.losses.protocol import family_of
from fenchel.parts.state import Array
from fenchel.rows import Block, ReadBlocks

# So many bytes of rows are held at once.
MOST_HELD = 50_000_000
# Blocks of fewer bytes are joined.
SHORT = 1_000_000
# Up to so many coordinates the normal equations of the square loss are solved directly.
MOST_DIRECT = 2_000
# How many λ of λ/2·‖u‖² + Σ ℓ_t(u): from the larger of Σ‖x_t‖²/d and 100 times the mean ‖x_t‖²,
# about what the bounds charge for a norm, down to 1e−5·Σ‖x_t‖²/d, which is no ridge.
PATH = 6
STEPS = 20


class Problem(NamedTuple):
    """Rows to be minimised over: matrices without the intercept, targets, importance."""

    parts: list[tuple[Any, Array, Array]]
    columns: int
    intercept: bool

    @property
    def dimension(self) -> int:
        """How many coordinates u has."""
        return self.columns + int(self.intercept)

    def first(self, count: int) -> Problem | None:
        """The first so many rows, or None where there are fewer."""
        parts = []
        for X, y, h in self.parts:
            parts.append((X[:count], y[:count], h[:count]))
            count -= len(y)
            if count <= 0:
                return self._replace(parts=parts)
        return None

    def squares(self) -> Array:
        """Σ h·x_j² of each coordinate."""
        total = np.zeros(self.dimension)
        start = int(self.intercept)
        for X, _, h in self.parts:
            total[:start] += h.sum()
            total[start : start + X.shape[1]] += _squared(X).T @ h
        return total

    def objective(self, loss: Any, u: Array) -> tuple[float, Array]:
        """Σ h·ℓ_t(u) and its gradient."""
        total, slope, start = 0.0, np.zeros(self.dimension), int(self.intercept)
        for X, y, h in self.parts:
            lead = u[0] if self.intercept else 0.0
            values, slopes = losses(loss, X @ u[start : start + X.shape[1]] + lead, y)
            pull = h * slopes
            total += float(np.sum(h * values))
            slope[:start] += pull.sum()
            slope[start : start + X.shape[1]] += X.T @ pull
        return total, slope

    def least(
        self, loss: Any, ridge: float | Array, start: Array, sizes: Array, steps: int
    ) -> Array:
        """A minimiser of Σ h·ℓ_t(u) + λ/2·‖u‖², near enough, from ``start``; ``sizes`` are squares().

        λ > 0 may be one number, or one for each coordinate.
        """
        if family_of(loss) == "squared" and self.dimension <= MOST_DIRECT:
            A, b = self._moments()
            return np.asarray(np.linalg.solve(A + ridge * np.eye(len(b)), b), dtype=np.float64)
        # In units of each coordinate's size L-BFGS needs few steps, whatever the features' units.
        unit = 1.0 / np.sqrt(sizes + ridge)

        def objective(v: Array) -> tuple[float, Array]:
            u = unit * v
            total, slope = self.objective(loss, u)
            return total + 0.5 * float(np.sum(ridge * u * u)), unit * (slope + ridge * u)

        return np.asarray(unit * descend(objective, start / unit, steps))

    def _moments(self) -> tuple[Array, Array]:
        """Σ h·x·xᵀ and Σ h·y·x."""
        d, start = self.dimension, int(self.intercept)
        A, b = np.zeros((d, d)), np.zeros(d)
        for X, y, h in self.parts:
            end = start + X.shape[1]
            weighed = X * h[:, None] if isinstance(X, np.ndarray) else X.multiply(h[:, None])
            weighed = weighed if isinstance(weighed, np.ndarray) else weighed.tocsr()
            product = X.T @ weighed
            A[start:end, start:end] += (
                product if isinstance(product, np.ndarray) else product.toarray()
            )
            b[start:end] += weighed.T @ y
            if start:
                A[0, 0] += h.sum()
                A[0, 1:end] += np.asarray(weighed.sum(axis=0)).ravel()
                b[0] += float(h @ y)
        if start:
            A[1:, 0] = A[0, 1:]
        return A, b


def _squared(X: Any) -> Any:
    if isinstance(X, np.ndarray):
        return X * X
    return sp.csr_array((X.data * X.data, X.indices, X.indptr), shape=X.shape)


def problem_of(blocks: Iterable[Block], columns: int, intercept: bool) -> Problem:
    """Blocks as rows to be minimised over, short ones joined."""
    parts: list[tuple[Any, Array, Array]] = []
    waiting: list[Block] = []
    for block in blocks:
        waiting.append(block)
        if sum(b.nbytes for b in waiting) >= SHORT:
            parts.append(_joined(waiting, columns))
            waiting = []
    return Problem([*parts, _joined(waiting, columns)] if waiting else parts, columns, intercept)


def _joined(blocks: list[Block], columns: int) -> tuple[Any, Array, Array]:
    if len(blocks) == 1:
        return blocks[0].rows.to_matrix(), targets_of(blocks[0]), blocks[0].weights
    stack = np.vstack if blocks[0].rows.is_dense else _stacked
    X = stack([block.rows.with_intercept(columns, False) for block in blocks])
    targets, weights = ([targets_of(b) for b in blocks], [b.weights for b in blocks])
    return X, np.concatenate(targets), np.concatenate(weights)


def _stacked(matrices: list[Any]) -> Any:
    return sp.vstack(matrices, format="csr")


class Hindsight:
    """A stream that can be read again, and the best u over it, found once for each loss.

    ``read`` opens the stream anew each time it is called.
    """

    def __init__(self, read: ReadBlocks, columns: int) -> None:
        self.columns = columns
        self._read = read
        self._sample: tuple[list[Block], float] | None = None
        self._found: dict[tuple[str, bool], dict[str, Array]] = {}
        self._derived: dict[Any, Hindsight] = {}

    def best(self, loss: Any, intercept: bool, path: int = PATH) -> dict[str, Array]:
        """Find candidates u by name: 0, and minimisers of Σ h·ℓ_t(u) + λ/2·‖u‖² for several λ.

        The bounds hold for every u and weigh its loss against its norm, so that the tightest needs
        several norms. Squares: the normal equations; other losses, and more than 2,000
        coordinates: L-BFGS, each λ from the last one's minimiser.
        """
        key = repr(loss), intercept
        if key not in self._found:
            self._found[key] = self._candidates(loss, intercept, path)
        return self._found[key]

    def seen_as(self, key: Any, change: Callable[[ReadBlocks], ReadBlocks]) -> Hindsight:
        """Return the same rows changed (other targets, other units), remembered by a key."""
        if key not in self._derived:
            self._derived[key] = Hindsight(change(self._read), self.columns)
        return self._derived[key]

    def _candidates(self, loss: Any, intercept: bool, path: int) -> dict[str, Array]:
        blocks, share = self._gathered()
        rows = problem_of(blocks, self.columns, intercept)
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
            u = rows.least(loss, ridge, u, sizes, STEPS)
            found[f"{where}, λ = {ridge / share:.3g}"] = u
        return found

    def _gathered(self) -> tuple[list[Block], float]:
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
