"""L-BFGS in NumPy (Liu & Nocedal, 1989): a few readings of the rows come near a minimum."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from fenchel.parts.state import Array

PAIRS = 8
HALVINGS = 12
# A step that gains a smaller share than this is the last.
ENOUGH = 1e-7

Objective = Callable[[Array], tuple[float, Array]]


def descend(objective: Objective, start: Array, steps: int) -> Array:
    """A point with a smaller value than ``start``, after at most so many steps.

    >>> import numpy as np
    >>> target, scale = np.array([3.0, -1.0]), np.array([1.0, 50.0])
    >>> bowl = lambda v: (0.5 * float(scale @ (v - target) ** 2), scale * (v - target))
    >>> descend(bowl, np.zeros(2), 20).round(4)
    array([ 3., -1.])
    """
    at = start
    value, slope = objective(at)
    pairs: deque[tuple[Array, Array, float]] = deque(maxlen=PAIRS)
    for _ in range(steps):
        direction = _direction(slope, pairs)
        fall = _dot(direction, slope)
        if not fall < 0.0:
            break
        # The first step has no curvature to go by: not longer than 1.
        rate = 1.0 if pairs else min(1.0, _dot(direction, direction) ** -0.5)
        for _ in range(HALVINGS):
            there = at + rate * direction
            new_value, new_slope = objective(there)
            if new_value <= value + 1e-4 * rate * fall:
                break
            rate *= 0.5
        else:
            break
        moved, turned = there - at, new_slope - slope
        bend = _dot(moved, turned)
        if bend > 1e-12 * _dot(turned, turned):
            pairs.append((moved, turned, bend))
        gain = value - new_value
        at, value, slope = there, new_value, new_slope
        if gain <= ENOUGH * abs(value):
            break
    return at


def _dot(a: Array, b: Array) -> float:
    """⟨a, b⟩ without BLAS, whose threads cost more than they save at this size."""
    return float(np.sum(a * b))


def _direction(slope: Array, pairs: deque[tuple[Array, Array, float]]) -> Array:
    """−H·slope by the two loops over the kept pairs."""
    direction = -slope
    shares = []
    for moved, turned, bend in reversed(pairs):
        share = _dot(moved, direction) / bend
        shares.append(share)
        direction = direction - share * turned
    if pairs:
        _, turned, bend = pairs[-1]
        direction = direction * (bend / _dot(turned, turned))
    for (moved, turned, bend), share in zip(pairs, reversed(shares), strict=True):
        direction = direction + (share - _dot(turned, direction) / bend) * moved
    return direction
