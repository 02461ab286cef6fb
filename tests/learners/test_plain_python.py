"""The tests of the learners once more in plain Python.

With nothing compiled every composition runs at once, so that losses, domains and forms are drawn at
random, on many more streams than the compiled run has.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from learner_cases import PLAIN

HERE = Path(__file__).parent
SUBJECTS = (
    "averages", "blocks", "closed_forms", "equivalences", "extremes",
    "importance", "margins", "max_margin", "reading", "scale_invariance",
)  # fmt: skip


@pytest.mark.skipif(PLAIN, reason="this is plain Python")
def test_in_plain_python():
    files = [str(HERE / f"test_learner_{subject}.py") for subject in SUBJECTS]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        cwd=HERE.parent.parent,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-20_000:]
