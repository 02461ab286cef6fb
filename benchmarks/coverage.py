"""The tightest ratio seen of every inequality of the paper: ``python -m benchmarks.coverage``.

Runs what ``fenchel reproduce`` runs on embedded data and writes ``docs/paper_ratios.json``, from which the
paper-to-code table of the documentation takes its last column. A check that reads 0 ≤ 0 does not count.
"""

import json
import math
import sys
from pathlib import Path

from fenchel.report import reproduce

PATH = Path(__file__).resolve().parents[1] / "docs" / "paper_ratios.json"


def tightest(checks) -> dict[str, dict]:
    """{statement: the least ratio, the run that has it, and whether it was promised there}."""
    found: dict[str, dict] = {}
    for check in checks:
        told = check.counts or (not check.applies and check.claim.startswith("Normalized"))
        if check.tolerance or not told or not math.isfinite(check.ratio):
            continue
        known = found.get(check.statement)
        if known is None or check.ratio < known["ratio"]:
            figures = {"ratio": float(f"{check.ratio:.4g}"), "run": check.where}
            found[check.statement] = {**figures, "promised": check.counts}
    return dict(sorted(found.items()))


def main() -> None:
    checks = []
    for one in reproduce.measured(reproduce.source_of(None)):
        print(f"{one.claim.section.title}: {one.seconds:.1f} s", file=sys.stderr, flush=True)
        assert one.violated == 0, one.claim.section.title
        checks += one.claim.checks
    text = json.dumps(tightest(checks), ensure_ascii=False, indent=1)
    PATH.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
