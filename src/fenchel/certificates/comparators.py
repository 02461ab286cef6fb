"""The sums of a run against several u, by one more reading of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fenchel.certificates.record import Sums
from fenchel.certificates.rerun import losses, targets_of, traced
from fenchel.parts.state import Array
from fenchel.rows import Block
from fenchel.rules.protocol import fact


def comparator(u: ArrayLike, columns: int, intercept: bool) -> Array:
    """Give u a number for each coordinate: the columns', preceded by the intercept's."""
    point = np.asarray(u, dtype=np.float64)
    full = columns + int(intercept)
    if point.shape == (columns,) and intercept:
        point = np.concatenate([[0.0], point])
    if point.shape != (full,) or not np.isfinite(point).all():
        raise ValueError(
            f"u has shape {point.shape}: give {full} finite numbers"
            + (", the intercept's first" if intercept else "")
        )
    return point


# A run that diverged has sums that are not finite, and certificates that do not apply.
@np.errstate(over="ignore", invalid="ignore")
def compare(
    sums: Sums,
    parts: Sequence[Any],
    blocks: Iterable[Block],
    columns: int,
    intercept: bool,
    candidates: Sequence[Array],
    watches: Sequence[Any] = (),
) -> list[Sums]:
    """The sums of a run with those of each candidate u, by one reading of the blocks.

    The run is repeated on the way: blocks that are not those it learned from are refused. ``watches``
    are the counters that theorems ask for.
    """
    compared = [replace(sums) for _ in candidates]
    U = np.column_stack(candidates)
    count = pairs = after = 0.0
    first = columns
    drops = getattr(parts[1], "drops", lambda intercept: None)(intercept)
    counters = [watch(columns, intercept) for watch in watches]
    for number, (block, margins, c) in enumerate(traced(parts, blocks, columns, intercept)):
        if number == 0:
            first = block.rows.width
        count += len(c)
        pairs += float(c @ margins)
        if drops is not None:
            drops.add(block.weights, block.rows.squares(), margins, c)
        for counter in counters:
            counter.add(block)
        if fact(parts[2], "family") == "implicit":
            after += _loss_after(parts[0], block, margins, c, intercept)
        predicted = block.rows.margins(U, intercept)
        for k, with_u in enumerate(compared):
            _add(with_u, parts[0], block, margins, c, predicted[:, k])
    if count != sums.rounds or not np.isclose(pairs, sums.pairs, rtol=1e-6, atol=1e-9):
        raise ValueError(
            f"the stream is not the one that was learned: {count:g} rows with Σ⟨z, w⟩ = {pairs:.9g} "
            f"against {sums.rounds:g} rows with {sums.pairs:.9g}; give the same rows in their order"
        )
    dropped = sums.drops if drops is None else drops.total()
    for with_u in compared:
        with_u.grown = float(columns - first)
        with_u.drops = dropped
        with_u.loss_after = after
        for counter in counters:
            counter.finish(with_u)
    return compared


def _loss_after(loss: Any, block: Block, margins: Array, c: Array, intercept: bool) -> float:
    """Σ h·ℓ_t(w_t + z_t), ⟨w_t + z_t, x_t⟩ = m_t + c_t·‖x_t‖²."""
    after = margins + c * (block.rows.squares() + float(intercept))
    return float(block.weights @ losses(loss, after, targets_of(block))[0])


def _add(s: Sums, loss: Any, block: Block, margins: Array, c: Array, predicted: Array) -> None:
    """Add one block to the sums of one u."""
    h = block.weights
    values, _ = losses(loss, predicted, targets_of(block))
    s.loss_u += float(h @ values)
    s.eta_loss_u += float(np.abs(c) @ values)
    s.pairs_u += float(c @ predicted)
    s.squares_u += float(h @ predicted**2)
    s.update_squares_u += float(predicted[c != 0.0] @ predicted[c != 0.0])
    s.apart_u += float(h @ (margins - predicted) ** 2)
    s.step_squares_u += float(np.sum((c * (margins - predicted)) ** 2))
    s.reach = max(s.reach, float(np.abs(margins).max(initial=0.0)))
    s.reach_u = max(s.reach_u, float(np.abs(predicted).max(initial=0.0)))
