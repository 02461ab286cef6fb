"""Models as the command line keeps them: the learner, its names, and how its data was read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fenchel import models
from fenchel.cli.sources import Data, Reading
from fenchel.evaluate import columns_by_name
from fenchel.learners import Learner, storage
from fenchel.models import ModelRefused
from fenchel.streams import Names, Stream
from fenchel.streams.csv_reader import KINDS
from fenchel.streams.names import joined

FIRST = {"label", "bits", "index_base", "categorical"}  # what the first files say of their data
HASHED = "hashed."  # before the arrays of a table of hashed names
NOT_A_LEARNER = "holds no learner that this fenchel knows; name a file that train saved"


class Model(NamedTuple):
    """What a model file holds, ready to go on."""

    learner: Learner
    names: Names | None  # None: columns are numbers
    reading: dict[str, Any]


def save(learner: Learner, path: str, stream: Stream, reading: Reading) -> None:
    """Write everything that resuming and predicting need."""
    arrays: dict[str, Any] = {}
    if stream.names is not None and stream.names.bits is None:
        learner.names = columns_by_name(stream.names, learner.columns)
    elif stream.names is not None:
        arrays = {HASHED + key: array for key, array in stream.names.to_arrays().items()}
    remembered = {
        **reading.remembered(),
        "label": reading.label or stream.label,
        "kinds": dict(sorted({**reading.kinds, **stream.kinds}.items())),
    }
    storage.save(learner, path, arrays, {"stream": remembered})


def load(path: str) -> Model:
    """Load the model of a file, or raise ``ModelRefused``."""
    metadata = models.read_metadata(path)
    if "learner" not in metadata:
        raise ModelRefused(f"{path}: {NOT_A_LEARNER}")
    learner = Learner.load(path)
    reading = metadata.get("stream")
    reading = _checked(path, reading) if reading is not None else Reading().remembered()
    if reading["bits"] is not None:
        return Model(learner, _hashed(path), reading)
    if learner.names is None:
        return Model(learner, None, reading)
    names = Names()
    names.columns(*joined(learner.names))
    return Model(learner, names, reading)


def refuse_other_columns(path: str, model: Model, data: Data) -> None:
    """Refuse data whose columns are not those of the model: names and numbers do not mix."""
    named, numbered = "features have names", "features have numbers"
    if (model.names is None) != (data.stream.names is None):
        here, there = (numbered, named) if model.names is None else (named, numbered)
        remedy = "give data in the form that the model was trained on"
        raise ModelRefused(f"{path}: its {here}, in {data.name} {there}; {remedy}")


def _hashed(path: str) -> Names:
    arrays, _ = models.read(path, mmap=True, verify=False)  # loading the learner has verified it
    start = len(HASHED)
    mine = {k[start:]: np.array(v) for k, v in arrays.items() if k.startswith(HASHED)}
    try:
        return Names.from_arrays(mine)
    except (KeyError, ValueError) as error:
        raise ModelRefused(f"{path}: {error}; restore it from a copy") from None


def _checked(path: str, reading: Any) -> dict[str, Any]:
    """Return what a file says of its data, if it has the shape that ``save`` gives it."""
    types = {"label": str, "bits": int, "index_base": int, "header": bool}
    known = Reading().remembered()
    if isinstance(reading, dict) and FIRST <= reading.keys() <= known.keys():
        known.update(reading)
        if (
            all(isinstance(known[key], (kind, type(None))) for key, kind in types.items())
            and isinstance(known["categorical"], list)
            and isinstance(known["kinds"], dict)
            and all(isinstance(kind, str) and kind in KINDS for kind in known["kinds"].values())
        ):
            return known
    raise ModelRefused(f"{path}: {NOT_A_LEARNER}")
