"""The way of compiling that was chosen: what the rest of the package asks of it."""

from fenchel._numba.choice import FAST

if FAST:
    from fenchel._numba.fast import (
        INLINED,
        LEAN,
        OPTIONS,
        byte_at,
        compiling,
        expected,
        fetched,
        fours,
        in_one_step,
        inside,
        kept,
        settled,
        side_by_side,
        when_compiling,
    )
else:
    from fenchel._numba.plain import (
        INLINED,
        LEAN,
        OPTIONS,
        byte_at,
        compiling,
        expected,
        fetched,
        fours,
        in_one_step,
        inside,
        kept,
        settled,
        side_by_side,
        when_compiling,
    )

__all__ = [
    "INLINED",
    "LEAN",
    "OPTIONS",
    "byte_at",
    "compiling",
    "expected",
    "fetched",
    "fours",
    "in_one_step",
    "inside",
    "kept",
    "settled",
    "side_by_side",
    "when_compiling",
]
