"""``python -m tests.attack --minutes 10 --seed 1``: all ways of going at the package, in turn.

Each runs in a process of its own, so that a crash or a hang is a finding too; ``--only NAME`` runs one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).parents[1]
# How many of each make one turn, which is not cut off.
TURNS = {"interrupts": 50, "forged": 200, "commands": 20, "races": 3, "caches": 2}
PATIENCE = 900.0  # seconds beyond its share: the first turn may compile


def one(name: str, seed: str, seconds: float) -> Counter[str]:
    """Turn after turn of one campaign, for so long."""
    counts: Counter[str] = Counter()
    campaign = import_module(f"attack.{name}").campaign
    deadline, turn = time.monotonic() + seconds, 0
    while turn == 0 or time.monotonic() < deadline:
        with tempfile.TemporaryDirectory() as folder:
            counts += Counter(campaign(random.Random(f"{seed} {turn}"), Path(folder), TURNS[name]))
        turn += 1
    return counts


def elsewhere(name: str, seed: str, seconds: float) -> tuple[bool, str]:
    """The same in another process: whether nothing was found, and what it said."""
    command = [sys.executable, "-X", "faulthandler", "-W", "error", "-m", "attack"]
    command += ["--only", name, "--seed", seed, "--minutes", str(seconds / 60.0)]
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        done = subprocess.run(
            command, cwd=TESTS.parent, env={**os.environ, "PYTHONPATH": path},
            capture_output=True, text=True, timeout=seconds + PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False, f"{name}: hangs"
    return done.returncode == 0, done.stdout if done.returncode == 0 else done.stderr[-4000:]


def main() -> int:
    """Run all campaigns, or one; the number of those that found something."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seed", default="1")
    asked.add_argument("--minutes", type=float, default=10.0)
    asked.add_argument("--only", choices=TURNS)
    given = asked.parse_args()
    if given.only:
        print(json.dumps(one(given.only, given.seed, 60.0 * given.minutes)))
        return 0
    findings = 0
    for name in TURNS:
        sound, said = elsewhere(name, given.seed, 60.0 * given.minutes / len(TURNS))
        findings += not sound
        told = json.loads(said) if sound else {}
        print(f"{name}: {'nothing found' if sound else 'FOUND'}" + ("" if sound else f"\n{said}"))
        for what, count in told.items():
            print(f"{count:>9,}  {what}", flush=True)
    print(f"seed {given.seed}: {findings} findings")
    return findings


if __name__ == "__main__":
    raise SystemExit(main())
