"""The plain way of compiling: the same bits by Numba's public functions, and when it is taken."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import bits

from fenchel._numba.choice import COMPILED

ROOT = Path(__file__).parent.parent.parent
PLAIN = {"FENCHEL_PLAIN_COMPILER": "1", "FENCHEL_PLAIN_DICTS": "1"}

needs_the_compiler = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def printed(script: str, **variables: str) -> str:
    """What a script prints with these environment variables, on the sources that are tested here."""
    paths = os.pathsep.join([str(ROOT), *sys.path])
    inherited = {name: value for name, value in os.environ.items() if name not in PLAIN}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**inherited, "PYTHONPATH": paths, **variables}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


DIGESTS = f"""
import json, sys
sys.path.insert(0, {str(ROOT / "tests")!r})
from kernel.test_kernel_plain_way import digests
print(json.dumps(digests()))
"""


def digests() -> dict[str, dict[str, str]]:
    """A slice of all that users see: margins, weights, certificates, model files, dicts, a reader."""
    return {
        "sparse": bits.run("arow:r=0.5", "binary", "sparse"),
        "single precision": bits.run("adagrad:eta=0.5", "binary", "single"),
        "averages": bits.run("dual_averaging:eta=0.5,l1=0.01,averaged=yes", "binary", "growing"),
        "certificates": bits.run("perceptron", "binary", "dense", certify=True),
        "dicts": bits.dicts("normalized_lms:eta=0.5", "regression"),
        "reader": bits.reader("a.svm", bits.FILES["a.svm"]),
    }


@needs_the_compiler
def test_both_ways_give_the_same_bits():
    plain = json.loads(printed(DIGESTS, **PLAIN))
    assert plain == json.loads(printed(DIGESTS))
    assert sum(map(len, plain.values())) == 19


LEARN = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import numba
    numba.__version__ = {version!r}
    from fenchel import learners
    from fenchel._numba.choice import FAST, READS_DICTS
    learner = learners.perceptron(intercept=False)
    margins = learner.learn_many([[1.0, 2.0], [1.0, 1.0], [3.0, 1.0]], [1, -1, 1])
assert margins.tolist() == [0.0, 3.0, 1.0]
print([str(each.message)[:46] for each in told], FAST, READS_DICTS)
"""


@needs_the_compiler
def test_a_release_that_was_not_checked_is_told_once_and_learns(tmp_path):
    said = printed(LEARN.format(version="0.99.0"), FENCHEL_CACHE_DIR=str(tmp_path))
    assert said.strip() == "['fenchel was not checked on Numba 0.99.0 and co'] False False"


@needs_the_compiler
def test_who_asks_for_the_plain_way_is_told_nothing(tmp_path):
    script = LEARN.format(version="0.99.0")
    told = printed(script, FENCHEL_CACHE_DIR=str(tmp_path), FENCHEL_PLAIN_COMPILER="1")
    assert told.strip() == "[] False False"


SWITCHES = "from fenchel._numba.choice import FAST, READS_DICTS; print(FAST, READS_DICTS)"


def test_dicts_have_a_switch_of_their_own():
    assert printed(SWITCHES, FENCHEL_PLAIN_DICTS="1").split()[1] == "False"
    assert printed(SWITCHES, FENCHEL_PLAIN_DICTS="0") == printed(SWITCHES)


def test_dicts_are_not_read_under_a_python_that_was_not_checked():
    other = "import platform; platform.python_version = lambda: '3.99.0'; " + SWITCHES
    assert printed(other).split()[1] == "False"


MODULES = """
import sys
from fenchel import learners
learner = learners.perceptron()
learner.learn_one({"a": 1.0}, True)
print(sorted(name for name in sys.modules if name.startswith("fenchel._numba.fast")))
"""


def test_the_plain_way_loads_nothing_of_the_fast_one():
    assert printed(MODULES, **PLAIN).strip() == "[]"


@needs_the_compiler
def test_settings_of_numba_neither_move_the_cache_nor_are_changed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    script = LEARN.format(version="0.99.0") + (
        "print(numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES)"
    )
    settings = {
        "NUMBA_CACHE_DIR": str(elsewhere),
        "NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator",
        "FENCHEL_CACHE_DIR": str(tmp_path / "ours"),
    }
    told = printed(script, **settings, **PLAIN).split()
    assert told[-2:] == [str(elsewhere), "InTreeCacheLocator"]
    assert not elsewhere.exists()
    assert list((tmp_path / "ours").rglob("*.learn_rows*.nbi"))
