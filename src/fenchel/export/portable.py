"""The source of every target: a learner's arithmetic, its features by name, its classes and schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fenchel._version import __version__
from fenchel.learners import Learner
from fenchel.learners.linear_form import LinearForm, NotLinearError, linear_form
from fenchel.schema import Kind, Schema


class ExportRefused(ValueError):  # noqa: N818 (a refusal, not a failure of fenchel)
    """A model that a target cannot hold: which, why, and what to do."""


@dataclass(frozen=True)
class Portable:
    """A model without fenchel: ``names`` are its features, one for each row of weights after the first.

    Features that have no name are their numbers, as the file that they came from counts them.
    """

    specification: str
    form: LinearForm
    names: list[str]
    is_named: bool
    classes: list[Any]
    schema: Schema

    @property
    def has_classes(self) -> bool:
        """Whether one label a row is predicted."""
        return self.form.task in ("binary", "multiclass")

    def pairs(self) -> list[tuple[int, int, list[list[float]]]]:
        """List two features and the weights of their product, one list an expert, one number an output."""
        if self.form.pairs is None:
            return []
        first, second, weights, _ = self.form.pairs
        return list(zip(first.tolist(), second.tolist(), weights.tolist(), strict=True))

    def centres(self) -> dict[int, float]:
        """Return what is taken off the features of pairs before they are multiplied."""
        if self.form.pairs is None:
            return {}
        used = sorted({j for pair in self.pairs() for j in pair[:2]})
        return {j: float(self.form.pairs.centre[j]) for j in used}

    def ramps(self) -> list[tuple[int, float, float, list[list[float]]]]:
        """List a feature, where its ramp begins and ends, and the weights, one list an expert."""
        found = self.form.ramps
        return [] if found is None else list(zip(*(part.tolist() for part in found), strict=True))

    def wave_columns(self) -> dict[int, tuple[float, float]]:
        """Return half the centre and half the unit of the features of waves."""
        found = self.form.waves
        if found is None:
            return {}
        pairs = zip(found.centre.tolist(), found.unit.tolist(), strict=True)
        return {j: both for j, both in enumerate(pairs) if both[1] and found.turns[:, j].any()}

    def waves(self) -> list[tuple[float, dict[int, float], list[list[float]]]]:
        """List where a wave starts, its turns by feature, and the weights, one list an expert."""
        found = self.form.waves
        if found is None:
            return []
        used = list(self.wave_columns())
        turns = [{j: row[j] for j in used if row[j]} for row in found.turns.tolist()]
        return list(zip(found.start.tolist(), turns, found.weights.tolist(), strict=True))

    def refuse_hashed(self, target: str) -> None:
        """Refuse a model whose names are hashed, for a target that finds features by name."""
        if self.schema.bits is not None:
            raise ExportRefused(
                f"{target}: the names of its features are hashed (bits={self.schema.bits}), and hashing "
                "is not part of the target; train without --bits, or export json"
            )

    def refuse_kinds(self, target: str, *words: str) -> None:
        """Refuse columns of these kinds, which the target has no means to take apart."""
        for name, kind in self.schema.kinds.items():
            if kind.word in words and name not in self.schema.roles:
                raise ExportRefused(
                    f"{target}: the column {name!r} is {kind.word}, which {target} cannot take apart; "
                    "export python, or train without it"
                )

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values; weights by feature, one list an expert of one number an output."""
        form = self.form
        weights = form.weights.tolist()
        # What has no weight alone tells that its column has numbers.
        more = (form.pairs, form.ramps, form.waves)
        every = bool(self.schema.crosses) or any(part is not None for part in more)
        return {
            "format": "fenchel-export 1",
            "fenchel": __version__,
            "learner": self.specification,
            "task": form.task,
            "classes": self.classes,
            "rule": form.rule,
            "intercept": weights[0],
            "weights": {
                n: w for n, w in zip(self.names, weights[1:], strict=True) if every or np.any(w)
            },
            "centre": {self.names[j]: c for j, c in self.centres().items()},
            "pairs": [[self.names[i], self.names[j], w] for i, j, w in self.pairs()],
            "ramps": [[self.names[j], low, high, w] for j, low, high, w in self.ramps()],
            "wave_columns": {self.names[j]: both for j, both in self.wave_columns().items()},
            "waves": [
                [start, {self.names[j]: turn for j, turn in turns.items()}, w]
                for start, turns, w in self.waves()
            ],
            "shares": _plain(form.shares),
            "bounds": None if form.bounds is None else list(form.bounds),
            "sharpness": form.sharpness,
            "surest": form.surest if np.isfinite(form.surest) else None,
            "bets": _plain(form.bets),
            "sizes": _plain(form.sizes),
            "rounds": form.rounds,
            "choice": list(form.choice),
            "exact": form.is_exact,
            "schema": self.schema.to_json(),
        }


def portable(learner: Learner, last_weights: bool = False) -> Portable:
    """Take a learner apart for export, or raise ``ExportRefused`` with the reason."""
    try:
        if learner.engine.predicts_counts:
            raise NotLinearError("a model of counts predicts exp(⟨w, x⟩), which no target here has")
        form = linear_form(learner, last_weights)
    except NotLinearError as error:
        raise ExportRefused(str(error)) from None
    count = form.weights.shape[0] - 1
    if form.pairs is not None:  # columns whose own weight is 0 may be in all of these
        count = max(count, len(form.pairs.centre))
    if form.ramps is not None:
        count = max(count, 1 + int(form.ramps.column.max()))
    if form.waves is not None:
        count = max(count, len(form.waves.unit))
    if count >= len(form.weights):
        own = np.zeros((1 + count, *form.weights.shape[1:]))
        own[: len(form.weights)] = form.weights
        form = replace(form, weights=own)
    base = 1 if learner.schema.index_base is None else learner.schema.index_base
    if learner.names is None:
        names = [str(column + base) for column in range(count)]
    else:
        names = [learner.names.name(column) for column in range(count)]
    classes = [_label(label) for label in _labels(learner)]
    return Portable(
        learner.specification, form, names, learner.names is not None, classes, learner.schema
    )


def column_and_level(feature: str, kinds: Mapping[str, Kind]) -> tuple[str, str | None]:
    """The column that a feature comes from, and its level there; None for a number.

    >>> from fenchel.schema import Category, Number
    >>> kinds = {"color": Category(), "size": Number(missing="indicator")}
    >>> [column_and_level(feature, kinds) for feature in ("color=red", "size", "size=?")]
    [('color', 'red'), ('size', None), ('size', '?')]
    """
    at = feature.find("=")
    while at >= 0:
        column = feature[:at]
        kind = kinds.get(column)
        if kind is not None and (kind.word == "category" or feature[at:] == "=?"):
            return column, feature[at + 1 :]
        at = feature.find("=", at + 1)
    return feature, None


def _labels(learner: Learner) -> list[Any]:
    if learner.task in ("binary", "multiclass"):
        return learner.outcomes()
    return learner.classes


def _label(label: Any) -> Any:
    """A class as users wrote it: 1.0 is 1."""
    label = label.item() if isinstance(label, np.generic) else label
    whole = isinstance(label, float) and label.is_integer() and abs(label) < 1e15
    return int(label) if whole else label


def _plain(array: Any) -> Any:
    return None if array is None else np.asarray(array).tolist()
