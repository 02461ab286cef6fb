"""Everything that a loss ℓ(margin, y) can be asked.

Two verbs, in compiled code and in Python: ``value`` and ``derivative``. Then facts:

* ``task``: "binary" for labels ±1, "regression" for numbers, "multiclass" for class numbers;
* ``lipschitz``: L with |ℓ′| ≤ L, or None where the derivative is unbounded;
* ``family``: the loss by its name in a theorem ("hinge", "squared"), "" where none names it;
* ``prox(m, y, step)``: argmin over p of ℓ(p, y) + (p − m)²/(2·step), where the loss has kinks;
* ``probability(margins)``: the probability of the positive class, where the loss models one.
"""

from __future__ import annotations

from typing import Any

from fenchel._numba import required_verb


@required_verb
def value(loss: Any, margin: float, y: float) -> Any:
    """ℓ(margin, y)."""


@required_verb
def derivative(loss: Any, margin: float, y: float) -> Any:
    """A derivative of ℓ(·, y) at the margin; at a kink the one the loss's docstring states."""


def family_of(loss: Any) -> str:
    """The loss by its name in a theorem, "" where none names it."""
    return str(getattr(loss, "family", ""))
