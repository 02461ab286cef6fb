"""Importance-invariant updates: an example of weight w is one that came w times."""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel.losses.protocol import flow
from fenchel.parts.state import Array, part
from fenchel.rows.sums import squared_norm
from fenchel.rows.types import saturated
from fenchel.rules.protocol import coefficient, finite_step


@part
class Invariant(NamedTuple):
    """Gradient descent in infinitely many small steps: dw/ds = −ℓ′(⟨w, x⟩, y)·x until s = η·h, f = ½‖·‖₂².

    Only the margin moves, by dp/ds = −‖x‖²·ℓ′(p, y), which has a closed form for every loss here
    (``flow``; Karampatziakis & Langford, 2011). So importance h = a + b is the same as a and then b,
    weight 3 the same as three times weight 1, up to rounding; and no step overshoots, however large.
    """

    eta: float = 1.0

    @property
    def towards_label(self) -> bool:
        """Under the hinge loss z_t = η_t·y_t·x_t or 0."""
        return True

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        square = float(x @ x)
        if square == 0.0 or h == 0.0:
            return 0.0
        return (float(flow(loss, m, y, self.eta * h * square)) - m) / square


@coefficient.of(Invariant)
def _invariant(rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float) -> float:
    """(p − m)/‖x‖² with p the margin where the flow leads."""
    square = squared_norm(row)
    if square == 0.0 or row.importance == 0.0:
        return 0.0
    reach = saturated(rule.eta * row.importance * square)
    return finite_step((flow(loss, margin, y, reach) - margin) / square)
