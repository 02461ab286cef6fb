"""Weights of products: as experts learned them, on features that stay as they are, around the mean.

Experts learn on z = (x′ − mean)/spread of today, x′ = x/anchor − shift (see ``loops.products``). Of two
times, only weights on the anchored x′ can be averaged and compared; around the mean of the data they are
easiest to read, and exact to the last digits elsewhere.

Where curves and waves are seen too (``loops.curves``, ``loops.waves``), anchored weights have those of a
column's ``further`` slots after those of its products, knots first; ``anchors`` are then spreads with the
knots behind them, and with room for as many numbers as there are waves (``learners.wave_terms``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.loops.curves import BEHIND, KNOTS
from fenchel.loops.products import ANCHOR, FLAT, MEAN, SHIFT, SQUARES, columns_within
from fenchel.parts.state import Array
from fenchel.rows import Rows
from fenchel.rows.rows import is_sparse
from fenchel.rows.types import LARGEST


class FeaturePairs(NamedTuple):
    """Σ weights·(x_i − centre_i)·(x_j − centre_j): for each pair (i, j) experts × outputs."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weights: Array
    centre: Array

    def around_zero(self, weights: Array) -> Array:
        """The weights of single features, slots × experts × outputs, beside products of x as it is."""
        i, j, own, centre = self.first, self.second, self.weights, self.centre[:, None, None]
        found = weights.copy()
        found[0] += (own * centre[i] * centre[j]).sum(axis=0)
        np.subtract.at(found, 1 + i, own * centre[j])
        np.subtract.at(found, 1 + j, own * centre[i])
        return found

    def margins(self, rows: Rows) -> Array:
        """Their contributions to the margins, by expert, row and output."""
        away = dense_columns(rows, len(self.centre)) - self.centre
        return np.asarray(
            np.einsum("tp,pkc->ktc", away[:, self.first] * away[:, self.second], self.weights)
        )


class FeatureRamps(NamedTuple):
    """Σ weights·ramp(x_j), a ramp of 0 up to ``low``, of 1 from ``high`` on: for each experts × outputs.

    The ramps between all its knots are the curve of a column.
    """

    column: NDArray[np.int64]
    low: Array
    high: Array
    weights: Array

    def of(self, x: Array) -> Array:
        """The ramps of rows, rows × columns; halves cannot overflow."""
        away = 0.5 * x[:, self.column] - 0.5 * self.low
        return np.asarray(np.clip(away / (0.5 * self.high - 0.5 * self.low), 0.0, 1.0))

    def margins(self, rows: Rows) -> Array:
        """Their contributions to the margins, by expert, row and output."""
        x = dense_columns(rows, int(self.column.max()) + 1)
        return np.asarray(np.einsum("tp,pkc->ktc", self.of(x), self.weights))


def dense_columns(rows: Rows, columns: int) -> Array:
    """The first columns of some rows; what they lack is 0."""
    given: Any = rows.to_matrix()
    x = given[:, :columns]
    out = np.zeros((len(rows), columns))
    out[:, : x.shape[1]] = x.toarray() if is_sparse(x) else x
    return out


@lru_cache(maxsize=64)
def places(columns: int, further: int = 0) -> tuple[NDArray[np.int64], ...]:
    """The places of single columns, of pairs, and the columns of these pairs.

    >>> [found.tolist() for found in places(2)]
    [[0, 2], [1, 3, 4], [0, 0, 1], [0, 1, 1]]
    """
    j = np.arange(columns, dtype=np.int64)
    single = j * (j + 3) // 2 + further * j
    second = np.repeat(j, j + 1)
    first = np.concatenate([np.arange(k + 1) for k in j]) if columns else j
    found = single, single[second] + 1 + first, first, second
    for each in found:
        each.flags.writeable = False  # all callers have the same
    return found


def further_places(columns: int, further: int) -> NDArray[np.int64]:
    """Where the further slots of each column lie, columns × slots.

    >>> further_places(2, 3).tolist()
    [[2, 3, 4], [8, 9, 10]]
    """
    j = np.arange(columns, dtype=np.int64)
    return np.asarray((places(columns, further)[0] + j + 2)[:, None] + np.arange(further))


def laid_out(weights: Array, columns: int, further: int = 0) -> Array:
    """Weights of single columns, slots × outputs, among those of products and further slots, which are 0."""
    out = _slots(columns, further, weights.shape[1])
    out[0] = weights[0]
    out[1 + places(columns, further)[0]] = weights[1 : 1 + columns]
    return out


def multiplied_out(values: Array) -> Array:
    """One number a column in the places of columns, their products in those of pairs.

    >>> multiplied_out(np.array([2.0, 3.0]))
    array([2., 4., 3., 6., 9.])
    """
    single, pair, first, second = places(len(values))
    out = np.empty(len(single) + len(pair))
    out[single], out[pair] = values, values[first] * values[second]
    return out


def bent(weights: Array, columns: int, further: int) -> Array:
    """An expert's weights of knots, slots × outputs, among all the others, which are 0."""
    return _behind(weights, columns, further, slice(KNOTS))


def waving(weights: Array, columns: int, further: int) -> Array:
    """An expert's weights of waves, slots × outputs, among all the others, which are 0."""
    return _behind(weights, columns, further, slice(KNOTS, further))


def _behind(weights: Array, columns: int, further: int, mine: slice) -> Array:
    at = further_places(columns, further)[:, mine].ravel()
    out, given = _slots(columns, further, weights.shape[1]), weights[1 : 1 + len(at)]
    out[0] = weights[0]
    out[1 + at[: len(given)]] = given
    return out


def _slots(columns: int, further: int, *outputs: int) -> Array:
    return np.zeros((1 + columns * (columns + 3) // 2 + further * columns, *outputs))


def singles(weights: Array, further: int = 0) -> Array:
    """The slots of single columns alone, of weights with those of products and knots."""
    at = places(1 + columns_within(len(weights), further), further)[0]
    return np.asarray(weights[np.concatenate([[0], 1 + at[at < len(weights) - 1]])])


def with_fewer(weights: Array, further: int, kept: int) -> Array:
    """The same weights with the first ``kept`` of the further slots of a column."""
    if kept == further:
        return weights
    at = 1 + further_places(1 + columns_within(len(weights), further), further)[:, kept:].ravel()
    return np.delete(weights, at[at < len(weights)], axis=0)


def anchored(weights: Array, spreads: Array, further: int = 0) -> Array:
    """Turn an expert's weights, slots × outputs, into those of x and of products of anchored x′."""
    known, mean, per_spread = spreads[1:], spreads[1:, MEAN, None], _per_spread(spreads)[:, None]
    single, pair, first, second = places(len(known))
    given = _slots(len(known), 0, weights.shape[1])
    given[: min(len(given), len(weights))] = weights[: len(given)]
    products = given[1 + pair] * per_spread[first] * per_spread[second]
    line = given[1 + single] * per_spread
    out = _slots(len(known), further, weights.shape[1])
    out[0] = given[0] - (line * mean).sum(axis=0)
    out[0] += (products * mean[first] * mean[second]).sum(axis=0)
    np.subtract.at(line, first, products * mean[second])
    np.subtract.at(line, second, products * mean[first])
    single, pair = places(len(known), further)[:2]
    out[1 + pair] = products
    return _off_anchors(out, line, single, known)


def around_mean(weights: Array, anchors: Array) -> tuple[Array, FeaturePairs]:
    """Turn weights of anchored products, slots × experts × outputs, into those around the mean.

    Returns the weights of single columns, and the pairs.
    """
    known, mean, further = anchors[1:], anchors[1:, MEAN, None, None], anchors.shape[1] - BEHIND
    single, pair, first, second = places(len(known), further)
    given = _slots(len(known), further, *weights.shape[1:])
    given[: min(len(given), len(weights))] = weights[: len(given)]
    products = given[1 + pair]
    line = np.zeros((len(single), *weights.shape[1:]))
    np.add.at(line, first, products * mean[second])
    np.add.at(line, second, products * mean[first])
    own = given.copy()
    own[0] -= (products * mean[first] * mean[second]).sum(axis=0)
    own = singles(_off_anchors(own, line, single, known), further)
    per = _per_anchor(known)
    with np.errstate(all="ignore"):
        scaled = _finite(products * (per[first] * per[second])[:, None, None])
    used = scaled.any(axis=(1, 2))
    return own, FeaturePairs(first[used], second[used], scaled[used], centres(anchors))


def ramps(weights: Array, anchors: Array) -> tuple[Array, FeatureRamps]:
    """Take curves out of anchored weights, slots × experts × outputs.

    Returns their heights at and before the first knots, summed, and a ramp for each step between two.
    """
    columns, further = len(anchors) - 1, anchors.shape[1] - BEHIND
    if not further:
        none = np.zeros(0)
        return np.zeros(weights.shape[1:]), FeatureRamps(
            none.astype(np.int64), none, none, np.zeros((0, *weights.shape[1:]))
        )
    at = 1 + further_places(columns, further)[:, :KNOTS]
    given = _slots(columns, further, *weights.shape[1:])
    given[: min(len(given), len(weights))] = weights[: len(given)]
    heights, x = given[at], anchors[1:, BEHIND : BEHIND + KNOTS]
    heights[~(x[:, 1] > x[:, 0])] = 0.0  # a column without knots
    steps = np.diff(heights, axis=1)
    column, k = np.nonzero((np.diff(x, axis=1) > 0.0) & steps.any(axis=(2, 3)))
    found = FeatureRamps(column, x[column, k], x[column, k + 1], steps[column, k])
    return np.asarray(heights[:, 0].sum(axis=0)), found


def curve_slopes(weights: Array, anchors: Array) -> Array:
    """The slopes of curves at the mean of the data, columns × outputs, of an expert's weights of knots."""
    columns, further = len(anchors) - 1, anchors.shape[1] - BEHIND
    _, found = ramps(bent(weights, columns, further)[:, None], anchors)
    centre = centres(anchors)[found.column]
    with np.errstate(all="ignore"):
        slopes = _finite(found.weights[:, 0] / (found.high - found.low)[:, None])
    there = (found.low <= centre) & (centre < found.high)
    out = np.zeros((columns, weights.shape[1]))
    out[found.column[there]] = slopes[there]
    return out


def centres(anchors: Array) -> Array:
    """The mean of each column."""
    known = anchors[1:]
    with np.errstate(all="ignore"):
        return _finite((known[:, MEAN] + known[:, SHIFT]) * known[:, ANCHOR])


def _off_anchors(weights: Array, line: Array, single: NDArray[np.int64], known: Array) -> Array:
    """Add weights of x′ to those of x and the intercept."""
    shape = (-1,) + (1,) * (line.ndim - 1)
    with np.errstate(all="ignore"):
        weights[0] -= (line * known[:, SHIFT].reshape(shape)).sum(axis=0)
        weights[1 + single] += line * _per_anchor(known).reshape(shape)
        return _finite(weights)


def _per_anchor(known: Array) -> Array:
    anchor = known[:, ANCHOR]
    return np.divide(1.0, anchor, out=np.zeros(len(known)), where=anchor != 0.0)


def _per_spread(spreads: Array) -> Array:
    """1/spread of x′; 0 where it has none."""
    known = spreads[1:]
    variance = known[:, SQUARES] / max(float(spreads[0, 0]), 1.0)
    flat = variance <= FLAT * known[:, MEAN] ** 2
    return np.divide(1.0, np.sqrt(variance), out=np.zeros(len(known)), where=~flat)


def _finite(values: Array) -> Array:
    return np.asarray(np.clip(np.nan_to_num(values), -LARGEST, LARGEST))
