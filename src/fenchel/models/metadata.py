"""Metadata as JSON text, and back without loss.

Strings, integers, floats, booleans, None, lists and dictionaries with string keys. Floats come back
bit for bit (``repr``); infinities and NaN are the literals ``Infinity``, ``-Infinity`` and ``NaN``,
as Python's ``json`` writes them; tuples come back as lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from fenchel.models.errors import NOT_OURS, ModelRefused, shown

MAX_DEPTH = 64
DEEPEST = 2 * MAX_DEPTH
TEXT_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
BYTES_OR_BRACKET = re.compile(TEXT_OR_BRACKET.pattern.encode(), re.DOTALL)


def to_json(metadata: Mapping[str, Any]) -> str:
    """The JSON text of metadata; what JSON would change silently is refused.

    >>> to_json({"rounds": 3, "eta": 0.1, "bound": float("inf")})
    '{"rounds":3,"eta":0.1,"bound":Infinity}'
    >>> to_json({"classes": [1, {2}]})
    Traceback (most recent call last):
    fenchel.models.errors.ModelRefused: metadata['classes'][1] is of type set; make it JSON's
    """
    plain = dict(metadata)
    _check(plain, "metadata", 0)
    try:
        return json.dumps(plain, separators=(",", ":"))
    except ValueError as error:  # an integer of thousands of digits
        raise ModelRefused(f"metadata is not JSON ({error}); shorten it") from error


def from_json(text: str | bytes, what: str) -> dict[str, Any]:
    """The JSON object in a text; a repeated key, other JSON or deep nesting is refused.

    >>> from_json('{"rounds": 3, "rounds": 4}', "metadata")
    Traceback (most recent call last):
    fenchel.models.errors.ModelRefused: its metadata repeats the key 'rounds'; fenchel did not...
    """
    if _is_deep(text):
        raise ModelRefused(f"its {what} is nested too deeply; {NOT_OURS}")
    try:
        value = json.loads(text, object_pairs_hook=_distinct)
    except ModelRefused as refusal:
        raise ModelRefused(f"its {what} {refusal}; {NOT_OURS}") from None
    except ValueError as error:
        raise ModelRefused(f"its {what} is not JSON; {NOT_OURS}") from error
    if not isinstance(value, dict):
        raise ModelRefused(f"its {what} is not a JSON object; {NOT_OURS}")
    return value


def _is_deep(text: str | bytes) -> bool:
    """Whether arrays and objects are nested beyond DEEPEST, counted before anybody tries to read them."""
    depth = 0
    for token in _tokens(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(_character(text, token.start()), 0)
        if depth > DEEPEST:
            return True
    return False


def _tokens(text: str | bytes) -> Iterable[re.Match[Any]]:
    """Strings and brackets; nothing where so few brackets are opened that none can be deep."""
    if isinstance(text, str):
        few = text.count("[") + text.count("{") <= DEEPEST
        return () if few else TEXT_OR_BRACKET.finditer(text)
    few = text.count(b"[") + text.count(b"{") <= DEEPEST
    return () if few else BYTES_OR_BRACKET.finditer(text)


def _character(text: str | bytes, at: int) -> str:
    return text[at] if isinstance(text, str) else chr(text[at])


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise ModelRefused(f"repeats the key {shown(key)}")
        members[key] = value
    return members


def _check(value: object, where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ModelRefused(f"metadata is nested deeper than {MAX_DEPTH} levels; flatten it")
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise ModelRefused(f"{where} has the key {shown(repr(key))}; make it a string")
            _check(member, f"{where}[{shown(key)}]", depth + 1)
    elif isinstance(value, list | tuple):
        for position, member in enumerate(value):
            _check(member, f"{where}[{position}]", depth + 1)
    elif value is not None and not isinstance(value, str | int | float):
        raise ModelRefused(f"{where} is of type {type(value).__name__}; make it JSON's")
