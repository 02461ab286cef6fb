"""The paper-to-code table, from docs/paper.json: a statement, where it lives, which test holds it."""

import json

from fenchel_docs.writing import ROOT, Written, plain, table

PAPER = ROOT / "docs" / "paper.json"


class PaperTable(Written):
    """``{paper-table}``: one table for each section of the paper."""

    def markdown(self):
        sections = json.loads(self.depends_on(PAPER).read_text(encoding="utf-8"))
        return "\n\n".join(_section(title, rows) for title, rows in sections.items())


def _section(title, rows):
    head = ("in the paper", "what it says", "lives in", "held by")
    lines = [
        (f"**{plain(r['place'])}**", plain(r["what"]), _list(r["code"]), _list(r["tests"]))
        for r in rows
    ]
    return f"**{title}**\n\n{table(head, lines)}"


def _list(names):
    return ", ".join(f"`{name}`" for name in names) or "–"
