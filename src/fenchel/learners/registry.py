"""A function that names three parts becomes a learner with that name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypedDict

import numpy as np

from fenchel._numba import knows
from fenchel.learners import specification
from fenchel.learners.catalogue import CATALOGUE, NESTED, Entry, from_parameters, parameters_of
from fenchel.learners.composed import Composed, Parts
from fenchel.learners.learner import Learner
from fenchel.learners.on_device import engine_for
from fenchel.loops import NoAverage, NoLedger, average_for, ledger_for
from fenchel.parts.state import is_part
from fenchel.regularizers import Ball, Box, Orthant, Simplex, Whole
from fenchel.regularizers.domains import confine
from fenchel.regularizers.fading import rate_of
from fenchel.schema import Schema

P = ParamSpec("P")

DOMAINS: dict[str, type] = {
    "whole": Whole,
    "ball": Ball,
    "box": Box,
    "orthant": Orthant,
    "simplex": Simplex,
}


class Options(TypedDict, total=False):
    """The parameters that every learner takes beside its own.

    ``task`` = "binary" lets a loss of regression learn two classes, as targets ±1; ``schema`` says
    how raw columns become features; rows with more columns than ``max_features`` are refused (a full
    matrix never has more than 20,000); ``device`` = "cuda" keeps a full matrix on a GPU, in float64
    or, by ``dtype``, in float32.
    """

    intercept: bool
    averaged: bool
    certify: bool
    classes: Sequence[Any] | None
    task: str | None
    schema: Schema | None
    max_features: int | None
    device: str | None
    dtype: str | None


DEFAULTS: dict[str, Any] = {
    "intercept": True,
    "averaged": False,
    "certify": False,
    "classes": None,
    "task": None,
    "schema": None,
    "max_features": None,
    "device": None,
    "dtype": None,
}


def learner(
    *, tasks: tuple[str, ...], parts: str, equation: str, theorem: str, cost: str = "non-zeros"
) -> Callable[[Callable[P, Parts]], Callable[P, Learner]]:
    """Register a function that returns the three parts as the learner of its name."""

    def register(function: Callable[P, Parts]) -> Callable[P, Learner]:
        name, signature = function.__name__, _full_signature(function)

        @functools.wraps(function)
        def build(*positional: P.args, **keywords: P.kwargs) -> Learner:
            _refuse_unknown(name, signature, keywords)
            given = signature.bind(*positional, **keywords).arguments
            _refuse_other_than_flags(signature, given)
            options = {key: given.pop(key) for key in DEFAULTS if key in given}
            chosen = {**DEFAULTS, **options}
            three = function(**given)  # type: ignore[call-arg]
            f = three.regularizer
            _refuse_forgotten(name, given.get("half_life"), chosen)
            engine = engine_for(
                three._replace(
                    average=average_for(f) if chosen["averaged"] else NoAverage(),
                    ledger=ledger_for(f) if chosen["certify"] else NoLedger(),
                ),
                chosen["device"],
                chosen["dtype"],
                name=name,
                parameters={**given, **_told(options)},
                intercept=chosen["intercept"],
                task=chosen["task"],
            )
            return Learner(engine, *(chosen[key] for key in ("classes", "schema", "max_features")))

        build.__signature__ = _as_written(signature)  # type: ignore[attr-defined]
        CATALOGUE[name] = Entry(build, tasks, parts, equation, theorem, cost)
        return build

    return register


def _full_signature(function: Callable[..., Any]) -> inspect.Signature:
    """The function's own parameters, and those that every learner takes."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    hints = Options.__annotations__
    common = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=hints[key])
        for key, value in DEFAULTS.items()
    ]
    return signature.replace(parameters=[*own, *common])


class Written(str):
    """An annotation that ``help`` shows as it was written, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _as_written(signature: inspect.Signature) -> inspect.Signature:
    """The signature of a function that makes a learner, with short annotations."""
    parameters = [
        each
        if each.annotation is each.empty
        else each.replace(annotation=Written(_text_of(each.annotation)))
        for each in signature.parameters.values()
    ]
    return signature.replace(parameters=parameters, return_annotation=Written("Learner"))


def _text_of(annotation: Any) -> str:
    """An annotation as it was written; Python 3.11 to 3.13 keep those of a TypedDict as references."""
    return str(getattr(annotation, "__forward_arg__", annotation))


def _refuse_unknown(name: str, signature: inspect.Signature, given: Any) -> None:
    for key in given:
        if key not in signature.parameters:
            raise TypeError(
                f"{name} has no parameter {key!r}: it has {', '.join(signature.parameters)}"
            )


def _refuse_other_than_flags(signature: inspect.Signature, given: dict[str, Any]) -> None:
    flags = {key for key, known in signature.parameters.items() if isinstance(known.default, bool)}
    yes_or_no(**{key: value for key, value in given.items() if key in flags})


def _refuse_forgotten(name: str, half_life: float | None, chosen: dict[str, Any]) -> None:
    """Refuse what a learner that forgets cannot keep."""
    for option in ("averaged", "certify"):
        if half_life is not None and chosen[option]:
            raise ValueError(
                f"{option}=True does not go with half_life={half_life!r}: {name} forgets, and what "
                "is averaged or promised speaks of all rounds alike"
            )


def _told(options: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is at its default, and the schema: a learner has that by itself."""
    told = {key: value for key, value in options.items() if key != "schema"}
    return {key: value for key, value in told.items() if value != DEFAULTS[key]}


def from_specification(text: str) -> Learner:
    """Build the learner of a text such as ``arow:r=0.1,diagonal=yes``.

    >>> from_specification("perceptron:intercept=no")
    <perceptron:intercept=no, 0 rounds, 0 features>
    >>> from_specification("max_margin:learner=arow:r=0.1")
    <max_margin:learner=arow:r=0.1, 0 rounds, 0 features>
    """
    name = specification.name_of(text)
    made: Learner
    if name not in NESTED:
        made = from_parameters(*specification.parse(text))
        return made
    head, inner = specification.parse_nested(text, NESTED[name])
    inside = [from_specification(part) for part in inner]
    several = NESTED[name].endswith("s")
    made = from_parameters(name, {**head, NESTED[name]: inside if several else inside[0]})
    return made


def learner_of(given: Learner | str) -> Learner:
    """Return the learner itself, or that of a specification.

    >>> learner_of("arow:r=0.1")
    <arow:r=0.1, 0 rounds, 0 features>
    """
    return given if isinstance(given, Learner) else from_specification(given)


def certified(learner: Learner) -> Learner:
    """Make a learner of the same specification with ``certify=True``, before its first round.

    One that has no such parameter stays as it is.

    >>> from fenchel import learners
    >>> certified(learners.one_against_rest(learners.arow(r=0.1)))
    <one_against_rest:learner=arow:r=0.1,certify=yes, 0 rounds, 0 features>
    """
    changed: dict[str, Any] = dict(learner.parameters)
    takes = "learner" in changed or "certify" in parameters_of(learner.name)
    forgets = changed.get("half_life") is not None  # no theorem here speaks of it
    if learner.certifies or forgets or not (takes or learner.name == "custom"):
        return learner.fresh()
    if learner.name == "custom":
        engine = learner.engine
        assert isinstance(engine, Composed), "only composed learners are made of own parts"
        parts = engine.parts._replace(ledger=ledger_for(engine.regularizer))
        classes = learner.classes or None
        return Learner(Composed(parts, intercept=learner.intercept), classes, learner.schema)
    if "learner" in changed:
        changed["learner"] = certified(changed["learner"])
    else:
        changed["certify"] = True
    made: Learner = from_parameters(learner.name, changed)
    made.schema = learner.schema.declared_only()
    return made


def positive(**parameters: float) -> None:
    """Refuse a parameter that is not a positive number."""
    for name, value in parameters.items():
        if not (is_number(value) and 0.0 < value < float("inf")):
            raise ValueError(f"{name}={value!r} must be a positive number")


def not_negative(**parameters: float) -> None:
    """Refuse a parameter that is not a number ≥ 0."""
    for name, value in parameters.items():
        if not (is_number(value) and 0.0 <= value < float("inf")):
            raise ValueError(f"{name}={value!r} must be a number ≥ 0")


def yes_or_no(**parameters: Any) -> None:
    """Refuse a parameter that is neither True nor False.

    >>> yes_or_no(averaged="maybe")
    Traceback (most recent call last):
    ValueError: averaged='maybe' must be yes or no (True or False)
    """
    for name, value in parameters.items():
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name}={value!r:.60} must be yes or no (True or False)")


def fading_rate(half_life: float | None, domain: Any = None) -> float | None:
    """Return 1/λ of a half-life in rounds, None where nothing fades."""
    if half_life is None:
        return None
    if not (is_number(half_life) and 1.0 <= half_life < float("inf")):
        raise ValueError(f"half_life={half_life!r} must be a number of rounds ≥ 1")
    if domain is not None:
        raise ValueError("half_life goes with the whole space: leave domain out")
    return rate_of(float(half_life))


def is_number(value: Any) -> bool:
    """Whether a parameter is a number; yes and no are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# Beyond this the kept powers underflow, and margins would be silently wrong.
LARGEST_P = 200.0


def dual_exponent(p: float) -> float:
    """Refuse a dual exponent below 2, or too large for the powers of a float.

    >>> dual_exponent(1000.0)
    Traceback (most recent call last):
    ValueError: p=1000.0 is above 200, where powers underflow: 2·ln d is below 45 for any data
    """
    if is_number(p) and LARGEST_P < p < float("inf"):
        raise ValueError(
            f"p={p!r} is above {LARGEST_P:g}, where powers underflow: "
            "2·ln d is below 45 for any data"
        )
    if not (is_number(p) and 2.0 <= p < float("inf")):
        raise ValueError(f"p={p!r} must be a number ≥ 2 (the dual exponent; 2 is Euclidean)")
    return float(p)


def lipschitz_of(name: str, loss: Any) -> float:
    """Return the Lipschitz constant that a learner needs, or refuse the loss by its name."""
    if loss.lipschitz is None:
        raise ValueError(
            f"{name} needs a loss with a Lipschitz constant; {type(loss).__name__} has none: "
            "try hinge, logistic, absolute, epsilon_insensitive, quantile or huber"
        )
    return float(loss.lipschitz)


def domain_of(domain: Any, separable: bool = False) -> Any:
    """Return the domain S, the whole space where none is named."""
    if domain is None:
        return Whole()
    if isinstance(domain, str) and domain in DOMAINS:
        domain = DOMAINS[domain]()
    if not (is_part(domain) and knows(confine, type(domain))):
        raise ValueError(
            f"domain={domain!r:.60} is no domain: choose {', '.join(DOMAINS)}, or give one made, "
            "such as regularizers.Ball(radius=2.0)"
        )
    if separable and not domain.separable:
        raise ValueError(
            f"domain={type(domain).__name__}: this learner's regularizer admits Box and Orthant"
        )
    return domain
