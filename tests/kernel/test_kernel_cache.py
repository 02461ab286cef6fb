"""Compiled code on disk: found by the next process, never stale, never in the way."""

import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import fenchel
from fenchel._numba.choice import FAST

# Learns and predicts, then tells how often each kernel was found on disk or compiled.
SCRIPT = """
import gc, json
from numba.core.dispatcher import Dispatcher
from fenchel import learners
learner = learners.perceptron(intercept=False)
margins = learner.learn_many([[1.0, 2.0], [1.0, 1.0], [3.0, 1.0]], [1, -1, 1])
{more}
kernels = [d for d in gc.get_objects() if issubclass(type(d), Dispatcher) and d.stats.cache_path]
count = lambda name: sum(sum(getattr(k.stats, name).values()) for k in kernels)
print(json.dumps([margins.tolist(), count("cache_hits"), count("cache_misses")]))
"""
MARGINS = [0.0, 3.0, 1.0]
# Without the right of the superuser to write where the permissions say no.
LIKE_ANYBODY = """
import ctypes
libc, asked, rights = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
libc.capget(asked, rights)
rights[0] &= ~2
libc.capset(asked, rights)
"""


class Installation:
    """A copy of the package: other hands may change the original while tests run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        source = Path(fenchel.__file__).parent
        shutil.copytree(source, folder / "fenchel", ignore=shutil.ignore_patterns("__pycache__"))

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.folder / "fenchel" / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def run(
        self, more: str = "", cache: Path | None = None, before: str = ""
    ) -> tuple[list[float], int, int]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "FENCHEL_CACHE_DIR": str(cache or self.cache),
        }
        environment.pop("NUMBA_DISABLE_JIT", None)
        done = subprocess.run(
            [sys.executable, "-c", before + SCRIPT.format(more=more)],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return tuple(json.loads(done.stdout))


@pytest.fixture
def installation(tmp_path):
    return Installation(tmp_path)


def test_cache_is_found_again_never_stale_and_repairs_itself(installation):
    everything = "learner.decision_many([[1.0, 1.0]]); learner.weights()"
    margins, hits, misses = installation.run(everything)
    assert (margins, hits) == (MARGINS, 0)
    assert misses >= 4  # learn, check, decide, read

    assert installation.run(everything) == (MARGINS, misses, 0)

    # A regularizer that the loop inlines, in another file than the loop.
    read = "confine(f.domain, view, f.theta[slot])"
    installation.edit("regularizers/euclidean.py", read, f"2.0 * {read}")
    margins, hits, recompiled = installation.run()
    assert (margins, hits) == ([0.0, 6.0, 2.0], 0)
    assert recompiled > 0

    installation.edit("regularizers/euclidean.py", f"2.0 * {read}", read)
    assert installation.run(everything) == (MARGINS, misses, 0)

    for damaged in installation.cache.rglob("*check_rows*.nbc"):
        damaged.write_bytes(damaged.read_bytes()[:20])
    assert installation.run(everything)[:2] == (MARGINS, misses - 1)
    assert installation.run(everything) == (MARGINS, misses, 0)


def test_processes_that_compile_at_the_same_time_do_not_disturb_each_other(installation):
    learn = "learners.from_specification({!r}).learn_many([[1.0, 2.0], [1.0, 1.0]], [1, -1])"
    each = [learn.format(name) for name in ("arow", "passive_aggressive", "adagrad")]
    with ThreadPoolExecutor() as pool:
        told = list(pool.map(installation.run, each))
    assert [margins for margins, _, _ in told] == [MARGINS] * 3

    margins, hits, misses = installation.run("; ".join(each))
    assert (margins, misses) == (MARGINS, 0)
    assert hits >= 5


def flipped(file, chance):
    content = bytearray(file.read_bytes())
    for at in chance.sample(range(len(content)), 3):
        content[at] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


@pytest.mark.skipif(sys.platform != "linux", reason="rights as Linux has them")
def test_warm_cache_that_cannot_be_written_is_used_and_damaged_code_is_never_run(
    installation, record_property
):
    _, _, misses = installation.run()
    kept = {path: path.stat().st_mode for path in installation.cache.rglob("*")}
    for path in kept:
        path.chmod(0o555 if path.is_dir() else 0o444)
    found = misses if FAST else 0  # Numba's own way reads only where it may write
    assert installation.run(before=LIKE_ANYBODY) == (MARGINS, found, 0)
    for path, mode in kept.items():
        path.chmod(mode)

    for file in installation.cache.rglob("*.nb[ic]"):
        flipped(file, random.Random(file.name))
    assert installation.run()[0] == MARGINS
    assert installation.run() == (MARGINS, misses, 0)
    record_property("damaged files of compiled code removed", misses)


def test_unwritable_cache_costs_time_not_correctness(installation):
    blocked = installation.folder / "file"
    blocked.write_text("not a folder")
    assert installation.run(cache=blocked / "cache") == (MARGINS, 0, 0)


@pytest.mark.parametrize("module", ["fenchel", "fenchel.models", "fenchel.mirror"])
def test_import_does_not_load_the_compiler(module):
    check = f"import sys, {module}; sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0
