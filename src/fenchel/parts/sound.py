"""Whether parts can be run: parameters of the right kinds, wherever they come from.

Parts come from Python, from a command or from a file; all of them pass here before anything is compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.parts.state import Part, fields, is_part, marker_of, replaced, shape_of

MOST = float("inf")  # NaN is not below it

WANTED = {
    "float": "a number",
    "bool": "yes or no (True or False)",
    "Array": "an array of finite numbers",
}


def checked(part: Part) -> Part:
    """The part with its numbers as floats; raises for parameters of other kinds than their fields.

    A whole number for a float would be another type to the compiler, and be compiled for again. What a
    part's own ``refuse`` raises for is refused too.
    """
    hints = getattr(type(part), "__annotations__", {})
    changes = {
        name: _checked(type(part).__name__, name, value, _kind(hints.get(name)))
        for name, value in fields(part).items()
        if shape_of(marker_of(part, name), 0) is None  # else state, which the learner makes
    }
    sound = replaced(part, changes)
    own = getattr(sound, "refuse", None)
    if own is not None:
        own()
    return sound


def _checked(owner: str, name: str, value: Any, kind: str) -> Any:
    if is_part(value):
        return checked(value)
    if not _suits(value, kind):
        raise ValueError(f"{name}={value!r:.60} of {owner} is not {WANTED[kind]}")
    plain = {"float": float, "bool": bool}.get(kind)
    return value if plain is None else plain(value)


def _suits(value: Any, kind: str) -> bool:
    if kind == "float":
        number = isinstance(value, (int, float, np.integer, np.floating))
        return number and not isinstance(value, bool) and abs(value) <= MOST
    if kind == "bool":
        return isinstance(value, (bool, np.bool_))
    if kind == "Array":
        return isinstance(value, np.ndarray) and bool(np.isfinite(value).all())
    return True


def _kind(hint: Any) -> str:
    """The name of an annotation, which may not have been evaluated."""
    named = getattr(hint, "__forward_arg__", None) or getattr(hint, "__name__", None)
    return str(named or hint)
