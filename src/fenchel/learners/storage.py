"""A learner as a model file: its specification as metadata, its state as named arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from fenchel import models
from fenchel.learners import soundness, specification
from fenchel.learners.catalogue import from_parameters
from fenchel.learners.composed import Composed, Parts
from fenchel.learners.tickets import PREFIX, Tickets
from fenchel.schema import Schema
from fenchel.streams import Names

NAMES = "names."  # before the arrays of the table of names
HASHED = "hashed."  # of hashed names, in files of format 1
CALIBRATION = "calibration."  # before the arrays of the calibration, which the first files lack


def save(
    learner: Any,
    path: str | PathLike[str],
    more_arrays: Mapping[str, Any] | None = None,
    more_metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write everything that the next round needs, and what the caller adds of its own."""
    arrays: dict[str, Any] = {**learner.state_arrays(), **(more_arrays or {})}
    if learner.calibration is not None:
        arrays |= {CALIBRATION + name: a for name, a in learner.calibration.arrays().items()}
    if learner.names is not None:
        names = learner.names.first_names(learner.columns)
        arrays |= {NAMES + key: array for key, array in names.to_arrays().items()}
    soundness.refuse_unsound_state(learner.engine)  # before it takes the place of a good file
    metadata = describe(learner)
    for where in ("device", "dtype"):  # a model of any device loads on every other
        metadata["parameters"].pop(where, None)
    if learner.tickets.used:
        arrays |= learner.tickets.arrays()
        metadata["tickets"] = learner.tickets.metadata()
    models.write(path, arrays, {**metadata, **(more_metadata or {})})


def describe(learner: Any) -> dict[str, Any]:
    """Describe the learner for a model file, beside its arrays."""
    metadata = {
        "learner": learner.name,
        "parameters": {k: specification.encode(v) for k, v in learner.parameters.items()},
        "task": learner.task,
        "intercept": learner.intercept,
        "labels": None if learner.labels is None else learner.labels.known,
        "schema": learner.schema.to_json(),
        "named": learner.names is not None,
        "columns": learner.columns,
        "rounds": learner.rounds,
    }
    if learner.merged:
        metadata["merged"] = dict(learner.merged)
    if learner.name == "custom":
        metadata["parts"] = [specification.encode(part) for part in learner.engine.parts]
    return metadata


def fresh(learner: Any, kind: type) -> Any:
    """A learner of the same specification that has seen nothing."""
    known: dict[str, type] = {}
    for part in getattr(learner.engine, "parts", ()):
        known |= specification.classes_of(part)
    made = _rebuilt(describe(learner), known, kind)
    made.schema = learner.schema.declared_only()
    return made


def load(path: str | PathLike[str], parts: Iterable[type], kind: type) -> Any:
    """The learner that was saved, ready for its next round; ``kind`` is its class."""
    arrays, metadata = models.read(path)
    try:
        return _laid_in(arrays, metadata, {cls.__name__: cls for cls in parts}, kind)
    except models.ModelRefused:
        raise
    except KeyError as error:
        what = f"has no entry {error}"
    except ValueError as error:
        what = " ".join(str(error).split())
    except (TypeError, AttributeError, OverflowError, MemoryError, RecursionError) as error:
        what = f"has an entry of the wrong kind ({type(error).__name__})"
    raise models.ModelRefused(f"{path}: {what:.200}; it cannot be loaded as it is")


def _laid_in(
    arrays: dict[str, Any], metadata: dict[str, Any], known: dict[str, type], kind: type
) -> Any:
    late = {name: arrays.pop(name) for name in list(arrays) if name.startswith(PREFIX)}
    soundness.refuse_outsized(arrays, metadata)
    columns, rounds = metadata["columns"], metadata["rounds"]
    learner = _rebuilt(metadata, known, kind)
    learner.schema = _schema(metadata)
    soundness.refuse_roles(learner.schema)
    learner.names = _names(arrays, metadata, columns)
    if learner.labels is not None:
        soundness.refuse_labels(metadata["labels"], arrays, learner.engine)
        learner.adopt_labels(metadata["labels"])
        learner.engine.declare(len(learner.classes))
    kept = {k: arrays.pop(k) for k in list(arrays) if k.startswith(CALIBRATION)}
    if kept and learner.calibration is not None:
        learner.calibration.lay_in({k.removeprefix(CALIBRATION): a for k, a in kept.items()})
    learner.engine.lay_in(arrays, columns)
    soundness.refuse_unsound_state(learner.engine)
    if learner.labels is not None and learner.engine.outputs > max(2, len(learner.classes)):
        raise ValueError("it has fewer labels than its arrays tell of")
    learner.engine.counts[0] = rounds
    learner.merged = soundness.merged_of(metadata)
    learner.tickets = Tickets.restored(metadata.get("tickets"), late)
    return learner.freeze()


def _schema(metadata: dict[str, Any]) -> Schema:
    """The raw columns as the file describes them; files of format 1 do so for CSV alone, as ``stream``."""
    if "schema" in metadata:
        return Schema.from_json(metadata["schema"])
    told = metadata.get("stream") or {}
    kinds = {**told.get("kinds", {}), **dict.fromkeys(told.get("categorical", ()), "category")}
    said: dict[str, Any] = {key: told.get(key) for key in ("label", "bits", "index_base", "header")}
    schema = Schema(dict(sorted(kinds.items())), **said)
    schema.declared = frozenset(told.get("categorical", ()))
    return schema


def _names(arrays: dict[str, Any], metadata: dict[str, Any], columns: int) -> Names | None:
    """The names of the columns; None where these are numbers."""
    mine = {key: arrays.pop(key) for key in list(arrays) if key.startswith((NAMES, HASHED))}
    soundness.refuse_name_arrays(mine)
    if "names.ends" in mine:  # format 1
        found = models.unpack_strings(mine["names.text"], mine["names.ends"])
        names = Names.of(found)
        if len(names) != len(found):
            raise ValueError("it has a name twice")
    elif mine:
        names = Names.from_arrays({key.partition(".")[2]: array for key, array in mine.items()})
    else:
        if metadata["named"]:
            raise KeyError("names.text")
        return None
    if len(names) > max(columns, 0 if names.bits is None else 1 << names.bits):
        raise ValueError(f"{len(names)} names do not fit {columns} columns")
    return names


def _rebuilt(metadata: dict[str, Any], known: dict[str, type], kind: type) -> Any:
    """A fresh learner of the specification in a model file."""
    if metadata["learner"] == "custom":
        pieces = [specification.decode(part, known, from_parameters) for part in metadata["parts"]]
        return kind(Composed(Parts(*pieces), intercept=metadata["intercept"]))
    parameters = specification.decode_all(metadata["parameters"], known, from_parameters)
    return from_parameters(metadata["learner"], parameters)
