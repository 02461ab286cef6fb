"""``check_regularizer`` on every part with random parameters, and on broken copies (a script).

Prints {"part, seed": the flaw found, or null} and the same for each way to break a part.
"""

import json
import sys
from typing import Any

import numpy as np

from fenchel.regularizers import check_regularizer
from kernel.random_parts import random_part, textbook_regularizers

SEEDS = range(3)
WIDTH = 5
MATRIX = (3, 4)


def _scaled(method: str, factor: float) -> Any:
    """Replace a method, or a property, by itself times a factor."""

    def broken(cls: type) -> dict[str, Any]:
        original = getattr(cls, method)
        if isinstance(original, property):
            return {method: property(lambda self: factor * original.fget(self))}
        return {method: lambda self, at: factor * original(self, at)}

    return broken


BREAKAGES = {
    "sign of gradient": _scaled("gradient", -1.0),
    "factor of gradient": _scaled("gradient", 1.01),
    "factor of value": _scaled("value", 1.01),
    "factor of conjugate": _scaled("conjugate", 1.01),
    "strong convexity": _scaled("strong_convexity", 1.2),
    "small dual norm": _scaled("dual_norm", 0.9),
    "large dual norm": _scaled("dual_norm", 1.1),
}


def draw(cls: type, seed: int) -> Any:
    return random_part(cls, np.random.default_rng(seed), WIDTH)


def flaw(part: Any, seed: int) -> str | None:
    # Regularizers of matrices keep no θ of their own: nothing compiled reads them.
    width = WIDTH if "theta" in part._fields else MATRIX
    try:
        check_regularizer(part, width=width, seed=seed)
    except ValueError as found:
        return str(found)
    return None


def broken_flaw(cls: type, breakage: str) -> str | None:
    """What is found wrong with a copy of the class whose one method is off."""
    broken = type(f"Broken{cls.__name__}", (cls,), BREAKAGES[breakage](cls))
    part = draw(cls, 0)
    if "domain" in part._fields:
        part = part._replace(domain=type(part)().domain)  # on the whole space every claim is tight
    return flaw(broken(*part), 0)


if __name__ == "__main__":
    np.seterr(all="ignore")
    report = {
        "whole": {
            f"{cls.__name__}, {seed}": flaw(draw(cls, seed), seed)
            for cls in textbook_regularizers()
            for seed in SEEDS
        },
        "broken": {
            f"{cls.__name__}, {breakage}": broken_flaw(cls, breakage)
            for cls in textbook_regularizers()
            for breakage in BREAKAGES
        },
    }
    json.dump(report, sys.stdout)
