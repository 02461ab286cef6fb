"""The logarithm of one number and of four: exact to a unit of the last place, the same bits in every way."""

import numba
import numpy as np
import pytest

from fenchel._numba import way
from fenchel._numba.intrinsics import four_values_at, lanes, split
from fenchel._numba.logarithm import quick_log

rng = np.random.default_rng(0)
NUMBERS = np.concatenate(
    [
        np.exp(3.0 * rng.normal(size=400)),
        1.0 + 1e-3 * rng.normal(size=400),
        10.0 ** rng.uniform(-300.0, 300.0, 396),
        [1.0, 0.5, 2.0, np.sqrt(0.5)],
    ]
)


@pytest.fixture(scope="module")
def told():
    return np.array([quick_log(x) for x in NUMBERS])


def test_it_is_exact_to_a_unit_of_the_last_place(told):
    exact = np.log(NUMBERS.astype(np.longdouble))
    assert (np.abs(told - exact) <= np.spacing(np.abs(told))).all()
    assert quick_log(1.0) == 0.0


def test_a_kernel_has_the_same_bits(told):
    compiled = numba.njit(lambda x: quick_log(x))
    assert np.array([compiled(x) for x in NUMBERS]).tobytes() == told.tobytes()


def of_fours(values, out):
    for k in range(0, len(values), 4):
        a, b, c, d = lanes(quick_log(four_values_at(values, np.uint64(k))))
        out[k], out[k + 1], out[k + 2], out[k + 3] = a, b, c, d


@pytest.mark.skipif(way.fours is None, reason="four at once are for the fast way")
def test_four_at_once_have_the_same_bits(told):
    out = np.empty(len(NUMBERS))
    numba.njit(of_fours)(NUMBERS, out)
    assert out.tobytes() == told.tobytes()


def test_the_parts_of_a_number_make_it_up():
    for x in NUMBERS:
        m, e = split(x)
        assert np.sqrt(0.5) <= m < np.sqrt(2.0)
        assert np.ldexp(m, int(e)) == x
