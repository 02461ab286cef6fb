"""OnlineRanker: a learner that ranks, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from fenchel import Learner, learners
from fenchel.estimators.base import OnlineEstimator
from fenchel.learners.ranking import groups, ndcg


class OnlineRanker(OnlineEstimator):
    """An online learner as a ranker: inside a query, larger relevance should get a larger score.

    It learns on differences: for every pair of rows of one query with y_i > y_j, x_i − x_j is a
    positive example of a learner of two classes without intercept.

    Parameters
    ----------
    learner
        A single learner of two classes, or its specification as text.
    pairs
        At most so many pairs a query, chosen at random; None for all.
    passes
        How often ``fit`` goes over the data; ``partial_fit`` always once.
    grow
        Whether later calls of ``partial_fit`` may bring new columns.
    seed
        Of the choice of pairs.

    Attributes
    ----------
    learner_
        The learner, for streams.
    auc_, ndcg_
        Over all queries learned so far, by scores from before each was learned: the share of its
        pairs in the right order (ties count half), and the mean NDCG.

    Examples
    --------
    >>> X = [[3.0, 1.0], [1.0, 1.0], [5.0, 2.0], [0.0, 3.0]]
    >>> ranker = OnlineRanker("perceptron").fit(X, [1, 0, 1, 0], qid=[1, 1, 2, 2])
    >>> ranker.predict([[2.0, 0.0], [1.0, 0.0]])
    array([4., 2.])
    >>> ranker.score(X, [1, 0, 1, 0], qid=[1, 1, 2, 2])
    1.0
    """

    _numeric = True

    def __init__(
        self,
        learner: Any = "arow",
        *,
        pairs: int | None = None,
        passes: int = 1,
        grow: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(learner, passes=passes, grow=grow)
        self.pairs = pairs
        self.seed = seed

    def fit(self, X: Any, y: Any, qid: Any = None) -> OnlineRanker:
        """Learn from scratch, ``passes`` times over the queries in their order.

        Rows of one query stand together; without ``qid`` all rows are one query.
        """
        self._check_passes()
        X, y = self._checked(X, y, first=True)
        self._begin()
        targets = _with_queries(y, qid)
        for _ in range(self.passes):
            self.learner_.learn_many(self._block(X, learning=True), targets)
        self.n_iter_ = self.passes
        return self

    def partial_fit(self, X: Any, y: Any, qid: Any = None) -> OnlineRanker:
        """Learn from more queries; one that is split over two calls counts as two."""
        first = not hasattr(self, "learner_")
        X, y = self._checked(X, y, first)
        if first:
            self._begin()
        self.learner_.learn_many(self._block(X, learning=True), _with_queries(y, qid))
        return self

    def _begin(self) -> None:
        self.learner_ = learners.ranking(self._template("binary"), pairs=self.pairs, seed=self.seed)

    def _several_targets(self, y: Any) -> bool:
        return False

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the score of each row: larger is better, comparable inside a query."""
        X = self._columns(X)
        return np.asarray(self.learner_.decision_many(X))

    def score(self, X: Any, y: Any, qid: Any = None) -> float:
        """Return the mean NDCG of the queries."""
        scores = self.predict(X)
        relevance, queries = _with_queries(np.asarray(y, np.float64), qid).T
        found = [ndcg(relevance[a:b], scores[a:b]) for a, b in groups(queries)]
        return float(np.mean(found))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights."""
        return self._fitted().all_weights()[1:]

    @property
    def auc_(self) -> float:
        """The share of pairs in the right order before they were learned."""
        return float(self._fitted().auc)

    @property
    def ndcg_(self) -> float:
        """The mean NDCG of the queries before they were learned."""
        return float(self._fitted().ndcg)

    def _fitted(self) -> Learner:
        if not hasattr(self, "learner_"):
            raise AttributeError("coef_, auc_ and ndcg_ come with a fitted ranker")
        fitted: Learner = self.learner_
        return fitted


def _with_queries(y: NDArray[Any], qid: Any) -> NDArray[np.float64]:
    """Relevance and query of each row, the queries numbered from 0."""
    if qid is None:
        return np.column_stack([y, np.zeros(len(y))])
    check_consistent_length(y, qid)
    known, numbers = np.unique(column_or_1d(qid), return_inverse=True)
    begins = [begin for begin, _ in groups(numbers)]
    if len(begins) > len(known):
        again = next(k for k in begins if numbers[k] in numbers[:k])
        raise ValueError(
            f"qid[{again}] is {known[numbers[again]]}, of which rows stood before another query: "
            "sort the rows by qid"
        )
    return np.column_stack([y, numbers])
