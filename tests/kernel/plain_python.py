"""Scripts of the tests that run without the compiler: the whole product of parts in seconds."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent


def plain_python(script: str) -> Any:
    """What a script prints as JSON with ``NUMBA_DISABLE_JIT=1``."""
    return json.loads(plainly("-W", "error", str(TESTS / script)))


def plainly(*arguments: str) -> str:
    """What Python prints without the compiler, on the sources that are tested here."""
    roots = os.pathsep.join([str(TESTS), str(TESTS.parent), *sys.path])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": roots}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout
