"""The products of the features of many rows, compiled.

A product is a number: of its parts in a table of pairs, or, where names are hashed, what the hashes of its
parts combine to. The features of a cross's first word are outermost; of one word twice each pair is taken
once, in the order of names, and a feature with itself where that is another feature.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._numba import helper, kernel
from fenchel._numba.jit import leaf
from fenchel.streams.names import HASH_MASK, HASH_PRIME
from fenchel.streams.pair_table import ask_for, key_of, more_pairs, new_pairs, pair_number


@leaf
def _next(
    chosen: Any,
    level: Any,
    members: Any,
    counts: Any,
    again: Any,
    rank: Any,
    numbers: Any,
    values: Any,
) -> Any:
    """Move the choice of one word on to the next feature that may stand there; False at the end."""
    chosen[level] += 1
    while chosen[level] < counts[level]:
        if not again[level]:
            return True
        a, b = members[level - 1, chosen[level - 1]], members[level, chosen[level]]
        if a == b:
            if values[a] != 1.0:
                return True
        elif rank[numbers[a]] < rank[numbers[b]]:
            return True
        chosen[level] += 1
    return False


@leaf
def _combined(left: Any, right: Any) -> Any:
    """The hash of a product: h ← (h·prime) xor the next part's."""
    return ((left * HASH_PRIME) & HASH_MASK) ^ right


@leaf
def _row_products(
    members: Any,
    counts: Any,
    chosen: Any,
    again: Any,
    rank: Any,
    numbers: Any,
    values: Any,
    hashes: Any,
    vocabulary: Any,
    pairs: Any,
    products: Any,
    found: Any,
    k: Any,
) -> Any:
    """The products of one row, from the k-th on, where there is room for all; how many there are then."""
    words, hashed = len(counts), len(hashes) > 0
    level = 0
    chosen[0] = -1
    while level >= 0:
        if not _next(chosen, level, members, counts, again, rank, numbers, values):
            level -= 1
            continue
        if level < words - 1:
            level += 1
            chosen[level] = -1
            continue
        at = members[0, chosen[0]]
        value, number = values[at], numbers[at]
        state = hashes[number] if hashed else np.int64(0)
        for place in range(1, words):
            at = members[place, chosen[place]]
            value *= values[at]
            if hashed:
                state = _combined(state, hashes[numbers[at]])
            else:
                state = pair_number(pairs, key_of(number, np.int64(numbers[at])))
                number = vocabulary + state
        products[k] = state
        found[k] = value
        k += 1
    return k


@leaf
def _row_pairs(
    members: Any,
    counts: Any,
    follow: Any,
    again: Any,
    rank: Any,
    numbers: Any,
    values: Any,
    hashes: Any,
    pairs: Any,
    products: Any,
    found: Any,
    k: Any,
) -> Any:
    """The same for a cross of two words, which most are.

    What follows a feature is listed first: a sum instead of a branch that would be guessed wrongly.
    """
    hashed = len(hashes) > 0
    for i in range(counts[0]):
        a = members[0, i]
        left, value = numbers[a], values[a]
        count = 0
        if again[1]:
            place, itself = rank[left], value != 1.0
            for j in range(counts[1]):
                b = members[1, j]
                follow[np.uint64(count)] = b
                count += (place < rank[numbers[b]]) | (itself & (a == b))
        else:
            for j in range(counts[1]):
                follow[np.uint64(count)] = members[1, j]
                count += 1
        if hashed:
            for j in range(count):
                b = follow[j]
                products[k + j] = _combined(hashes[left], hashes[numbers[b]])
                found[k + j] = value * values[b]
        else:
            for j in range(count):
                key = key_of(left, np.int64(numbers[follow[j]]))
                products[k + j] = key
                found[k + j] = value * values[follow[j]]
                ask_for(pairs, key)
            for j in range(k, k + count):
                products[j] = pair_number(pairs, products[j])
        k += count
    return k


@kernel
def products_of(
    indptr: Any, numbers: Any, values: Any, masks: Any, again: Any, rank: Any, hashes: Any
) -> Any:
    """Row pointers, numbers and values of the products of one cross, and the pairs that they are.

    ``masks`` say for each word of the cross of which names it speaks; where names are hashed ``hashes``
    has that of each, and there are no pairs.
    """
    words, rows = masks.shape[0], len(indptr) - 1
    longest = 0
    for row in range(rows):
        longest = max(longest, indptr[row + 1] - indptr[row])
    members, follow = np.empty((words, longest), np.int64), np.empty(longest + 1, np.int64)
    counts, chosen = np.zeros(words, np.int64), np.zeros(words, np.int64)
    ends = np.zeros(rows + 1, np.int64)
    products, found = np.empty(1024, np.int64), np.empty(1024)
    pairs = new_pairs(1024)
    k = 0
    for row in range(rows):
        most = _choose(row, indptr, numbers, masks, members, counts)
        if k + most > len(found):
            products, found = _longer(products, found, k, most)
        if len(hashes) == 0:
            pairs = more_pairs(pairs, most * (words - 1))
        if words == 2:
            room = members, counts, follow, again, rank, numbers, values, hashes
            k = _row_pairs(*room, pairs, products, found, k)
        else:
            given = members, counts, chosen, again, rank, numbers, values, hashes
            k = _row_products(*given, masks.shape[1], pairs, products, found, k)
        ends[row + 1] = k
    return ends, products[:k], found[:k], pairs.keys[: pairs.used[0]]


@leaf
def _choose(row: Any, indptr: Any, numbers: Any, masks: Any, members: Any, counts: Any) -> Any:
    """List the features of a row that each word speaks of; how many products there are at most."""
    most = 1
    for level in range(len(counts)):
        count = 0
        for at in range(indptr[row], indptr[row + 1]):
            members[level, count] = at
            count += masks[level, numbers[at]]
        counts[level] = count
        most *= count
    return most


@helper
def _longer(products: Any, values: Any, k: Any, most: Any) -> Any:
    more, longer = np.empty(2 * (k + most), np.int64), np.empty(2 * (k + most))
    more[:k] = products[:k]
    longer[:k] = values[:k]
    return more, longer
