"""The targets by name, and the one function that writes any of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import numpy as np

from fenchel.export.c_source import c_source
from fenchel.export.onnx_graph import onnx_bytes
from fenchel.export.portable import ExportRefused, Portable, portable
from fenchel.export.python_source import python_source
from fenchel.export.sql_query import sql_query
from fenchel.learners import Learner


def json_text(model: Portable) -> str:
    """The model as one JSON object."""
    return json.dumps(model.to_json(), ensure_ascii=False, indent=1) + "\n"


def csv_text(model: Portable) -> str:
    """The weights as a table, feature by feature; the intercept's name is empty.

    Products of two features are named ``a×b``, of the features as they are; ``a[low,high]`` is a ramp of one,
    0 up to ``low`` and 1 from ``high`` on. ``wave(a,b,…)`` is one over several: the
    target json has what it is made of.
    """
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["feature", "expert", "output", "weight"])
    weights, pairs = model.form.weights, model.form.pairs
    outputs = model.classes if len(model.classes) == weights.shape[2] else range(weights.shape[2])
    names = ["", *model.names]
    if pairs is not None:
        weights = np.concatenate([pairs.around_zero(weights), pairs.weights])
        names += [f"{model.names[i]}×{model.names[j]}" for i, j, _ in model.pairs()]
    if model.form.ramps is not None:
        weights = np.concatenate([weights, model.form.ramps.weights])
        names += [f"{model.names[j]}[{low!r},{high!r}]" for j, low, high, _ in model.ramps()]
    if model.form.waves is not None:
        weights = np.concatenate([weights, model.form.waves.weights])
        names += [
            f"wave({','.join(model.names[j] for j in turns)})" for _, turns, _ in model.waves()
        ]
    for name, experts in zip(names, weights.tolist(), strict=True):
        for expert, values in enumerate(experts):
            for output, value in zip(outputs, values, strict=True):
                if value or not name:
                    table.writerow([name, expert, output, repr(value)])
    return out.getvalue()


TARGETS: dict[str, Callable[[Portable], str | bytes]] = {
    "onnx": onnx_bytes,
    "sql": sql_query,
    "json": json_text,
    "csv": csv_text,
    "c": c_source,
    "python": python_source,
}


def export(learner: Learner, to: str, last_weights: bool = False) -> bytes:
    """Write a learner for another place: ``to`` is one of onnx, sql, json, csv, c, python.

    It predicts as the loaded model does, or ``ExportRefused`` says why it cannot. ``last_weights``
    exports ⟨w, x⟩ of a learner whose own predictions also look at the row.

    >>> from fenchel import learners
    >>> learner = learners.perceptron()
    >>> learner.learn_one({"free": 1.0}, "spam")
    >>> print(export(learner, "csv").decode(), end="")
    feature,expert,output,weight
    ,0,0,-1.0
    free,0,0,-1.0
    """
    if to not in TARGETS:
        raise ExportRefused(f"there is no target {to!r}: choose one of {', '.join(TARGETS)}")
    written = TARGETS[to](portable(learner, last_weights))
    return written if isinstance(written, bytes) else written.encode()
