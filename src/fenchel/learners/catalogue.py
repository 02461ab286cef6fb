"""Every learner by its name: how it is built, what for, by which equation and theorem."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

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
    "rls": "recursive_least_squares",
    "scw": "soft_confidence_weighted",
    "sgd": "gradient_descent",
    "sop": "second_order_perceptron",
    "vaw": "vovk_azoury_warmuth",
    "vw": "normalized_adaptive_gradient",
}


class Entry(NamedTuple):
    """One learner's entry in ``fenchel learners``; ``build`` makes it."""

    build: Callable[..., Any]
    tasks: tuple[str, ...]
    parts: str
    equation: str
    theorem: str
    cost: str


CATALOGUE: dict[str, Entry] = {}

# Learners made of learners, and the parameter that names these: the last of a specification.
NESTED: dict[str, str] = {}


def from_parameters(name: str, parameters: Mapping[str, Any]) -> Any:
    """Build the learner of this name."""
    if name not in CATALOGUE:
        hint = similar_names(name) or f"choose one of {', '.join(sorted(CATALOGUE))}"
        raise ValueError(f"there is no learner {name!r}: {hint}")
    try:
        return CATALOGUE[name].build(**parameters)
    except TypeError as error:
        raise ValueError(str(error)) from None


def similar_names(name: str) -> str:
    """A question where learners have similar names, else nothing.

    >>> from fenchel import learners
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
    return {p.name: p.default for p in known}
