"""Python's objects seen from compiled code: by address, through Python's own C functions.

Nothing here runs Python code: whoever calls has made sure of plain strings, numbers and dicts. The
functions are called by name, and so need no header and no compiler.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_Word: Any = types.uintp


def _function(name: str, result: Any, *arguments: Any) -> Any:
    return types.ExternalFunction(name, result(*arguments))


next_item = _function("PyDict_Next", types.int32, _Word, _Word, _Word, _Word)
item_at = _function("PyList_GetItem", _Word, _Word, types.intp)
find = _function("PyDict_GetItemWithError", _Word, _Word, _Word)
hash_of = _function("PyObject_Hash", _Word, _Word)
compare = _function("PyUnicode_Compare", types.int32, _Word, _Word)
as_double = _function("PyFloat_AsDouble", types.float64, _Word)
as_integer = _function("PyLong_AsLongLongAndOverflow", types.int64, _Word, _Word)


def _load_kind(context: Any, thing: Any) -> Any:
    """The address of an object's type: the second word of every object."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = context.get_value_type(_Word)
        thing = builder.inttoptr(arguments[0], word.as_pointer())
        return builder.load(builder.gep(thing, [word(1)]))

    return _Word(_Word), build


def _take_address(context: Any, thing: Any) -> Any:
    """The address of an object given as an argument; compiled code owns no reference to it."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], context.get_value_type(_Word))

    return _Word(thing), build


def _fetch(context: Any, place: Any) -> Any:
    """Have memory brought near the processor, without waiting for it; any address will do."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        to_read, often, data = number(0), number(3), number(1)
        builder.call(fetch, [builder.inttoptr(arguments[0], byte), to_read, often, data])
        return context.get_dummy_value()

    return types.none(_Word), build


kind_of: Any = intrinsic(_load_kind)
prefetch: Any = intrinsic(_fetch)
address_of: Any = intrinsic(_take_address)
