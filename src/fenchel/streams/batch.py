"""The result of parsing one chunk of a stream: rows, and before names become columns a vocabulary.

Repeated names of a row are joined, unused names dropped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel._numba import kernel
from fenchel.rows import Rows
from fenchel.streams.errors import EXPLANATIONS, BadInput, Mistake, Remedy
from fenchel.streams.intern_table import InternTable
from fenchel.streams.murmur import name_hashes
from fenchel.streams.names import Names
from fenchel.streams.row_order import order_rows

KEPT_MISTAKES = 10
UNKNOWN = 0  # the kind of a column before its first value; other kinds are the reader's

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class Parsed(NamedTuple):
    """Rows as CSR, and what was refused; arrays that do not apply are empty.

    ``mistakes`` holds the first few as (mistake, byte position in the chunk); ``wrong`` counts
    them all. Without names ``columns`` is one more than the largest column.
    """

    indptr: Longs
    indices: NDArray[np.uint32]
    values: Floats
    labels: Floats
    weights: Floats
    groups: Longs
    tags: Longs
    mistakes: Longs
    wrong: int
    lines: int
    columns: int


Bytes = NDArray[np.uint8]


NO_KINDS = np.empty(0, np.int8)


class Refusal(NamedTuple):
    """A bad line: where in the chunk, what, the remedy, and the value (None: the word there)."""

    offset: int
    what: str
    remedy: Remedy
    value: str | None = None


class Vocabulary(NamedTuple):
    """The names of one chunk, numbered in order of appearance."""

    text: Bytes
    offsets: Longs


class Batch(NamedTuple):
    """One chunk, parsed: rows whose indices are columns, or numbers of its vocabulary."""

    parsed: Parsed
    vocabulary: Vocabulary | None = None
    classes: list[str] | None = None
    refusals: tuple[Refusal, ...] = ()
    assumed: NDArray[np.int8] = NO_KINDS  # the kinds of the columns, as known before the chunk
    found: NDArray[np.int8] = NO_KINDS  # and after it
    hashed: Any = None  # crosses of hashed names, whose numbers are columns already
    ids: list[str] | None = None  # where the rows have identifiers


def refusals(parsed: Parsed) -> tuple[Refusal, ...]:
    """The words for what a compiled parser refused."""
    return tuple(
        Refusal(int(offset), *EXPLANATIONS[Mistake(int(mistake))])
        for mistake, offset in parsed.mistakes
    )


def vocabulary_of(table: InternTable) -> Vocabulary:
    """The names in a table, without the room it keeps for more."""
    offsets = table.offsets[: int(table.used[0]) + 1]
    return Vocabulary(table.text[: offsets[-1]], offsets)


def batch_of_names(
    parsed: Parsed, vocabulary: Vocabulary, bits: int | None, tabular: bool = False
) -> Batch:
    """A batch in which every name is used, and no row has a column twice.

    Of a table that is left to ``in_columns``, which puts columns in order.
    """
    if parsed.wrong:
        parsed, vocabulary = _only_used(parsed, vocabulary)
    if tabular:
        return Batch(parsed, vocabulary, refusals=refusals(parsed))
    if bits is None:
        group = np.arange(len(vocabulary.offsets) - 1)
    else:
        columns = name_hashes(*vocabulary) & ((1 << bits) - 1)
        group = np.unique(columns, return_inverse=True)[1]
    kept = merge_repeated(parsed.indptr, parsed.indices, parsed.values, group)
    _check_sums(parsed.values, kept)
    parsed = parsed._replace(indices=parsed.indices[:kept], values=parsed.values[:kept])
    return Batch(parsed, vocabulary, refusals=refusals(parsed))


def _check_sums(values: Floats, kept: int) -> None:
    """Refuse values that were added up to more than is a number."""
    if kept < len(values) and not np.isfinite(values[:kept]).all():
        what = "from here on, values of one name in a row add up to more than a number can hold"
        raise BadInput(what, "write each name once in a row", file="")


def must_parse_again(batch: Batch, kinds: NDArray[np.int8]) -> bool:
    """Whether a chunk reads otherwise, now that earlier chunks have settled these kinds."""
    if batch.parsed.wrong and np.any(batch.assumed != kinds):
        return True
    both = (kinds != UNKNOWN) & (batch.found != UNKNOWN)
    return bool(np.any(both & (kinds != batch.found)))


def _only_used(parsed: Parsed, vocabulary: Vocabulary) -> tuple[Parsed, Vocabulary]:
    """Without the names of refused lines; those left are numbered by first appearance."""
    used, first, inverse = np.unique(parsed.indices, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    text, offsets = vocabulary
    kept = [text[offsets[k] : offsets[k + 1]] for k in used[order]]
    lengths = np.cumsum([0, *(len(name) for name in kept)]).astype(np.int64)
    joined = np.concatenate([*kept, np.empty(0, np.uint8)])
    return parsed._replace(indices=rank[inverse]), Vocabulary(joined, lengths)


def rows_by_name(batch: Batch, names: Names, *, frozen: bool, tabular: bool) -> Rows:
    """The rows of a batch in the columns of their names; ``frozen`` takes up no name."""
    assert batch.vocabulary is not None, "the indices are numbers of names"
    if frozen:
        columns, width = names.look_up(*batch.vocabulary)
    else:
        columns = names.columns(*batch.vocabulary)
        width = len(names)
    indptr, numbers, values = batch.parsed[:3]
    indices = columns.astype(np.uint32)[numbers]
    return Rows.sparse(*in_columns(indptr, indices, values, batch.hashed, tabular), width)


def labels_of(batch: Batch) -> NDArray[Any] | None:
    """The labels of a batch, words where they are; None where it has none."""
    if batch.classes is not None:
        numbers, names = batch.parsed.labels, np.array([*batch.classes, None], dtype=object)
        return names[np.where(np.isnan(numbers), -1.0, numbers).astype(np.int64)]
    return batch.parsed.labels if len(batch.parsed.labels) else None


def in_columns(
    indptr: Longs, indices: NDArray[np.uint32], values: Floats, hashed: Any, tabular: bool
) -> tuple[Longs, NDArray[np.uint32], Floats]:
    """Rows whose indices are columns, with the crosses of hashed names, in the order of their columns.

    Of a table the order of columns says nothing: a row is the same however they stand.
    """
    if hashed is not None:
        given = indptr, indices.astype(np.int64), values
        indptr, both, values = side_by_side(*given, *hashed)
        indices = both.astype(np.uint32)
    if hashed is not None or tabular:
        indptr = indptr.copy()
        kept = order_rows(indptr, indices, values)
        _check_sums(values, kept)
        indices, values = indices[:kept], values[:kept]
    return indptr, indices, values


@kernel
def side_by_side(
    indptr: Any, numbers: Any, values: Any, more_indptr: Any, more_numbers: Any, more_values: Any
) -> Any:
    """Rows of two tables as one: the entries of the second behind those of the first."""
    rows = len(indptr) - 1
    ends = np.zeros(rows + 1, np.int64)
    both = np.empty(len(numbers) + len(more_numbers), np.int64)
    numeric = np.empty(len(both))
    k = 0
    for row in range(rows):
        for at in range(indptr[row], indptr[row + 1]):
            both[k] = numbers[at]
            numeric[k] = values[at]
            k += 1
        for at in range(more_indptr[row], more_indptr[row + 1]):
            both[k] = more_numbers[at]
            numeric[k] = more_values[at]
            k += 1
        ends[row + 1] = k
    return ends, both, numeric


@kernel
def merge_repeated(indptr: Any, indices: Any, values: Any, group: Any) -> Any:
    """Add up, in place, the entries of a row whose names have the same group; entries left."""
    last = np.full(len(group), -1, np.int64)
    kept = 0
    start = indptr[0]
    for row in range(len(indptr) - 1):
        stop = indptr[row + 1]
        row_start = kept
        for k in range(start, stop):
            same = last[group[indices[k]]]
            if same >= row_start:
                values[same] += values[k]
            else:
                last[group[indices[k]]] = kept
                indices[kept] = indices[k]
                values[kept] = values[k]
                kept += 1
        indptr[row + 1] = kept
        start = stop
    return kept
