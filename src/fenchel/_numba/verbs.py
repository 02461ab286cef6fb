"""Verbs: generic functions that mean the same in plain Python and in compiled code.

A part (a loss, a regularizer, a rule) is a ``NamedTuple`` of parameters and arrays. A verb is a
function of a part; what it does for one class of parts is registered with ``@verb.of(Class)``.
The compiled loops call the verbs and know no class: Numba asks the verb's table, while it infers
types, which function to compile. A class registered after the package was imported, by a user, is
found in the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from numba import types

from fenchel._numba import way

Implementation = TypeVar("Implementation", bound=Callable[..., Any])


class Verb(Protocol):
    """A generic function of a part, with ``of`` to say what it does for a class of parts."""

    table: Table

    def __call__(self, part: Any, /, *arguments: Any) -> Any:
        """The body of the verb for this part."""

    def of(self, part: type) -> Callable[[Implementation], Implementation]:
        """Register what the verb does for parts of this class."""


class Table:
    """The table of one verb: class of the first argument to implementation."""

    def __init__(self, default: Callable[..., Any], required: bool) -> None:
        self.name = default.__name__
        self.default = default
        self.required = required
        self.entries: dict[type, Callable[..., Any]] = {}

    def implementation(self, part: type) -> Callable[..., Any]:
        """The body of the verb for parts of this class, or its default."""
        for base in part.__mro__:
            if base in self.entries:
                return self.entries[base]
        if self.required:
            raise TypeError(
                f"{part.__name__} has no verb {self.name!r}: "
                f"write one with @{self.name}.of({part.__name__})"
            )
        return self.default


def _verb(default: Callable[..., Any], required: bool) -> Verb:
    table = Table(default, required)

    def call(*arguments: Any) -> Any:
        return table.implementation(type(arguments[0]))(*arguments)

    def compiled(*arguments: Any) -> Callable[..., Any]:
        first = arguments[0]
        # A tuple of floats alone is another Numba type than a mixed one; both are named tuples.
        if isinstance(first, types.BaseNamedTuple):
            return table.implementation(first.instance_class)  # type: ignore[attr-defined]
        return table.default

    def of(part: type) -> Callable[[Implementation], Implementation]:
        def register(implementation: Implementation) -> Implementation:
            table.entries[part] = implementation
            return implementation

        return register

    call.__name__ = call.__qualname__ = table.name
    call.__doc__ = default.__doc__
    call.__module__ = default.__module__
    call.of = of  # type: ignore[attr-defined]
    call.table = table  # type: ignore[attr-defined]
    way.inside(call, compiled, way.INLINED)
    return call  # type: ignore[return-value]


def verb(default: Callable[..., Any]) -> Verb:
    """A verb whose body serves every class that registers none of its own."""
    return _verb(default, required=False)


def required_verb(default: Callable[..., Any]) -> Verb:
    """A verb that each class must register; the body is never run."""
    return _verb(default, required=True)


def knows(verb: Verb, part: type) -> bool:
    """Whether this class has registered the verb, itself or through a base."""
    return any(base in verb.table.entries for base in part.__mro__)
