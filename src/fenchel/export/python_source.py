"""A model as one Python file that needs no fenchel."""

from __future__ import annotations

from pathlib import Path
from pprint import pformat

from fenchel.export.portable import Portable

PLACE = "MODEL: Model = {}  # the exported model goes here"


def python_source(model: Portable) -> str:
    """The program of ``standalone.py`` with the model in its place."""
    model.refuse_hashed("python")
    program = Path(__file__).with_name("standalone.py").read_text(encoding="utf-8")
    told = pformat(model.to_json(), width=100, compact=True, sort_dicts=False)
    return program.replace(PLACE, f"MODEL: Model = {told}", 1)
