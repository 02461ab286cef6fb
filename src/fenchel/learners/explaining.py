"""Single predictions explained: what each feature adds to the margin, and what changed between two models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fenchel.learners.interval import Interval
from fenchel.learners.linear_form import LinearForm, single_form
from fenchel.learners.mixture import Mixture
from fenchel.learners.sharing_out import shared_out
from fenchel.parts.state import Array
from fenchel.rows import Rows

INTERCEPT = "(intercept)"
NAMED = 3  # columns of waves that are all named
SAME = 1e-9  # of the largest number in a sum: two such sums are one


class Attribution(NamedTuple):
    """One prediction: its contributions add up to ``margin``, the intercept's among them.

    ``output`` is the class whose margin is explained: of two the one that stands for +1, of several the
    predicted one; None for numbers. ``decision`` is the margin that the model itself decides by: another
    one where the row itself counts in f_t, as AROW has it. ``is_exact`` tells whether both are one. Of a
    mixture they always are: what each expert and each feature has of it is in ``sharing_out``.
    """

    prediction: Any
    output: Any
    margin: float
    contributions: dict[str, float]
    decision: float
    is_exact: bool


def explain_rows(
    learner: Any, rows: Rows, name: Callable[[int], str] | None = None
) -> Iterator[Attribution]:
    """Explain the prediction of each row; ``name`` is what to call a column."""
    engine = learner.engine.inner if isinstance(learner.engine, Interval) else learner.engine
    shared = None
    if isinstance(engine, Mixture) and engine.rounds:
        frozen = learner.is_frozen and engine is learner.engine  # intervals are of the next round
        shared = shared_out(engine, rows, frozen)
    form = single_form(learner) if shared is None else shared.terms
    name = name or _namer(learner)
    decisions = np.asarray(learner.read_rows(rows, "margins"))
    predictions = learner.decode_many(decisions)
    csr = rows.csr()
    for t in range(len(rows)):
        part = slice(csr.indptr[t], csr.indptr[t + 1])
        names, amounts = _terms(form, csr.indices[part], csr.values[part], name)
        output, place = _output(learner, form, predictions[t])
        decision = float(np.atleast_1d(decisions[t])[place if decisions.ndim > 1 else 0])
        if shared is None:
            added = amounts[:, 0, place]
        else:
            added, rest = shared.split(amounts, t, place, decision)
            if abs(rest) > SAME * max(abs(decision), float(np.abs(added).max()), 1e-6):
                names, added = [*names, shared.rest], np.append(added, rest)
        margin = float(added.sum())
        same = abs(decision - margin) <= SAME * max(abs(decision), float(np.abs(added).max()), 1e-6)
        yield Attribution(
            predictions[t], output, margin, _by_name(names, added), decision, bool(same)
        )


def explain_one(learner: Any, x: Any) -> Attribution:
    """Explain one prediction, of a raw row or of numbers.

    >>> from fenchel import learners
    >>> learner = learners.perceptron()
    >>> learner.learn_one({"free": 1.0, "money": 2.0}, True)
    >>> explain_one(learner, {"money": 3.0, "new": 1.0}).contributions
    {'(intercept)': 1.0, 'money': 6.0}
    """
    given = [x] if isinstance(x, dict) else np.atleast_2d(np.asarray(x, np.float64))
    return next(explain_rows(learner, learner.rows_to_read(given)))


def _by_name(names: list[str], added: Array) -> dict[str, float]:
    """The contributions by name; an intercept of 0 is left out."""
    found: dict[str, float] = {}
    for key, amount in zip(names, added.tolist(), strict=True):
        if amount or key != INTERCEPT:
            found[key] = found.get(key, 0.0) + amount
    return found


def _terms(
    form: LinearForm, columns: Any, values: Any, name: Callable[[int], str]
) -> tuple[list[str], Array]:
    """The terms of a row's margins by name, the intercept first: terms × experts × outputs."""
    columns = columns.astype(np.int64)
    known = columns < len(form.weights) - 1
    names = [INTERCEPT, *map(name, columns[known].tolist())]
    amounts = [
        form.weights[:1],
        form.weights[1 + columns[known]] * values[known][:, None, None],
    ]
    for several in (_of_pairs, _of_curves, _of_waves):
        more, found = several(form, columns, values, name)
        names += more
        amounts.append(found)
    return names, np.concatenate(amounts)


def _of_pairs(
    form: LinearForm, columns: Any, values: Any, name: Callable[[int], str]
) -> tuple[list[str], Array]:
    """The terms of pairs of columns, each as far as both are from their mean."""
    if form.pairs is None:
        return [], form.weights[:0]
    first, second, weights, centre = form.pairs
    away = -centre
    known = columns < len(centre)
    away[columns[known]] += values[known]
    both = away[first] * away[second]
    used = np.flatnonzero(both)
    names = [f"{name(int(first[at]))}×{name(int(second[at]))}" for at in used]
    return names, weights[used] * both[used, None, None]


def _of_curves(
    form: LinearForm, columns: Any, values: Any, name: Callable[[int], str]
) -> tuple[list[str], Array]:
    """The terms of the curves of single columns, from their first knot on."""
    if form.ramps is None:
        return [], form.weights[:0]
    bent = form.ramps.column
    x = np.zeros((1, int(bent.max()) + 1))
    known = columns < x.shape[1]
    x[0, columns[known]] = values[known]
    risen = form.ramps.of(x)[0][:, None, None] * form.ramps.weights
    own = np.unique(bent)
    amounts = np.zeros((len(own), *risen.shape[1:]))
    np.add.at(amounts, np.searchsorted(own, bent), risen)
    return [f"{name(j)} (curve)" for j in own.tolist()], amounts


def _of_waves(
    form: LinearForm, columns: Any, values: Any, name: Callable[[int], str]
) -> tuple[list[str], Array]:
    """The term of all waves, named by the first and the last column that they are over."""
    if form.waves is None:
        return [], form.weights[:0]
    x = np.zeros((1, len(form.waves.unit)))
    known = columns < x.shape[1]
    x[0, columns[known]] = values[known]
    amount = np.einsum("p,pkc->kc", form.waves.of(x)[0], form.waves.weights)
    over = [*map(name, range(x.shape[1]))]
    told = over if len(over) <= NAMED else [over[0], "…", over[-1]]
    return [f"{','.join(told)} (waves)"], amount[None]


def _output(learner: Any, form: LinearForm, told: Any) -> tuple[Any, int]:
    """The class whose margin is explained, and its place among the outputs."""
    if form.weights.shape[2] == 1 or learner.task not in ("binary", "multiclass"):
        return (learner.outcomes()[1] if learner.task == "binary" else None), 0
    return told, [str(label) for label in learner.classes].index(str(told))


def _namer(learner: Any) -> Callable[[int], str]:
    base = 1 if learner.schema.index_base is None else learner.schema.index_base
    return learner.names.name if learner.names is not None else lambda column: str(column + base)


class WeightChange(NamedTuple):
    """One weight in two models; 0 where a model does not know the feature."""

    feature: str
    output: Any
    before: float
    after: float


def changes(first: Any, second: Any) -> list[WeightChange]:
    """Compare the weights of two models by name, the largest change first.

    >>> from fenchel import learners
    >>> one = learners.perceptron(intercept=False)
    >>> one.learn_one({"free": 1.0}, True)
    >>> other = one.copy()
    >>> other.learn_one({"money": 2.0}, True)
    >>> changes(one, other)
    [WeightChange(feature='money', output=None, before=0.0, after=2.0)]
    """
    if first.task != second.task:
        raise ValueError(f"the tasks differ, {first.task} and {second.task}: compare models of one")
    both = [_weights_by_name(first), _weights_by_name(second)]
    keys = dict.fromkeys([*both[0], *both[1]])
    found = [WeightChange(*key, both[0].get(key, 0.0), both[1].get(key, 0.0)) for key in keys]
    moved = [change for change in found if change.before != change.after]
    return sorted(moved, key=lambda change: -abs(change.after - change.before))


def _weights_by_name(learner: Any) -> dict[tuple[str, Any], float]:
    weights: Array = single_form(learner).weights[:, 0]
    name = _namer(learner)
    outputs = [None] if weights.shape[1] == 1 else [str(label) for label in learner.classes]
    found = {}
    for slot, row in enumerate(weights.tolist()):
        key = name(slot - 1) if slot else INTERCEPT
        found.update({(key, output): w for output, w in zip(outputs, row, strict=True) if w})
    return found
