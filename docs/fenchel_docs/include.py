"""A report of the benchmarks on a page, as far as it has been made."""

from fenchel_docs.writing import ROOT, Written


class IncludeIfPresent(Written):
    """``{include-if-present} path command``: the Markdown file, or the command that makes it.

    The file's headings become bold lines, since a page has one outline, its own.
    """

    required_arguments = 2
    final_argument_whitespace = True

    def markdown(self):
        path, command = self.arguments
        file = self.depends_on(ROOT / path)
        if not file.exists():
            return f"`{path}` has not been made here yet; `{command}` makes it."
        return "\n".join(_flat(line) for line in file.read_text(encoding="utf-8").splitlines())


def _flat(line):
    if not line.startswith("#"):
        return line
    return f"**{line.lstrip('#').strip()}**"
