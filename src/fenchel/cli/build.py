"""From what was typed as SPEC to a learner of the task at hand."""

from __future__ import annotations

from dataclasses import dataclass
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
from fenchel.learners.for_task import regression_loss
from fenchel.learners.registry import certified
from fenchel.learners.specification import check, name_of, parse, parse_nested
from fenchel.losses import with_parameter


def build(text: str, task: str, certify: bool = False) -> Learner:
    """Build the learner of a specification for a task, or raise a click error.

    >>> build("gradient-descent:eta=0.5", "regression")
    <gradient_descent:eta=0.5,loss=squared, 0 rounds, 0 features>
    >>> build("hedge:experts=perceptron+arow:r=0.1", "binary").specification
    'hedge:experts=perceptron+arow:r=0.1'
    """
    return Builder(certify=certify).build(text, task)


def with_budget(specification: str, budget: float | None) -> str:
    """Return the specification of ``auto`` with a budget of time in it.

    >>> with_budget("auto", 2.0)
    'auto:budget=2.0'
    """
    if budget is None:
        return specification
    if name_of(specification) != "auto":
        raise click.UsageError(
            "--time-budget is for auto: other learners are one, and cost what they do."
        )
    return specification + ("," if ":" in specification else ":") + f"budget={budget!r}"


@dataclass(frozen=True)
class Builder:
    """Builds the learners of specifications as the other options ask for."""

    loss: str | None = None
    intercept: bool = True
    certify: bool = False
    device: str = "cpu"

    def build(self, text: str, task: str) -> Learner:
        """Build the learner for a task, or raise a click error."""
        try:
            learner = self._build(text, task)
            learner = certified(learner) if self.certify else learner
        except ValueError as error:
            raise _wrong(f"{text}: {error}") from None
        if learner.task != task:
            remedy = f"choose another learner, or say --task {learner.task}"
            raise _wrong(f"{text} is for {learner.task}, the task is {task}: {remedy}.")
        return learner

    def build_early(self, text: str, task: str | None) -> Learner:
        """Build the learner for the task, or for the first that it can do, before any data is read."""
        refused: list[click.BadParameter] = []
        for possible in (task,) if task else tasks_of(text):
            try:
                return self.build(text, possible)
            except click.BadParameter as error:
                refused.append(error)
        raise refused[0]

    def _build(self, text: str, task: str) -> Learner:
        name = _known_name(text)
        nested = name in NESTED
        parameters, inner = parse_nested(text, NESTED[name]) if nested else (parse(text)[1], [])
        check(name, CATALOGUE[name].build, parameters)
        if name == "auto":
            return self._auto(parameters, task)
        if name == "hedge":
            return hedge([self._build(part, task) for part in inner], **parameters)
        made: Learner
        if nested:
            learner = self._build("+".join(inner), task if name == "interval" else "binary")
            made = from_parameters(name, {"learner": learner, **parameters})
            return made
        two = "binary" if task in ("multiclass", "ranking") else task
        made = from_parameters(name, {**parameters, **self._asked(name, parameters, two)})
        if task == "ranking":
            return ranking(made)
        return one_against_rest(made) if task == "multiclass" else made

    def _auto(self, parameters: dict[str, Any], task: str) -> Learner:
        if task == "ranking":
            raise _wrong("auto does not rank: name a learner of two classes, such as arow.")
        if not self.intercept or self.device != "cpu":
            option = "--device" if self.intercept else "--no-intercept"
            raise _wrong("is for single learners: name one with --learner.", option)
        if self.loss is not None and task != "regression":
            raise _wrong("of classes is for single learners: name one with --learner.", "--loss")
        asked = {} if self.loss is None else {"loss": with_parameter(self.loss)}
        given = {**({} if task == "binary" else {"task": task}), **asked, **parameters}
        made: Learner = from_parameters("auto", given)
        return made

    def _asked(self, name: str, parameters: dict[str, Any], task: str) -> dict[str, Any]:
        """Collect the parameters that the task and the other options ask for."""
        asked: dict[str, Any] = {}
        takes_loss = "loss" in parameters_of(name)
        if self.loss is not None and not takes_loss:
            raise _own_loss(name)
        if takes_loss and self.loss is not None:
            asked["loss"] = with_parameter(self.loss)
        elif takes_loss and task == "regression" and "loss" not in parameters:
            asked["loss"] = regression_loss(name)
        if not self.intercept:
            asked["intercept"] = False
        if self.device != "cpu":
            asked["device"] = self.device
        if task == "binary" and CATALOGUE[name].tasks == ("regression",):
            asked["task"] = "binary"
        return asked


def tasks_of(text: str) -> tuple[str, ...]:
    """List the tasks that the named learner is made for; of two classes means of several too."""
    tasks = CATALOGUE[_known_name(text)].tasks
    return (*tasks, "multiclass") if "binary" in tasks else tasks


def _known_name(text: str) -> str:
    name = name_of(text)
    if name not in CATALOGUE:
        hint = similar_names(name) or "see `fenchel learners`."
        raise _wrong(f"there is no learner {name!r}: {hint}")
    return name


def _own_loss(name: str) -> click.BadParameter:
    """What to say of a learner that cannot take the loss, which was named or is that of the task."""
    context = click.get_current_context(silent=True)
    if context is None or context.params.get("loss") is not None:
        return _wrong(f"{name} has a loss of its own; leave --loss out.", "--loss")
    has = "has a loss of its own" if "regression" in tasks_of(name) else "is for two classes"
    needed = f"--task {context.params['task']} needs a learner of numbers with a choice of loss"
    return _wrong(f"{name} {has}: {needed}, such as normalized_adaptive_gradient.")


def _wrong(message: str, option: str = "--learner") -> click.BadParameter:
    return click.BadParameter(message, param_hint=f"'{option}'")
