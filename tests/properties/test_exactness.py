"""Nothing is lost by stopping, cutting, threading or repeating: the same bits.

(Blocks of any size against single examples: tests/learners/test_learner_blocks.py.)
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cli.cli_helpers import run_elsewhere, text_lines, write_lines
from fenchel import Learner
from fenchel.rows import rows
from properties.learner_kinds import KINDS, fingerprint, stream

ROWS = 200
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_resuming_at_every_split_of_200_rows(kind, tmp_path, record_property):
    X, y, weights = stream(KINDS[kind](), ROWS)
    whole = KINDS[kind]()
    expected = whole.learn_many(X, y, weights)
    whole.save(tmp_path / "whole")
    learner = KINDS[kind]()
    for split in range(1, ROWS):
        learner.learn_many(X[split - 1 : split], y[split - 1 : split], weights[split - 1 : split])
        learner.save(tmp_path / "half")
        resumed = Learner.load(tmp_path / "half")
        assert fingerprint(resumed) == fingerprint(learner)
        margins = resumed.learn_many(X[split:], y[split:], weights[split:])
        assert margins.tobytes() == np.ascontiguousarray(expected[split:]).tobytes(), split
        assert fingerprint(resumed) == fingerprint(whole), split
    resumed.save(tmp_path / "both")
    assert (tmp_path / "both").read_bytes() == (tmp_path / "whole").read_bytes()
    record_property("splits at which a resumed learner was bit for bit the same", ROWS - 1)


RESUME = """
import json, sys
sys.path.insert(0, sys.argv[1])
from fenchel import Learner
from properties.learner_kinds import KINDS, stream
for kind, split in json.loads(sys.argv[3]):
    learner = Learner.load(f"{sys.argv[2]}/{kind}")
    X, y, weights = stream(learner, 200)
    learner.learn_many(X[split:], y[split:], weights[split:])
    learner.save(f"{sys.argv[2]}/{kind}")
"""


def test_resuming_in_another_process(tmp_path):
    splits = [(kind, 37 * (k + 1)) for k, kind in enumerate(KINDS)]
    for kind, split in splits:
        X, y, weights = stream(KINDS[kind](), ROWS)
        learner, whole = KINDS[kind](), KINDS[kind]()
        learner.learn_many(X[:split], y[:split], weights[:split])
        learner.save(tmp_path / kind)
        whole.learn_many(X, y, weights)
        whole.save(tmp_path / f"{kind}-whole")
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", RESUME, tests, str(tmp_path), json.dumps(splits)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    for kind, _ in splits:
        assert (tmp_path / kind).read_bytes() == (tmp_path / f"{kind}-whole").read_bytes(), kind


@every_kind
def test_dense_equals_sparse_to_rounding(kind):
    X, y, weights = stream(KINDS[kind](), ROWS)
    dense, sparse = KINDS[kind](), KINDS[kind]()
    np.testing.assert_allclose(
        dense.learn_many(X.toarray(), y, weights),
        sparse.learn_many(X, y, weights),
        rtol=1e-9,
        atol=1e-9,
    )
    for name, array in dense.state_arrays().items():
        np.testing.assert_allclose(array, sparse.state_arrays()[name], rtol=1e-8, atol=1e-9)


@every_kind
def test_the_width_of_indices_does_not_matter(kind):
    X, y, weights = stream(KINDS[kind](), ROWS)
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    one, other = KINDS[kind](), KINDS[kind]()
    assert one.learn_many(X, y, weights).tobytes() == other.learn_many(wide, y, weights).tobytes()
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize("kind", ["hedge", "one_against_rest"])
def test_threads_change_nothing(kind, monkeypatch):
    X, y, weights = stream(KINDS[kind](), ROWS)
    together, alone = KINDS[kind](), KINDS[kind]()
    handed_over, submit = [], ThreadPoolExecutor.submit

    def counted(pool, *work):
        handed_over.append(work)
        return submit(pool, *work)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", counted)
    monkeypatch.setattr(rows, "FEW_ENTRIES", 1)
    for part in (slice(0, 50), slice(50, None)):  # a mixture's first block is never in parallel
        together.learn_many(X[part], y[part], weights[part])
    assert handed_over
    handed_over.clear()
    monkeypatch.setattr(rows, "FEW_ENTRIES", 10**9)
    alone.learn_many(X, y, weights)
    assert not handed_over
    assert fingerprint(together) == fingerprint(alone)


def test_every_run_of_the_command_gives_the_same_file(tmp_path):
    data = write_lines(tmp_path / "d.vw", text_lines(300, "multiclass"))
    files = []
    for seed in ("1", "2"):
        model = tmp_path / f"m{seed}"
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        options = ("--learner", "perceptron", "--task", "multiclass", "--save", model, "--quiet")
        done = run_elsewhere("train", data, *options, env=environment)
        assert done.returncode == 0, done.stderr
        files.append(model.read_bytes())
    assert files[0] == files[1]
