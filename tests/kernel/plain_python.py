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
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(TESTS / script)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
