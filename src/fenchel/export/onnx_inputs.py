"""The inputs of an ONNX graph: columns of numbers and of categories, as one tensor of features."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.export.portable import Portable, column_and_level
from fenchel.parts.state import Array
from fenchel.schema.missing import MISSING_WORDS

SAID_MISSING = sorted(MISSING_WORDS | {word.upper() for word in MISSING_WORDS} | {"NaN"})


def inputs_of(graph: Any, model: Portable) -> tuple[str, Array]:
    """The features as one double tensor, and the weights of each of its columns."""
    weights, double = model.form.weights[1:], graph.types.DOUBLE
    if not model.is_named:
        x = graph.input("x", graph.types.FLOAT, len(model.names))
        return _number(graph, graph.do("Cast", x, to=double), 0.0), weights
    pieces, rows = [], []
    for column, own in _columns(model).items():
        kind = model.schema.kinds.get(column)
        if kind is not None and kind.word == "category":
            levels = {str(level): weights[place] for level, place in own.items()}
            piece, more = _category(graph, column, kind, levels)
            pieces.append(piece)
            rows += more
            continue
        number = graph.do("Cast", graph.input(column, graph.types.FLOAT), to=double)
        missing = 0.0 if kind is None or isinstance(kind.missing, str) else float(kind.missing)
        if None in own:
            pieces.append(_number(graph, number, missing))
            rows.append(weights[own[None]])
        if "?" in own:
            pieces.append(graph.do("Cast", graph.do("IsNaN", number), to=double))
            rows.append(weights[own["?"]])
    whole = graph.do("Concat", *pieces, axis=1) if len(pieces) > 1 else pieces[0]
    return whole, np.array(rows)


def _columns(model: Portable) -> dict[str, dict[str | None, int]]:
    """The features of each column by level, None for a number, with the place of their weights."""
    found: dict[str, dict[str | None, int]] = {}
    for place, feature in enumerate(model.names):
        column, level = column_and_level(feature, model.schema.kinds)
        found.setdefault(column, {})[level] = place
    return found


def _number(graph: Any, number: str, missing: float) -> str:
    return str(graph.do("Where", graph.do("IsNaN", number), graph.value(missing), number))


def _category(
    graph: Any, column: str, kind: Any, weights: dict[str, Array]
) -> tuple[str, list[Array]]:
    """A category's levels as columns of 0 and 1; where its levels are given, one more for the others."""
    none = np.zeros_like(next(iter(weights.values())))
    known = {level: weights.get(level, none) for level in (*kind.levels, *weights)}
    other = known.pop("other", none) if kind.levels and "other" not in kind.levels else None
    missing = known.pop("?", none)
    if other is not None or missing.any() or not known:
        known |= dict.fromkeys(SAID_MISSING, missing)
    text = graph.input(column, graph.types.STRING)
    one = graph.do("OneHotEncoder", text, domain="ai.onnx.ml", cats_strings=list(known), zeros=1)
    flat = graph.do("Reshape", one, graph.value([0, len(known)], np.int64))
    flags = graph.do("Cast", flat, to=graph.types.DOUBLE)
    if other is None:
        return flags, list(known.values())
    met = graph.do("ReduceSum", flags, graph.value([1], np.int64), keepdims=1)
    rest = graph.do("Sub", graph.value(1.0), met)
    return graph.do("Concat", flags, rest, axis=1), [*known.values(), other]
