"""Docstrings for the page: formulas (|θ_j|, ‖x‖_*) kept from being taken for markup, leads in bold."""

import re

LEAD = re.compile(r"^(Problem|Update|Guarantee|Cost|Parameters|References)(?=[:,])")


def keep_formulas(app, what, name, obj, options, lines):
    """Escape bars, stars and trailing underscores outside of code and examples."""
    example = False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and line.strip() != "")
        if not example and not line.startswith((":", "..")):
            pieces = line.split("``")
            pieces[::2] = [_escaped(piece) for piece in pieces[::2]]
            lines[number] = LEAD.sub(r"**\1**", "``".join(pieces))


def _escaped(text):
    text = re.sub(r"(?<!\\)\|", r"\\|", text)
    text = re.sub(r"(?<=[\w‖}\])′])_(?=\W|$)", r"\\_", text)
    return re.sub(r"(?<=_)\*|(?<=_)\\?\*", r"\\*", text)
