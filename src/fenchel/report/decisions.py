"""The page of a test: reliability diagram, ROC and precision-recall curves, histogram of scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fenchel.evaluate.metrics import Area
from fenchel.report.page import Section, page, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.text import figure

POINTS = 200  # of a curve
BARS = 40  # of the histogram


class Decisions(NamedTuple):
    """A test that is over."""

    data: str
    model: str
    task: str
    rounds: int
    metrics: dict[str, float]
    classes: Sequence[tuple[Any, float, float, float, float]]
    calibration: Sequence[tuple[float, float, float]]
    area: Area | None
    shown: Callable[[Any], str]
    mapping: str = ""  # which class stands for what
    command: str = ""  # that made the page

    @property
    def positive(self) -> str:
        """The class whose probability is ranked by, of two."""
        return self.shown(self.classes[1][0]) if len(self.classes) == 2 else "the positive class"


def decisions_page(tested: Decisions) -> str:
    """The whole page."""
    classes = f" Classes: {tested.mapping}." if tested.mapping else ""
    told = f"{tested.data}: {tested.rounds:,} rows, {tested.task}, by {tested.model}.{classes}"
    lead = [paragraph(told)]
    rows = [[name.replace("_", " "), figure(value)] for name, value in tested.metrics.items()]
    sections = [Section("Scores", [table("All metrics", ["metric", "value"], rows)])]
    if tested.classes:
        cells = [
            [tested.shown(label), f"{came:g}", *(f"{v:.4f}" for v in rest)]
            for label, came, *rest in tested.classes
        ]
        heads = ["class", "rows", "precision", "recall", "F1"]
        sections.append(Section("By class", [table("Every class", heads, cells)]))
    if tested.calibration:
        sections.append(_reliability(tested))
    if tested.area is not None:
        sections.append(_curves(tested.area, tested.positive))
    command = tested.command or f"fenchel test {tested.model} {tested.data} --report FILE.html"
    return page(f"{tested.model} tested on {tested.data}", lead, sections, command)


def _reliability(tested: Decisions) -> Section:
    _weights, chances, shares = zip(*tested.calibration, strict=True)
    diagram = draw(
        "Reliability",
        Axis("mean probability of a bin"),
        Axis("share that came"),
        [Series("measured", chances, shares), Series("perfect", [0.0, 1.0], [0.0, 1.0])],
    )
    rows = [[f"{w:g}", f"{p:.4f}", f"{s:.4f}"] for w, p, s in tested.calibration]
    told = "Where probabilities mean what they say, the points lie on the diagonal."
    heads = ["rows", "mean probability", "share that came"]
    listed = table("Fifteen bins of probability", heads, rows)
    return Section("Calibration", [paragraph(told), pictures((diagram, told)), listed])


def _curves(area: Area, positive: str) -> Section:
    below, above = (np.concatenate([[0.0], counts]) for counts in area.curve())
    keep = _few(below + above)
    below, above = below[keep], above[keep]
    false, true = below / max(below[-1], 1.0), above / max(above[-1], 1.0)
    said = below + above
    some = said > 0.0
    roc = draw(
        "ROC curve",
        Axis("share of the others above"),
        Axis(f"share of {positive} above"),
        [Series("model", false, true), Series("chance", [0.0, 1.0], [0.0, 1.0])],
    )
    recall = draw(
        "Precision and recall",
        Axis("recall"),
        Axis("precision"),
        [Series("model", true[some], above[some] / said[some])],
    )
    told = [
        (roc, f"Area {area.value:.4f}, right to within {area.error:.1e}."),
        (recall, "Precision at every recall, from the highest score down."),
        (_histogram(area, positive), "Where the scores of both classes lie."),
    ]
    return Section("Ranking", [pictures(*told)])


def _histogram(area: Area, positive: str) -> str:
    edges = 1.0 / (1.0 + np.exp(-np.linspace(-area.farthest, area.farthest, area.bins + 1)))
    middle = 0.5 * (edges[1:] + edges[:-1])
    bars = np.minimum((middle * BARS).astype(np.int64), BARS - 1)
    places = (np.arange(BARS) + 0.5) / BARS
    series = [
        Series(name, places, np.bincount(bars, area.counts[label], BARS))
        for label, name in ((0, "the other class"), (1, positive))
    ]
    return draw("Histogram of scores", Axis(f"probability of {positive}"), Axis("rows"), series)


def _few(counts: Any) -> Any:
    """The places where the curve moves, no more than can be seen."""
    moves = np.flatnonzero(np.diff(counts, prepend=-1.0) > 0.0)
    if len(moves) > POINTS:
        moves = moves[np.unique(np.linspace(0, len(moves) - 1, POINTS).astype(np.int64))]
    return moves
