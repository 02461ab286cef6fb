"""From what was typed as SPEC to a learner of the task at hand."""

from __future__ import annotations

from typing import Any

import click

from fenchel.learners import (
    CATALOGUE,
    NESTED,
    Learner,
    from_parameters,
    hedge,
    one_against_rest,
    ranking,
)
from fenchel.learners.catalogue import parameters_of, similar_names
from fenchel.learners.registry import certified
from fenchel.learners.specification import name_of, parse, parse_nested

# A regression loss for learners that take any: squared, or one with a Lipschitz constant.
REGRESSION_LOSS = {
    "passive_aggressive": "epsilon_insensitive",
    "scale_invariant_p_norm": "absolute",
    "scale_invariant_adagrad": "absolute",
    "coin_betting": "absolute",
}


def build(
    text: str,
    task: str,
    loss: str | None = None,
    intercept: bool = True,
    certify: bool = False,
) -> Learner:
    """The learner of a specification for a task, or a click error that says what is wrong.

    >>> build("gradient-descent:eta=0.5", "regression")
    <gradient_descent:eta=0.5,loss=squared, 0 rounds, 0 features>
    >>> build("hedge:experts=perceptron+arow:r=0.1", "binary").specification
    'hedge:experts=perceptron+arow:r=0.1'
    """
    try:
        learner = _build(text, task, loss, intercept)
        learner = certified(learner) if certify else learner
    except ValueError as error:
        raise _wrong(f"{text}: {error}") from None
    if learner.task != task:
        remedy = f"choose another learner, or say --task {learner.task}"
        raise _wrong(f"{text} is for {learner.task}, the task is {task}: {remedy}.")
    return learner


def refuse_wrong(text: str, task: str | None, loss: str | None, intercept: bool = True) -> None:
    """Raise what ``build`` would for every task there is: before any data is read."""
    refused: list[click.BadParameter] = []
    for possible in (task,) if task else natural_tasks(text):
        try:
            build(text, possible, loss, intercept)
            return
        except click.BadParameter as error:
            refused.append(error)
    raise refused[0]


def natural_tasks(text: str) -> tuple[str, ...]:
    """The tasks that the named learner is made for; of two classes means of several too."""
    name = _known_name(text)
    tasks = CATALOGUE[name].tasks
    return (*tasks, "multiclass") if "binary" in tasks else tasks


def _build(text: str, task: str, loss: str | None, intercept: bool) -> Learner:
    name = _known_name(text)
    if name in NESTED:
        return _nested(name, text, task, loss, intercept)
    _, parameters = parse(text)
    _refuse_unknown(name, parameters)
    if name == "auto":
        return _auto(parameters, task, loss, intercept)
    two = "binary" if task in ("multiclass", "ranking") else task
    learner = from_parameters(
        name, {**parameters, **_for_task(name, parameters, two, loss, intercept)}
    )
    if task == "ranking":
        return ranking(learner)
    return one_against_rest(learner) if task == "multiclass" else learner


def _for_task(
    name: str, parameters: dict[str, Any], task: str, loss: str | None, intercept: bool
) -> dict[str, Any]:
    """The parameters that the task and the other options ask for."""
    asked: dict[str, Any] = {}
    takes_loss = "loss" in parameters_of(name)
    if loss is not None and not takes_loss:
        raise _wrong(f"{name} has a loss of its own; leave --loss out.", "--loss")
    if takes_loss and loss is not None:
        asked["loss"] = loss
    elif takes_loss and task == "regression" and "loss" not in parameters:
        asked["loss"] = REGRESSION_LOSS.get(name, "squared")
    if not intercept:
        asked["intercept"] = False
    if task == "binary" and CATALOGUE[name].tasks == ("regression",):
        asked["task"] = "binary"
    return asked


def _auto(parameters: dict[str, Any], task: str, loss: str | None, intercept: bool) -> Learner:
    if task == "ranking":
        raise _wrong("auto does not rank: name a learner of two classes, such as arow.")
    if loss is not None or not intercept:
        option = "--loss" if loss is not None else "--no-intercept"
        raise _wrong("is for single learners: name one with --learner.", option)
    given = {**({} if task == "binary" else {"task": task}), **parameters}
    made: Learner = from_parameters("auto", given)
    return made


def _nested(name: str, text: str, task: str, loss: str | None, intercept: bool) -> Learner:
    """``hedge:experts=A+B`` and the like; other parameters come before."""
    parameters, inner = parse_nested(text, NESTED[name])
    _refuse_unknown(name, parameters)
    if name == "hedge":
        return hedge([_build(part, task, loss, intercept) for part in inner], **parameters)
    learner = _build("+".join(inner), "binary", loss, intercept)
    made: Learner = from_parameters(name, {"learner": learner, **parameters})
    return made


def _known_name(text: str) -> str:
    name = name_of(text)
    if name not in CATALOGUE:
        hint = similar_names(name) or "see `fenchel learners`."
        raise _wrong(f"there is no learner {name!r}: {hint}")
    return name


def _refuse_unknown(name: str, parameters: dict[str, Any]) -> None:
    known = parameters_of(name)
    for key in parameters:
        if key not in known:
            raise _wrong(f"{name} has no parameter {key!r}: it has {', '.join(known)}.")


def _wrong(message: str, option: str = "--learner") -> click.BadParameter:
    return click.BadParameter(message, param_hint=f"'{option}'")
