"""The paper-to-code table: a statement, where it lives, which test holds it, how tight it was seen.

From docs/paper.json, and docs/paper_ratios.json, which ``python -m benchmarks.coverage`` writes.
"""

import json

from fenchel_docs.writing import ROOT, Written, plain, table

PAPER = ROOT / "docs" / "paper.json"
RATIOS = ROOT / "docs" / "paper_ratios.json"


class PaperTable(Written):
    """``{paper-table}``: one table for each section of the paper."""

    def markdown(self):
        sections = json.loads(self.depends_on(PAPER).read_text(encoding="utf-8"))
        ratios = json.loads(self.depends_on(RATIOS).read_text(encoding="utf-8"))
        return "\n\n".join(_section(title, rows, ratios) for title, rows in sections.items())


def _section(title, rows, ratios):
    head = ("in the paper", "what it says", "lives in", "held by", "tightest ratio seen")
    lines = [
        (
            f"**{plain(r['place'])}**",
            plain(r["what"]),
            _list(r["code"]),
            _list(r["tests"]),
            _tightest(r.get("claims", []), ratios),
        )
        for r in rows
    ]
    return f"**{title}**\n\n{table(head, lines)}"


def _tightest(claims, ratios):
    """Right over left of each inequality of a statement, in the order of its claims."""
    told = [ratios[claim] for claim in claims]
    return (
        "; ".join(f"{t['ratio']:g}{'' if t['promised'] else ' (not promised)'}" for t in told)
        or "–"
    )


def _list(names):
    return ", ".join(f"`{name}`" for name in names) or "–"
