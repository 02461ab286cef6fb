"""Implicit updates: the slope of the loss at the weights after the step, not before it."""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel.losses.protocol import proximal
from fenchel.parts.state import Array, part
from fenchel.rows.sums import squared_norm
from fenchel.rows.types import saturated
from fenchel.rules.protocol import coefficient, finite_step


@part
class Implicit(NamedTuple):
    """z_t = −η·ℓ′_t(w_{t+1}), w_{t+1} = w_t + z_t: argmin ℓ_t(w) + ‖w − w_t‖²/(2η) for f = ½‖·‖₂².

    However large η is, a step never overshoots: under the squared loss it is normalised LMS with
    η/(1 + η‖x‖²), under the hinge loss PA-I with C = η. Importance multiplies the loss.
    """

    eta: float = 1.0

    @property
    def family(self) -> str:
        """Its name in theorems."""
        return "implicit"

    @property
    def towards_label(self) -> bool:
        """Under the hinge loss z_t = η_t·y_t·x_t or 0."""
        return True

    def step(self, loss: Any, f: Any, x: Array, h: float, m: float, y: float) -> float:
        """c of z_t = c·x_t, in NumPy."""
        square = float(x @ x)
        if square == 0.0 or h == 0.0:
            return 0.0
        return (float(proximal(loss, m, y, self.eta * h * square)) - m) / square


@coefficient.of(Implicit)
def _implicit(rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float) -> float:
    """(p − m)/‖x‖² with p the margin after the step."""
    square = squared_norm(row)
    if square == 0.0 or row.importance == 0.0:
        return 0.0
    reach = saturated(rule.eta * row.importance * square)
    return finite_step((proximal(loss, margin, y, reach) - margin) / square)
