"""Kernels on trial: Python gives the bits of compiled code, and only what is slow is compiled."""

import json
import math
import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from fenchel import learners
from fenchel._numba import blas, kernel, libm
from fenchel._numba.choice import COMPILED, FAST
from fenchel._numba.fast.function_cache import Candidate
from fenchel._numba.trial import LIMIT, TEXT, WARM, Trial, trial
from fenchel.parts.state import Array
from kernel import kernel_bits
from kernel.plain_python import plainly

FUNCTIONS = (libm.exp, libm.expm1, libm.log, libm.log1p, libm.log2, libm.cos)
POINTS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.5,
    1e-300,
    1e300,
    -1e300,
    709.9,
    math.inf,
    -math.inf,
    math.nan,
]

compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


@compiled_only
def test_every_learner_has_the_same_bits_in_python():
    told = json.loads(plainly("-W", "ignore", "-m", "kernel.kernel_bits"))
    assert told == kernel_bits.digests()


@compiled_only
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_of_the_c_library_have_the_same_bits_in_kernels(function):
    compiled = numba.njit(lambda x: function(x))
    points = [*POINTS, *np.random.default_rng(0).normal(size=2000) * 20.0]
    told, compiled_one = (np.array([call(x) for x in points]) for call in (function, compiled))
    assert np.array_equal(np.isnan(told), np.isnan(compiled_one))  # whose sign means nothing
    assert np.nan_to_num(told, nan=0.0).tobytes() == np.nan_to_num(compiled_one, nan=0.0).tobytes()


def _doubled(x: Array) -> float:
    x *= 2.0
    return x.sum() / 0.0 if x[0] else 0.0


@pytest.mark.skipif(not FAST, reason="only the fast way has trials")
def test_while_a_trial_is_on_a_kernel_runs_as_python():
    doubled = kernel(_doubled)
    slow = []
    trial.begin(lambda: slow.append(True))
    try:
        x = np.ones(3)
        assert doubled(x) == math.inf  # and no warning
        assert x.tolist() == [2.0, 2.0, 2.0]
        assert not doubled.signatures
        for _ in trial.pieces(doubled, 10**12):
            break
        doubled(x)
        assert len(doubled.signatures) == 1
        assert slow == [True]
    finally:
        trial.end()
    other = kernel(_doubled)
    other(x)
    assert len(other.signatures) == 1


class Stub:
    """A kernel that ran so many seconds in earlier processes."""

    def __init__(self, before: float = 0.0) -> None:
        self.before = self.kept = before

    def seconds_before(self) -> float:
        return self.before

    def keep_seconds(self, seconds: float) -> None:
        self.kept = seconds


def _tried(it: Stub, spent: float, ahead: float = 1.0) -> Trial:
    found = Trial()
    found.begin()
    found.admits(it, ())
    found._spent[it] = spent
    found._ahead = max(ahead, 1.0)
    return found


def test_pieces_grow_while_a_trial_is_on():
    found, learner, other = Trial(), learners.arow(), learners.arow()
    assert [*found.pieces(learner, 100)] == [(0, 100)]
    found.begin()
    found.expect(1000)
    assert [*found.pieces(learner, 100)] == [(0, 2), (2, 8), (8, 32), (32, 100)]
    assert [*found.pieces(other, 3)] == [(0, 2), (2, 3)]
    assert [*found.pieces(other, 0)] == [(0, 0)]
    for _, ahead in zip(found.pieces(learner, 500), [900 / 100, 600 / 400], strict=True):
        assert found._ahead == ahead
    found.end()
    assert not found.is_on


@pytest.mark.parametrize(
    ("spent", "ahead", "admitted"),
    [
        (0.0, 1e9, True),  # nothing is known yet
        (0.4 * LIMIT, 1.0, True),
        (0.6 * LIMIT, 1.0, False),
        (0.4 * LIMIT, 10.0, False),
        (0.9 * WARM, 3.0 * LIMIT / WARM, True),  # slow, but these were the first times
        (0.9 * WARM, 30.0 * LIMIT / WARM, False),
    ],
)
def test_a_kernel_is_compiled_once_python_would_take_longer(spent, ahead, admitted):
    it = Stub()
    assert _tried(it, spent, ahead).admits(it, (np.ones(3),)) == admitted


def test_what_a_kernel_took_in_earlier_processes_counts():
    it = Stub(before=0.5 * LIMIT)
    found = _tried(it, 0.2 * LIMIT)
    assert found.admits(it, ())
    found._spent[it] = 0.3 * LIMIT
    assert not found.admits(it, ())
    found.end()
    assert it.kept == pytest.approx(0.8 * LIMIT)
    assert not found.is_on


def test_long_texts_large_states_and_machine_code_are_not_for_python():
    it = Stub()
    new = _tried(it, 0.0)
    assert new.admits(it, (np.zeros(TEXT, np.uint8), 3, (np.ones(3),)))
    assert not new.admits(it, (np.zeros(TEXT + 1, np.uint8),))
    assert not new.admits(it, ((1.0, (np.ones((2000, 2000)),)),))
    assert not new.admits(it, (blas.Blas(1, 2), np.ones(3)))


@pytest.mark.skipif(not FAST, reason="only the fast way has trials")
@pytest.mark.parametrize("format", ["svm", "csv"])
def test_a_few_rows_are_learned_and_predicted_without_compiling(tmp_path, format):
    rows = [(1 if i % 3 else -1, i % 4, i % 3 - 1.5, i % 2 + 1) for i in range(12)]
    lines = {
        "svm": [f"{y} 1:{a} 2:{b} 3:{c}" for y, a, b, c in rows],
        "csv": ["a,b,c,y", *(f"{a},{b},{c},{y}" for y, a, b, c in rows)],
    }
    data = tmp_path / f"few.{format}"
    data.write_text("\n".join(lines[format]) + "\n")
    made = {}
    for how, plain in (("python", ""), ("compiled", "1")):
        model = str(tmp_path / how)
        environment = {**os.environ, "FENCHEL_PLAIN_PROCESS": plain}
        if not plain:
            environment["FENCHEL_CACHE_DIR"] = str(tmp_path / "cache")
        for arguments in (["train", "--save", model, data], ["predict", "--proba", model, data]):
            done = subprocess.run(
                [sys.executable, "-m", "fenchel", *map(str, arguments)],
                env=environment, capture_output=True, text=True,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert plain or "compiling" not in done.stderr
        made[how] = (tmp_path / how).read_bytes(), done.stdout
    assert made["python"] == made["compiled"]
    assert not [*(tmp_path / "cache").rglob("*.nbc")]


@pytest.mark.skipif(not FAST, reason="only the fast way has trials")
def test_how_long_python_took_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("fenchel._numba.fast.function_cache.cache_folder", lambda: tmp_path)
    monkeypatch.setattr("fenchel._numba.fast.function_cache.is_keyed", lambda function: True)
    candidate = Candidate(kernel(_doubled), (numba.float64[::1],))
    assert candidate.seconds_before() == 0.0
    candidate.keep_seconds(0.25)
    assert candidate.seconds_before() == 0.25
    assert not candidate.is_on_disk()
    next(tmp_path.iterdir()).write_text("damaged")
    assert candidate.seconds_before() == 0.0
