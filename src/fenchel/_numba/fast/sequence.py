"""Calls of kernels with their arguments bound, made one after the other by one call from Python.

Python hands a kernel every array of its arguments anew in each call, which takes longer than most kernels
need for one row. Here the arguments are put once into a list of machine words, and a function that is made
for the types of these calls reads them from there. The kernels themselves are those that are called
elsewhere: nothing of them is compiled again.
"""

# mypy: disallow-untyped-calls=False
# Numba has no types to tell.

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.compiler_lock import global_compiler_lock

WORD, BYTE, CODE = ir.IntType(64), ir.IntType(8), ir.IntType(32)
# The codes with which a kernel returns a number, or nothing; any other says that it has raised.
RETURNED = (0, -2)
LARGEST_RESULT = 8  # bytes

_MADE: dict[Any, tuple[Any, Any]] = {}


class _Call(NamedTuple):
    """One call: the kernel's type to the machine, its address, and its arguments as words."""

    kind: Any
    address: int
    words: list[int]


def in_one_step(calls: Sequence[tuple[Any, tuple[Any, ...]]]) -> Callable[[], None]:
    """Bind (kernel, arguments) in turn; what is returned makes all the calls, and hands back nothing.

    Arrays are read and written where they lie now: who replaces one has to bind anew.
    """
    bound = [_bound(*call) for call in calls]
    words = np.array([word for b in bound for word in (b.address, *b.words)], np.uint64)
    run, place = _function_for([b.kind for b in bound]), words.ctypes.data
    alive = words, calls

    def step() -> None:
        if run(place):
            raise MemoryError(f"no memory for one of {len(alive[1])} steps")

    return step


def _bound(kernel: Any, arguments: tuple[Any, ...]) -> _Call:
    kinds = tuple(map(numba.typeof, arguments))
    kernel.compile(kinds)
    found = kernel.overloads[kinds]
    conventions, result = found.target_context.call_conv, found.signature.return_type
    kind = conventions.get_function_type(result, kinds)
    assert result is types.none or result.bitwidth <= 8 * LARGEST_RESULT, result
    words = [word for each in zip(kinds, arguments, strict=True) for word in _words(*each)]
    assert len(words) == len(kind.args) - 2, "one word for each argument, after result and exception"
    address = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
    return _Call(kind, address, words)


def _words(kind: Any, value: Any) -> Iterator[int]:
    """An argument as the kernel gets it; of an array nobody counts the references here."""
    if isinstance(kind, types.BaseTuple):
        for inner, part in zip(kind.types, value, strict=True):  # type: ignore[attr-defined]
            yield from _words(inner, part)
    elif isinstance(kind, types.Array):
        yield from (0, 0, value.size, value.itemsize, value.__array_interface__["data"][0])
        yield from (*value.shape, *value.strides)
    elif kind == types.float64:
        yield int(np.float64(value).view(np.uint64))
    elif isinstance(kind, (types.Integer, types.Boolean)):
        yield int(value) % 2**64
    else:
        raise TypeError(f"an argument of type {kind} cannot be bound")


@global_compiler_lock
def _function_for(kinds: list[Any]) -> Any:
    """The function that makes calls of these types, from an address and words for each."""
    key = tuple(map(str, kinds))
    if key not in _MADE:
        codegen = numba.core.registry.cpu_target.target_context.codegen()  # type: ignore[attr-defined]
        name = f"fenchel_calls_{len(_MADE)}"
        library = codegen.create_library(name)
        module = library.create_ir_module(name)
        _build(ir.Function(module, ir.FunctionType(CODE, [WORD.as_pointer()]), name), kinds)
        library.add_ir_module(module)
        library.finalize()
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        _MADE[key] = prototype(library.get_pointer_to_function(name)), library
    return _MADE[key][0]


def _build(function: Any, kinds: list[Any]) -> None:
    """Load, call, and go on unless the kernel has raised."""
    builder = ir.IRBuilder(function.append_basic_block())
    result = builder.alloca(BYTE, LARGEST_RESULT)
    result.align = LARGEST_RESULT
    raised = builder.alloca(BYTE.as_pointer())
    failed = function.append_basic_block("failed")
    at = 0

    def next_word(kind: Any) -> Any:
        nonlocal at
        place = builder.gep(function.args[0], [ir.Constant(WORD, at)])
        at += 1
        word = builder.load(place)
        if isinstance(kind, ir.PointerType):
            return builder.inttoptr(word, kind)
        if isinstance(kind, ir.DoubleType):
            return builder.bitcast(word, kind)
        return word if kind == WORD else builder.trunc(word, kind)

    for kind in kinds:
        kernel = next_word(kind.as_pointer())
        places = [builder.bitcast(result, kind.args[0]), builder.bitcast(raised, kind.args[1])]
        code = builder.call(kernel, places + [next_word(each) for each in kind.args[2:]])
        fine = [builder.icmp_signed("==", code, ir.Constant(CODE, each)) for each in RETURNED]
        following = function.append_basic_block()
        builder.cbranch(builder.or_(*fine), following, failed)
        builder.position_at_end(following)
    builder.ret(ir.Constant(CODE, 0))
    builder.position_at_end(failed)
    builder.ret(ir.Constant(CODE, 1))
