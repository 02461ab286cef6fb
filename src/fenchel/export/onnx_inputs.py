"""The inputs of an ONNX graph, and the margins that they make: numbers by products, categories looked up."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.export.portable import Portable, column_and_level
from fenchel.loops.waves import FARTHEST
from fenchel.parts.state import Array
from fenchel.schema.missing import MISSING_WORDS

SAID_MISSING = sorted(MISSING_WORDS | {word.upper() for word in MISSING_WORDS} | {"NaN"})


def margins_of(graph: Any, model: Portable) -> str:
    """rows × (experts·outputs): the intercepts, the numbers' products, a row of weights a category.

    Features of pairs come beside the margins, each as a margin of its own less its centre; those of ramps
    and of waves follow.
    """
    weights = model.form.weights.reshape(len(model.form.weights), -1)
    apart = [
        *model.centres().items(),
        *((j, 0.0) for j in (*_ramped(model), *model.wave_columns())),
    ]
    if apart:
        alone = np.zeros((len(weights), len(apart)))
        alone[0] = [-centre for _, centre in apart]
        alone[[1 + j for j, _ in apart], range(len(apart))] = 1.0
        weights = np.hstack([weights, alone])
    numbers: list[str] = []
    rows: list[Array] = []
    total = str(graph.value(weights[:1]))
    if not model.is_named:
        x = graph.input("x", graph.types.FLOAT, len(model.names))
        numbers, rows = [_number(graph, x, 0.0)], list(weights[1:])
    for column, own in _columns(model).items():
        kind = model.schema.kinds.get(column)
        levels = {level: weights[1 + place] for level, place in own.items()}
        if kind is not None and kind.word == "category":
            total = graph.do("Add", total, _category(graph, column, kind, levels))
            continue
        given = graph.input(column, graph.types.FLOAT)
        if None in levels:
            missing = 0.0 if kind is None or isinstance(kind.missing, str) else float(kind.missing)
            numbers.append(_number(graph, given, missing))
            rows.append(levels[None])
        if "?" in levels:
            numbers.append(graph.do("Cast", graph.do("IsNaN", given), to=graph.types.DOUBLE))
            rows.append(levels["?"])
    if numbers:
        joined = graph.do("Concat", *numbers, axis=1) if len(numbers) > 1 else numbers[0]
        total = graph.do("Add", graph.do("MatMul", joined, graph.value(np.array(rows))), total)
    return _with_more(graph, model, total) if apart else total


def _ramped(model: Portable) -> list[int]:
    """The features that have ramps."""
    return sorted({ramp[0] for ramp in model.ramps()})


def _with_more(graph: Any, model: Portable, total: str) -> str:
    """The margins, and what products of two features, ramps of one and waves of several add to them."""
    pairs, ramps, used = model.form.pairs, model.form.ramps, list(model.centres())
    count = int(np.prod(model.form.weights.shape[1:]))

    def chosen(places: Any) -> str:
        return str(graph.do("Gather", total, graph.value(places, np.int64), axis=1))

    found = chosen(np.arange(count))
    if pairs is not None:
        sides = [count + np.searchsorted(used, side) for side in (pairs.first, pairs.second)]
        products = graph.do("Mul", *map(chosen, sides))
        weights = graph.value(pairs.weights.reshape(-1, count))
        found = str(graph.do("Add", found, graph.do("MatMul", products, weights)))
    if ramps is not None:
        x = chosen(count + len(used) + np.searchsorted(_ramped(model), ramps.column))
        low, high = 0.5 * ramps.low, 0.5 * ramps.high  # halves cannot overflow
        away = graph.do("Sub", graph.do("Mul", x, graph.value(0.5)), graph.value(low))
        risen = graph.do("Div", away, graph.value(high - low))
        risen = graph.do("Min", graph.do("Max", risen, graph.value(0.0)), graph.value(1.0))
        weights = graph.value(ramps.weights.reshape(-1, count))
        found = str(graph.do("Add", found, graph.do("MatMul", risen, weights)))
    if model.waves():
        x = chosen(count + len(used) + len(_ramped(model)) + np.arange(len(model.wave_columns())))
        waves = _waves(graph, model, x)
        weights = graph.value(np.array([w for *_, w in model.waves()]).reshape(-1, count))
        found = str(graph.do("Add", found, graph.do("MatMul", waves, weights)))
    return found


def _waves(graph: Any, model: Portable, x: str) -> str:
    """The waves over the features x."""
    columns = model.wave_columns()
    centre, unit = np.array(list(columns.values())).T
    away = graph.do("Sub", graph.do("Mul", x, graph.value(0.5)), graph.value(centre))
    z = graph.do("Div", away, graph.value(unit))
    z = graph.do("Min", graph.do("Max", z, graph.value(-FARTHEST)), graph.value(FARTHEST))
    turns = np.array([[own.get(j, 0.0) for _, own, _ in model.waves()] for j in columns])
    starts = graph.value(np.array([[start for start, *_ in model.waves()]]))
    phases = graph.do("Add", graph.do("MatMul", z, graph.value(turns)), starts)
    v = graph.do("Sub", phases, graph.do("Round", phases))
    square = graph.do("Mul", v, v)
    steep = graph.do("Sub", graph.do("Mul", square, graph.value(32.0)), graph.value(16.0))
    return str(graph.do("Add", graph.do("Mul", square, steep), graph.value(1.0)))


def _columns(model: Portable) -> dict[str, dict[str | None, int]]:
    """The features of each named column by level, None for a number, with the place of their weights."""
    found: dict[str, dict[str | None, int]] = {}
    for place, feature in enumerate(model.names if model.is_named else ()):
        column, level = column_and_level(feature, model.schema.kinds)
        found.setdefault(column, {})[level] = place
    return found


def _number(graph: Any, given: str, missing: float) -> str:
    """Numbers in double; NaN is what is missing."""
    number = graph.do("Cast", given, to=graph.types.DOUBLE)
    return str(graph.do("Where", graph.do("IsNaN", number), graph.value(missing), number))


def _category(graph: Any, column: str, kind: Any, weights: dict[str | None, Array]) -> str:
    """The weights of each row's level: those of ``other``, or none, for a level that is not known."""
    none = np.zeros_like(next(iter(weights.values())))
    known: dict[str, Array] = {level: weights.get(level, none) for level in kind.levels}
    known |= {str(level): own for level, own in weights.items()}
    other = known.pop("other", none) if kind.levels and "other" not in kind.levels else none
    known |= dict.fromkeys(SAID_MISSING, known.get("?", none))
    places = graph.do(
        "LabelEncoder",
        graph.input(column, graph.types.STRING),
        domain="ai.onnx.ml",
        keys_strings=list(known),
        values_int64s=list(range(len(known))),
        default_int64=len(known),
    )
    table = graph.value(np.array([*known.values(), other]))
    flat = graph.do("Reshape", places, graph.value([-1], np.int64))
    return str(graph.do("Gather", table, flat, axis=0))
