"""Several classes, labels or outputs at once, by learners of two classes or of one number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fenchel.learners.catalogue import CATALOGUE, NESTED, Entry
from fenchel.learners.learner import Learner
from fenchel.learners.max_margin import MaxMargin
from fenchel.learners.multi.one_vs_rest import OneAgainstRest
from fenchel.learners.multi.outputs import MultiLabel, MultiOutput
from fenchel.learners.multi.shared import SharedMatrix
from fenchel.learners.ranking import Ranking
from fenchel.learners.registry import learner_of


def one_against_rest(
    learner: Learner | str, classes: Sequence[Any] | None = None, shared: bool = False
) -> Learner:
    """Several classes by one learner of two for each.

    With ``shared`` all of them have one full matrix, which costs C·d more than one class, not C·d²: a row
    is kept in it where at least one of them steps. ``vovk_azoury_warmuth(task="binary")`` is then ridge
    classification, exactly; ``arow(diagonal=False)`` is another learner than with a matrix a class.

    >>> from fenchel import learners
    >>> learners.one_against_rest(learners.arow(r=0.1))
    <one_against_rest:learner=arow:r=0.1, 0 rounds, 0 features>
    """
    if shared:
        return _around(partial(_shared, "one_against_rest", "multiclass"), learner, classes)
    return _around(OneAgainstRest, learner, classes)


def max_margin(learner: Learner | str, classes: Sequence[Any] | None = None) -> Learner:
    """Several classes by one learner of two in the matrix space R^{K×d}.

    Problem: tell K classes apart by the largest of K scores s = W·x.

    Update: z_t = η·(e_y − e_ŷ)·xᵀ with ŷ the best wrong class and η by the rule of ``learner``: the
    Perceptron steps where s_y ≤ s_ŷ, Passive-Aggressive and AROW where s_y < s_ŷ + 1.

    Guarantee: that of ``learner`` for the rows (e_y − e_ŷ)·xᵀ, all with label +1: Σ [1 − s_y + s_ŷ]₊
    against any matrix U in the norm of R^{K×d}, whose loss on these rows is at most its multiclass
    loss. Measured where ``learner`` has ``certify=True``; not where f_t counts coordinates (Winnow) and
    a class or a column joins after the first pair.

    Cost: K times the non-zeros of a row for the scores, twice the non-zeros for the update.

    Parameters: ``learner``, any single learner of two classes without a full matrix; ``classes``
    as elsewhere.

    References: Crammer & Singer (2001); Crammer et al. (2006).

    >>> from fenchel import learners
    >>> learners.max_margin(learners.arow(r=0.1))
    <max_margin:learner=arow:r=0.1, 0 rounds, 0 features>
    """
    return _around(MaxMargin, learner, classes)


def multi_label(learner: Learner | str, classes: Sequence[Any] | None = None) -> Learner:
    """Any number of labels a row, by one learner of two classes for each label.

    The labels of a block are an indicator matrix of 0 and 1, or one set of labels a row.

    >>> from fenchel import learners
    >>> learner = learners.multi_label(learners.arow(), classes=["red", "round"])
    >>> _ = learner.learn_many([[1.0, 0.0], [1.0, 1.0]], [{"red"}, {"red", "round"}])
    >>> learner.predict_many([[1.0, 0.0]])
    array([[1, 0]])
    """
    return _around(MultiLabel, learner, classes)


def multi_output(learner: Learner | str, shared: bool = False) -> Learner:
    """Several numbers a row, by one learner of regression for each output.

    With ``shared`` all of them have one full matrix: ``vovk_azoury_warmuth()`` is then the same learner at
    the cost of one.

    >>> from fenchel import learners
    >>> learners.multi_output(learners.normalized_lms())
    <multi_output:learner=normalized_lms, 0 rounds, 0 features>
    """
    if shared:
        return _around(partial(_shared, "multi_output", "multioutput"), learner)
    return _around(MultiOutput, learner)


def ranking(learner: Learner | str, pairs: int | None = None, seed: int = 0) -> Learner:
    """The order of rows inside queries, by a learner of two classes on their differences.

    Problem: rows come in queries; score them so that larger relevance gets the larger score.

    Update: for every pair of a query with y_i > y_j, or ``pairs`` of them chosen at random, a round
    of ``learner`` on x_i − x_j with label +1.

    Guarantee: that of ``learner`` for the differences.

    Cost: the non-zeros of two rows a pair; a query of n rows has up to n²/4 pairs per two grades.

    Parameters: ``learner``, any single learner of two classes; ``pairs``; ``seed``.

    References: Herbrich, Graepel & Obermayer (2000); Joachims (2002).

    >>> from fenchel import learners
    >>> learners.ranking(learners.arow(r=0.1), pairs=100)
    <ranking:pairs=100,learner=arow:r=0.1, 0 rounds, 0 features>
    """
    return _around(lambda inner: Ranking(inner, pairs, seed), learner)


def _shared(name: str, task: str, inner: Learner) -> SharedMatrix:
    needed = "binary" if task == "multiclass" else "regression"
    if inner.task != needed:
        raise ValueError(f"learner={inner!r}: give a learner of task {needed!r}")
    return SharedMatrix(name, inner, task)


def _around(
    engine: Callable[[Learner], Any], learner: Learner | str, classes: Sequence[Any] | None = None
) -> Learner:
    """A learner made of another, whose raw columns are its own."""
    inner = learner_of(learner)
    return Learner(engine(inner), classes, inner.schema, inner.max_features)


def _enter(
    build: Callable[..., Learner], task: str, parts: str, equation: str, cost: str, theorem: str
) -> None:
    CATALOGUE[build.__name__] = Entry(build, (task,), parts, equation, theorem, cost)
    NESTED[build.__name__] = "learner"


_enter(
    one_against_rest,
    "multiclass",
    "a learner of two classes for each",
    "Sec. 2",
    "members",
    "its members'",
)
_enter(
    max_margin,
    "multiclass",
    "a learner of two classes over (e_y − e_ŷ)·xᵀ",
    "Sec. 2, X = R^{K×d}",
    "classes × non-zeros",
    "its learner's, over (e_y − e_ŷ)·xᵀ with label +1",
)
_enter(
    multi_label,
    "multilabel",
    "a learner of two classes for each label",
    "Sec. 2",
    "members",
    "its members'",
)
_enter(
    multi_output,
    "multioutput",
    "a learner of regression for each output",
    "Sec. 2",
    "members",
    "its members'",
)
_enter(
    ranking,
    "ranking",
    "a learner of two classes over x_i − x_j",
    "Sec. 2",
    "pairs × non-zeros",
    "its learner's, for label +1",
)
