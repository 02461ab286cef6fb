"""The catalogue's machinery: a function that names three parts becomes a learner with that name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, ParamSpec, TypedDict

from fenchel.learners import specification
from fenchel.learners.composed import Composed, Parts
from fenchel.learners.learner import Learner
from fenchel.loops import Average, Ledger, NoAverage, NoLedger
from fenchel.regularizers import AdaGrad, Box, DiagonalQuadratic, Euclidean, Simplex, Whole

P = ParamSpec("P")

# What learners are called in other places, where no likeness of letters tells.
ELSEWHERE = {
    "cw": "soft_confidence_weighted",
    "eg": "exponentiated_gradient",
    "ftrl": "ftrl_proximal",
    "nag": "normalized_adaptive_gradient",
    "nlms": "normalized_lms",
    "ons": "online_newton_step",
    "pa": "passive_aggressive",
    "rda": "dual_averaging",
    "ridge": "vovk_azoury_warmuth",
    "rls": "vovk_azoury_warmuth",
    "scw": "soft_confidence_weighted",
    "sgd": "gradient_descent",
    "sop": "second_order_perceptron",
    "vaw": "vovk_azoury_warmuth",
    "vw": "normalized_adaptive_gradient",
}


class Options(TypedDict, total=False):
    """What every learner takes beside its own parameters.

    ``task`` = "binary" lets a loss of regression learn two classes, as targets ±1.
    """

    intercept: bool
    averaged: bool
    certify: bool
    classes: Sequence[Any] | None
    task: str | None


DEFAULTS: dict[str, Any] = {
    "intercept": True,
    "averaged": False,
    "certify": False,
    "classes": None,
    "task": None,
}


class Entry(NamedTuple):
    """What ``fenchel learners`` tells about one learner."""

    build: Callable[..., Learner]
    tasks: tuple[str, ...]
    parts: str
    equation: str
    theorem: str
    cost: str


CATALOGUE: dict[str, Entry] = {}

# Learners made of learners, and the parameter that names these: the last of a specification.
NESTED: dict[str, str] = {}


def learner(
    *, tasks: tuple[str, ...], parts: str, equation: str, theorem: str, cost: str = "non-zeros"
) -> Callable[[Callable[P, Parts]], Callable[P, Composed]]:
    """Register a function that returns the three parts as the learner of its name."""

    def register(function: Callable[P, Parts]) -> Callable[P, Composed]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def build(*positional: P.args, **keywords: P.kwargs) -> Composed:
            given = signature.bind(*positional, **keywords).arguments
            options = dict(given.pop("options", {}))
            _refuse_unknown(function.__name__, signature, options)
            chosen = {**DEFAULTS, **options}
            three = function(**given)  # type: ignore[call-arg]
            average = Average() if chosen["averaged"] else NoAverage()
            ledger = Ledger() if chosen["certify"] else NoLedger()
            if chosen["averaged"]:
                _refuse_moving(three.regularizer)
            return Composed(
                three._replace(average=average, ledger=ledger),
                name=function.__name__,
                parameters={**given, **_told(options)},
                intercept=chosen["intercept"],
                classes=chosen["classes"],
                task=chosen["task"],
            )

        CATALOGUE[function.__name__] = Entry(build, tasks, parts, equation, theorem, cost)
        return build

    return register


def _refuse_unknown(name: str, signature: inspect.Signature, options: Mapping[str, Any]) -> None:
    for key in options:
        if key not in DEFAULTS:
            own = [k for k in signature.parameters if k != "options"]
            raise TypeError(
                f"{name} has no parameter {key!r}: it has {', '.join([*own, *DEFAULTS])}"
            )


def _refuse_moving(f: Any) -> None:
    """On these domains a weight changes between visits in ways that no running sum can follow."""
    domain = getattr(f, "domain", Whole())
    standing = isinstance(f, (Euclidean, DiagonalQuadratic)) or (
        isinstance(f, AdaGrad) and f.l1 == f.l2 == 0.0
    )
    if isinstance(domain, Simplex) or (isinstance(domain, Box) and not standing):
        raise ValueError(
            f"averaged=True does not go with domain={type(domain).__name__} here: "
            "average over the whole space, a ball or the orthant"
        )


def _told(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value != DEFAULTS[key]}


def from_parameters(name: str, parameters: Mapping[str, Any]) -> Learner:
    """The learner of this name."""
    if name not in CATALOGUE:
        hint = similar_names(name) or f"choose one of {', '.join(sorted(CATALOGUE))}"
        raise ValueError(f"there is no learner {name!r}: {hint}")
    try:
        return CATALOGUE[name].build(**parameters)
    except TypeError as error:
        raise ValueError(str(error)) from None


def similar_names(name: str) -> str:
    """A question where learners have similar names, else nothing.

    >>> similar_names("arrow"), similar_names("AROW"), similar_names("xyz")
    ('did you mean arow?', 'did you mean arow?', '')
    """
    if name.lower() in ELSEWHERE:
        return f"did you mean {ELSEWHERE[name.lower()]}?"
    close = get_close_matches(name.lower(), CATALOGUE, n=3)
    return f"did you mean {' or '.join(close)}?" if close else ""


def parameters_of(name: str) -> dict[str, Any]:
    """The parameters of a learner with their defaults."""
    if name not in CATALOGUE:
        return {}
    known = inspect.signature(CATALOGUE[name].build).parameters.values()
    own = {p.name: p.default for p in known if p.kind is not p.VAR_KEYWORD}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in known)
    return {**own, **DEFAULTS} if open_ended else own


def from_specification(text: str) -> Learner:
    """The learner of a text such as ``arow:r=0.1,diagonal=yes``.

    >>> from_specification("perceptron:intercept=no")
    <perceptron:intercept=no, 0 rounds, 0 features>
    >>> from_specification("max_margin:learner=arow:r=0.1")
    <max_margin:learner=arow:r=0.1, 0 rounds, 0 features>
    """
    name = specification.name_of(text)
    if name not in NESTED:
        return from_parameters(*specification.parse(text))
    head, inner = specification.parse_nested(text, NESTED[name])
    made = [from_specification(part) for part in inner]
    several = NESTED[name].endswith("s")
    return from_parameters(name, {**head, NESTED[name]: made if several else made[0]})


def learner_of(given: Learner | str) -> Learner:
    """The learner itself, or that of a specification.

    >>> learner_of("arow:r=0.1")
    <arow:r=0.1, 0 rounds, 0 features>
    """
    return given if isinstance(given, Learner) else from_specification(given)


def positive(**parameters: float) -> None:
    """Refuse a parameter that is not a positive number."""
    for name, value in parameters.items():
        if not (isinstance(value, (int, float)) and 0.0 < value < float("inf")):
            raise ValueError(f"{name}={value!r} must be a positive number")


def not_negative(**parameters: float) -> None:
    """Refuse a parameter that is not a number ≥ 0."""
    for name, value in parameters.items():
        if not (isinstance(value, (int, float)) and 0.0 <= value < float("inf")):
            raise ValueError(f"{name}={value!r} must be a number ≥ 0")


# Beyond this the kept powers underflow, and margins would be silently wrong.
LARGEST_P = 200.0


def dual_exponent(p: float) -> float:
    """Refuse a dual exponent below 2, or too large for the powers of a float.

    >>> dual_exponent(1000.0)
    Traceback (most recent call last):
    ValueError: p=1000.0 is above 200, where powers underflow: 2·ln d is below 45 for any data
    """
    if isinstance(p, (int, float)) and LARGEST_P < p < float("inf"):
        raise ValueError(
            f"p={p!r} is above {LARGEST_P:g}, where powers underflow: "
            "2·ln d is below 45 for any data"
        )
    if not (isinstance(p, (int, float)) and 2.0 <= p < float("inf")):
        raise ValueError(f"p={p!r} must be a number ≥ 2 (the dual exponent; 2 is Euclidean)")
    return float(p)


def lipschitz_of(name: str, loss: Any) -> float:
    """The Lipschitz constant that a learner needs, or a refusal by the loss's name."""
    if loss.lipschitz is None:
        raise ValueError(
            f"{name} needs a loss with a Lipschitz constant; {type(loss).__name__} has none: "
            "try hinge, logistic, absolute, epsilon_insensitive, quantile or huber"
        )
    return float(loss.lipschitz)


def domain_of(domain: Any, separable: bool = False) -> Any:
    """The domain S, the whole space where none is named."""
    if domain is None:
        return Whole()
    if separable and not domain.separable:
        raise ValueError(
            f"domain={type(domain).__name__}: this learner's regularizer admits Box and Orthant"
        )
    return domain
