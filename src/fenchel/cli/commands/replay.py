"""``fenchel replay``: a model from a server's log, or another learner on the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fenchel.cli.build import build
from fenchel.cli.output import fact


def replay(log: str, save: str, learner: str | None, quiet: bool) -> None:
    """Run the command."""
    from fenchel.serve.rebuild import replayed

    def other(task: str) -> Any:
        return None if learner is None else build(learner, task)

    path = Path(log)
    state, told = replayed(path.parent if path.is_file() else path, other)
    state.learner.save(save)
    for line in told:
        fact("note", line)
    if not quiet:
        fact("rows", str(state.position))
        fact("learner", state.learner.specification)
        fact("rounds", str(state.learner.rounds))
        if state.watch.loss is not None:
            fact("average loss", f"{state.watch.loss:.6g}")
        fact("open questions", str(len(state.memory.questions)))
        fact("saved", save)
