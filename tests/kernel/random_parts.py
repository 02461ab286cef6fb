"""Parts with random parameters, found in the package's own list: a new part needs no entry here."""

from typing import Any

import numpy as np

import fenchel.learners  # noqa: F401 (every module of parts is imported by now)
from fenchel._numba import knows
from fenchel.losses import value
from fenchel.parts.state import PARTS, shape_of
from fenchel.regularizers import (
    Ball,
    Box,
    Composite,
    Euclidean,
    FullQuadratic,
    Orthant,
    Simplex,
    Whole,
    weight,
)
from fenchel.regularizers.max_norm_scaled import dual_norm_of
from fenchel.rules import coefficient

# f_t = c/2·‖·‖²: the only regularizers that a domain which couples coordinates suits.
ROUND = (Euclidean, Composite)


def own_parts() -> list[type]:
    """Every part of the package, by name; parts of tests, and those shown to fail, are left out."""
    shown = "fenchel.report."  # what the paper prints and the errata correct
    found = {cls for cls in PARTS if cls.__module__.startswith("fenchel.")}
    found = {cls for cls in found if not cls.__module__.startswith(shown)}
    return sorted(found, key=lambda cls: cls.__name__)


def knowing(verb: Any) -> list[type]:
    """The package's parts that have a verb."""
    return [cls for cls in own_parts() if knows(verb, cls)]


def regularizers() -> list[type]:
    return knowing(weight)


def textbook_regularizers() -> list[type]:
    """Those that ``MirrorDescent`` can run, and that say what f is."""
    return [cls for cls in own_parts() if hasattr(cls, "conjugate") and hasattr(cls, "gradient")]


def margin_losses() -> list[type]:
    """Losses of one margin; those of several (one a class) are no business of these loops."""
    return [cls for cls in knowing(value) if cls().task != "multiclass"]


def rules() -> list[type]:
    return knowing(coefficient)


def random_part(cls: type, rng: np.random.Generator, width: int) -> Any:
    """An instance with random parameters; ``width`` counts the slots, the intercept's included."""
    drawn = {}
    for name in cls._fields:
        default = cls._field_defaults.get(name)
        if shape_of(default, 1) is None:
            drawn[name] = _parameter(cls, name, default, rng, width)
    if "domain" in drawn and not drawn["domain"].separable and "l1" in drawn:
        drawn["l1"] = 0.0
    return cls(**drawn)


def _parameter(cls: type, name: str, default: Any, rng: np.random.Generator, width: int) -> Any:
    if name == "domain":
        return random_domain(rng, coupled=cls in ROUND)
    if name == "rate":  # 1/λ
        return float(rng.uniform(1.0, 1.3))
    if isinstance(default, FullQuadratic):
        return random_part(FullQuadratic, rng, width)
    if name == "inner":
        inner = knowing(dual_norm_of)
        part = random_part(inner[rng.integers(len(inner))], rng, width)
        return part._replace(domain=Whole()) if hasattr(part, "domain") else part
    if name == "p":
        return float(rng.uniform(2.0, 9.0))
    if name == "tau":
        return float(rng.uniform(0.1, 0.9))
    if name == "rank":
        return float(rng.integers(2, 5))
    if name == "lag":
        return float(rng.integers(2))
    if isinstance(default, bool):
        return bool(rng.integers(2))
    if isinstance(default, float):
        return float(10.0 ** rng.uniform(-0.5, 0.5))
    return rng.uniform(0.3, 3.0, width)  # one number a slot


def random_domain(rng: np.random.Generator, coupled: bool) -> Any:
    size = float(rng.uniform(0.3, 2.0))
    domains = [Whole(), Box(-size, 0.5 * size), Orthant()]
    if coupled:
        domains += [Ball(size), Simplex(size)]
    return domains[rng.integers(len(domains))]
