"""A learner as a model file: its specification as metadata, its state as named arrays."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from fenchel import models
from fenchel._kernel import state
from fenchel.learners import specification

if TYPE_CHECKING:
    from fenchel.learners.learner import Learner


def save(learner: Learner, path: str | PathLike[str]) -> None:
    """Write everything that the next round needs; spare room of the arrays is left out."""
    slots = learner.columns + 1
    arrays: dict[str, Any] = {}
    for name, array in state.arrays(learner._parts):
        keep = tuple(slice(0, min(n, slots)) for n in array.shape)
        arrays[name] = array[keep]
    if learner.names is not None:
        arrays["names.text"], arrays["names.ends"] = models.pack_strings(learner.names)
    metadata = {
        "learner": learner.name,
        "parameters": {k: specification.encode(v) for k, v in learner.parameters.items()},
        "intercept": learner.intercept,
        "labels": None if learner.labels is None else learner.labels.pair,
        "named": learner.names is not None,
        "columns": learner.columns,
        "rounds": learner.rounds,
    }
    if learner.name == "custom":
        metadata["parts"] = [specification.encode(part) for part in learner._parts]
    models.write(path, arrays, metadata)


def load(path: str | PathLike[str], parts: Iterable[type] = ()) -> Learner:
    """The learner that was saved, ready for its next round."""
    from fenchel.learners.learner import Learner, Parts
    from fenchel.learners.registry import from_parameters

    arrays, metadata = models.read(path)
    known = {cls.__name__: cls for cls in parts}
    if metadata["learner"] == "custom":
        pieces = [specification.decode(part, known) for part in metadata["parts"]]
        learner = Learner(Parts(*pieces), intercept=metadata["intercept"])
    else:
        parameters = {
            key: specification.decode(value, known) for key, value in metadata["parameters"].items()
        }
        learner = from_parameters(metadata["learner"], parameters)
    if metadata["named"]:
        names = models.unpack_strings(arrays["names.text"], arrays["names.ends"])
        learner.names = {name: column for column, name in enumerate(names)}
    _fill(learner, arrays, metadata)
    return learner


def _fill(learner: Learner, arrays: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Lay the saved arrays into the state of a fresh learner."""
    learner.columns = metadata["columns"]
    learner.rounds = metadata["rounds"]
    if learner.labels is not None:
        learner.labels = type(learner.labels)(metadata["labels"])
    learner._parts = state.start(learner._parts, learner.columns + 1)
    expected = dict(state.arrays(learner._parts))
    for name, array in expected.items():
        if name not in arrays or arrays[name].shape != array.shape:
            raise models.ModelRefused(
                f"the model has no array {name!r} of shape {array.shape}: "
                "it was not written for this learner"
            )
        array[...] = arrays[name]
