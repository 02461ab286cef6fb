"""Which of a mixture's experts to use once nothing is learned any more, measured along the run.

What follows the last labels wins the next round, and may be worthless an hour later. So at rounds
that grow by a quarter the weights of all experts are set aside, as candidates: those of the round
itself, and their mean with those set aside before, older ones halved each time. They are charged
with the rows up to the next such round, as a model frozen there would be. The candidate that lost
least over the last six windows, about three quarters of the stream, is what frozen use reads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel.loops.frozen_losses import (
    LEAD,
    LOSS,
    SQUARE,
    WEIGHT,
    charge_candidates,
    read_candidate,
)
from fenchel.parts.state import Array
from fenchel.rows import Rows

FIRST = 64  # the round of the first candidates
GROWTH = 1.25  # from one such round to the next
WINDOWS = 6
# Numbers kept as candidates: beyond them frozen use reads as the next round would.
MOST = 1 << 25
TASKS = {"regression": 0, "binary": 1, "multiclass": 2}


def next_round(rounds: int) -> int:
    """The first round after so many at which weights are set aside.

    >>> next_round(0), next_round(64), next_round(100)
    (64, 80, 125)
    """
    due = FIRST
    while due <= rounds:
        due = int(np.ceil(due * GROWTH))
    return due


class FrozenUse:
    """Candidates for frozen use, and what each lost in the latest windows."""

    def __init__(self, experts: int, task: str) -> None:
        self.task = task
        self.candidates = 2 * experts
        self.weights: Array | None = None  # slots × candidates × classes
        self.sums = np.zeros((WINDOWS, 4, self.candidates))  # the present window first
        self.bounds = np.array([np.inf, -np.inf])
        self._due = FIRST

    def due(self, rounds: int) -> int:
        """The round at which weights are set aside next."""
        if not self._due / GROWTH / GROWTH < rounds < self._due:
            self._due = next_round(rounds)
        return self._due

    def arrays(self) -> dict[str, Array]:
        """The state by name; nothing before the first candidates."""
        if self.weights is None:
            return {}
        return {"weights": self.weights, "sums": self.sums, "bounds": self.bounds}

    def lay_in(self, arrays: dict[str, Array]) -> None:
        """Take the state of a model file, which may have none."""
        if "weights" not in arrays:
            return
        fresh, weights = FrozenUse(self.candidates // 2, self.task), arrays["weights"]
        for name in ("sums", "bounds"):
            if name not in arrays or arrays[name].shape != getattr(fresh, name).shape:
                raise ValueError(f"no array 'frozen.{name}' of shape {getattr(fresh, name).shape}")
        if weights.ndim != 3 or weights.shape[1] != self.candidates:
            raise ValueError(f"array 'frozen.weights' has shape {weights.shape}")
        self.weights = np.array(weights, np.float64)
        self.sums, self.bounds = np.array(arrays["sums"]), np.array(arrays["bounds"])

    def copy(self) -> FrozenUse:
        """Copy the state, independent from then on."""
        twin = FrozenUse(self.candidates // 2, self.task)
        twin.lay_in(self.arrays())
        return twin

    # ── along the run ───────────────────────────────────────────────────────────────────────────

    def see(self, rows: Rows, y: Array, importance: Array) -> None:
        """Charge the candidates with rows that they have not seen."""
        if self.weights is not None:
            given = rows.view, y, importance, 1.0, TASKS[self.task], self.bounds
            charge_candidates(self.weights, *given, self.sums[0])

    def set_aside(self, present: list[Array | None], bounds: Array) -> None:
        """Begin a window with the weights of this round, and their mean with those before.

        ``present`` has one array an expert, slots × classes; None for one that has retired.
        """
        shapes = [w.shape for w in present if w is not None]
        slots, classes = (max(sizes) for sizes in zip(*shapes, strict=True))
        if slots * classes * self.candidates > MOST:
            self.weights = None
            return
        new = np.zeros((slots, self.candidates, classes))
        for k, w in enumerate(present):
            if w is not None:
                new[:, 2 * k, : w.shape[1]] = new[:, 2 * k + 1, : w.shape[1]] = w
        if self.weights is not None:
            old = self.weights
            mean = new[: old.shape[0], 1::2, : old.shape[2]]
            mean += 0.5 * (old[:, 1::2] - mean)
        self.weights = new
        self.sums[1:] = self.sums[:-1].copy()
        self.sums[0] = 0.0
        self.bounds[:] = bounds

    # ── in use ──────────────────────────────────────────────────────────────────────────────────

    def chosen(self, active: list[int]) -> int | None:
        """The candidate that lost least: 2k for expert k, 2k + 1 for its mean; None before any is known."""
        total = self.sums.sum(axis=0)
        if self.weights is None or not total[WEIGHT].any():
            return None
        allowed = [c for k in active for c in (2 * k, 2 * k + 1)]
        return min(allowed, key=lambda c: total[LOSS, c])

    def losses(self) -> Array:
        """The mean loss of each candidate over the latest windows, as ``AdaHedge`` is charged."""
        total = self.sums.sum(axis=0)
        return np.asarray(total[LOSS] / np.maximum(total[WEIGHT], 1e-300))

    def sharpness(self, candidate: int) -> float:
        """β of the probabilities ∝ exp(β·m): 2·mean/variance of the lead, as between two Gaussians."""
        total = self.sums.sum(axis=0)[:, candidate]
        mean, square = total[LEAD] / total[WEIGHT], total[SQUARE] / total[WEIGHT]
        variance = max(square - mean * mean, 1e-12 * square, 1e-300)
        least = 1e-3 / np.sqrt(max(square, 1e-300))  # a margin keeps its sign, whatever the past
        return float(min(max(2.0 * mean / variance, least), 1e100))

    def weights_now(self, candidate: int, present: Array) -> Array:
        """The weights that frozen use reads, from those of the expert now; slots × classes."""
        assert self.weights is not None
        now = present.copy()
        if candidate % 2:
            kept = self.weights[:, candidate]
            mean = now[: kept.shape[0], : kept.shape[1]]
            mean += 0.5 * (kept - mean)
        return now


class Still(NamedTuple):
    """Frozen weights, as slots × classes: all that frozen use reads."""

    task: str
    weights: Array
    sharpness: float
    bounds: Array

    def read(self, rows: Rows, what: str = "frozen") -> Array:
        """Predict numbers within the targets known, ln p₊/p₋, or the chances of classes."""
        margins = np.empty((len(rows), self.weights.shape[1]))
        weights = np.ascontiguousarray(self.weights)[:, None]
        read_candidate(weights, rows.view, len(rows), 1.0, margins)
        if self.task == "regression":
            return np.clip(margins[:, 0], *self.bounds)
        if self.task == "binary":
            return np.asarray(self.sharpness * margins[:, 0])
        heights = self.sharpness * (margins - margins.max(axis=1, keepdims=True))
        chances: Any = np.exp(np.maximum(heights, -700.0))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def as_columns(weights: Array) -> Array:
    """Weights as slots × classes; one column for two classes and for numbers."""
    return weights[:, None] if weights.ndim == 1 else weights


def reading_of(frozen: FrozenUse, candidate: int, weights: Array) -> dict[str, Any]:
    """The weights and the sharpness of a candidate, from the weights of its expert now."""
    present = frozen.weights_now(candidate, as_columns(weights))
    return {"weights": present, "sharpness": frozen.sharpness(candidate)}
