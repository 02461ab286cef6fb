"""A labelled file scored by a model that does not learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fenchel.cli.prediction_tables import decided
from fenchel.cli.unlabelled import missing
from fenchel.evaluate import Metrics, metrics_of, predict
from fenchel.evaluate.metrics import F1, Area, CalibrationError, Confusion, Precision, Recall, Seen
from fenchel.evaluate.own_loss import best_constant, own_loss
from fenchel.evaluate.previous import PreviousLabel
from fenchel.learners import Learner
from fenchel.parts.state import Array
from fenchel.rows import Block


class Tested:
    """Metrics of predictions, by class too; a class that the model does not know is always missed."""

    def __init__(
        self,
        learner: Learner,
        names: Sequence[str] = (),
        cost: tuple[float, float] | None = None,
    ) -> None:
        self._learner, self._cost = learner, cost
        self.scored = learner.task in ("binary", "multiclass", "regression")
        own = own_loss(learner)
        known = dict.fromkeys([own.name] * (learner.labels is None) + metrics_of(learner.task))
        chosen = names or (list(known) if self.scored else ())
        self._metrics = Metrics(chosen, learner.task)
        extra = (
            [Precision(), Recall(), F1(), CalibrationError()] if learner.labels is not None else []
        )
        self.by_class: list[Any] = extra + ([Area()] if learner.task == "binary" else [])
        self.constant = best_constant(learner.task, own)
        self.previous = PreviousLabel(learner.labels is None, own)
        self.unknown: list[Any] = []  # labels beyond those of the model
        self.rounds = 0

    def see_if_labelled(self, block: Block, margins: Array) -> None:
        """Score the rows of a block that have labels such as the model's, leave the others."""
        if not self.scored or block.labels is None:
            return
        there = ~missing(block.labels)
        labels = block.labels[there]
        if len(labels) and self._are_such(labels):
            weights = None if block.importance is None else block.importance[there]
            self._count(labels, margins[there], weights)

    def _are_such(self, labels: Any) -> bool:
        """Whether labels are numbers where the model's are, and texts where those are."""
        known = self._learner.classes
        return (labels.dtype.kind in "OU") == bool(known and isinstance(known[0], str))

    def see(self, block: Block) -> None:
        """Score one block of labelled rows."""
        self._count(block.labels, predict(self._learner, block), block.importance)

    def _count(self, labels: Any, margins: Array, importance: Array | None) -> None:
        """Count in rows by their labels and margins."""
        learner = self._learner
        weights = np.ones(len(labels)) if importance is None else importance
        if learner.labels is None:
            targets = np.asarray(labels, np.float64)
            seen = Seen(targets, learner.engine.present(margins), None, weights)
        else:
            chances = learner.probabilities(margins)
            targets = self._numbers(labels)
            said = decided(learner, margins, chances, self._cost)
            seen = Seen(targets, self._numbers(said), chances, weights)
        self._metrics.see(seen)
        for one in self.by_class:
            one.see(seen)
        self.constant.see(targets, weights)
        self.previous.see(targets, weights)
        self.rounds += len(labels)

    def _numbers(self, labels: Any) -> Any:
        """Class numbers in the model's order; those of other labels follow."""
        known = [*self._learner.outcomes(), *self.unknown]
        place = {label: k for k, label in enumerate(known)}
        out = np.empty(len(labels), np.int64)
        for t, label in enumerate(np.asarray(labels).tolist()):
            if label not in place:
                place[label] = len(place)
                self.unknown.append(label)
            out[t] = place[label]
        return out

    def metrics(self) -> dict[str, float]:
        """Return the figures by name."""
        return self._metrics.values()

    def classes(self) -> list[tuple[Any, float, float, float, float]]:
        """Return for each class its label, rows, precision, recall and F1."""
        found: list[Confusion] = self.by_class[:3]
        if not found:
            return []
        labels = [*self._learner.outcomes(), *self.unknown]
        each = [one.by_class().tolist() for one in found]
        came = found[0].came.tolist()
        return [
            (label, came[k], each[0][k], each[1][k], each[2][k])
            for k, label in enumerate(labels)
            if k < len(came)
        ]

    def calibration(self) -> list[tuple[float, float, float]]:
        """Return for each bin with rows the weight, the mean probability and the share that came."""
        if len(self.by_class) < 4:
            return []
        weight, chance, came = self.by_class[3].table
        on = weight > 0.0
        both = zip(weight[on], chance[on] / weight[on], came[on] / weight[on], strict=True)
        return [(float(w), float(p), float(s)) for w, p, s in both]

    @property
    def area(self) -> Area | None:
        """The counts of scores of both classes, for two classes."""
        return self.by_class[4] if len(self.by_class) > 4 else None
