"""Raw rows, dicts of columns, to rows of named features, one after the other, as the schema says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.schema import CannotReadError, Kind, Schema
from fenchel.schema.crosses import Feature
from fenchel.streams.batch import UNKNOWN, Batch, Parsed, Refusal, Vocabulary, batch_of_names
from fenchel.streams.errors import EXPLANATIONS, Mistake
from fenchel.streams.names import Names, joined
from fenchel.streams.vw import LONGEST_NAME
from fenchel.streams.writable import are_writable, refuse_unwritable_row

LABELS = ("label", "y")
NUMBER, TEXT = 1, 2  # kinds of labels, besides UNKNOWN


class UnreadableRowError(Exception):
    """Why a row is refused: the reason, the remedy, the value, and the column."""

    def __init__(self, what: str, remedy: Any, value: str | None, column: str) -> None:
        super().__init__(what)
        self.remedy, self.value, self.column = remedy, value, column


class RawRows:
    """Collects raw rows; a row that is refused leaves nothing behind.

    ``names`` are the features known so far, ``kind`` is that of the labels so far.
    """

    def __init__(
        self,
        schema: Schema,
        names: Names,
        labelled: bool,
        kind: int = UNKNOWN,
        gaps: bool = False,
    ) -> None:
        self._gaps = gaps  # whether labels may be missing
        self.schema, self.kind = schema, kind
        self._known, self._labelled = names, labelled
        self._numbers: dict[str, int] = {}  # of the names of these rows
        self._classes: dict[str, int] = {}
        self._labels: list[float] = []
        self._weights: list[float] = []
        self._ids: list[str] = []
        self._rows: tuple[list[int], list[int], list[float]] = [0], [], []
        # Crosses of hashed names have columns and no names.
        self._hashed: tuple[list[int], list[int], list[float]] = [0], [], []
        self._hashes = schema.bits is not None and bool(schema.crosses)

    def __contains__(self, name: object) -> bool:
        """Whether a feature of this name is known, from these rows or from before."""
        return name in self._numbers or name in self._known

    def add(self, row: Mapping[str, Any]) -> None:
        """One more row, or ``UnreadableRowError``."""
        schema = self.schema
        label_column = self._label_column(row)
        label = self._label_of(row, label_column) if self._labelled else None
        weighed = self._labelled and schema.weight is not None
        weight = self.weight_of(row) if weighed else None
        met: dict[str, Kind] = {}
        for name, feature in self._features(row, label_column, met):
            self._put(name, feature)
        schema.recognise_all(met)
        for ends, numbers, _ in (self._rows, self._hashed):
            ends.append(len(numbers))
        if label is not None:
            schema.label = schema.label if math.isnan(label) else label_column
            self._labels.append(label)
        if weight is not None:
            self._weights.append(weight)
        if schema.id is not None:
            self._ids.append(str(row.get(schema.id, "")))

    def _label_column(self, row: Mapping[str, Any]) -> str:
        found = self.schema.label or next((name for name in LABELS if name in row), None)
        return found or LABELS[0]

    def _features(
        self, row: Mapping[str, Any], label_column: str, met: dict[str, Kind]
    ) -> list[tuple[str, Feature]]:
        """The features of a row that are not zero, each with its name."""
        if self.schema.label is None and label_column in row and self._labelled:
            row = {name: value for name, value in row.items() if name != label_column}
        try:
            found = self.schema.entries(row, self, met)
            names = [feature.name for feature in found]
            if not (are_writable(names) and are_writable(met)):
                refuse_unwritable_row(met, found)
        except CannotReadError as bad:
            column = bad.column or next(iter(row), "")
            raise UnreadableRowError(bad.what, bad.remedy, None, column) from None
        if sum(map(len, names)) > LONGEST_NAME // 4:
            for name, feature in zip(names, found, strict=True):
                _refuse_long(name, feature.column)
        return [(n, f) for n, f in zip(names, found, strict=True) if f.value != 0.0]

    def _put(self, name: str, feature: Feature) -> None:
        if self._hashes and len(feature.parts) > 1:
            self._hashed[1].append(self._known.of_parts(feature.parts))
            self._hashed[2].append(feature.value)
            return
        self._rows[1].append(self._numbers.setdefault(name, len(self._numbers)))
        self._rows[2].append(feature.value)

    def weight_of(self, row: Mapping[str, Any]) -> float:
        """The importance of a row, or ``UnreadableRowError``."""
        column = self.schema.weight or ""
        value = row.get(column)
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not (math.isfinite(number) and number >= 0.0):
            what = "the importance is not a number of 0 or more"
            raise UnreadableRowError(what, "write one", str(value), column)
        return number

    def _label_of(self, row: Mapping[str, Any], column: str) -> float:
        label = row.get(column)
        if label is None and self._gaps:
            return math.nan
        if label is None:
            what = "the label is missing"
            raise UnreadableRowError(what, f"give each line the key {column!r}", "", column)
        if not isinstance(label, (str, bool, int, float)):
            what = "the label is not a number or a string"
            raise UnreadableRowError(what, "write one", str(label), column)
        kind = TEXT if isinstance(label, str) else NUMBER
        if self.kind not in (UNKNOWN, kind):
            what = "labels of text and labels that are numbers"
            raise UnreadableRowError(what, "use one kind of label throughout", str(label), column)
        value: float
        if isinstance(label, str):
            value = self._classes.setdefault(label, len(self._classes))
        else:
            value = _finite(column, label)
        self.kind = kind
        return value

    def batch(
        self, refusals: tuple[Refusal, ...] = (), wrong: int = 0, lines: int | None = None
    ) -> Batch:
        """All rows so far."""
        nothing: NDArray[np.int64] = np.empty((0, 2), np.int64)
        ends, numbers, values = self._rows
        parsed = Parsed(
            np.array(ends, np.int64),
            np.array(numbers, np.uint32),
            np.array(values, np.float64),
            np.array(self._labels, np.float64),
            np.array(self._weights, np.float64),
            np.empty(0, np.int64),
            nothing,
            nothing,
            0,
            len(ends) - 1 if lines is None else lines,
            0,
        )
        batch = batch_of_names(parsed, Vocabulary(*joined(self._numbers)), self.schema.bits)
        ends, columns, values = self._hashed
        hashed = np.array(ends), np.array(columns, np.int64), np.array(values, np.float64)
        return batch._replace(
            parsed=batch.parsed._replace(wrong=wrong),
            classes=list(self._classes) if self.kind == TEXT else None,
            refusals=refusals,
            hashed=hashed if self._hashes else None,
            ids=self._ids if self.schema.id is not None else None,
        )


def _refuse_long(name: str, column: str) -> None:
    if len(name.encode()) > LONGEST_NAME:
        raise UnreadableRowError(*EXPLANATIONS[Mistake.NAME_TOO_LONG], name, column)


def _finite(column: str, value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        shown = f"{str(value)[:20]}…"
        remedy = "write one below 1.8e308"
        raise UnreadableRowError("the number is not finite", remedy, shown, column) from None
