"""What a column is, as one text: ``name`` or ``name:key=value,key=value``.

The keys are the fields of the column's kind. A column's name may hold colons, commas and equals signs:
options begin at the first colon before a key of that kind, and the next one at a comma before a key.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from fenchel.schema.kinds import Kind, is_range

YES = {"yes": True, "no": False}


def parse_column(cls: type[Kind], text: str) -> tuple[str, Kind]:
    """The name of a column and its kind.

    >>> from fenchel.schema import Category, Date, Text
    >>> parse_column(Text, "body:words=1-2,letters=3-4,counts=no")
    ('body', Text(missing='absent', words=(1, 2), letters=(3, 4), lower=True, counts=False, shortest=2))
    >>> parse_column(Date, "seen:format=%d/%m/%Y, %H:%M")[1].format
    '%d/%m/%Y, %H:%M'
    >>> parse_column(Category, "c:levels=red|blue,missing=indicator")[1]
    Category(missing='indicator', levels=('red', 'blue'))
    >>> parse_column(Category, "http://a,b=c")[0]
    'http://a,b=c'
    """
    defaults = {field.name: field.default for field in fields(cls)}
    key = f"({'|'.join(defaults)})="
    name, *options = re.split(rf"(?<=.):(?={key})", text, maxsplit=1)[::2]
    if not options:
        _refuse_unknown_key(cls, text, defaults)
        return text, cls()
    words = re.split(rf",\s*{key}", f",{options[0]}")
    told = dict(zip(words[1::2], words[2::2], strict=True))
    if len(told) < len(words) // 2:
        raise ValueError(f"{text!r} gives an option twice: choose one value")
    return name, cls(**{k: _value(text, k, v, defaults[k]) for k, v in told.items()})


def _refuse_unknown_key(cls: type[Kind], text: str, known: dict[str, Any]) -> None:
    """Raise for ``name:key=value`` with a key that this kind has not."""
    found = re.search(r".:([a-z]+)=[^:=]*$", text)
    if found:
        raise ValueError(
            f"{text!r}: a column of kind {cls.word} has no option {found[1]!r}; it has {', '.join(known)}"
        )


def _value(text: str, key: str, value: str, default: Any) -> Any:
    """A value, of the type that the field's default has."""
    try:
        if isinstance(default, bool):
            return YES[value]
        if isinstance(default, int):
            return int(value)
        if key == "levels":
            return tuple(value.split("|"))
        if isinstance(default, tuple):
            least, _, most = value.partition("-")
            lengths = int(least), int(most or least)
            if not is_range(lengths):
                raise ValueError
            return lengths
        if key == "missing" and value not in ("absent", "indicator"):
            return float(value)
    except (KeyError, ValueError):
        raise ValueError(f"{key}={value} in {text!r}: {_form(key, default)}") from None
    return value


def _form(key: str, default: Any) -> str:
    if isinstance(default, bool):
        return "say yes or no"
    if key == "missing":
        return "say absent, indicator or a number"
    runs = "give a range such as 1-2, or 0 for none"
    return "give a whole number" if isinstance(default, int) else runs
