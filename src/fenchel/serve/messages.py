"""The bodies of requests and answers, as types: they decode, they check, and they make the document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Identifier = Annotated[str, Meta(min_length=1, max_length=200)]
Importance = Annotated[float, Meta(ge=0.0)]
Features = dict[str, Any] | list[float]
Label = bool | int | float | str | list[Any] | dict[str, Any]


# gc=False: these come by the thousand and are never part of a cycle, so nobody needs to look for one.


class Question(Struct, forbid_unknown_fields=True, gc=False):
    """An example without a label: a raw row, as the model's schema reads it."""

    x: Features
    id: Identifier | None = None


class Example(Struct, forbid_unknown_fields=True, gc=False):
    """An example with its label; with an identifier it is learned once, however often it is sent."""

    x: Features
    y: Label
    id: Identifier | None = None
    weight: Importance = 1.0


class Answer(Struct, forbid_unknown_fields=True, gc=False):
    """The label of an example that was asked about before."""

    id: Identifier
    y: Label
    weight: Importance = 1.0


class Creation(Struct, forbid_unknown_fields=True):
    """A new model: a learner's specification, its task, and what is known of the columns."""

    learner: Annotated[str, Meta(max_length=2000)] = "auto"
    task: Literal["binary", "multiclass", "regression"] = "binary"
    text: list[str] = []
    categorical: list[str] = []
    ignore: list[str] = []
    cross: list[str] = []
    bits: Annotated[int, Meta(ge=1, le=22)] | None = None


class Prediction(Struct, omit_defaults=True, gc=False):
    """A prediction, with probabilities and an interval where the learner has them."""

    prediction: Any
    proba: dict[str, float] | UnsetType = UNSET
    interval: list[float] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    position: int | UnsetType = UNSET
    repeated: bool | UnsetType = UNSET


class Fault(Struct):
    """Why something was refused, and what to do, in one line."""

    error: str


EITHER = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("Prediction", "Fault")]}


class Many(Struct):
    """The answers to a list of examples, in its order: predictions, and faults of those refused."""

    results: list[Annotated[Any, Meta(extra_json_schema=EITHER)]]


class ModelFacts(Struct):
    """A model in a few words."""

    name: str
    learner: str
    task: str
    rounds: int
    columns: int
    classes: list[Any]
    position: int
    loss: float | None
    window_loss: float | None
    baseline_loss: float | None
    questions: int
    log_bytes: int
    snapshot: int


class ModelList(Struct):
    """All models."""

    models: list[ModelFacts]


class WeightList(Struct):
    """The largest weights by name, the intercept apart."""

    intercept: Any
    weights: dict[str, Any]


encode = msgspec.json.Encoder().encode
encode_lines = msgspec.json.Encoder().encode_lines
