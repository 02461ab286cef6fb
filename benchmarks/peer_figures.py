"""The stored figures of the peers, so that a comparison need not play every stream again.

``python -m benchmarks.peer_figures`` prints them. With ``--replay`` it first plays every stream to
every peer and stores what it measures; ``--sets`` and ``--peers`` narrow that to the named ones,
the other figures stay. Only a replay needs the peers installed.
"""

import argparse
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.datasets import DataMissingError, Dataset, datasets

PATH = Path(__file__).with_name("peer_figures.json")
PACKAGES = ("vowpalwabbit", "scikit-learn", "river", "numpy", "scipy")
TASKS = ("binary", "multiclass", "regression")


def stored() -> dict:
    """Return ``{"made": ..., "streams": {name: {"task", "rows", "columns", "peers"}}}``."""
    return json.loads(PATH.read_text()) if PATH.exists() else {"streams": {}}


def store(figures: dict) -> None:
    """Write the figures with the versions and all commands that made them."""
    command = " ".join(["python -m benchmarks.peer_figures", *sys.argv[1:]])
    made = {
        "commands": sorted({command, *figures.get("made", {}).get("commands", [])}),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "packages": {package: version(package) for package in PACKAGES},
    }
    PATH.write_text(json.dumps({**figures, "made": made}, indent=1, sort_keys=True) + "\n")


def replay(entry: Dataset, peers: list[str], figures: dict) -> None:
    """Play one stream to the peers and put what they reach among the figures."""
    from benchmarks.peers import PEERS

    X, y = entry.load()
    measures = {"task": entry.task, "rows": len(y), "columns": X.shape[1]}
    stream = figures["streams"].setdefault(entry.name, {"peers": {}})
    stream.update(measures)
    for peer in peers or PEERS:
        for name, figure in PEERS[peer](entry, X, y):
            print(f"{entry.name:<20}{name:<24}{figure}", file=sys.stderr, flush=True)
            stream["peers"][name] = figure


def cell(figure: dict | None, rows: int) -> str:
    """Write one error; a star marks rows learned in blocks, a dagger a stream cut short."""
    if figure is None:
        return "-"
    if figure["error"] is None:
        return "not finite"
    error = figure["error"]
    text = f"{error:.4f}" if error < 100 else f"{error:.0e}"
    return text + "*" * (figure["block"] > 1) + "†" * (figure["rows"] < rows)


def markdown(figures: dict, task: str) -> str:
    """Lay out the streams of a task as rows and its peers as columns."""
    streams = {name: s for name, s in figures["streams"].items() if s["task"] == task}
    peers = list(dict.fromkeys(peer for s in streams.values() for peer in s["peers"]))
    lines = [["set", "rows", *peers], ["---"] + ["---:"] * (len(peers) + 1)]
    for name, s in streams.items():
        cells = (cell(s["peers"].get(peer), s["rows"]) for peer in peers)
        lines.append([name, str(s["rows"]), *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replay", action="store_true", help="measure again")
    parser.add_argument("--sets", nargs="+", default=[], help="only these data sets")
    parser.add_argument(
        "--peers", nargs="+", default=[], help="of baseline, vowpal, sklearn, river"
    )
    chosen = parser.parse_args()
    figures = stored()
    if chosen.replay:
        entries = [e for e in datasets() if e.task in TASKS]
        for entry in entries:
            if not chosen.sets or entry.name in chosen.sets:
                # Single rows leave nothing to share between threads but the waiting.
                with threadpool_limits(1):
                    replay(entry, chosen.peers, figures)
                store(figures)
    for task in TASKS:
        print(f"\n{task}\n\n{markdown(figures, task)}")


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing
