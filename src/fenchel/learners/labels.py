"""Labels as numbers: two classes of any coding as ±1, several as 0, 1, 2, …."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.parts.state import Array
from fenchel.rows import validate

PLUS, MINUS = np.ones(1), -np.ones(1)
# Labels of these kinds compare as plain values; any other is looked at as an array.
PLAIN = frozenset({bool, int, float, str})


class Labels:
    """The labels that are −1 and +1: declared, or recognised from the labels themselves.

    ±1, 0/1 and booleans need no explanation. Of any other pair the first to come is negative, however
    many arrive together.

    >>> labels = Labels()
    >>> labels.encode(np.array(["spam", "ham", "ham"]))
    array([-1.,  1.,  1.])
    >>> labels.classes, labels.decode(0.3)
    (['spam', 'ham'], 'ham')
    """

    has_classes = True
    dimensions = 1

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
        _refuse_unknown(array)
        negative, positive = self._recognise(array)
        nothing = np.zeros(len(array), dtype=bool)
        is_positive = nothing if positive is None else np.asarray(array == positive)
        is_negative = nothing if negative is None else np.asarray(array == negative)
        known = is_positive | is_negative
        if not known.all():
            self._refuse_third(array, int(np.argmin(known)), negative, positive)
        self._pair = [negative, positive]
        return np.where(is_positive, 1.0, -1.0)

    def recall(self, label: Any) -> Array | None:
        """±1 for a plain label seen before, None for any other."""
        if type(label) not in PLAIN:
            return None
        negative, positive = self._pair
        return PLUS if label == positive else MINUS if label == negative else None

    def _recognise(self, array: NDArray[Any]) -> list[Any]:
        """The pair once these labels are counted in."""
        if None not in self._pair:
            return self._pair
        found = _first_two(array)
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
        label = _plain(array[at])
        several = "one_against_rest(learner) or auto(task='multiclass')"
        if isinstance(label, float) and not label.is_integer():
            several = "for numbers like these a learner of regression, say auto(task='regression')"
        raise ValueError(
            f"y[{at}] is {label!r}, a third class beside {negative!r} and {positive!r}: this learner "
            f"tells two apart; declare classes=(negative, positive), or take {several}"
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
        either = as_labels([self.decode(-1.0), self.decode(1.0)])
        return np.asarray(either[(margins > 0.0).astype(int)])


class ClassLabels:
    """Class labels as numbers, in the order of their first rows unless declared.

    >>> labels = ClassLabels()
    >>> labels.encode(np.array(["b", "a", "b"]))
    array([0., 1., 0.])
    >>> labels.classes
    ['b', 'a']
    """

    has_classes = True
    dimensions = 1

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
        _refuse_unknown(array)
        number = {label: k for k, label in enumerate(self.classes)}
        listed = array.tolist()
        for label in dict.fromkeys(listed):
            number.setdefault(label, len(number))
        self.classes = list(number)
        return np.fromiter(map(number.__getitem__, listed), np.float64, len(listed))

    def recall(self, label: Any) -> Array | None:
        """The number of a plain label seen before, None for any other."""
        if type(label) not in PLAIN or label not in self.classes:
            return None
        return np.array([float(self.classes.index(label))])

    def decode(self, scores: Any) -> Any:
        """The label with the largest score; None before any class is known."""
        return self.classes[int(np.argmax(scores))] if self.classes else None

    def decode_many(self, scores: Array) -> NDArray[Any]:
        """The label with the largest score in each row; None before any class is known."""
        if not self.classes:
            return np.full(len(scores), None)
        return np.asarray(as_labels(self.classes)[np.argmax(scores, axis=1)])


class LabelSets(ClassLabels):
    """Sets of labels as ±1: one column a label, in order of appearance unless declared.

    An indicator matrix of 0 and 1 (an array or a sparse matrix) has a column for each label, named
    0, 1, … where none were declared. Any other iterable has one set of labels a row; labels may
    appear any time, and are NaN in the rows before.

    >>> labels = LabelSets()
    >>> labels.encode([{"a"}, {"b", "a"}, set()])
    array([[ 1., nan],
           [ 1.,  1.],
           [-1., -1.]])
    >>> labels.decode([0.5, -1.0])
    {'a'}
    """

    dimensions = 2

    def encode(self, y: Any) -> Array:
        """±1 for each row and label; new labels get the next columns."""
        if len(getattr(y, "shape", ())) == 2:
            return self._indicated(y)
        if not isinstance(y, Iterable):
            raise ValueError(f"y is {y!r}: give one set of labels a row, or an indicator matrix")
        sets = [self._labels_of(labels, row) for row, labels in enumerate(y)]
        number = {label: k for k, label in enumerate(self.classes)}
        before = len(number)
        begins: list[int] = []
        for row, labels in enumerate(sets):
            for label in _in_order([label for label in labels if label not in number]):
                number[label] = len(number)
            begins.extend([row] * (len(number) - before - len(begins)))
        signs = np.full((len(sets), len(number)), -1.0)
        for row, labels in enumerate(sets):
            signs[row, [number[label] for label in labels]] = 1.0
        for k, begin in enumerate(begins, before):
            signs[:begin, k] = np.nan
        self.classes = list(number)
        return signs

    def recall(self, label: Any) -> None:
        """Targets of a row are never one plain label."""

    def _indicated(self, y: Any) -> Array:
        array = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if self.classes and len(self.classes) != array.shape[1]:
            raise ValueError(
                f"y has {array.shape[1]} columns, there are {len(self.classes)} labels: "
                "give one column a label, or sets of labels"
            )
        wrong = ~np.isin(array, (0, 1))
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"y[{row}, {column}] is {array[row, column]!r}: an indicator matrix has 0 and 1; "
                "give sets of labels otherwise"
            )
        self.classes = self.classes or list(range(array.shape[1]))
        return np.where(array == 1, 1.0, -1.0)

    @staticmethod
    def _labels_of(labels: Any, row: int) -> set[Any]:
        if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
            raise ValueError(f"y[{row}] is {labels!r}: give a set of labels, {{{labels!r}}} of one")
        for label in labels:
            if _is_unknown(label):
                raise ValueError(
                    f"y[{row}] has the label {label}: a label must be known; leave it out"
                )
        return {_plain(label) for label in labels}

    def decode(self, scores: Any) -> Any:
        """The labels with a positive score."""
        return {label for label, s in zip(self.classes, scores, strict=True) if s > 0.0}

    def decode_many(self, scores: Array) -> NDArray[Any]:
        """The indicator matrix of the labels with a positive score."""
        return np.asarray((scores > 0.0).astype(np.int64))


class TaskTargets(ClassLabels):
    """Targets of several tasks: one column a task, in order of appearance unless declared.

    Targets are an array with a column for each task, or dicts {task: target}; NaN is no target.

    >>> targets = TaskTargets()
    >>> targets.encode([{"rent": 2.0}, {"price": 4.0, "rent": 1.0}])
    array([[ 2., nan],
           [ 1.,  4.]])
    """

    dimensions = 2

    def encode(self, y: Any) -> Array:
        """One row of targets a row; new tasks get the next columns."""
        if y is None or not all(isinstance(row, Mapping) for row in y):
            return self._columns(y)
        number = {task: k for k, task in enumerate(self.classes)}
        for row in y:
            for task in row:
                number.setdefault(task, len(number))
        array = np.full((len(y), len(number)), np.nan)
        for t, row in enumerate(y):
            for task, target in row.items():
                array[t, number[task]] = self._finite(target, f"y[{t}][{task!r}]")
        self.classes = list(number)
        return array

    def recall(self, label: Any) -> None:
        """Targets of a row are never one plain label."""

    def decode(self, scores: Any) -> dict[Any, Any]:
        """The prediction of each task."""
        return dict(zip(self.classes, np.asarray(scores).tolist(), strict=True))

    def decode_many(self, scores: Array) -> NDArray[Any]:
        """One column a task."""
        return scores

    def _columns(self, y: Any) -> Array:
        array = np.ascontiguousarray(validate.as_values(y, "y"), np.float64)
        if array.ndim != 2 or (self.classes and len(self.classes) != array.shape[1]):
            wanted = len(self.classes) or "tasks"
            raise ValueError(
                f"y has shape {array.shape}: give rows × {wanted}, or dicts of task and target"
            )
        for row, column in np.argwhere(np.isinf(array))[:1]:
            self._finite(array[row, column], f"y[{row}, {column}]")
        self.classes = self.classes or list(range(array.shape[1]))
        return array

    @staticmethod
    def _finite(target: Any, place: str) -> float:
        if np.isinf(target):
            raise ValueError(f"{place} is {target}: it must be finite, or NaN for none")
        return float(target)


class Numbers:
    """Targets that are numbers: nothing to encode, no classes."""

    has_classes = False
    dimensions = 1
    known: Any = None

    def __init__(self, classes: Any = None) -> None:
        self.classes: list[Any] = []

    def encode(self, y: Any) -> Array:
        """One finite number a row."""
        return validate.as_targets(y)

    def recall(self, label: Any) -> Array | None:
        """A plain number, without a detour over arrays."""
        return np.array([label]) if type(label) is float and isfinite(label) else None

    def decode(self, number: Any) -> Any:
        """The number itself."""
        return number

    def decode_many(self, numbers: Array) -> NDArray[Any]:
        """The numbers themselves."""
        return numbers


class Counts(Numbers):
    """Targets that are counts, or other amounts that are not negative.

    >>> Counts().encode([2, -1])
    Traceback (most recent call last):
    ValueError: y[1] is -1.0: it must be a count, 0 or more; correct or remove the row
    """

    def encode(self, y: Any) -> Array:
        """One finite number ≥ 0 a row."""
        array = super().encode(y)
        validate.refuse(array, "y", array < 0.0, "a count, 0 or more")
        return array

    def recall(self, label: Any) -> Array | None:
        """A plain number ≥ 0, without a detour over arrays."""
        return super().recall(label) if type(label) is float and label >= 0.0 else None


class Outputs(Numbers):
    """Several numbers a row: outputs, or relevance and query."""

    dimensions = 2

    def encode(self, y: Any) -> Array:
        """One row of finite numbers a row."""
        return validate.as_outputs(y)

    def recall(self, label: Any) -> None:
        """Targets of a row are never one plain number."""


Coding = Labels | ClassLabels | Numbers

CODINGS: dict[str, type[Coding]] = {
    "binary": Labels,
    "multiclass": ClassLabels,
    "multilabel": LabelSets,
    "multitask": TaskTargets,
    "regression": Numbers,
    "count": Counts,
    "multioutput": Outputs,
    "ranking": Outputs,
}


def as_labels(y: Any) -> NDArray[Any]:
    """Labels as an array: texts beside numbers stay what they are.

    >>> as_labels([1, "a"]).tolist()
    [1, 'a']
    """
    array = np.asarray(y)
    if array.dtype.kind in "US" and not isinstance(y, np.ndarray) and array.ndim == 1:
        listed = list(y)
        if not all(isinstance(label, str) for label in listed):
            array = np.empty(len(listed), dtype=object)
            array[:] = listed
    return array


def in_order_met(y: NDArray[Any], classes: Sequence[Any]) -> list[Any]:
    """The classes in the order in which y brings them, those it does not bring last.

    Of two, the negative one first: ±1, 0/1 and booleans need no order.

    >>> in_order_met(np.array(["b", "c"]), ["a", "b", "c"]), in_order_met(np.array([1, 0]), [0, 1])
    (['b', 'c', 'a'], [0, 1])
    """
    met = dict.fromkeys([*np.asarray(y).tolist(), *classes])
    if len(met) != 2:
        return list(met)
    labels = Labels()
    labels.encode(np.array(list(met), dtype=object))
    return labels.known


def known_after(targets: Array, known: int) -> NDArray[np.int64]:
    """The number of classes known after each label: its own number and all below are known.

    >>> known_after(np.array([0.0, 0.0, 2.0, 1.0]), known=0)
    array([1, 1, 3, 3])
    """
    return np.asarray(np.maximum(np.maximum.accumulate(targets.astype(np.int64)) + 1, known))


def _refuse_unknown(array: NDArray[Any]) -> None:
    """Raise for the first label that is none: NaN, an infinity, None, a list or a set."""
    if array.dtype.kind in "cmM":
        raise ValueError(f"y has dtype {array.dtype}: give texts, whole numbers or real ones")
    if array.dtype.kind == "f":
        unknown = ~np.isfinite(array)
    elif array.dtype.kind == "O":
        unknown = np.fromiter(map(_is_unknown, array), bool, len(array))
    else:
        return
    if unknown.any():
        at = int(np.argmax(unknown))
        raise ValueError(
            f"y[{at}] is {array[at]}: a label must be known, one a row; correct or remove the row"
        )


def _is_unknown(label: Any) -> bool:
    if isinstance(label, str):
        return False
    if isinstance(label, complex):
        return True
    try:
        hash(label)
        return label is None or bool(label != label or label in (np.inf, -np.inf))
    except (TypeError, ValueError):  # what cannot be a key, or compared, such as pandas' NA
        return True


def _usual_place(label: Any) -> int | None:
    """0 for the usual codes of a negative, 1 for those of a positive, None for others."""
    if isinstance(label, (bool, int, float)):
        if label in (-1, 0):
            return 0
        if label == 1:
            return 1
    return None


def _first_two(array: NDArray[Any]) -> list[Any]:
    """The labels that occur, in the order of their first rows; of numbers and strings the first two."""
    if array.dtype.kind == "O" or not len(array):
        return list(dict.fromkeys(array.tolist()))
    others = array != array[0]
    second = int(np.argmax(others))
    return [_plain(array[row]) for row in ([0, second] if others[second] else [0])]


def _in_order(labels: list[Any]) -> list[Any]:
    """Sorted where they can be."""
    try:
        return sorted(labels)
    except TypeError:
        return labels


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
