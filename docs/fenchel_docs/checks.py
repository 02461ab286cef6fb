"""A test shown on the page: the code that is executed, not a copy of it."""

import ast

from fenchel_docs.writing import ROOT, Written


class CheckCode(Written):
    """``{check-code} tests/file.py::name …``: the source of these tests."""

    required_arguments = 1
    optional_arguments = 9

    def markdown(self):
        return "\n\n".join(self._one(argument) for argument in self.arguments)

    def _one(self, argument):
        file, _, name = argument.partition("::")
        path = self.depends_on(ROOT / file)
        text = path.read_text(encoding="utf-8")
        (found,) = (n for n in ast.parse(text).body if getattr(n, "name", None) == name)
        source = ast.get_source_segment(text, found)
        return f"```{{code-block}} python\n:caption: {file}\n\n{source}\n```"
