"""Rows to be minimised over: Σ h_t·ℓ_t(u) and its gradient, by few passes over matrices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from fenchel.certificates.rerun import losses, targets_of
from fenchel.parts.state import Array
from fenchel.rows import Block

# Blocks of fewer bytes are joined.
SHORT = 1_000_000


class Evaluation(NamedTuple):
    """The result of one pass over the rows with a u.

    With s = ℓ′ at p, the point to which the envelope of width c leads, e(m) = ℓ(p) + ½·c·s²:
    """

    value: float  # Σ h·ℓ_t(u)
    lower: float  # Σ h·(ℓ_t(p) − s·p) − ½‖Σ h·s·x‖²_{Λ⁻¹}, at most min Σ h·ℓ_t + ½‖·‖²_Λ
    smooth: float  # Σ h·e_t(u)
    blunt: float  # ½·c·Σ h·s²: e is nowhere lower than ℓ by more, and its own least at least lower − blunt
    slope: Array  # Σ h·s·x


class Problem(NamedTuple):
    """Rows to be minimised over: matrices without the intercept, targets, importance."""

    parts: list[tuple[Any, Array, Array]]
    columns: int
    intercept: bool

    @property
    def dimension(self) -> int:
        """The number of coordinates of u."""
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

    @property
    def entries(self) -> int:
        """The count of numbers that one pass reads."""
        return sum(X.size if isinstance(X, np.ndarray) else X.nnz for X, _, _ in self.parts)

    def margins(self, u: Array) -> list[Array]:
        """⟨u, x_t⟩, part by part."""
        start = int(self.intercept)
        lead = u[0] if self.intercept else 0.0
        return [X @ u[start : start + X.shape[1]] + lead for X, _, _ in self.parts]

    def pulled(self, pulls: list[Array]) -> Array:
        """Σ c_t·x_t, one c a row."""
        total, start = np.zeros(self.dimension), int(self.intercept)
        for (X, _, _), pull in zip(self.parts, pulls, strict=True):
            total[:start] += pull.sum()
            total[start : start + X.shape[1]] += X.T @ pull
        return total

    def evaluate(self, loss: Any, u: Array, ridge: Array, step: float = 0.0) -> Evaluation:
        """Σ h·ℓ_t(u), the same with the loss made smooth to a width, and lower bounds of the least."""
        value = smooth = dual = blunt = 0.0
        pulls = []
        for (_, y, h), m in zip(self.parts, self.margins(u), strict=True):
            values, slopes = losses(loss, m, y)
            here, p = float(np.sum(h * values)), m
            value += here
            if step > 0.0:
                p = loss.prox(m, y, step)
                values, slopes = losses(loss, p, y)[0], (m - p) / step
                lost = 0.5 * step * float(np.sum(h * slopes * slopes))
                here, blunt = float(np.sum(h * values)) + lost, blunt + lost
            smooth += here
            dual += float(np.sum(h * (values - slopes * p)))
            pulls.append(h * slopes)
        pull = self.pulled(pulls)
        lower = dual - 0.5 * float(np.sum(pull * pull / ridge))
        return Evaluation(value, lower, smooth, blunt, pull)

    def scale(self, loss: Any) -> float:
        """The size of a margin's distance from its label, of which smoothing takes a share."""
        if loss.task != "regression":
            return 1.0
        weight = sum(float(h.sum()) for _, _, h in self.parts)
        mean = sum(float(h @ y) for _, y, h in self.parts) / max(weight, 1e-300)
        spread = sum(float(h @ np.abs(y - mean)) for _, y, h in self.parts)
        return spread / max(weight, 1e-300) or 1.0

    def moments(self) -> tuple[Array, Array]:
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
    from scipy.sparse import csr_array  # deferred: it takes a while to load

    return csr_array((X.data * X.data, X.indices, X.indptr), shape=X.shape)


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
    from scipy.sparse import vstack  # deferred, as above

    return vstack(matrices, format="csr")
