"""``python -m tests.fuzz --minutes 10``: every reader and the loader, without the compiler.

Prints one line a target, or the input that broke its rule. ``--seed`` takes it elsewhere.
"""

import os
import sys

os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import argparse
import json
import warnings

import numpy as np

from fuzz.guided import fuzz
from fuzz.targets import targets


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", help="svmlight, vw, csv, jsonl or model")
    parser.add_argument("--json", action="store_true", help="counts as JSON, for the tests")
    chosen = parser.parse_args()
    warnings.simplefilter("error")
    np.seterr(all="ignore")  # compiled code does not warn either
    every = targets()
    names = chosen.target or list(every)
    counts = {}
    for name in names:
        found = fuzz(every[name], 60.0 * chosen.minutes / len(names), chosen.seed)
        counts[name] = found._asdict()
        if not chosen.json:
            print(
                f"{name:<9}{found.inputs:>9,} inputs, {found.accepted:,} accepted, "
                f"{found.kept:,} kept, {found.edges:,} edges",
                flush=True,
            )
    if chosen.json:
        print(json.dumps(counts))


if __name__ == "__main__":
    main()
