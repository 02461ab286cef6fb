"""Single predictions explained: what each feature adds to the margin, and what changed between two models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fenchel.learners.linear_form import LinearForm, single_form
from fenchel.parts.state import Array
from fenchel.rows import Rows

INTERCEPT = "(intercept)"


class Attribution(NamedTuple):
    """One prediction: its contributions w_j·x_j add up to ``margin``, the intercept's among them.

    ``output`` is the class whose margin is explained: of two the one that stands for +1, of several the
    predicted one; None for numbers. ``decision`` is the margin that the model itself decides by: another
    one where the row counts in f_t, where several experts vote, and where a number is held inside the
    targets seen. ``is_exact`` tells whether both are one.
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
    form = single_form(learner)
    name = name or _namer(learner)
    decisions = np.asarray(learner.read_rows(rows, "margins"))
    predictions = learner.decode_many(decisions)
    csr = rows.csr()
    for t in range(len(rows)):
        part = slice(csr.indptr[t], csr.indptr[t + 1])
        told = predictions[t]
        output, place = _output(learner, form, told)
        yield _explained(
            form, csr.indices[part], csr.values[part], name, told, output, place, decisions[t]
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


def _explained(
    form: LinearForm,
    columns: Any,
    values: Any,
    name: Callable[[int], str],
    told: Any,
    output: Any,
    place: int,
    decision: Any,
) -> Attribution:
    weights = form.weights[:, 0, place]
    known = columns.astype(np.int64) < len(weights) - 1
    added = weights[1 + columns[known].astype(np.int64)] * values[known]
    found = {INTERCEPT: float(weights[0])} if weights[0] else {}
    for column, amount in zip(columns[known].tolist(), added.tolist(), strict=True):
        key = name(column)
        found[key] = found.get(key, 0.0) + amount
    margin = float(weights[0] + added.sum())
    for several in (_of_pairs, _of_curves):
        for key, amount in several(form, columns, values, name, place):
            found[key] = amount
            margin += amount
    own = float(np.atleast_1d(decision)[place if np.ndim(decision) else 0])
    same = abs(own - margin) <= 1e-9 * max(abs(own), abs(margin), 1e-6)
    return Attribution(told, output, margin, found, own, same)


def _of_pairs(
    form: LinearForm, columns: Any, values: Any, name: Callable[[int], str], place: int
) -> Iterator[tuple[str, float]]:
    """The contributions of pairs of columns, each as far as both are from their mean, the largest first."""
    if form.pairs is None:
        return
    first, second, weights, centre = form.pairs
    away = -centre
    known = columns.astype(np.int64) < len(centre)
    away[columns[known].astype(np.int64)] += values[known]
    amounts = weights[:, 0, place] * away[first] * away[second]
    for at in np.argsort(-np.abs(amounts), kind="stable"):
        if amounts[at]:
            yield f"{name(int(first[at]))}×{name(int(second[at]))}", float(amounts[at])


def _of_curves(
    form: LinearForm, columns: Any, values: Any, name: Callable[[int], str], place: int
) -> Iterator[tuple[str, float]]:
    """What the curves of single columns add, from their first knot on, the most first."""
    if form.ramps is None:
        return
    bent = form.ramps.column
    x = np.zeros((1, int(bent.max()) + 1))
    known = columns.astype(np.int64) < x.shape[1]
    x[0, columns[known].astype(np.int64)] = values[known]
    amounts = np.bincount(bent, form.ramps.of(x)[0] * form.ramps.weights[:, 0, place])
    for at in np.argsort(-np.abs(amounts), kind="stable"):
        if amounts[at]:
            yield f"{name(int(at))} (curve)", float(amounts[at])


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
