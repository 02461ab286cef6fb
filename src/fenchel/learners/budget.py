"""How long experts take for a row, by a model of their cost: who is beyond a budget is left out.

A clock would make models that no second run makes again. The model counts instead: an entry of a row costs
every expert the same, a full matrix its entries as well, and blending a row some time whatever its length.
"""

from __future__ import annotations

from collections.abc import Sequence

from fenchel.learners.engine import Engine
from fenchel.learners.views import PAIRS, SHORT, Role, Views, together
from fenchel.loops.feature_pairs import most_entries

# Nanoseconds of one core: of blending a row, of a plain expert's and of another's row, of an entry, of an
# entry of a matrix. Fitted to dense rows of 5, 20 and 50 columns: 8.5, 22 and 28 µs, of plain experts alone
# 1.4, 1.8 and 2.7. With a budget of 2 these rows take 2.0, 2.1 and 2.1 times as long as by plain experts.
BLENDING, PLAIN, OTHER, ENTRY, SQUARE = 1000.0, 60.0, 600.0, 3.0, 0.08


def cost_of(engine: Engine, role: Role, columns: int) -> float:
    """The nanoseconds of a dense row of so many columns; what is not a feature has to be formed as well.

    Pairs are of rows as long as they may be on average; an expert that still waits for columns takes nothing.
    """
    if columns <= role.beyond:
        return 0.0
    width = most_entries(SHORT) if role.sees == PAIRS else Views.width(role.sees, columns)
    entries = ENTRY * width * (2.0 if role.sees_more else 1.0)
    matrix = SQUARE * width * width if engine.has_matrix else 0.0
    return (PLAIN if role.columns is None else OTHER) + entries + matrix


def within_budget(engines: Sequence[Engine], roles: Sequence[Role], budget: float) -> list[Role]:
    """Lower the limits of columns so that no row costs more than ``budget`` times what plain experts take.

    Plain experts have no limit. Of the others the cheapest stay, each up to the number of columns where it is
    beyond the budget for the first time.
    """
    limits = {k: 0 for k, role in enumerate(roles) if role.columns is not None}
    left = set(limits)
    for columns in range(1, 1 + max((role.columns or 0 for role in roles), default=0)):
        left &= _affordable(engines, roles, budget, columns)
        kinds = together({roles[k].sees for k in left})
        left = {k for k in left if roles[k].sees in kinds}
        for k in left:
            limits[k] = columns
    return [role._replace(columns=limits.get(k)) for k, role in enumerate(roles)]


def _affordable(
    engines: Sequence[Engine], roles: Sequence[Role], budget: float, columns: int
) -> set[int]:
    """The experts with a limit that a stream of so many columns can afford, the cheapest first."""
    cost = [cost_of(e, role, columns) for e, role in zip(engines, roles, strict=True)]
    total = BLENDING + sum(cost[k] for k, role in enumerate(roles) if role.columns is None)
    most, found = budget * total, set()
    for k in sorted(range(len(roles)), key=lambda k: cost[k]):
        within = roles[k].columns is not None and columns <= (roles[k].columns or 0)
        if within and total + cost[k] <= most:
            total += cost[k]
            found.add(k)
    return found
