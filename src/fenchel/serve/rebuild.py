"""A model from the log that a server kept: as it was, or as another learner would have become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fenchel.learners import Learner
from fenchel.models import ModelRefused
from fenchel.serve.model_folder import ModelFolder
from fenchel.serve.model_state import State
from fenchel.serve.settings import Limits


def replayed(
    path: Path, other: Callable[[str], Learner | None], limits: Limits | None = None
) -> tuple[State, list[str]]:
    """Rebuild the model of a folder from its oldest snapshot and every record since; nothing is changed.

    ``other`` may give a learner for the model's task, which then learns the same rows from the
    beginning of the log. Returns the model, and what there is to tell.
    """
    folder, most = ModelFolder(path), Limits() if limits is None else limits
    snapshots = folder.positions("fenchel")
    if not snapshots:
        raise ModelRefused(f"{path}: holds no snapshot; name a model's folder in the server's DIR")
    state = folder.load(snapshots[0], most)
    told = []
    if learner := other(state.learner.task):
        learner.schema = state.learner.schema.declared_only()
        if state.learner.rounds:
            told.append(
                f"the log begins after round {state.learner.rounds}, where the learner does"
            )
        fresh = State(learner, replace(most), state.position)
        fresh.memory, state = state.memory, fresh
    for file, contents in folder.records(state.position):
        for record in contents.records:
            state.replay(record)
        if contents.torn:
            told.append(
                f"{file}: byte {contents.end}: the last {contents.torn} bytes are no record"
            )
    return state, told
