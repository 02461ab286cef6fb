"""Calls of kernels with their arguments bound, in one step."""

from typing import NamedTuple

import numpy as np

from fenchel._numba.jit import in_one_step, kernel


class Pair(NamedTuple):
    """An array and a number."""

    values: np.ndarray
    factor: float


@kernel
def add_to(pair, count, negative, out):
    """out += factor·values of the first so many, or less."""
    for k in range(count):
        out[k] += -pair.factor * pair.values[k] if negative else pair.factor * pair.values[k]
    return count


@kernel
def total_into(table, out):
    """The sum of a table."""
    out[0] = table.sum()


def test_calls_are_made_in_turn_on_the_arrays_as_they_are_now():
    values, out, total = np.array([1.0, 2.0, 3.0]), np.zeros(3), np.zeros(1)
    calls = [
        (add_to, (Pair(values, 2.0), 3, False, out)),
        (add_to, (Pair(values, 0.5), 2, True, out)),
        (total_into, (out.reshape(3, 1), total)),
    ]
    step = in_one_step(calls)
    step()
    np.testing.assert_array_equal(out, [1.5, 3.0, 6.0])
    assert total[0] == 10.5
    values[:] = 10.0
    step()
    np.testing.assert_array_equal(out, [16.5, 18.0, 26.0])
    assert total[0] == 60.5


def test_no_calls_are_a_step():
    in_one_step([])()
