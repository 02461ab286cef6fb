"""``kill -9`` at random instants of ``fenchel train --checkpoint-every``: nothing learned is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLER = Path(__file__).with_name("killer.py")
KILLS = int(os.environ.get("FENCHEL_KILLS", "60"))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork there")
def test_training_survives_kills(tmp_path, request):
    """The file is always a whole model, the last or the next; resuming ends in the same bytes."""
    command = [sys.executable, str(KILLER), str(tmp_path), str(KILLS), "40"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout)
    assert result["killed"] >= KILLS
    assert result["ended"] >= 3
    for name, count in (
        ("kills of training survived", result["killed"]),
        ("kills of training in the midst of a save", result["during"]),
        ("killed runs resumed to the same final model", result["ended"]),
    ):
        request.node.user_properties.append((name, count))
