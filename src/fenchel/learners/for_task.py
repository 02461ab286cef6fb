"""A learner by its text, made for the task at hand: losses of classes and of numbers differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fenchel.learners import specification
from fenchel.learners.catalogue import CATALOGUE, NESTED, from_parameters, parameters_of
from fenchel.learners.learner import Learner
from fenchel.learners.registry import from_specification

# A regression loss for learners that take any: squared, or one with a Lipschitz constant.
REGRESSION_LOSS = {
    "passive_aggressive": "epsilon_insensitive",
    "scale_invariant_p_norm": "absolute",
    "scale_invariant_adagrad": "absolute",
    "coin_betting": "absolute",
    "scinol": "absolute",
    "freegrad": "absolute",
}


def for_task(text: str, task: str) -> Learner:
    """Build the learner of a text for binary, multiclass or regression, as far as it can do it.

    >>> for_task("passive_aggressive:C=2", "regression")
    <passive_aggressive:C=2,loss=epsilon_insensitive, 0 rounds, 0 features>
    """
    name = specification.name_of(text)
    if name in NESTED or name not in CATALOGUE:
        return from_specification(text)
    _, given = specification.parse(text)
    made: Learner = from_parameters(name, {**given, **asked(name, given, task)})
    return made


def asked(name: str, given: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Collect the parameters that a task asks of a learner, beside those given.

    >>> asked("auto", {}, "multiclass"), asked("arow", {}, "binary")
    ({'task': 'multiclass'}, {})
    """
    if name == "auto":
        return {} if task == "binary" or "task" in given else {"task": task}
    if task == "regression" and "loss" in parameters_of(name) and "loss" not in given:
        return {"loss": regression_loss(name)}
    return {}


def takes_loss(text: str, task: str, loss: Any) -> bool:
    """Tell whether the learner of a text can do the task with this loss.

    >>> takes_loss("coin_betting", "regression", "absolute")
    True
    >>> takes_loss("coin_betting", "regression", "poisson")  # its slope has no bound
    False
    """
    name = specification.name_of(text)
    if "loss" not in parameters_of(name) or (name == "auto" and task != "regression"):
        return False
    _, given = specification.parse(text)
    try:
        made: Learner = from_parameters(name, {**given, **asked(name, given, task), "loss": loss})
    except ValueError:
        return False
    return made.task == task or (made.task, task) == ("binary", "multiclass")


def regression_loss(name: str) -> str:
    """The loss with which a learner of any loss does regression."""
    return REGRESSION_LOSS.get(name, "squared")


def with_parameters(text: str, changed: Mapping[str, Any]) -> Any:
    """Change parameters of a specification: a text again where texts can say it, else a learner.

    >>> with_parameters("arow:r=1", {"r": 0.5, "diagonal": False})
    'arow:r=0.5,diagonal=no'
    """
    name = specification.name_of(text)
    if name in NESTED or not all(isinstance(v, (bool, int, float, str)) for v in changed.values()):
        return from_specification(text).set_params(**changed)
    _, given = specification.parse(text)
    if name in CATALOGUE:
        specification.check(name, CATALOGUE[name].build, changed)
    return specification.format_specification(name, {**given, **changed})
