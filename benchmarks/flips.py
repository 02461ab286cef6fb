"""One bit of a model file flipped: does it still load? ``python -m benchmarks.flips`` writes FLIPS.md.

Sixty flips, at places drawn by a seed, of a model of fenchel and of one of Vowpal Wabbit, both of
scikit-learn's breast cancer data.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from fenchel import Learner, learners
from fenchel.models import ModelRefused

FLIPS, SEED = 60, 0
OUTPUT = Path(__file__).with_name("FLIPS.md")
LOAD = "from vowpalwabbit import Workspace; Workspace('-i ' + {!r} + ' --quiet -t').finish()"


def trained(folder: Path) -> dict[str, Path]:
    """A model file of each."""
    from vowpalwabbit import Workspace

    X, y = load_breast_cancer(return_X_y=True)
    learner = learners.arow()
    learner.learn_many(X, y)
    files = {"fenchel": folder / "m.fenchel", "Vowpal Wabbit": folder / "m.vw"}
    learner.save(files["fenchel"])
    workspace = Workspace(f"--quiet -b 10 -f {files['Vowpal Wabbit']}")
    for row, label in zip(X, y, strict=True):
        words = " ".join(f"f{k}:{value}" for k, value in enumerate(row))
        workspace.learn(f"{2 * label - 1} | {words}")
    workspace.finish()
    return files


def loads(tool: str, file: Path) -> bool:
    """Whether the file loads; Vowpal Wabbit, which may end with its process, in one of its own."""
    if tool == "fenchel":
        try:
            Learner.load(file)
        except ModelRefused:
            return False
        return True
    command = [sys.executable, "-c", LOAD.format(str(file))]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Flip, load, count."""
    lines = []
    with tempfile.TemporaryDirectory() as place:
        for tool, file in trained(Path(place)).items():
            whole, random = file.read_bytes(), np.random.default_rng(SEED)
            assert loads(tool, file), tool
            found = 0
            for bit in random.choice(8 * len(whole), FLIPS, replace=False).tolist():
                flipped = bytearray(whole)
                flipped[bit // 8] ^= 1 << bit % 8
                file.write_bytes(flipped)
                found += loads(tool, file)
            lines.append(f"| {tool} | {len(whole):,} | {found} of {FLIPS} |")
    head = "# A bit of a model file flipped\n\n`python -m benchmarks.flips`\n\n"
    table = "| model of | bytes | flips that load |\n|---|---:|---:|\n"
    OUTPUT.write_text(head + table + "\n".join(lines) + "\n", encoding="utf-8")
    print(OUTPUT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
