"""``python -m tests.audit --minutes 10``: every certificate once more, by code of its own.

Random streams run without the compiler, real ones (where the data is there) with it, at the same time.
Writes ``benchmarks/AUDIT.md``; the exit status is 1 if anything is wrong. ``--seed`` takes it elsewhere.
"""

import argparse
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
# Small matrices: more threads only wait for each other.
PARTS = {"random": {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1"},
         "real": {"OPENBLAS_NUM_THREADS": "1"}}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.audit", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=PARTS, help="one part, as JSON")
    chosen = parser.parse_args()
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    if chosen.part is None:
        sys.exit(whole(chosen.minutes, chosen.seed))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    print(json.dumps(part(chosen)))


def part(chosen: argparse.Namespace) -> dict:
    """What one part found; the real one needs the data."""
    from benchmarks.datasets import DataMissingError

    from audit import campaign

    seconds = 60.0 * chosen.minutes
    if chosen.part == "random":
        return campaign.random_runs(seconds, chosen.seed).told()
    try:
        return campaign.real_runs(seconds).told()
    except DataMissingError as missing:
        return {"skipped": str(missing)}


def whole(minutes: float, seed: int) -> int:
    """Both parts side by side, the summary, and the exit status."""
    from audit.checking import Tally
    from audit.summary import write

    arguments = ["-m", "tests.audit", "--minutes", str(minutes), "--seed", str(seed), "--part"]
    running = [
        subprocess.Popen(
            [sys.executable, *arguments, name],
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, settings in PARTS.items()
    ]
    tally, skipped = Tally(), ""
    for process in running:
        found = json.loads(process.communicate()[0])
        skipped = found.pop("skipped", skipped)
        tally.add(found)
    path = write(tally, minutes, seed, skipped)
    for finding in tally.wrong[:20]:
        print(finding, file=sys.stderr)
    print(f"{sum(tally.counts.values()):,} certificates, {len(tally.wrong)} wrong: {path}")
    return int(bool(tally.wrong))


if __name__ == "__main__":
    main()
