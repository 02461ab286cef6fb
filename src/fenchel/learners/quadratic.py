"""Weights of products: as experts learned them, on features that stay as they are, around the mean.

Experts learn on z = (x′ − mean)/spread of today, x′ = x/anchor − shift (see ``loops.products``). Of two
times, only weights on the anchored x′ can be averaged and compared; around the mean of the data they are
easiest to read, and exact to the last digits elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fenchel.loops.products import ANCHOR, FLAT, MEAN, SHIFT, SQUARES, columns_within
from fenchel.parts.state import Array
from fenchel.rows import Rows
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
        """What they add to the margins, by expert, row and output."""
        given: Any = rows.to_matrix()
        x = (given.toarray() if sp.issparse(given) else given)[:, : len(self.centre)]
        away = np.zeros((len(x), len(self.centre)))
        away[:, : x.shape[1]] = x
        away -= self.centre
        return np.asarray(
            np.einsum("tp,pkc->ktc", away[:, self.first] * away[:, self.second], self.weights)
        )


@lru_cache(maxsize=8)  # asked for again by each expert in every window of frozen use
def places(columns: int) -> tuple[NDArray[np.int64], ...]:
    """Where single columns lie, where pairs do, and the columns of these pairs.

    >>> [found.tolist() for found in places(2)]
    [[0, 2], [1, 3, 4], [0, 0, 1], [0, 1, 1]]
    """
    j = np.arange(columns, dtype=np.int64)
    single = j * (j + 3) // 2
    second = np.repeat(j, j + 1)
    first = np.concatenate([np.arange(k + 1) for k in j]) if columns else j
    return single, single[second] + 1 + first, first, second


def laid_out(weights: Array, columns: int) -> Array:
    """Weights of single columns, slots × outputs, among those of products, which are 0."""
    single, pair, _, _ = places(columns)
    out = np.zeros((1 + len(single) + len(pair), weights.shape[1]))
    out[0] = weights[0]
    out[1 + single] = weights[1 : 1 + columns]
    return out


def singles(weights: Array) -> Array:
    """The slots of single columns alone, of weights with those of products."""
    at = places(1 + columns_within(len(weights)))[0]
    return np.asarray(weights[np.concatenate([[0], 1 + at[at < len(weights) - 1]])])


def anchored(weights: Array, spreads: Array) -> Array:
    """Turn an expert's weights, slots × outputs, into those of x and of products of anchored x′."""
    known, mean, per_spread = spreads[1:], spreads[1:, MEAN, None], _per_spread(spreads)[:, None]
    single, pair, first, second = places(len(known))
    out = np.zeros((1 + len(single) + len(pair), weights.shape[1]))
    given = np.zeros_like(out)
    given[: min(len(out), len(weights))] = weights[: len(out)]
    products = given[1 + pair] * per_spread[first] * per_spread[second]
    line = given[1 + single] * per_spread
    out[0] = given[0] - (line * mean).sum(axis=0)
    out[0] += (products * mean[first] * mean[second]).sum(axis=0)
    np.subtract.at(line, first, products * mean[second])
    np.subtract.at(line, second, products * mean[first])
    out[1 + pair] = products
    return _off_anchors(out, line, single, known)


def around_mean(weights: Array, spreads: Array) -> tuple[Array, FeaturePairs]:
    """Turn weights of anchored products, slots × experts × outputs, into those around the mean.

    Returns the weights of single columns, and the pairs.
    """
    known, mean = spreads[1:], spreads[1:, MEAN, None, None]
    single, pair, first, second = places(len(known))
    given = np.zeros((1 + len(single) + len(pair), *weights.shape[1:]))
    given[: min(len(given), len(weights))] = weights[: len(given)]
    products = given[1 + pair]
    line = np.zeros((len(single), *weights.shape[1:]))
    np.add.at(line, first, products * mean[second])
    np.add.at(line, second, products * mean[first])
    own = given.copy()
    own[0] -= (products * mean[first] * mean[second]).sum(axis=0)
    own = singles(_off_anchors(own, line, single, known))
    per = _per_anchor(known)
    with np.errstate(all="ignore"):
        scaled = _finite(products * (per[first] * per[second])[:, None, None])
        centre = _finite((known[:, MEAN] + known[:, SHIFT]) * known[:, ANCHOR])
    used = scaled.any(axis=(1, 2))
    return own, FeaturePairs(first[used], second[used], scaled[used], centre)


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
