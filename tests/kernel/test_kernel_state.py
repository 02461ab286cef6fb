"""The state of a part: start, grow, copy, arrays, restore."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from fenchel.parts import state
from fenchel.parts.memory import LINE
from fenchel.parts.state import (
    MANY,
    MATRIX,
    MOST_WAITING,
    RECORD,
    SCALAR,
    SLOTS,
    WAITING_ROWS,
    Array,
)
from fenchel.regularizers import FullQuadratic, MaxNormScaled, PNorm


class Inner(NamedTuple):
    rate: float = 2.0
    sums: Array = SLOTS


class Outer(NamedTuple):
    inner: Any = Inner()
    table: Array = MATRIX
    clock: Array = SCALAR
    latest: Array = WAITING_ROWS
    labels: tuple[str, ...] = ("a", "b")


class Pair(NamedTuple):
    theta: Array = RECORD
    squares: Array = RECORD


@pytest.fixture
def started():
    part = state.start(Outer(inner=Inner(rate=3.0)), 3)
    part.inner.sums[:] = [1.0, 2.0, 3.0]
    part.table[:] = np.arange(9.0).reshape(3, 3)
    part.clock[0] = 7.0
    part.latest[:] = np.arange(3.0 * MOST_WAITING).reshape(MOST_WAITING, 3)
    return part


def test_start_gives_zero_arrays_and_keeps_parameters():
    part = state.start(Outer(inner=Inner(rate=3.0)), 4)
    assert (part.inner.sums.shape, part.table.shape, part.clock.shape) == ((4,), (4, 4), (1,))
    assert not part.inner.sums.any()
    assert not part.table.any()
    assert not part.clock.any()
    assert part.inner.rate == 3.0
    assert part.labels == ("a", "b")


def test_start_gives_each_its_own_arrays():
    one, two = state.start(Outer(), 2), state.start(Outer(), 2)
    one.inner.sums[0] = 5.0
    assert two.inner.sums[0] == 0.0
    assert len(SLOTS) == 0


def test_slots_take_the_shape_of_matrices():
    assert state.start(Inner(), (2, 3)).sums.shape == (2, 3)


def test_grow_keeps_every_number_and_adds_zeros(started):
    grown = state.grow(started, 5)
    assert grown.inner.sums.tolist() == [1.0, 2.0, 3.0, 0.0, 0.0]
    assert np.array_equal(grown.table[:3, :3], started.table)
    assert grown.table.sum() == started.table.sum()
    assert np.array_equal(grown.latest[:, :3], started.latest)
    assert grown.latest.sum() == started.latest.sum()
    assert grown.clock is started.clock  # a scalar does not grow
    assert started.inner.sums.tolist() == [1.0, 2.0, 3.0]


def test_arrays_have_dotted_names_in_a_fixed_order(started):
    names = ["inner.sums", "table", "clock", "latest"]
    assert [name for name, _ in state.arrays(started)] == names
    assert dict(state.arrays(started))["inner.sums"] is started.inner.sums
    leveled = dict(state.arrays(state.start(MaxNormScaled(PNorm()), 3)))
    assert {"inner.theta", "inner.powers", "level"} <= leveled.keys()


def test_arrays_are_cut_to_a_width(started):
    cut = dict(state.arrays(started, width=2))
    shapes = {"inner.sums": (2,), "table": (2, 2), "clock": (1,), "latest": (MOST_WAITING, 2)}
    assert {name: array.shape for name, array in cut.items()} == shapes
    assert np.array_equal(cut["latest"], started.latest[:, :2])


@pytest.mark.parametrize("width", [1, 7, 8, 1000, 1_000_000])
def test_arrays_begin_with_a_line_of_the_cache(width):
    for _, array in state.arrays(state.start(Inner(), width)):
        assert array.ctypes.data % (LINE * array.itemsize) == 0
        assert array.flags.c_contiguous


def test_records_lie_side_by_side_where_they_are_many():
    few = state.start(Pair(), MANY - 1)
    assert few.theta.strides == few.squares.strides == (8,)
    few.theta[:], few.squares[:] = 1.0, 2.0
    for many in (
        state.start(Pair(), MANY),
        state.grow(few, MANY),
        state.copy(state.grow(few, MANY)),
    ):
        assert many.theta.strides == many.squares.strides == (16,)
        assert many.squares.ctypes.data - many.theta.ctypes.data == 8
    assert many.theta[: MANY - 1].tolist() == few.theta.tolist()
    assert many.squares[: MANY - 1].tolist() == few.squares.tolist()


def test_copy_shares_nothing(started):
    twin = state.copy(started)
    twin.inner.sums[0] = twin.clock[0] = twin.table[0, 0] = -1.0
    assert started.inner.sums[0] == 1.0
    assert started.clock[0] == 7.0
    assert started.table[0, 0] == 0.0


def test_restore_writes_a_copy_back_in_place(started):
    kept, sums = state.copy(started), started.inner.sums
    sums[:] = np.nan
    started.clock[0] = 0.0
    state.restore(started, kept)
    assert started.inner.sums is sums
    assert sums.tolist() == [1.0, 2.0, 3.0]
    assert started.clock[0] == 7.0


def test_parts_of_the_package_are_told_from_others(started):
    assert state.from_package(FullQuadratic())
    assert state.from_package(MaxNormScaled(PNorm()))
    assert not state.from_package(started)
    assert not state.from_package(MaxNormScaled(Inner()))


def test_parts_are_told_from_plain_values():
    assert state.is_part(Outer())
    assert not state.is_part((1.0, 2.0))
    assert not state.is_part(np.zeros(2))
