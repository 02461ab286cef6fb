"""Rows of the matrix space R^{K×d} (⟨A, B⟩ = tr AᵀB), made of a plain row x while it is read.

e_k·xᵀ has x in the places of class k; (e_y − e_ŷ)·xᵀ has x in those of y and −x in those of ŷ. The
place of class k at column j is slot 1 + j·stride + k, stride ≥ K: the weights of one column lie
together, and new columns go to the end. The intercept's column is the first where there is one;
slot 0, that of a plain row's intercept, stays empty.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fenchel._numba.jit import helper
from fenchel.rows.types import ONE, ZERO, entry, length, slot, slot_of, value_of


class ClassRow(NamedTuple):
    """e_k·xᵀ."""

    x: Any
    k: Any
    stride: Any
    bias: float
    importance: float


class PairRow(NamedTuple):
    """(e_y − e_ŷ)·xᵀ, ŷ the rival."""

    x: Any
    y: Any
    rival: Any
    stride: Any
    bias: float
    importance: float


@helper
def _entries(x: Any) -> Any:
    """The number of entries of x, the intercept's counted where there is one."""
    return length(x) if x.bias == 0.0 else length(x) + ONE


@helper
def _place(x: Any, i: Any, stride: Any) -> Any:
    """The slot of class 0 at entry i of x."""
    return ONE + (slot_of(x, i) - (ONE if x.bias == 0.0 else ZERO)) * stride


@length.of(ClassRow)
def _class_length(row: Any) -> Any:
    return _entries(row.x)


@slot.of(ClassRow)
def _class_slot(row: Any, i: Any) -> Any:
    return _place(row.x, i, row.stride) + row.k


@entry.of(ClassRow)
def _class_entry(row: Any, i: Any) -> float:
    return float(value_of(row.x, i))


@length.of(PairRow)
def _pair_length(row: Any) -> Any:
    return _entries(row.x) << ONE


@slot.of(PairRow)
def _pair_slot(row: Any, i: Any) -> Any:
    return _place(row.x, i >> ONE, row.stride) + (row.y if i & ONE == ZERO else row.rival)


@entry.of(PairRow)
def _pair_entry(row: Any, i: Any) -> float:
    x = value_of(row.x, i >> ONE)
    return float(x if i & ONE == ZERO else -x)
