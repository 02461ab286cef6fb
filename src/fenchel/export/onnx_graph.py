"""A model as an ONNX graph of standard operators, in double precision inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel._version import __version__
from fenchel.export.onnx_inputs import margins_of
from fenchel.export.portable import ExportRefused, Portable
from fenchel.learners.linear_form import LinearForm


def onnx_bytes(model: Portable) -> bytes:
    """The graph; its inputs are float32 columns of numbers and string columns of categories.

    A model without names of its own has one input ``x``, rows × features. NaN is a missing number.
    """
    try:
        from onnx import helper
    except ImportError:
        raise ExportRefused("onnx: needs the package onnx; pip install fenchel[onnx]") from None
    model.refuse_hashed("onnx")
    model.refuse_kinds("onnx", "text", "words", "date")
    if model.schema.crosses:
        raise ExportRefused("onnx: crosses of columns are not in its operators; use sql or python")
    graph = Graph(helper)
    label = _rule(graph, model, margins_of(graph, model))
    made = helper.make_graph(
        graph.nodes, "fenchel", graph.inputs, [label, *graph.outputs], graph.constants
    )
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    whole = helper.make_model(
        made, opset_imports=domains, producer_name="fenchel", producer_version=__version__
    )
    whole.ir_version = 8
    return bytes(whole.SerializeToString())


class Graph:
    """Nodes, inputs and constants as they are put together."""

    def __init__(self, helper: Any) -> None:
        from onnx import TensorProto

        self.types, self._helper = TensorProto, helper
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.constants: list[Any] = []

    def input(self, name: str, kind: Any, width: int = 1) -> str:
        """Declare an input of rows × width."""
        self.inputs.append(self._helper.make_tensor_value_info(name, kind, [None, width]))
        return name

    def value(self, values: Any, kind: Any = None) -> str:
        """A constant; doubles unless said."""
        from onnx import numpy_helper

        name = f"constant{len(self.constants)}"
        array = np.asarray(values, np.float64 if kind is None else kind)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def do(
        self, operator: str, *inputs: str, domain: str = "", out: str = "", **options: Any
    ) -> str:
        """Add a node; returns the name of what it gives."""
        name = out or f"step{len(self.nodes)}"
        self.nodes.append(
            self._helper.make_node(operator, list(inputs), [name], domain=domain, **options)
        )
        return name

    def output(self, name: str, kind: Any, *shape: Any) -> Any:
        """Describe an output."""
        return self._helper.make_tensor_value_info(name, kind, list(shape))


def _rule(graph: Graph, model: Portable, margins: str) -> Any:
    """The rule applied to the margins: the outputs ``score`` and, of classes, ``label``."""
    form = model.form
    outputs, double = form.weights.shape[2], graph.types.DOUBLE
    held = margins
    if form.bounds is not None:
        low, high = (graph.value(bound) for bound in form.bounds)
        held = graph.do("Clip", margins, low, high)
    if form.rule == "mean":
        assert form.shares is not None
        held = graph.do("MatMul", held, graph.value(form.shares[:, None]))
    if form.rule in ("vote", "combined"):
        held = _votes(graph, model, margins)
    score = graph.do("Identity", held, out="score")
    described = graph.output(score, double, None, outputs if form.rule != "mean" else 1)
    if not model.has_classes:
        return described
    graph.outputs.append(described)
    return _label(graph, model, score, outputs)


def _label(graph: Graph, model: Portable, score: str, outputs: int) -> Any:
    """The output ``label``, and ``probability`` where the model tells it."""
    if model.form.sharpness is not None:
        _probability(graph, model.form, score, outputs)
    if outputs == 1:
        above = graph.do("Greater", score, graph.value(0.0))
        place = graph.do("Squeeze", graph.do("Cast", above, to=graph.types.INT64),
                         graph.value([1], np.int64))  # fmt: skip
    else:
        place = graph.do("ArgMax", score, axis=1, keepdims=0)
    whole = all(isinstance(c, int) and not isinstance(c, bool) for c in model.classes)
    kind = graph.types.INT64 if whole else graph.types.STRING
    told = model.classes if whole else [str(c) for c in model.classes]
    classes = graph.value(told, np.int64 if whole else object)
    return graph.output(graph.do("Gather", classes, place, axis=0, out="label"), kind, None)


def _probability(graph: Graph, form: LinearForm, score: str, outputs: int) -> None:
    logits = graph.do("Mul", score, graph.value(form.sharpness))
    if outputs > 1:
        logits = graph.do("Sub", logits, graph.do("ReduceMax", logits, axes=[1], keepdims=1))
    if np.isfinite(form.surest):
        most, least = graph.value(form.surest), graph.value(-form.surest)
        held = graph.do("Min", graph.do("Max", logits, least), most)
        beyond = graph.do("Abs", graph.do("Sub", logits, held))
        further = graph.do("Log", graph.do("Add", beyond, graph.value(1.0)))
        logits = graph.do("Add", held, graph.do("Mul", graph.do("Sign", logits), further))
    name = "probability"
    if outputs == 1:
        plus = graph.do("Sigmoid", graph.do("Cast", logits, to=graph.types.FLOAT))
        minus = graph.do("Sub", graph.value([1.0], np.float32), plus)
        graph.do("Concat", minus, plus, axis=1, out=name)
    else:
        soft = graph.do("Softmax", logits, axis=1)
        graph.do("Cast", soft, to=graph.types.FLOAT, out=name)
    graph.outputs.append(graph.output(name, graph.types.FLOAT, None, max(outputs, 2)))


def _votes(graph: Graph, model: Portable, margins: str) -> str:
    """rows × classes: the experts' votes, and that of their combination."""
    form = model.form
    _, experts, outputs = form.weights.shape
    assert form.shares is not None
    cube = graph.do("Reshape", margins, graph.value([0, experts, outputs], np.int64))
    votes = _weighed(graph, _one_hot(graph, cube, outputs), form.shares)
    if form.rule == "vote":
        return votes
    assert form.bets is not None
    assert form.sizes is not None
    mean = graph.do("ReduceMean", graph.do("Abs", cube), axes=[2], keepdims=1)
    size = graph.do("Add", mean, graph.value(form.sizes[None, :, None]))
    size = graph.do("Div", size, graph.value(form.rounds + 1.0))
    size = graph.do("Max", size, graph.value(1e-300))
    ratio = graph.do("Clip", graph.do("Div", cube, size), graph.value(-1.0), graph.value(1.0))
    logits = _weighed(graph, ratio, form.bets)
    highest = graph.do("ReduceMax", logits, axes=[1], keepdims=1)
    leads = graph.do("Not", graph.do("Less", logits, highest))
    # Of several that lead, the one with most votes: shares are at most 1.
    ranked = graph.do("Add", graph.do("Cast", leads, to=graph.types.DOUBLE),
                      graph.do("Mul", graph.do("Cast", leads, to=graph.types.DOUBLE), votes))  # fmt: skip
    likeliest = _one_hot(graph, ranked, outputs)
    first, second = (graph.value(q) for q in form.choice)
    return graph.do("Add", graph.do("Mul", votes, first), graph.do("Mul", likeliest, second))


def _one_hot(graph: Graph, scores: str, outputs: int) -> str:
    """1 for the largest along the last axis, of several for the first."""
    best = graph.do("ArgMax", scores, axis=-1, keepdims=0)
    depth, values = graph.value([outputs], np.int64), graph.value([0.0, 1.0], np.float32)
    flags = graph.do("OneHot", best, depth, values, axis=-1)
    return graph.do("Cast", flags, to=graph.types.DOUBLE)


def _weighed(graph: Graph, cube: str, weights: Any) -> str:
    """Σ_k weights[k]·cube[·, k, ·]."""
    scaled = graph.do("Mul", cube, graph.value(np.asarray(weights)[None, :, None]))
    return graph.do("ReduceSum", scaled, graph.value([1], np.int64), keepdims=0)
