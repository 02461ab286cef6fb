"""Functions inside kernels: plain Python to Python, part of the kernel to the compiler."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from fenchel._numba import helper, kernel, verb
from fenchel._numba.choice import COMPILED, FAST
from fenchel._numba.intrinsics import seldom
from fenchel._numba.jit import lean


@helper
def _third(x: float) -> float:
    return x / 3.0


@helper
def _not_negative(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative", x)
    return x


@helper
def _told(x: float) -> float:
    print("seen", x)
    return x


@helper
def _total(x: Any, scale: float) -> float:
    total = 0.0
    for each in x:
        total += _third(each * scale)
    return total


@verb
def _area(shape: Any, scale: float) -> float:
    return -scale


class _Square(NamedTuple):
    side: float


class _Disc(NamedTuple):
    radius: float


@_area.of(_Square)
def _square_area(shape: Any, scale: float) -> float:
    return float(scale * shape.side * shape.side)


@kernel
def _two_totals(x: Any) -> float:
    return _total(x, 1.0) - _total(x, 2.0)


@kernel
def _checked(x: float) -> float:
    return _not_negative(_third(x))


@kernel
def _said(x: float) -> float:
    return _told(_third(x))


@kernel
def _both_areas(square: Any, disc: Any) -> float:
    return _area(square, 2.0) + _area(disc, 2)


@kernel
def _which(x: float) -> int:
    return 1 if seldom(x > 0.5) else 2


def test_a_helper_is_plain_python_to_python():
    assert _third(6.0) == 2.0
    assert _total([3.0, 6.0], 2.0) == 6.0
    assert type(_third).__name__ == "function"


def test_a_helper_with_a_loop_in_a_kernel_does_as_in_python():
    x = np.random.default_rng(0).normal(size=50)
    assert _two_totals(x) == pytest.approx(_total(x, 1.0) - _total(x, 2.0), rel=1e-12)
    assert lean(_two_totals)(x) == _two_totals(x)


def test_a_value_that_is_raised_in_a_helper_arrives():
    assert _checked(6.0) == 2.0
    with pytest.raises(ValueError, match="negative") as raised:
        _checked(-6.0)
    assert raised.value.args == ("negative", -2.0)


def test_a_helper_may_print(capfd):
    assert _said(6.0) == 2.0
    assert capfd.readouterr().out.split() == ["seen", "2.0"]


def test_a_verb_means_the_part_it_is_given():
    assert _both_areas(_Square(3.0), _Disc(1.0)) == 16.0


def test_seldom_is_its_condition():
    assert [seldom(x > 0.5) for x in (0.0, 0.6)] == [False, True]
    assert [_which(x) for x in (0.0, 0.5, 0.6, np.nan)] == [2, 2, 1, 2]


@pytest.mark.skipif(not (COMPILED and FAST), reason="asks how the fast way compiles")
def test_a_kernel_becomes_machine_code_once_with_all_that_is_inside(monkeypatch):
    from numba.core.codegen import JITCodeLibrary

    made = []
    finalize = JITCodeLibrary._finalize_specific

    def counted(library: Any) -> None:
        made.append(library.name)
        finalize(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", counted)

    @kernel
    def three_times(x: Any) -> float:
        return _third(_total(x, 3.0))

    three_times(np.ones(3))
    assert [name for name in made if name.startswith("_") or "three_times" in name] == [
        "test_a_kernel_becomes_machine_code_once_with_all_that_is_inside.<locals>.three_times"
    ]
