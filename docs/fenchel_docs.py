"""Helpers of the documentation.

The table of learners is written from the catalogue itself, so that it cannot drift; formulas in
docstrings (|θ_j|, ‖x‖_*) are kept from being taken for markup.
"""

import re

from docutils import nodes
from docutils.parsers.rst import Directive


class LearnerTable(Directive):
    """``{learner-table}``: name, parts, equation, theorem, cost of every learner."""

    HEAD = ("learner", "parts", "equation", "guarantee", "cost of a round")

    def run(self):
        from fenchel.learners import CATALOGUE

        table = nodes.table(classes=["learner-table"])
        group = nodes.tgroup(cols=len(self.HEAD))
        table += group
        for width in (18, 28, 24, 24, 12):
            group += nodes.colspec(colwidth=width)
        head = nodes.thead()
        head += self._row(self.HEAD)
        body = nodes.tbody()
        for name, entry in sorted(CATALOGUE.items()):
            body += self._row((name, entry.parts, entry.equation, entry.theorem, entry.cost))
        group += head
        group += body
        return [table]

    @staticmethod
    def _row(cells):
        row = nodes.row()
        for text in cells:
            cell = nodes.entry()
            cell += nodes.paragraph(text=text)
            row += cell
        return row


def keep_formulas(app, what, name, obj, options, lines):
    """Escape bars, stars and trailing underscores outside of code and examples."""
    example = False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and line.strip() != "")
        if not example and not line.startswith((":", "..")):
            pieces = line.split("``")
            pieces[::2] = [_escaped(piece) for piece in pieces[::2]]
            lines[number] = "``".join(pieces)


def _escaped(text):
    text = re.sub(r"(?<!\\)\|", r"\\|", text)
    text = re.sub(r"(?<=[\w‖}\])′])_(?=\W|$)", r"\\_", text)
    return re.sub(r"(?<=_)\*|(?<=_)\\?\*", r"\\*", text)


def setup(app):
    app.add_directive("learner-table", LearnerTable)
    app.connect("autodoc-process-docstring", keep_formulas, priority=900)
    return {"parallel_read_safe": True}
