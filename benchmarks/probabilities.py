"""How good the probabilities of ``auto`` are in one pass, against the stored ones of the peers.

``python -m benchmarks.probabilities`` plays every binary stream to ``auto``, joins the figures of
``python -m benchmarks.probability_peers`` and writes ``PROBABILITIES.md``; ``--sets`` only prints the named
ones. Every probability was given before its label was seen; log losses hold probabilities at 1e-15.
"""

import argparse
import platform
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fenchel
from benchmarks import probability_peers
from benchmarks.datasets import DataMissingError, Dataset
from benchmarks.probability_peers import area, log_loss, sigmoid
from benchmarks.quality import table
from fenchel import learners
from fenchel.evaluate.metrics import CalibrationError, Seen

PATH = Path(__file__).with_name("PROBABILITIES.md")
RIVALS = ("vowpal", "best rate", "river logistic scaled", "sklearn logistic")


def calibration_error(y: NDArray, chances: NDArray) -> float:
    found, labels = CalibrationError(), (y > 0).astype(np.int64)
    found.see(Seen(labels, labels, np.stack([1.0 - chances, chances], 1), np.ones(len(y))))
    return found.value


def rivals(name: str, figures: dict) -> dict[str, dict]:
    """The stored figures, and the best of Vowpal Wabbit's learning rates in hindsight."""
    found = dict(figures.get(name, {}).get("peers", {}))
    rates = [f for peer, f in found.items() if peer.startswith("vowpal rate")]
    if rates:
        found["best rate"] = min(rates, key=lambda f: f["log_loss"])
    return {peer: found[peer] for peer in RIVALS if peer in found}


def measure(entry: Dataset, figures: dict) -> dict:
    """Play one stream; a peer that played fewer rows is compared on these."""
    X, y = entry.load()
    learner = learners.auto()
    margins = learner.learn_many(X, y)
    chances = sigmoid(margins)
    peers = rivals(entry.name, figures)
    return {
        "name": entry.name,
        "rows": len(y),
        "log_loss": log_loss(y, chances),
        "on_rows": {p: log_loss(y[: f["rows"]], chances[: f["rows"]]) for p, f in peers.items()},
        "auc": area(y, margins),
        "ece": calibration_error(y, chances),
        "ties": float(np.unique(margins, return_counts=True)[1].max()),
        "holds": all(c.holds for c in learner.calibration_certificates()),
        "peers": peers,
    }


def cells(r: dict) -> list[str]:
    told = [r["name"], f"{r['rows']:,}", f"{r['log_loss']:.4f}"]
    for peer in RIVALS:
        f = r["peers"].get(peer)
        won = f is not None and r["on_rows"][peer] <= f["log_loss"]
        told.append(
            "-" if f is None else f"{f['log_loss']:.4f}" if won else f"**{f['log_loss']:.4f}**"
        )
    vowpal = r["peers"].get("vowpal")
    told += [f"{r['auc']:.4f}", "-" if vowpal is None else f"{vowpal['auc']:.4f}"]
    return [*told, f"{r['ece']:.4f}", f"{r['ties']:.0f}", "holds" if r["holds"] else "VIOLATED"]


def counts(results: list[dict]) -> list[str]:
    """In how many streams ``auto`` is at least as good."""
    lines = []
    for peer in RIVALS:
        met = [r for r in results if peer in r["peers"]]
        won = sum(r["on_rows"][peer] <= r["peers"][peer]["log_loss"] for r in met)
        lines.append(f"- log loss at most that of {peer}: {won} of {len(met)} streams")
    met = [r for r in results if "vowpal" in r["peers"]]
    won = sum(r["auc"] >= r["peers"]["vowpal"]["auc"] for r in met)
    lines.append(f"- area at least that of vowpal: {won} of {len(met)} streams")
    large = [r for r in results if r["rows"] > 10_000]
    worst = max(large, key=lambda r: r["ece"], default=None)
    if worst is not None:
        told = f"{worst['ece']:.4f} ({worst['name']})"
        lines.append(
            f"- largest calibration error of the {len(large)} streams over 10,000 rows: {told}"
        )
    return lines


def report(results: list[dict]) -> str:
    head = [
        "set",
        "rows",
        "auto",
        *RIVALS,
        "auto, area",
        "vowpal, area",
        "auto, ece",
        "tied",
        "certificates",
    ]
    return (
        "\n\n".join(
            [
                "# Probabilities in one pass",
                f"Made by `python -m benchmarks.probabilities` with fenchel {fenchel.__version__}, Python "
                f"{platform.python_version()}, NumPy {np.__version__}; the peers' figures are those of "
                "`python -m benchmarks.probability_peers`. Progressive log loss; in bold where a peer's is "
                "lower than auto's on the rows that it played. *best rate* is the best of eight learning "
                "rates of Vowpal Wabbit, in hindsight. *ece*: expected calibration error in 15 bins; *tied*: "
                "rows that share the most frequent value.",
                "\n".join(counts(results)),
                table(head, [cells(r) for r in results]),
            ]
        )
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=[], help="only print these data sets")
    chosen = parser.parse_args()
    figures, results = probability_peers.stored(), []
    for entry in sorted(probability_peers.streams(chosen.sets), key=lambda e: e.name):
        results.append(measure(entry, figures))
        print(" ".join(cells(results[-1])), file=sys.stderr, flush=True)
    if chosen.sets:
        print(report(results))
    else:
        PATH.write_text(report(results))


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing
