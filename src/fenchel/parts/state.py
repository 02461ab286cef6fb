"""The state of a part: plain arrays with names, growing with the stream.

A part declares its state by the defaults of its fields: ``SLOTS`` (one number for each slot),
``RECORD`` (the same, but where there are many slots a part's records of one lie side by side in
memory: a slot is one visit, whatever the number of arrays), ``SCALAR`` (one number that the run
changes), ``DIMENSION`` (the number of coordinates, kept by the learner), ``MATRIX`` (slots × slots),
``WAITING_ROWS`` (a few rows of slots). A part with a ``rank`` m also has ``SKETCH`` (slots × m),
``SMALL`` (m × m) and ``RANKED`` (m numbers). Everything else is a parameter or another part. ``start``
gives a part its arrays, all zero unless its method ``opened`` says otherwise; ``grow`` moves them to a
larger width, where new slots are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fenchel.parts.memory import zeros

Array = NDArray[np.float64]
Part = TypeVar("Part")
Width = int | tuple[int, ...]

# Markers, told apart by identity.
SLOTS: Array = np.zeros(0)
RECORD: Array = np.zeros(0)
SCALAR: Array = np.zeros(0)
DIMENSION: Array = np.zeros(0)
MATRIX: Array = np.zeros((0, 0))
# From so many slots on, records lie side by side; fewer are in the cache anyway, and a dense row reads
# and writes them as vectors.
MANY = 4096
MOST_WAITING = 9
WAITING_ROWS: Array = np.zeros((MOST_WAITING, 0))
SKETCH: Array = np.zeros((0, 0))
SMALL: Array = np.zeros((0, 0))
RANKED: Array = np.zeros(0)

# Absent from the earliest model files; zero then.
LATER = ("widest", "waiting", "rows", "turns", "rates", "watched", "mistakes", "evidence", "begun")

PARTS: list[type] = []


def part(cls: type[Part]) -> type[Part]:
    """Class decorator: a NamedTuple of parameters and state that the contract checks will find."""
    PARTS.append(cls)
    cls.begin = start  # type: ignore[attr-defined]
    return cls


def is_part(value: Any) -> bool:
    """Whether a value is a NamedTuple, the form of every part."""
    return isinstance(value, tuple) and hasattr(value, "_field_defaults")


def marker_of(part: Any, name: str) -> Any:
    """The default of a field: a marker where it is state."""
    return part._field_defaults.get(name)


def is_by_slot(marker: Any) -> bool:
    """Whether a field keeps one number for each slot."""
    return marker is SLOTS or marker is RECORD


def rank_of(part: Any) -> int:
    """The rank of a part's sketch; 0 where it has none."""
    return int(getattr(part, "rank", 0))


def is_as_wide(marker: Any) -> bool:
    """Whether a field grows with the slots."""
    return shape_of(marker, 0) != shape_of(marker, 1)


def shape_of(marker: Any, width: Width, rank: int = 0) -> tuple[int, ...] | None:
    """The shape of a state array at this width (or shape of θ) and rank; None for a parameter."""
    if is_by_slot(marker):
        return width if isinstance(width, tuple) else (width,)
    if marker is SCALAR or marker is DIMENSION:
        return (1,)
    if marker is MATRIX and isinstance(width, int):
        return (width, width)
    if marker is WAITING_ROWS and isinstance(width, int):
        return (MOST_WAITING, width)
    if marker is SKETCH and isinstance(width, int):
        return (width, rank)
    if marker is SMALL or marker is RANKED:
        return (rank,) * marker.ndim
    return None


def replaced(part: Part, changes: dict[str, Any]) -> Part:
    """The part with some fields changed."""
    return type(part)(**{**fields(part), **changes})


def fields(part: Any) -> dict[str, Any]:
    """The fields of a part by name."""
    return dict(zip(part._fields, part, strict=True))


def room(part: Any, width: Width) -> dict[str, Array]:
    """Zeros for each state array that the part itself declares."""
    markers = {name: marker_of(part, name) for name in part._fields}
    shapes = {name: shape_of(marker, width, rank_of(part)) for name, marker in markers.items()}
    records = [name for name, marker in markers.items() if marker is RECORD]
    if records and isinstance(width, int) and width >= MANY:
        side_by_side = zeros((width, len(records)))
        beside = {name: side_by_side[:, i] for i, name in enumerate(records)}
    else:
        beside = {}
    return {
        name: beside[name] if name in beside else zeros(shape)
        for name, shape in shapes.items()
        if shape is not None
    }


def start(part: Part, width: Width) -> Part:
    """Return the part with state arrays of its own, ``width`` slots wide, before the first row."""
    changes: dict[str, Any] = dict(room(part, width))
    for name, value in fields(part).items():
        if is_part(value):
            changes[name] = start(value, width)
    begun = replaced(part, changes)
    opened = getattr(begun, "opened", None)
    if opened is not None:
        opened()
    return begun


def grow(part: Part, width: int, move: Callable[[Array, Array], None] | None = None) -> Part:
    """The same part and state, ``width`` slots wide; new slots are zero.

    ``move(smaller, larger)`` says where the slots go, where they do not stay in their places.
    """
    changes: dict[str, Any] = dict(room(part, width))
    for name, value in fields(part).items():
        if name in changes and is_as_wide(marker_of(part, name)):
            for smaller, larger in _by_slot(value, changes[name], marker_of(part, name)):
                (move or _stay)(smaller, larger)
        elif name in changes:
            changes[name] = value
        elif is_part(value):
            changes[name] = grow(value, width, move)
    return replaced(part, changes)


def _by_slot(smaller: Array, larger: Array, marker: Any) -> list[tuple[Array, Array]]:
    """Arrays whose axes are all slots: of a sketch its columns, one by one."""
    if marker is not SKETCH:
        return [(smaller, larger)]
    return list(zip(smaller.T, larger.T, strict=True))


def _stay(smaller: Array, larger: Array) -> None:
    larger[tuple(slice(0, n) for n in smaller.shape)] = smaller


def arrays(part: Any, prefix: str = "", width: int = -1) -> Iterator[tuple[str, Array]]:
    """The state arrays of a part and of the parts inside it, with dotted names.

    ``width`` cuts them to so many slots.
    """
    for name, value in fields(part).items():
        shape = shape_of(marker_of(part, name), width, rank_of(part))
        if shape is not None:
            yield prefix + name, value[tuple(map(slice, shape))] if width >= 0 else value
        elif is_part(value):
            yield from arrays(value, f"{prefix}{name}.", width)


def copy(part: Part) -> Part:
    """A part with copies of the same arrays."""
    changes: dict[str, Any] = dict(room(part, _width(part)))
    for name, value in fields(part).items():
        if name in changes:
            changes[name][...] = value
        elif is_part(value):
            changes[name] = copy(value)
    return replaced(part, changes)


def _width(part: Any) -> Width:
    """The number of slots (or the shape of θ) of the part's own arrays."""
    for name, value in fields(part).items():
        marker = marker_of(part, name)
        if is_by_slot(marker) or marker is MATRIX:
            return len(value) if value.ndim == 1 or marker is MATRIX else value.shape
    return 0


def slots_of(part: Any) -> int:
    """For how many slots the arrays of a part, and of those inside it, have room; 0 where none has."""
    found = [0]
    for name, value in fields(part).items():
        if is_part(value):
            found.append(slots_of(value))
        elif is_as_wide(marker_of(part, name)):
            found.append(value.shape[0 if marker_of(part, name) is SKETCH else -1])
    return max(found)


def has_matrix(part: Any) -> bool:
    """Whether a part, or one inside it, keeps slots × slots numbers."""
    inside = (has_matrix(value) for value in part if is_part(value))
    return any(marker_of(part, name) is MATRIX for name in part._fields) or any(inside)


def restore(part: Any, kept: Any) -> None:
    """Write the arrays of ``kept``, a copy made earlier, back into those of ``part``."""
    for (_, array), (_, before) in zip(arrays(part), arrays(kept), strict=True):
        array[...] = before


def dimensions_of(part: Any) -> list[Array]:
    """The places where a part, or one inside it, keeps how many coordinates there are."""
    found = []
    for name, value in fields(part).items():
        if marker_of(part, name) is DIMENSION:
            found.append(value)
        elif is_part(value):
            found += dimensions_of(value)
    return found


def set_dimension(dimensions: Sequence[Array], coordinates: float) -> None:
    """Set the number of coordinates in all of them."""
    for dimension in dimensions:
        # Skipped where it is right already: a model mapped from a file is read-only.
        if dimension[0] != coordinates:
            dimension[0] = coordinates


def of_dimension(part: Part, coordinates: float) -> Part:
    """The part as it would be with so many coordinates: what knows their number has one of its own."""
    changes: dict[str, Any] = {}
    for name, value in fields(part).items():
        if marker_of(part, name) is DIMENSION:
            changes[name] = np.array([coordinates], np.float64)
        elif is_part(value):
            changes[name] = of_dimension(value, coordinates)
    return replaced(part, changes) if changes else part


def put_in_order(part: Any, absent: set[str], prefix: str = "") -> None:
    """Let a part, and those inside it, put in order what a model file of an earlier version lacks."""
    own = {name.removeprefix(prefix) for name in absent if name.startswith(prefix)}
    loaded = getattr(part, "loaded", None)
    if own and loaded is not None:
        loaded(own)
    for name, value in fields(part).items():
        if is_part(value):
            put_in_order(value, absent, f"{prefix}{name}.")


def from_package(part: Any) -> bool:
    """Whether a part and the parts inside it are the package's own: their code is in the cache's key."""
    inside = (value for value in part if is_part(value))
    return type(part).__module__.startswith("fenchel.") and all(map(from_package, inside))
