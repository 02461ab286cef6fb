"""One row into a learner: the prediction before the label, then the step; and what it cost."""

from __future__ import annotations

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
    margin = learner.decision_many([x])[0] if type(x) is list else learner.decision_one(x)
    prediction = decoded(learner, margin)
    learner.learn_one(x, float(y) if learner.labels is None and type(y) is int else y, weight)
    return Learned(prediction, loss_of(learner, margin, prediction, y))


def predict_row(learner: Learner, x: Any) -> Any:
    """Predict the label or number of one row."""
    margin = learner.decision_many([x])[0] if type(x) is list else learner.decision_one(x)
    return decoded(learner, margin)


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


def extras(learner: Learner, x: Any) -> tuple[dict[str, float] | None, list[float] | None]:
    """Probabilities by label and an interval, each where the learner has it."""
    if type(x) is list:
        return None, None
    if learner.labels is None:
        ends = getattr(learner, "predict_interval_one", None)
        return None, None if ends is None else [float(end) for end in ends(x)]
    try:
        return {text(label): p for label, p in learner.predict_proba_one(x).items()}, None
    except (*REFUSALS, AttributeError, NotImplementedError):
        return None, None


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
