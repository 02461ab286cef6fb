"""Directives that write Markdown, which is then read as if it stood on the page."""

from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

ROOT = Path(__file__).parents[2]


class Written(Directive):
    """A directive whose content is the Markdown that ``markdown`` returns."""

    def run(self):
        parent = nodes.Element()
        lines = StringList(self.markdown().splitlines(), source=self.arguments_or_name())
        self.state.nested_parse(lines, self.content_offset, parent)
        return parent.children

    def arguments_or_name(self):
        return f"<{' '.join([self.name, *self.arguments])}>"

    def depends_on(self, path: Path) -> Path:
        """Tell Sphinx that the page changes with this file."""
        self.state.document.settings.env.note_dependency(str(path))
        return path

    def markdown(self) -> str:
        """Write what stands in the directive's place; every directive has its own."""
        raise NotImplementedError


def table(head, lines) -> str:
    """A Markdown table; bars inside cells are kept from being taken for borders."""
    ruled = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(cell(c) for c in line)} |" for line in ruled)


def cell(text) -> str:
    return str(text).replace("|", "\\|")


def plain(text: str) -> str:
    """Text with its formulas kept from being taken for Markdown."""
    for mark in ("\\", "*", "_", "<", "["):
        text = text.replace(mark, "\\" + mark)
    return text


def rst(text: str) -> str:
    """reStructuredText inside Markdown."""
    return f"```{{eval-rst}}\n{text}\n```"
