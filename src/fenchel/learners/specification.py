"""A learner's specification: its name and parameters, enough to build it again.

In a text it is ``name`` or ``name:key=value,key=value``; in a model file it is JSON, where parts
(a loss, a domain) are written as their class's name and fields.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fenchel import loops, losses, regularizers, rules
from fenchel.parts.state import is_part, shape_of

# Classes that were renamed since files were written with them.
FORMER_NAMES = {"MaxNormScaled": "MaxNormScaled", "MaxMargin": "MulticlassHinge"}

OWN_PARTS = {
    name: cls
    for room in (losses, regularizers, rules, loops)
    for name, cls in vars(room).items()
    if isinstance(cls, type) and hasattr(cls, "_field_defaults")  # a NamedTuple
}
SHAPE = "write name, or name:key=value,key=value"
YES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def parse(text: str) -> tuple[str, dict[str, Any]]:
    """Name and parameters of a specification.

    >>> parse("arow:r=0.1,diagonal=yes,form=original")
    ('arow', {'r': 0.1, 'diagonal': True, 'form': 'original'})
    >>> parse("lms:loss=quantile:0.9")[1]
    {'loss': Quantile(tau=0.9)}
    """
    name = name_of(text)
    _, colon, rest = text.partition(":")
    return name, _parameters(rest, text) if colon else {}


def _parameters(items: str, text: str) -> dict[str, Any]:
    """The values of ``key=value,key=value`` by key; ``text`` is the whole specification."""
    parameters: dict[str, Any] = {}
    for item in items.split(","):
        key, _, value = (part.strip() for part in item.partition("="))
        if not (key and value):
            what = f"{item.strip()!r} in {text!r} has no value: write key=value"
            raise ValueError(what if key else f"{text!r} lacks a parameter: {SHAPE}")
        if key in parameters:
            raise ValueError(f"{key} is given twice in {text!r}: choose one value")
        parameters[key] = _value(value)
    return parameters


def name_of(text: str) -> str:
    """The name that a specification begins with."""
    _refuse_other_than_text(text)
    return text.partition(":")[0].strip().replace("-", "_")


def _refuse_other_than_text(given: Any) -> None:
    if not isinstance(given, str):
        what = f"{given.__name__} not called" if inspect.isfunction(given) else f"{given!r:.60}"
        raise ValueError(f"the learner is {what}: give learners.arow(), say, or the text 'arow'")


def parse_nested(text: str, parameter: str) -> tuple[dict[str, Any], list[str]]:
    """The parameters before the last one, and the learners joined by + that the last one names.

    >>> parse_nested("hedge:combined=yes,experts=perceptron+arow:r=1e+5", "experts")
    ({'combined': True}, ['perceptron', 'arow:r=1e+5'])
    """
    head, equals, inner = text.partition(f"{parameter}=")
    if not equals or not inner:
        example = "arow+perceptron" if parameter.endswith("s") else "arow"
        raise ValueError(f"write {name_of(text)}:{parameter}={example}, say")
    inside = re.split(r"\+(?=[A-Za-z_])", inner)  # before a letter: 1e+5 is a number
    for part in inside:
        if "," in name_of(part):
            raise ValueError(
                f"{part!r} in {text!r} is no learner: join learners by +, and put other parameters "
                f"before {parameter}="
            )
    before = head.partition(":")[2].rstrip().removesuffix(",")
    return _parameters(before, text) if before else {}, inside


def _value(text: str) -> Any:
    if text.lower() in YES:
        return YES[text.lower()]
    if text.lower() == "none":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return losses.with_parameter(text)


def check(name: str, function: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
    """Refuse a parameter that the learner does not have, and say which it has."""
    known = inspect.signature(function).parameters
    for key in parameters:
        if key not in known:
            raise ValueError(f"{name} has no parameter {key!r}: it has {', '.join(known)}")


def format_specification(name: str, parameters: Mapping[str, Any]) -> str:
    """The text form, parameters in the order given.

    >>> format_specification("arow", {"r": 0.1, "diagonal": True})
    'arow:r=0.1,diagonal=yes'
    """
    items = ",".join(f"{key}={_text(value)}" for key, value in parameters.items())
    return f"{name}:{items}" if items else name


def _text(value: Any) -> str:
    if is_part(value) and hasattr(value, "text"):  # a loss with its parameter
        return str(value.text)
    if isinstance(value, (list, tuple)):
        return "+".join(_text(item) for item in value)
    if hasattr(value, "specification"):
        return str(value.specification)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def encode(value: Any) -> Any:
    """A parameter as JSON."""
    if is_part(value):
        fields = {name: encode(getattr(value, name)) for name in _parameters_of(type(value))}
        outside = {} if OWN_PARTS.get(type(value).__name__) is type(value) else {"outside": True}
        return {"part": type(value).__name__, **outside, **fields}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if hasattr(value, "specification"):
        inner = {key: encode(item) for key, item in value.parameters.items()}
        return {"learner": value.name, "parameters": inner}
    return value


def decode(value: Any, known: Mapping[str, type], build: Callable[..., Any]) -> Any:
    """A parameter from JSON; parts outside the package must be among ``known``."""
    if isinstance(value, list):
        return [decode(item, known, build) for item in value]
    if isinstance(value, dict) and "learner" in value:
        return build(value["learner"], decode_all(value["parameters"], known, build))
    if isinstance(value, dict) and "part" in value:
        name, outside = str(value["part"]), value.get("outside", False)
        cls = known.get(name)
        if cls is None and not outside:
            cls = OWN_PARTS.get(FORMER_NAMES.get(name, name))
        if cls is None:
            raise ValueError(
                f"the model uses a part {name!r} from outside fenchel: pass parts=[{name}] to load"
            )
        fields = {key: item for key, item in value.items() if key not in ("part", "outside")}
        return cls(**decode_all(fields, known, build))
    if isinstance(value, dict) and "array" in value:
        return np.array(value["array"], np.float64)
    return value


def decode_all(
    values: Mapping[str, Any], known: Mapping[str, type], build: Callable[..., Any]
) -> dict[str, Any]:
    """Several parameters from JSON."""
    return {key: decode(item, known, build) for key, item in values.items()}


def classes_of(part: Any) -> dict[str, type]:
    """The classes of a part and of the parts inside it, by name."""
    found = {type(part).__name__: type(part)}
    for value in part:
        if is_part(value):
            found |= classes_of(value)
    return found


def _parameters_of(cls: Any) -> list[str]:
    """The fields of a part that are parameters, not state."""
    return [n for n in cls._fields if shape_of(cls._field_defaults.get(n), 0) is None]
