"""Calls of kernels with their arguments bound, made one after the other by one call from Python.

Python hands a kernel every array of its arguments anew in each call, which takes longer than most kernels
need for one row. Here the arguments are put once into a list of machine words; for each type of kernel there
is a stub, a small function that reads them from there. The kernels themselves are those that are called
elsewhere: nothing of them is compiled again.
"""

# mypy: disallow-untyped-calls=False
# Numba has no types to tell.

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

WORD, BYTE, CODE = ir.IntType(64), ir.IntType(8), ir.IntType(32)
WORDS = WORD.as_pointer()
STUB = ir.FunctionType(CODE, [WORDS])
# The codes with which a kernel returns a number, or nothing; any other says that it has raised.
RETURNED = (0, -2)
LARGEST_RESULT = 8  # bytes

_STUBS: dict[str, int] = {}
_ALIVE: list[Any] = []  # the code of stubs and of the runner


class _Call(NamedTuple):
    """One call: the kernel's type to the machine, and its address and arguments as words."""

    kind: Any
    words: list[int]


def in_one_step(calls: Sequence[tuple[Any, tuple[Any, ...]]]) -> Callable[[], None]:
    """Bind (kernel, arguments) in turn; what is returned makes all the calls, and hands back nothing.

    Arrays are read and written where they lie now: who replaces one has to bind anew.
    """
    bound = [_bound(*call) for call in calls]
    stubs = _stubs_for([call.kind for call in bound])
    words = np.array([word for call in bound for word in call.words], np.uint64)
    begins = np.cumsum([0, *(len(call.words) for call in bound)])[:-1]
    table = np.stack([stubs, words.ctypes.data + 8 * begins.astype(np.uint64)], axis=1)
    run, place, count, alive = _runner(), table.ctypes.data, len(bound), (words, table, calls)

    def step() -> None:
        if run(place, count):
            raise MemoryError(f"no memory for one of {len(alive[2])} steps")

    return step


def _bound(kernel: Any, arguments: tuple[Any, ...]) -> _Call:
    kinds = tuple(map(numba.typeof, arguments))
    kind, address = _entry(kernel, kinds)
    words = [word for each in zip(kinds, arguments, strict=True) for word in _words(*each)]
    assert len(words) == len(kind.args) - 2, (
        "one word for each argument, after result and exception"
    )
    return _Call(kind, [address, *words])


@cache
def _entry(kernel: Any, kinds: tuple[Any, ...]) -> tuple[Any, int]:
    """A kernel for arguments of these types: its type to the machine, and its address."""
    kernel.compile(kinds)
    found = kernel.overloads[kinds]
    conventions, result = found.target_context.call_conv, found.signature.return_type
    kind = conventions.get_function_type(result, kinds)
    assert result is types.none or result.bitwidth <= 8 * LARGEST_RESULT, result
    return kind, found.library.get_pointer_to_function(found.fndesc.llvm_func_name)


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


# ── code ────────────────────────────────────────────────────────────────────────────────────────


def _stubs_for(kinds: list[Any]) -> Any:
    """For each type of kernel the address of a function that calls one, given where its words begin."""
    with global_compiler_lock:
        return _stubs_made_for(kinds)


def _stubs_made_for(kinds: list[Any]) -> Any:
    missing = {str(kind): kind for kind in kinds if str(kind) not in _STUBS}
    if missing:
        names = {key: f"fenchel_stub_{len(_STUBS) + k}" for k, key in enumerate(missing)}
        library = _library(
            names[next(iter(missing))],
            [(names[key], STUB, partial(_build_stub, kind)) for key, kind in missing.items()],
        )
        for key, name in names.items():
            _STUBS[key] = library.get_pointer_to_function(name)
    return np.array([_STUBS[str(kind)] for kind in kinds], np.uint64)


@cache
def _runner() -> Any:
    """A function of a table, and how many rows it has: the address of a stub, and that of its words."""
    name = "fenchel_runner"
    with global_compiler_lock:
        library = _library(name, [(name, ir.FunctionType(CODE, [WORDS, WORD]), _build_runner)])
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
    return kind(library.get_pointer_to_function(name))


def _library(name: str, functions: Sequence[tuple[str, Any, Callable[[Any], None]]]) -> Any:
    """Machine code of functions, each by its name, its type and who builds it."""
    library = cpu_target.target_context.codegen().create_library(name)
    module = library.create_ir_module(name)
    for own, kind, build in functions:
        build(ir.Function(module, kind, own))
    library.add_ir_module(module)
    library.finalize()
    _ALIVE.append(library)
    return library


def _build_stub(kind: Any, function: Any) -> None:
    """Load the words, call the kernel; the result is 0 unless it has raised."""
    builder = ir.IRBuilder(function.append_basic_block())
    result, raised = builder.alloca(BYTE, LARGEST_RESULT), builder.alloca(BYTE.as_pointer())
    result.align = LARGEST_RESULT

    def word(at: int, wanted: Any) -> Any:
        found = builder.load(builder.gep(function.args[0], [ir.Constant(WORD, at)]))
        if isinstance(wanted, ir.PointerType):
            return builder.inttoptr(found, wanted)
        if isinstance(wanted, ir.DoubleType):
            return builder.bitcast(found, wanted)
        return found if wanted == WORD else builder.trunc(found, wanted)

    given = [word(at, wanted) for at, wanted in enumerate(kind.args[2:], 1)]
    places = [builder.bitcast(result, kind.args[0]), builder.bitcast(raised, kind.args[1])]
    code = builder.call(word(0, kind.as_pointer()), places + given)
    fine = [builder.icmp_signed("==", code, ir.Constant(CODE, each)) for each in RETURNED]
    builder.ret(builder.select(builder.or_(*fine), ir.Constant(CODE, 0), ir.Constant(CODE, 1)))


def _build_runner(function: Any) -> None:
    """Call one stub after the other, up to the first that fails."""
    first, loop, last = (function.append_basic_block(name) for name in ("first", "loop", "last"))
    table, count = function.args
    builder = ir.IRBuilder(first)
    none = builder.icmp_signed("==", count, ir.Constant(WORD, 0))
    builder.cbranch(none, last, loop)
    builder.position_at_end(loop)
    at = builder.phi(WORD)
    place = builder.gep(table, [builder.mul(at, ir.Constant(WORD, 2))])
    stub = builder.inttoptr(builder.load(place), STUB.as_pointer())
    words = builder.load(builder.gep(place, [ir.Constant(WORD, 1)]))
    code = builder.call(stub, [builder.inttoptr(words, WORDS)])
    following = builder.add(at, ir.Constant(WORD, 1))
    done = builder.icmp_signed("==", following, count)
    failed = builder.icmp_signed("!=", code, ir.Constant(CODE, 0))
    builder.cbranch(builder.or_(done, failed), last, loop)
    at.add_incoming(ir.Constant(WORD, 0), first)
    at.add_incoming(following, loop)
    builder.position_at_end(last)
    told = builder.phi(CODE)
    told.add_incoming(ir.Constant(CODE, 0), first)
    told.add_incoming(code, loop)
    builder.ret(told)
