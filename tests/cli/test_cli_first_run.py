"""The first run: said, helped by a second process, and with the same result as every later one.

Few rows need no compiler (``tests/kernel/test_kernel_trial.py``): these are many, or said to be.
"""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fenchel import learners
from fenchel._numba.choice import COMPILED
from fenchel.cli import process
from fenchel.streams import from_arrays

MORE = "".join(f" {j}:{j % 7}" for j in range(3, 30))
LINES = [f"{1 if i % 3 else -1} 1:{i % 4} 2:{i % 3 - 1}.5{MORE}\n" for i in range(10_000)]

compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def _block():
    X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [3.0, 0.0, 1.0]])
    return next(iter(from_arrays(X, np.array([1, -1, 1]))))


def _loops(cache: Path) -> set[str]:
    return {str(file.relative_to(cache)) for file in cache.rglob("*.learn_rows*.nbc")}


def _train(folder: Path, model: str, *options: str) -> str:
    """What a fresh process says while it trains on many lines."""
    (folder / "many.svm").write_text("".join(LINES))
    given = ["train", str(folder / "many.svm"), "--save", str(folder / model), *options]
    environment = {**os.environ, "FENCHEL_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "fenchel", *given],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


@compiled_only
def test_the_first_run_says_that_it_compiles_and_learns_what_later_runs_learn(tmp_path):
    assert "compiling once" in _train(tmp_path, "first")
    loops = _loops(tmp_path / "cache")
    assert len(loops) >= 5
    _train(tmp_path, "second")  # what ran as Python long enough is compiled now
    assert _loops(tmp_path / "cache") >= loops
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


@compiled_only
def test_what_the_helper_compiles_is_what_the_run_needs(tmp_path):
    prepared = f"""
from fenchel import learners
from fenchel.cli import process
from fenchel.streams import open_stream
auto = learners.from_specification("auto")
helper = process._started()
block = next(iter(open_stream({str(tmp_path / "many.svm")!r})))
process._send(helper, process._told([auto], block, 30))
assert helper.wait() == 0  # its work is done: the line is still open
"""
    (tmp_path / "many.svm").write_text("".join(LINES))
    environment = {**os.environ, "FENCHEL_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", prepared], env=environment, check=True, timeout=300)
    loops = _loops(tmp_path / "cache")
    assert len(loops) >= 5
    _train(tmp_path, "model")
    assert _loops(tmp_path / "cache") >= loops


@compiled_only
def test_where_nothing_can_be_kept_it_is_said(tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    said = " ".join(_train(tmp_path, "model", "--learner", "online_newton_step").split())
    assert f"compiling, as in every run: nothing can be kept in {tmp_path / 'cache'}; set" in said


def test_a_run_whose_loops_are_on_disk_is_not_helped(tmp_path, monkeypatch):
    monkeypatch.setattr("fenchel._numba.cache.cache_folder", lambda: tmp_path)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert process._is_first_run()
    (tmp_path / "online.learn_rows-1.nbi").touch()
    assert not process._is_first_run()
    (tmp_path / "online.learn_rows-1.nbi").unlink()
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert not process._is_first_run()


def test_one_learner_is_not_helped(monkeypatch):
    monkeypatch.setattr(process, "_is_first_run", lambda: True)
    monkeypatch.setattr(process, "_started", lambda: pytest.fail("a second process"))
    block, one = _block(), learners.arow()
    with process.FirstRun() as compiler:
        compiler.start([one], "-")
        assert list(compiler.ahead([block, block], [one], 0)) == [block, block]


def test_wide_states_are_not_sent(monkeypatch):
    monkeypatch.setattr(process, "_is_first_run", lambda: True)
    monkeypatch.setattr(process, "_send", lambda *given: pytest.fail("a wide state"))
    block, auto = _block(), learners.auto()
    with process.FirstRun() as compiler:
        compiler.start([auto], "-")
        assert list(compiler.ahead([block, block], [auto], 1 << 24)) == [block, block]


def test_without_another_process_the_run_goes_on(monkeypatch):
    def refuse(*given, **named):
        raise OSError("no more processes")

    monkeypatch.setattr(process, "_is_first_run", lambda: True)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    auto, block = learners.from_specification("auto"), _block()
    with process.FirstRun() as compiler:
        compiler.start([auto], "-")
        assert list(compiler.ahead([block], [auto], 0)) == [block]


def test_a_run_that_is_refused_leaves_no_second_process(monkeypatch):
    monkeypatch.setattr(process, "_is_first_run", lambda: True)
    with process.FirstRun() as compiler:
        compiler.start([learners.auto()], "-")
        helper = compiler._process
        assert helper.poll() is None
    assert helper.poll() is not None


@compiled_only
def test_the_helper_ends_with_the_first_block(monkeypatch, tmp_path):
    monkeypatch.setenv("FENCHEL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(process, "_is_first_run", lambda: True)
    auto = learners.from_specification("auto")
    with process.FirstRun() as compiler:
        compiler.start([auto], "-")
        helper = compiler._process
        blocks = compiler.ahead([_block()] * 2, [auto], 0)
        next(blocks)
        assert helper.poll() is None
        assert not gc.isenabled()
        next(blocks)
        assert helper.poll() is not None
        assert gc.isenabled()
    assert not _loops(tmp_path)  # it had no time to compile one


def test_what_compiles_from_the_end_mixes_first():
    auto, block = learners.auto(), _block()
    turned = process._last_first(auto)
    mixed = []
    blend = turned.engine.blend
    learn = blend.learn
    blend.learn = lambda *given: mixed.append(turned.experts[0].rounds) or learn(*given)
    turned.learn_block(block)
    assert mixed == [0, 3]


def test_a_mixture_backwards_keeps_limits_with_their_experts():
    auto = learners.from_specification("auto")
    turned = process._last_first(auto)
    roles = auto.engine.roles
    assert turned.engine.roles == roles[::-1] != roles
    names = [expert.specification for expert in auto.experts]
    assert [expert.specification for expert in turned.experts] == names[::-1]
