"""Records whose distance in memory the compiler knows: a slot's address is a shift, no product."""

# mypy: disallow-untyped-calls=False
# Numba has no types to tell.

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from fenchel.parts.state import RECORD


def _records(kind: Any) -> list[str]:
    """The fields of a part that lie side by side."""
    defaults = getattr(kind.instance_class, "_field_defaults", {})
    return [name for name in kind.fields if defaults.get(name) is RECORD]


def _known(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A part, and those inside it, with the strides of records as constants."""
    if not isinstance(kind, types.BaseNamedTuple):
        return value
    beside = _records(kind)
    fields: Any = kind
    for at, (name, inner) in enumerate(zip(fields.fields, fields.types, strict=True)):
        found = builder.extract_value(value, at)
        if isinstance(inner, types.BaseNamedTuple):
            found = _known(context, builder, inner, found)
        elif name in beside and isinstance(inner, types.Array) and inner.layout == "A":
            array = context.make_array(inner)(context, builder, found)
            stride = ir.Constant(ir.IntType(64), 8 * len(beside))
            array.strides = cgutils.pack_array(builder, [stride])
            found = array._getvalue()
        else:
            continue
        value = builder.insert_value(value, found, at)
    return value


def _settle(context: Any, part: Any) -> Any:
    def settle(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = _known(target, builder, signature.args[0], arguments[0])
        if target.enable_nrt:  # a second owner of the same arrays, where references are counted
            target.nrt.incref(builder, signature.return_type, found)
        return found

    return part(part), settle


_settled: Any = intrinsic(_settle)


def side_by_side(part: Any) -> Any:
    """In kernels: the part, its records known to lie side by side."""
    return _settled(part)
