"""Four entries at once: the bits of each by itself; asking ahead changes nothing."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners
from fenchel._numba import kernel
from fenchel._numba.choice import COMPILED
from fenchel._numba.intrinsics import fetch
from fenchel.loops import learn_rows
from fenchel.parts import state
from fenchel.rows import validate

NAMES = (
    "perceptron:certify=yes",
    "passive_aggressive",
    "gradient_descent",
    "dual_averaging:l1=0.01,certify=yes",
    "arow:certify=yes",
    "arow:form=original",
    "soft_confidence_weighted",
    "adagrad:l1=0.001,certify=yes",
    "scale_invariant_adagrad:certify=yes",
    "normalized_adaptive_gradient",
)


def read_ahead(a, out):
    for k in range(a.shape[0]):
        fetch(a, np.uint64(k + 10**6))
        out[k] = a[k]


def test_asking_ahead_changes_nothing():
    a, out = np.arange(40.0), np.zeros(40)
    kernel(read_ahead)(a, out)
    assert out.tobytes() == a.tobytes()


def test_records_are_as_far_apart_as_kernels_are_told():
    """``side_by_side`` takes the distance from the class; only records are apart at all."""
    for cls in state.PARTS:
        beside = [name for name in cls._fields if cls._field_defaults.get(name) is state.RECORD]
        if beside:
            part = cls(**{n: 1.0 for n in cls._fields if n not in cls._field_defaults})
            arrays = state.room(part, state.MANY)
            assert {arrays[name].strides for name in beside} == {(8 * len(beside),)}
            apart = [name for name in arrays if not arrays[name].flags.c_contiguous]
            assert set(apart) <= set(beside)


def test_kernels_that_count_references_give_none_away():
    """Parts that make arrays on the way: their state is still there when other learners are made."""
    made = []
    for _ in range(3):
        learner = learners.scale_invariant_p_norm()
        learner.learn_one({f"n{i:02d}": 1e-9 for i in range(30)}, True)
        learner.learn_one({f"n{i:02d}": 1e-9 for i in range(7)}, True)
        made.append(learner)
    assert len({learner.all_weights().tobytes() for learner in made}) == 1


def uneven_rows(seed: int, columns: int, single: bool):
    """Rows of 0 to 13 entries of all sizes, some of them 0, some larger than all before."""
    rng = np.random.default_rng(seed)
    X = sp.lil_array((120, columns))
    for t in range(120):
        at = rng.choice(columns, t % 14, replace=False) % (5 if t % 3 == 0 else columns)
        sizes = 10.0 ** rng.choice([-250, -3, 0, 0, 0, 0, 1, 2, 250], len(at))
        X[t, at] = rng.standard_normal(len(at)) * (1.0 if single else sizes)
    X = X.tocsr()
    X.sort_indices()
    X.data[rng.random(len(X.data)) < 0.05] = 0.0
    return X.astype(np.float32 if single else np.float64), np.sign(rng.standard_normal(120))


CASES = [(name, 5000, "float64") for name in NAMES]
CASES += [
    ("arow", 5000, "float32"),
    ("arow", 20, "dense"),
    ("normalized_adaptive_gradient", 20, "dense"),
]


@pytest.mark.skipif(not COMPILED, reason="Python against itself")
@pytest.mark.parametrize(("name", "columns", "kind"), CASES)
def test_four_at_once_have_the_bits_of_one_by_one(name, columns, kind):
    """Compiled code against the same loop in Python, which goes by single entries."""
    X, y = uneven_rows(7, columns, kind == "float32")
    rows = validate.as_rows(X.toarray() if kind == "dense" else X)
    compiled, plain = (learners.from_specification(name).engine for _ in range(2))
    compiled.take_up(columns)
    plain.take_up(columns)
    margins = np.empty(len(y))
    given = rows.view, y, np.ones(1), 1.0, columns, True, margins, plain.counts
    with np.errstate(all="ignore"):
        learn_rows.py_func(*plain.parts, *given)
    assert compiled.learn(rows, y, np.ones(1), True).tobytes() == margins.tobytes()
    for (what, a), (_, b) in zip(
        state.arrays(compiled.parts), state.arrays(plain.parts), strict=True
    ):
        assert a.tobytes() == b.tobytes(), what


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
