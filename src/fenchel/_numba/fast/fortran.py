"""A call into a library of Fortran's kind from compiled code, for ``fenchel._numba.blas``."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _call(context: Any, address: Any, arguments: Any) -> Any:
    """Typing and code of ``fortran``."""

    def emit(target: Any, builder: Any, signature: Any, given: Any) -> Any:
        pointer = ir.PointerType(ir.IntType(8))
        places = []
        for i, kind in enumerate(signature.args[1].types):
            value = builder.extract_value(given[1], i)
            if isinstance(kind, types.Array):
                place = target.make_array(kind)(target, builder, value).data
            else:
                if isinstance(value.type, ir.IntType) and value.type.width > 32:
                    value = builder.trunc(value, ir.IntType(32))
                place = cgutils.alloca_once_value(builder, value)  # type: ignore[no-untyped-call]
            places.append(builder.bitcast(place, pointer))
        kind = ir.FunctionType(ir.VoidType(), [pointer] * len(places))
        builder.call(builder.inttoptr(given[0], kind.as_pointer()), places)
        return target.get_dummy_value()

    return types.none(types.intp, arguments), emit


# fortran(address, (…)): every argument by its address, whole numbers as 32 bits, uint8 as characters.
fortran: Any = intrinsic(_call)
