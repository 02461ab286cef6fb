"""A learner as a model file: its specification as metadata, its state as named arrays."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

from fenchel import models
from fenchel.learners import specification
from fenchel.learners.composed import Composed, Parts
from fenchel.learners.learner import Learner
from fenchel.learners.registry import from_parameters


def save(learner: Learner, path: str | PathLike[str]) -> None:
    """Write everything that the next round needs."""
    arrays: dict[str, Any] = dict(learner.state_arrays())
    if learner.names is not None:
        arrays["names.text"], arrays["names.ends"] = models.pack_strings(learner.names)
    models.write(path, arrays, describe(learner))


def describe(learner: Learner) -> dict[str, Any]:
    """What a model file says of its learner beside the arrays."""
    metadata = {
        "learner": learner.name,
        "parameters": {k: specification.encode(v) for k, v in learner.parameters.items()},
        "task": learner.task,
        "intercept": learner.intercept,
        "labels": None if learner.labels is None else learner.labels.pair,
        "named": learner.names is not None,
        "columns": learner.columns,
        "rounds": learner.rounds,
    }
    if isinstance(learner, Composed) and learner.name == "custom":
        metadata["parts"] = [specification.encode(part) for part in learner._parts]
    return metadata


def load(path: str | PathLike[str], parts: Iterable[type] = ()) -> Learner:
    """The learner that was saved, ready for its next round."""
    arrays, metadata = models.read(path)
    learner = _rebuilt(metadata, {cls.__name__: cls for cls in parts})
    if metadata["named"]:
        names = models.unpack_strings(arrays.pop("names.text"), arrays.pop("names.ends"))
        learner.names = {name: column for column, name in enumerate(names)}
    if learner.labels is not None:
        learner.labels = type(learner.labels)(metadata["labels"])
    learner.restart(metadata["columns"])
    learner.rounds = metadata["rounds"]
    for name, array in learner.state_arrays().items():
        if name not in arrays or arrays[name].shape != array.shape:
            raise models.ModelRefused(
                f"{path}: no array {name!r} of shape {array.shape}; "
                "it was not written for this learner"
            )
        array[...] = arrays[name]
    return learner


def _rebuilt(metadata: dict[str, Any], known: dict[str, type]) -> Learner:
    """A fresh learner of the specification in a model file."""
    if metadata["learner"] == "custom":
        pieces = [specification.decode(part, known) for part in metadata["parts"]]
        return Composed(Parts(*pieces), intercept=metadata["intercept"])
    parameters = {
        key: specification.decode(value, known) for key, value in metadata["parameters"].items()
    }
    return from_parameters(metadata["learner"], parameters)
