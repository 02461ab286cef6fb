"""What a mixture says of a row, shared out among its experts, and by each of them among its terms.

A number is Σ_k v_k·m_k, so that expert k adds v_k·m_k; in a vote between two classes it adds v_k·sign m_k,
between several v_k to the class that it is for. The logit or the probability of a combination is no such sum:
there an expert is credited with what changes when it joins those before it, on average over the orders that
begin with each expert in turn, forwards and backwards. (Of a sum, that is what it adds; the average over all
orders would be the Shapley value.)

An expert's credit goes to its terms, features, products, curves and waves, in proportion to what they add to
its margin; of several classes, to the lead of that margin over their mean. All of it adds up to what the
mixture says: what no expert brings has a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fenchel.learners.linear_form import LinearForm, terms_form
from fenchel.learners.mixture import Mixture
from fenchel.learners.still import Still, StillBlend, tempered
from fenchel.loops.adahedge import shares_now
from fenchel.parts.state import Array
from fenchel.rows import Rows

HELD = "(held inside the targets seen)"
CORRECTED = "(held, and corrected by the last target)"
VOTED = "(the vote)"
LEAST = 1e-4  # terms that cancel to less of their sizes cannot share a credit

Credits = Callable[[Array, int], tuple[float, Array]]


class Shared(NamedTuple):
    """What shares out the predictions of some rows; ``rest`` names what no expert brings."""

    terms: LinearForm  # of the experts
    margins: Array  # that the experts say: by expert, row and output
    credits: Credits
    rest: str

    def split(self, amounts: Array, row: int, place: int, said: float) -> tuple[Array, float]:
        """What each term adds to ``said``, and the rest.

        ``amounts`` are terms × experts × outputs, the intercept first.
        """
        base, credits = self.credits(self.margins[:, row], place)
        ahead = amounts[:, :, place] - (amounts.mean(axis=2) if amounts.shape[2] > 1 else 0.0)
        total, size = ahead.sum(axis=0), np.abs(ahead).sum(axis=0)
        shares = np.zeros(len(total))
        np.divide(credits, total, out=shares, where=np.abs(total) > LEAST * size)
        added = ahead @ shares
        added[0] += base
        return added, said - float(added.sum())


def shared_out(engine: Mixture, rows: Rows, is_frozen: bool) -> Shared:
    """Take the mixture apart for these rows, as it is used: frozen, or in the next round."""
    still = engine.still() if is_frozen else None
    if isinstance(still, Still):
        form = terms_form(engine.task, still)
        return Shared(form, form.margins(rows), _credits_of_one(still), HELD)
    if isinstance(still, StillBlend):
        form = terms_form(engine.task, still)
        margins = form.margins(rows)
    else:
        still = engine.still_blend()
        form, margins = terms_form(engine.task, still), engine.expert_margins(rows)
    blend = still.blend
    if engine.task == "regression":
        shares = shares_now(blend.hedge)
        rest = HELD if blend.combination is None else CORRECTED
        return Shared(form, margins, lambda own, place: (0.0, shares * own[:, 0]), rest)
    credits = _credits_of_votes(blend) if blend.combination is None else _credits_of_joining(blend)
    return Shared(form, margins, credits, VOTED)


def _credits_of_one(still: Still) -> Credits:
    """One expert: its margin, or what is made of it."""
    if still.task == "regression":
        return lambda own, place: (0.0, own[:, 0])
    if still.task == "binary":
        return lambda own, place: (0.0, tempered(still.sharpness * own[:, 0], still.surest))

    def chance(own: Array, place: int) -> tuple[float, Array]:
        heights = tempered(still.sharpness * (own[0] - own[0].max()), still.surest)
        chances: Any = np.exp(np.maximum(heights, -700.0))
        base = 1.0 / len(chances)
        return base, np.array([chances[place] / chances.sum() - base])

    return chance


def _credits_of_votes(blend: Any) -> Credits:
    shares = shares_now(blend.hedge)

    def votes(own: Array, place: int) -> tuple[float, Array]:
        if own.shape[1] == 1:
            return 0.0, np.where(own[:, 0] > 0.0, shares, -shares)
        return 0.0, shares * (own.argmax(axis=1) == place)

    return votes


def _credits_of_joining(blend: Any) -> Credits:
    """The combination's logit or probability, as experts join one after the other."""
    active = np.array(blend.active)
    orders = _orders(len(active))
    # Who has joined: orders × steps × experts, nobody at the first step.
    joined = np.zeros((len(orders), len(active) + 1, len(blend.hedge.active)))
    for at, order in enumerate(orders):
        for step, k in enumerate(order):
            joined[at, step + 1 :, active[k]] = 1.0

    def joining(own: Array, place: int) -> tuple[float, Array]:
        states = joined.reshape(-1, joined.shape[2]).T[:, :, None] * own[:, None, :]
        found = blend.read_chances(np.ascontiguousarray(states))
        said = (found if found.ndim == 1 else found[:, place]).reshape(joined.shape[:2])
        credits = np.zeros(len(own))
        for order, steps in zip(orders, np.diff(said, axis=1), strict=True):
            credits[active[order]] += steps / len(orders)
        return float(said[0, 0]), credits

    return joining


def _orders(count: int) -> Any:
    """The orders that begin with each of some, forwards and backwards: each has each place equally often.

    >>> _orders(2).tolist()
    [[0, 1], [1, 0], [1, 0], [0, 1]]
    """
    forwards = (np.arange(count) + np.arange(count)[:, None]) % count
    return np.concatenate([forwards, forwards[:, ::-1]])
