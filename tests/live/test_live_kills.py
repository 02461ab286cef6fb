"""``kill -9`` of live learners and restarts of their brokers: nothing is lost, nothing is learned twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = int(os.environ.get("FENCHEL_LIVE_KILLS", "6"))
ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork there")
def test_live_learners_survive_kills(request):
    for module in ("redis", "confluent_kafka"):
        pytest.importorskip(module, reason="brokers are extras: fenchel[redis], fenchel[kafka]")
    command = [
        sys.executable,
        "-m",
        "tests.live.live_kills",
        "--kills",
        str(KILLS),
        "--restarts",
        "3",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    request.node.user_properties.append(("kills of live learners survived", told["kills"]))
    request.node.user_properties.append(("restarts of brokers survived", told["restarts"]))
