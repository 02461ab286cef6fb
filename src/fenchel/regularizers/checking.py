"""A numerical examination of a regularizer: does it keep what it promises?"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import knows
from fenchel.parts import state
from fenchel.parts.state import Width
from fenchel.regularizers.checking_claims import CLAIMS, moments
from fenchel.regularizers.checking_verbs import check_lazy, check_verbs_alone
from fenchel.regularizers.protocol import weight


def check_regularizer(part: Any, *, width: Width = 6, seed: int = 0) -> None:
    """Examine a regularizer on random points and rows; raise a ``ValueError`` for the first flaw.

    ``part`` is what ``MirrorDescent`` takes (any object with ``gradient(theta)``), what the compiled
    loops take (a NamedTuple with the verb ``weight``), or both. A property is examined where the
    methods it needs exist, and passed over where they do not:

    * ``conjugate``: its finite differences are ``gradient``;
    * ``conjugate`` and ``value``: f(w) + f*(θ) = ⟨w, θ⟩ at w = ∇f*(θ), and ≥ at every other point;
    * ``strong_convexity``, ``norm`` and ``value``: f(v) ≥ f(u) + ⟨θ, v − u⟩ + β/2·‖v − u‖² wherever
      u = ∇f*(θ);
    * ``norm`` and ``dual_norm``: ⟨u, z⟩ ≤ ‖u‖·‖z‖_*, with equality for the best u;
    * ``value`` and one of ``observe``, ``commit``: f_{t−1} ≤ f_t, unless the part declares
      ``nondecreasing = False``;
    * the verbs: looking changes nothing, and the weights are those of ``gradient`` (lazy = dense).
      Without ``gradient``, and where f does not change over time, they must still be the gradient
      of some convex function of θ.

    Points are sampled from the image of ``gradient``, which lies in the domain of f by itself.

    Parameters
    ----------
    part
        The regularizer, or f_0 where it changes over time.
    width
        The number of coordinates (a part with an array of its own brings it along), or (rows,
        columns) for regularizers of matrices.
    seed
        Of the random points.

    Examples
    --------
    >>> from fenchel.regularizers import PNorm, check_regularizer
    >>> check_regularizer(PNorm(p=3.0))
    >>> class Doubled:
    ...     def conjugate(self, theta):
    ...         return 0.5 * theta @ theta
    ...     def gradient(self, theta):
    ...         return 2.0 * theta
    >>> check_regularizer(Doubled(), width=1)
    Traceback (most recent call last):
    ValueError: Doubled: gradient is not that of conjugate in round 1 at theta = [...], coordinate 0:
    gradient gives ..., finite differences of conjugate ...
    """
    rng = np.random.default_rng(seed)
    name = type(part).__name__
    dense, lazy = hasattr(part, "gradient"), knows(weight, type(part))
    if not dense and not lazy:
        raise ValueError(
            f"{name} is no regularizer: it has neither a method gradient(theta), the gradient of "
            "its conjugate, nor the verb weight; write one of them"
        )
    width = _own_width(part, width)
    f = state.start(part, width) if state.is_part(part) else part
    if dense:
        for moment in moments(name, f, width, rng):
            for check in CLAIMS:
                check(moment, rng)
    if lazy and isinstance(width, int):
        (check_lazy if dense else check_verbs_alone)(name, f, width, rng)


def _own_width(part: Any, width: Width) -> Width:
    """The length of an array among the part's parameters, where there is one."""
    for value in part if state.is_part(part) else ():
        if state.is_part(value):
            width = _own_width(value, width)
        elif isinstance(value, np.ndarray) and value.ndim == 1 and len(value) > 1:
            width = len(value)
    return width
