"""Everything that a rule can be asked: when to step and how far, z_t = c_t·x_t.

A rule answers the verb ``coefficient`` in compiled code and the method ``step`` in NumPy, which give the
same number: the first serves the loops, the second Algorithm 1 in NumPy, by which certificates are
recomputed. It may state these facts:

* ``asks``: the verbs that it needs of the regularizer, beyond those of learning;
* ``family``: the rule by its name in a theorem, "" where none names it;
* ``rate(loss)``: η where z_t = −η·ℓ′_t under this loss, None for every other rule;
* ``towards_label``: z_t = η_t·y_t·x_t with η_t ≥ 0 under the hinge loss;
* ``by_margin``: c_t depends on x_t through its margin, importance and ``spread`` alone, so that rows can be
  learned by blocks (``loops.blocks``).
"""

from __future__ import annotations

from typing import Any

from fenchel._numba import helper, required_verb
from fenchel.rows.types import saturated


@required_verb
def coefficient(rule: Any, loss: Any, f: Any, view: Any, row: Any, margin: float, y: float) -> Any:
    """The number c with z_t = c·x_t; 0 for no update."""


@helper
def finite_step(c: float) -> float:
    """A coefficient held inside the finite floats; an undefined one (∞·0, ∞/∞) is no step."""
    return saturated(c) if c == c else 0.0


FACTS: dict[str, Any] = {"family": "", "towards_label": False, "by_margin": False}


def fact(rule: Any, name: str) -> Any:
    """Return a fact that a rule states, or the default, which promises nothing."""
    return getattr(rule, name, FACTS[name])


def rate_of(rule: Any, loss: Any) -> float | None:
    """η where z_t = −η·ℓ′_t, None where the rule does not state it."""
    told = getattr(rule, "rate", None)
    return None if told is None else told(loss)
