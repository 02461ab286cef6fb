"""The tests of the learners once more in plain Python: the same code, with nothing compiled.

There every composition runs at once, so that losses, domains and forms are drawn at random, on many
more streams than the compiled run has.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from learner_cases import PLAIN

HERE = Path(__file__).parent
# Two processes at a time, of about the same length.
TOGETHER = [
    ["margins"],
    [
        "averages",
        "blocks",
        "closed_forms",
        "equivalences",
        "extremes",
        "importance",
        "reading",
        "scale_invariance",
    ],
]


@pytest.mark.skipif(PLAIN, reason="it is running already")
def test_everything_holds_with_nothing_compiled():
    runs = []
    for subjects in TOGETHER:
        files = [str(HERE / f"test_learner_{subject}.py") for subject in subjects]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
        runs.append(
            subprocess.Popen(
                command,
                cwd=HERE.parent.parent,
                env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
    outputs = [run.communicate()[0] for run in runs]
    failed = [out for run, out in zip(runs, outputs, strict=True) if run.returncode != 0]
    assert not failed, "\n".join(failed)[-20_000:]
