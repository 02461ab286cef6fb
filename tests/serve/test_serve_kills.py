"""``kill -9`` of a server under load: nothing acknowledged is lost, nothing is learned twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

KILLS = int(os.environ.get("FENCHEL_SERVER_KILLS", "8"))
ROOT = Path(__file__).parents[2]


def test_a_server_survives_kills(request):
    command = [sys.executable, "-m", "tests.serve.kills", "--kills", str(KILLS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told["acknowledged"] > KILLS
    for key, name in (
        ("kills", "kills of a server survived"),
        ("acknowledged", "rows acknowledged before a kill, all found"),
        ("torn_ends", "logs of killed servers with a torn end"),
    ):
        request.node.user_properties.append((name, told[key]))
