"""One row into a learner: the prediction before the label, then the step; and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fenchel.learners import Learner

# What a learner says of rows that it cannot take; it then is as it was before.
REFUSALS = (ValueError, TypeError, OverflowError)


class Learned(NamedTuple):
    """The prediction made before the label was seen, and its loss."""

    prediction: Any
    loss: float


def learn_row(learner: Learner, x: Any, y: Any, weight: float = 1.0) -> Learned:
    """Predict, then learn from one row. A label that comes late is learned by this same step."""
    margin = margin_of(learner, x)
    prediction = decoded(learner, margin)
    learner.learn_one(x, float(y) if learner.labels is None and type(y) is int else y, weight)
    return Learned(prediction, loss_of(learner, margin, prediction, y))


def predict_row(learner: Learner, x: Any) -> Any:
    """Predict the label or number of one row."""
    return decoded(learner, margin_of(learner, x))


def margin_of(learner: Learner, x: Any) -> Any:
    """The margin of one row, dict or list."""
    return learner.decision_many([x])[0] if type(x) is list else learner.decision_one(x)


def decoded(learner: Learner, margin: Any) -> Any:
    """Turn a margin into the label or number that it predicts, as JSON can say it."""
    shown, labels = learner.engine.present(margin), learner.labels
    return plain(shown if labels is None else labels.decode(shown))


def plain(value: Any) -> Any:
    """A label or number as JSON has it; a whole number without a fraction of zero."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return value


def loss_of(learner: Learner, margin: Any, prediction: Any, y: Any) -> float:
    """The loss of the task: zero-one, or squared. A margin of 0 knows nothing: a mistake."""
    if learner.labels is not None:
        if learner.task == "binary" and margin == 0.0:
            return 1.0
        return float(prediction != (sorted(y, key=str) if isinstance(y, list) else y))
    with np.errstate(over="ignore"):
        return float(np.mean(np.square(np.subtract(prediction, y))))


def chances(learner: Learner, margins: Sequence[Any]) -> list[dict[str, float]] | None:
    """Probabilities by label, from the margins of rows; None where the learner has none."""
    if not margins or learner.labels is None:
        return None
    try:
        found = learner.probabilities(np.asarray(margins)).tolist()
        keys = [text(label) for label in learner.outcomes()]
    except (*REFUSALS, AttributeError, NotImplementedError):
        return None
    if len(set(keys)) == len(keys):
        return [dict(zip(keys, row, strict=True)) for row in found]
    return [{key: sum(row) for key in keys} for row in found]  # one of two classes is known


def interval_of(learner: Learner, x: Any) -> list[float] | None:
    """The interval of one row; None where the learner has none."""
    if learner.labels is not None or type(x) is list or not hasattr(learner.engine, "covered"):
        return None
    return [float(end) for end in learner.predict_interval_one(x)]


def text(label: Any) -> str:
    """A label as the key of a JSON object.

    >>> text(1.0), text(True), text("spam")
    ('1', 'true', 'spam')
    """
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)
