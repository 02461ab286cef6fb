"""Models as the command line keeps them: a learner, with the columns of the data it saw."""

from __future__ import annotations

from typing import Any

from fenchel import models
from fenchel.cli.sources import Data
from fenchel.learners import Learner, storage
from fenchel.live.bookmarks import SECTION
from fenchel.models import ModelRefused
from fenchel.streams import Stream

NOT_A_LEARNER = "holds no learner that this fenchel knows; name a file that train saved"


def save(learner: Learner, path: str, stream: Stream, places: dict[str, Any] | None = None) -> None:
    """Write everything that resuming and predicting need; ``places`` in live sources stay with it."""
    learner.schema, learner.names = stream.schema, stream.names
    storage.save(learner, path, more_metadata={SECTION: places} if places else None)


def load(path: str) -> Learner:
    """Load the learner of a file, or raise ``ModelRefused``."""
    if "learner" not in models.read_metadata(path):
        raise ModelRefused(f"{path}: {NOT_A_LEARNER}")
    return Learner.load(path)


def refuse_other_columns(path: str, learner: Learner, data: Data) -> None:
    """Refuse data whose columns are not those of the model: names and numbers do not mix."""
    named, numbered = "features have names", "features have numbers"
    if (learner.names is None) != (data.stream.names is None):
        here, there = (numbered, named) if learner.names is None else (named, numbered)
        remedy = "give data in the form that the model was trained on"
        raise ModelRefused(f"{path}: its {here}, in {data.name} {there}; {remedy}")
