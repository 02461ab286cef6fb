"""Labels as numbers: two classes of any coding as ±1, several as 0, 1, 2, …."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel._kernel.state import Array

PLUS, MINUS = np.ones(1), -np.ones(1)
# Labels of these kinds compare as plain values; any other is looked at as an array.
PLAIN = frozenset({bool, int, float, str})


class Labels:
    """Which label is −1 and which +1: declared, or recognised from the labels themselves.

    ±1, 0/1 and booleans need no explanation. Any other pair that arrives together is sorted, the
    larger one positive; one by one, the first to come is negative.

    >>> labels = Labels()
    >>> labels.encode(np.array(["spam", "ham", "ham"]))
    array([ 1., -1., -1.])
    >>> labels.classes, labels.decode(0.3)
    (['ham', 'spam'], 'spam')
    """

    def __init__(self, classes: Sequence[Any] | None = None) -> None:
        declared = [None, None] if classes is None else [_plain(c) for c in classes]
        if len(declared) != 2:
            raise ValueError(f"classes={declared!r}: give two, the negative one first")
        self._pair: list[Any] = declared

    @property
    def classes(self) -> list[Any]:
        """The labels known so far, the negative one first."""
        return [c for c in self._pair if c is not None]

    @property
    def known(self) -> list[Any]:
        """The negative and the positive label, None for one not known; to be given to a twin."""
        return self._pair  # never changed in place

    def encode(self, y: Any) -> Array:
        """±1 for each label; the coding is learned where it is not known yet."""
        array = np.asarray(y)
        if array.ndim != 1:
            raise ValueError(f"y has {array.ndim} dimensions: give one label a row")
        if array.dtype.kind in "fc" and not np.isfinite(array).all():
            at = int(np.argmax(~np.isfinite(array)))
            raise ValueError(f"y[{at}] is {array[at]}: a label must be known; remove the row")
        negative, positive = self._recognise(array)
        signs = np.zeros(len(array))
        if negative is not None:
            signs[array == negative] = -1.0
        if positive is not None:
            signs[array == positive] = 1.0
        if not signs.all():
            self._refuse_third(array, int(np.argmin(np.abs(signs))), negative, positive)
        self._pair = [negative, positive]
        return signs

    def recall(self, label: Any) -> Array | None:
        """±1 for a plain label met before, None for any other."""
        if type(label) not in PLAIN:
            return None
        negative, positive = self._pair
        return PLUS if label == positive else MINUS if label == negative else None

    def _recognise(self, array: NDArray[Any]) -> list[Any]:
        """The pair once these labels are counted in."""
        if None not in self._pair:
            return self._pair
        found = _distinct(array)
        if self._pair == [None, None] and len(found) == 2:
            return found
        pair = list(self._pair)
        for label in found:
            if label in pair:
                continue
            place = _usual_place(label)
            if place is None or pair[place] is not None:
                place = next((i for i in (0, 1) if pair[i] is None), None)
            if place is not None:
                pair[place] = label
        return pair

    @staticmethod
    def _refuse_third(array: NDArray[Any], at: int, negative: Any, positive: Any) -> None:
        raise ValueError(
            f"y[{at}] is {_plain(array[at])!r}, a third class beside {negative!r} and {positive!r}: "
            "this learner tells two apart; declare classes=(negative, positive) or learn one class "
            "against the rest"
        )

    def decode(self, margin: float) -> Any:
        """The label that a margin predicts."""
        negative, positive = self._pair
        if negative is None and positive is None:
            return margin > 0.0
        label = positive if margin > 0.0 else negative
        if label is not None:
            return label
        other = negative if positive is None else positive
        if isinstance(other, bool):
            return not other
        if other in (-1, 0):
            return 1
        return 0 if other == 1 else other

    def decode_many(self, margins: Array) -> NDArray[Any]:
        """The labels that margins predict."""
        either = np.array([self.decode(-1.0), self.decode(1.0)])
        return np.asarray(either[(margins > 0.0).astype(int)])


class ClassLabels:
    """Class labels as numbers, in order of appearance unless declared.

    >>> labels = ClassLabels()
    >>> labels.encode(np.array(["b", "a", "b"]))
    array([0., 1., 0.])
    >>> labels.classes
    ['b', 'a']
    """

    def __init__(self, classes: Sequence[Any] | None = None) -> None:
        self.classes: list[Any] = [_plain(label) for label in classes or []]

    @property
    def known(self) -> list[Any]:
        """The classes, to be given to a twin."""
        return self.classes  # never changed in place

    def encode(self, y: Any) -> Array:
        """The number of each label; new labels get the next ones."""
        array = np.asarray(y)
        if array.ndim != 1:
            raise ValueError(f"y has {array.ndim} dimensions: give one label a row")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            at = int(np.argmax(~np.isfinite(array)))
            raise ValueError(f"y[{at}] is {array[at]}: a label must be known; remove the row")
        number = {label: k for k, label in enumerate(self.classes)}
        out = np.empty(len(array))
        for t, label in enumerate(array.tolist()):
            if label not in number:
                number[label] = len(number)
            out[t] = number[label]
        self.classes = list(number)
        return out

    def recall(self, label: Any) -> Array | None:
        """The number of a plain label met before, None for any other."""
        if type(label) not in PLAIN or label not in self.classes:
            return None
        return np.array([float(self.classes.index(label))])

    def decode(self, scores: Any) -> Any:
        """The label with the largest score; None before any class is known."""
        return self.classes[int(np.argmax(scores))] if self.classes else None

    def decode_many(self, scores: Array) -> NDArray[Any]:
        """The label with the largest score in each row."""
        return np.asarray(np.array(self.classes)[np.argmax(scores, axis=1)])


def _usual_place(label: Any) -> int | None:
    """0 for the usual codes of a negative, 1 for those of a positive, None for others."""
    if isinstance(label, (bool, int, float)):
        if label in (-1, 0):
            return 0
        if label == 1:
            return 1
    return None


def _distinct(array: NDArray[Any]) -> list[Any]:
    """The labels that occur, sorted where they can be."""
    if array.dtype.kind != "O":
        return [_plain(label) for label in np.unique(array)]
    found = list(dict.fromkeys(array.tolist()))
    try:
        return sorted(found)
    except TypeError:
        return found


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
