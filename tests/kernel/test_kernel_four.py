"""Four roots and divisions at once: the bits of each by itself; asking ahead changes nothing."""

import math

import numpy as np

from fenchel import learners
from fenchel._numba import kernel
from fenchel._numba.intrinsics import fetch, four_quotients, four_roots


def divide_all(a, p, out):
    for k in range(0, a.shape[0], 4):
        q = four_quotients(
            a[k], a[k + 1], a[k + 2], a[k + 3], *four_roots(p[k], p[k + 1], p[k + 2], p[k + 3])
        )
        for lane in range(4):
            fetch(a, np.uint64(k + 10**6))
            out[k + lane] = q[lane]


def test_each_of_four_is_rounded_as_by_itself():
    rng = np.random.default_rng(3)
    a, p = rng.standard_normal((2, 400)) * 10.0 ** rng.integers(-200, 200, (2, 400))
    p, out = np.abs(p), np.empty(400)
    kernel(divide_all)(a, p, out)
    assert (
        out.tobytes() == np.array([x / math.sqrt(y) for x, y in zip(a, p, strict=True)]).tobytes()
    )


def test_rows_of_any_length_by_fours_are_rows_of_one_block():
    """Rows of 0 … 13 entries, learned together and one by one."""
    rng = np.random.default_rng(4)
    X = np.zeros((280, 13))
    for t in range(280):
        X[t, : t % 14] = rng.standard_normal(t % 14)
    y = np.sign(rng.standard_normal(280))
    for name in (
        "arow",
        "arow:form=original",
        "scale_invariant_adagrad",
        "normalized_adaptive_gradient",
    ):
        whole = learners.from_specification(name)
        single = learners.from_specification(name)
        margins = [float(single.learn_many(X[t : t + 1], y[t : t + 1])[0]) for t in range(280)]
        assert whole.learn_many(X, y).tobytes() == np.array(margins).tobytes()
        assert whole.weights().tobytes() == single.weights().tobytes()


def test_a_known_row_is_read_as_any_other():
    learner = learners.arow()
    rows = [{"a": 1.0, "b": 2.0}, {"b": -1.0, "c": 0.5}, {"a": 3.0}]
    for t, x in enumerate(rows * 4):
        learner.learn_one(x, t % 3 == 0)
    first = learner.decision_many(rows)
    assert [learner.decision_one(x) for x in rows] == first.tolist()
    assert [learner.decision_one(x) for x in rows] == first.tolist()
    assert learner.decision_one({"a": 3.0, "new": 5.0}) == learner.decision_one({"a": 3.0})
