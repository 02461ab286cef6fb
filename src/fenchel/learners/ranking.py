"""Ranking by pairs: inside a query the row with the larger relevance should have the larger score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenchel.learners.composed import Composed
from fenchel.learners.engine import Engine, refuse_unsound
from fenchel.learners.renumbering import Places
from fenchel.loops.online import ROUNDS
from fenchel.parts.state import Array
from fenchel.rows import Block, Rows, validate
from fenchel.rows.rows import is_sparse
from fenchel.rows.types import LARGEST

Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
# What is counted of the queries so far; the last two of those with a pair to order.
QUERIES, RIGHT, PAIRS, GAIN, ORDERED = range(5)


class Ranking(Engine):
    """Scores ⟨w, x⟩ that order the rows of a query, learned on differences of its rows.

    A label is a pair (relevance, query). Rows of one query that follow each other in a block are a
    group: its scores are read, then a learner of two classes without intercept learns every
    difference x_i − x_j with y_i > y_j as a positive example, or ``pairs`` of them chosen at random
    (by ``seed`` and the number of the group, so that stopping and resuming changes nothing). A group
    that is split over two blocks is two groups. A pair's importance is the product of its rows'.

    >>> from fenchel import learners
    >>> learner = learners.ranking(learners.perceptron())
    >>> _ = learner.learn_many([[1.0, 0.0], [0.0, 1.0]], [(1, 7), (0, 7)])
    >>> learner.decision_many([[1.0, 0.0], [0.0, 1.0]])
    array([ 1., -1.])
    """

    def __init__(self, learner: Any, pairs: int | None = None, seed: int = 0) -> None:
        engine = learner.engine
        if not isinstance(engine, Composed) or engine.task != "binary":
            raise ValueError(f"learner={learner!r}: give a single learner of two classes")
        if pairs is not None and (not isinstance(pairs, (int, np.integer)) or pairs < 1):
            raise ValueError(f"pairs={pairs!r} must be a whole number ≥ 1, or None for all")
        if not isinstance(seed, (int, np.integer)) or seed < 0:
            raise ValueError(f"seed={seed!r} must be a whole number ≥ 0")
        told = {"pairs": pairs, "seed": seed}
        options = {key: value for key, value in told.items() if value not in (None, 0)}
        super().__init__("ranking", {**options, "learner": learner}, "ranking", intercept=False)
        self._pairs, self._seed = pairs, seed
        self._inner = Composed(engine.parts, name=engine.name, intercept=False, task=engine.task)
        self._tally = np.zeros(5)

    @property
    def counts_columns(self) -> bool:
        """Whether the number of columns enters the formulas themselves."""
        return self._inner.counts_columns

    @property
    def has_matrix(self) -> bool:
        """Whether the state holds a matrix of columns × columns."""
        return self._inner.has_matrix

    @property
    def auc(self) -> float:
        """The share of pairs that were ordered rightly before they were learned; ties count half."""
        return float(self._tally[RIGHT] / self._tally[PAIRS]) if self._tally[PAIRS] else 0.5

    @property
    def ndcg(self) -> float:
        """The mean NDCG of the groups with a pair, by the scores before the group was learned."""
        return float(self._tally[GAIN] / self._tally[ORDERED]) if self._tally[ORDERED] else 1.0

    def check_state(self) -> None:
        """Raise for what no run leaves behind in the learner inside."""
        self._inner.check_state()

    def state_arrays(self) -> dict[str, Array]:
        """Return the learner's arrays, and the figures so far."""
        return {"tally": self._tally, **self._inner.state_arrays()}

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self.columns = width
        self._tally = np.zeros(5)
        self._inner.restart(width)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["_inner"] = self._inner.copy()
        kept["_tally"] = self._tally.copy()
        return kept

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> Ranking:
        """Copy the engine, its columns in these places."""
        twin = self.copy()
        assert isinstance(twin, Ranking), "a copy is of the same class"
        twin._inner, twin.columns = self._inner.placed(places), places.width
        return twin

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """Unite the learner inside; the figures add."""
        self.restart(start.columns)
        self._inner.unite([engine._inner for engine in engines], start._inner)
        self._tally = start._tally + sum(engine._tally - start._tally for engine in engines)
        self._unite_counts(engines, start)

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Score each query, then run a round for each of its pairs."""
        refuse_unsound(rows, checked)
        if targets.shape[1] != 2:
            raise ValueError(f"y has shape {targets.shape}: give (relevance, query) for each row")
        scores = np.empty(len(rows))
        weights = np.broadcast_to(importance, len(rows))
        for begin, end in groups(targets[:, 1]):
            group = rows.part(begin, end).to_matrix()
            group = group.astype(np.float64, copy=False)  # all arithmetic is in doubles
            relevance = np.ascontiguousarray(targets[begin:end, 0])
            scores[begin:end] = self._scores(group)
            better, worse = self._chosen_pairs(relevance)
            self._count(relevance, scores[begin:end], better, worse)
            if len(better):
                with np.errstate(over="ignore"):
                    pair_weights = weights[begin:end][better] * weights[begin:end][worse]
                pair_weights = np.minimum(pair_weights, LARGEST)
                differences = validate.as_rows(_differences(group, better, worse))
                ones = np.ones(len(differences))
                self._inner.learn(differences, ones, pair_weights, True)
        self.counts[ROUNDS] += len(rows)
        return scores

    def _chosen_pairs(self, relevance: Array) -> Pairs:
        better, worse = pairs_of(relevance)
        if self._pairs is None or len(better) <= self._pairs:
            return better, worse
        chance = np.random.default_rng([self._seed, int(self._tally[QUERIES])])
        chosen = np.sort(chance.choice(len(better), self._pairs, replace=False))
        return better[chosen], worse[chosen]

    def _count(
        self, relevance: Array, scores: Array, better: NDArray[Any], worse: NDArray[Any]
    ) -> None:
        self._tally[QUERIES] += 1
        if len(better):
            right, tied = scores[better] > scores[worse], scores[better] == scores[worse]
            self._tally[RIGHT] += np.sum(right) + 0.5 * np.sum(tied)
            self._tally[PAIRS] += len(better)
            self._tally[GAIN] += ndcg(relevance, scores)
            self._tally[ORDERED] += 1

    def _scores(self, group: Any) -> Array:
        """⟨w, x⟩ with the weights of a round that touches no coordinate: one w for all rows."""
        weights = self._inner.weights()[1:]
        known = min(group.shape[1], len(weights))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num(group[:, :known] @ weights[:known]))

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """Compute the score of each row."""
        return self._scores(rows.to_matrix())

    def weights(self) -> Array:
        """Return the weights of the learner inside."""
        return self._inner.weights()

    def take_up(self, width: int) -> Any:
        """Make room for so many columns."""
        before = self.columns, self._tally.copy(), self._inner.take_up(width)
        self.columns = max(self.columns, width)
        return before

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``."""
        self.columns, self._tally, inner = before
        self._inner.put_back(inner)


def groups(queries: NDArray[Any]) -> list[tuple[int, int]]:
    """Begin and end of each run of equal queries.

    >>> groups(np.array([3.0, 3.0, 1.0]))
    [(0, 2), (2, 3)]
    """
    cuts = np.flatnonzero(np.diff(queries)) + 1
    ends = [*cuts.tolist(), len(queries)] if len(queries) else []
    return list(zip([0, *cuts.tolist()], ends, strict=False))


def pairs_of(relevance: Array) -> Pairs:
    """All i and j with y_i > y_j.

    >>> [part.tolist() for part in pairs_of(np.array([0.0, 2.0, 1.0]))]
    [[1, 1, 2], [0, 2, 0]]
    """
    better, worse = np.nonzero(relevance[:, None] > relevance[None, :])
    return better, worse


def ndcg(relevance: Array, scores: Array) -> float:
    """Discounted cumulative gain over the best possible one; the rows of a tie share their places.

    The gain of a row is its relevance (above the least, where some are negative), its discount
    1/log₂(1 + place). Without any gain it is 1.

    >>> ndcg(np.array([3.0, 1.0, 0.0]), np.array([0.3, 0.2, 0.1]))
    1.0
    """
    gains = relevance - min(0.0, float(relevance.min()))
    discounts = 1.0 / np.log2(np.arange(len(gains)) + 2.0)
    best = float(np.sort(gains)[::-1] @ discounts)
    if best == 0.0:
        return 1.0
    _, tie, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    until = np.concatenate([[0.0], np.cumsum(discounts)])
    ends = np.cumsum(sizes)
    shares = (until[ends] - until[ends - sizes]) / sizes
    return float(np.bincount(tie.ravel(), gains) @ shares) / best


def _differences(group: Any, better: NDArray[Any], worse: NDArray[Any]) -> Any:
    """x_i − x_j of each pair, held inside the finite floats."""
    with np.errstate(over="ignore"):
        differences = group[better] - group[worse]
    inside = differences.data if is_sparse(differences) else differences
    np.clip(inside, -LARGEST, LARGEST, out=inside)
    return differences


def targets_of_queries(block: Block) -> Array:
    """Relevance, and a number for each query of the block."""
    assert block.groups is not None, "queries have groups"
    numbers = np.cumsum(np.diff(block.groups, prepend=block.groups[:1]) != 0)
    return np.column_stack([np.asarray(block.labels, np.float64), numbers])
