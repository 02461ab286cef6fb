"""The tests of the learners once more in plain Python, beside the compiled ones.

With nothing compiled every composition runs at once, so that losses, domains and forms are drawn at
random, on many more streams than the compiled run has. It takes the other core meanwhile.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from learner_cases import PLAIN

HERE = Path(__file__).parent
SUBJECTS = [
    "averages",
    "blocks",
    "closed_forms",
    "equivalences",
    "extremes",
    "importance",
    "margins",
    "max_margin",
    "reading",
    "scale_invariance",
]


@pytest.fixture(scope="session", autouse=True)
def plain_python(request):
    """The run in plain Python, started with the first test where its result is asked for."""
    if PLAIN or not any(item.name == "test_in_plain_python" for item in request.session.items):
        yield None
        return
    files = [str(HERE / f"test_learner_{subject}.py") for subject in SUBJECTS]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    with tempfile.TemporaryFile("w+") as output:
        run = subprocess.Popen(
            command,
            cwd=HERE.parent.parent,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        yield run, output
        run.kill()
        run.wait()
