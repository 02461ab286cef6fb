"""The page of a comparison: what was recommended, and everything that it rests on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from fenchel.certificates import Certificate
from fenchel.evaluate import Comparison, Run, Verdict
from fenchel.evaluate.certified_runs import Certified
from fenchel.learners import Composed
from fenchel.learners.block_cutting import learn
from fenchel.learners.registry import certified
from fenchel.report.feature_importance import evidence
from fenchel.report.page import Section, page, paragraph, pictures, table
from fenchel.report.plot import Axis, Series, draw
from fenchel.report.stream_stats import StreamStats
from fenchel.report.text import figure
from fenchel.report.zipf import ranked
from fenchel.rows import Block

CURVES = 6  # learners whose loss is drawn
CERTIFIED = 4  # learners whose bound is drawn
FIRST_DRAWN = 50  # the round from which losses are drawn: before it they say little
CHECKPOINTS = 6
TOP = 20  # weights by name
LOSSES = {"squared": "mean squared error", "poisson": "mean Poisson deviance"}


class Compared(NamedTuple):
    """A comparison that is over, and what was seen of its stream."""

    data: str
    result: Comparison
    runs: dict[str, Run]  # best first
    watched: StreamStats
    name: Callable[[int], str]  # of a column
    shown: Callable[[Any], str]  # a label as users wrote it
    advice: str
    constant: str
    width: int
    classes: str = ""  # which stands for what
    command: str = ""  # that made the page

    @property
    def best(self) -> Run:
        """The run of the recommended learner."""
        return self.runs[self.result.best.specification]

    @property
    def regression(self) -> bool:
        """Whether labels are numbers."""
        return self.best.learner.labels is None


def comparison_page(compared: Compared) -> str:
    """The whole page."""
    task = compared.best.learner.task
    columns = compared.best.learner.columns
    rounds = compared.result.rounds
    classes = f" Classes: {compared.classes}." if compared.classes else ""
    lead = [
        paragraph(f"{compared.data}: {rounds:,} rounds, {columns:,} features, {task}.{classes}"),
        paragraph(compared.advice),
    ]
    sections = [
        _what_it_rests_on(compared),
        _loss_along_the_stream(compared),
        _regret_and_bounds(compared),
        _weights(compared),
        _features(compared),
    ]
    command = compared.command or f"fenchel compare {compared.data} --report FILE.html"
    return page(f"Learners compared on {compared.data}", lead, sections, command)


def _what_it_rests_on(compared: Compared) -> Section:
    result = compared.result
    kind = _kind(compared, "error")
    rows = []
    for entrant, verdict in zip_longest(result.entrants, result.verdicts):
        score = entrant.score
        loss = figure(score.loss) if compared.regression else f"{score.loss:.2%}"
        counts = "–" if score.mistakes is None else f"{score.mistakes:,}"
        first = entrant is result.entrants[0]
        p_value = "–" if first or verdict is None else _chance(verdict.p_value)
        against = "the best" if first else _against(verdict)
        rows.append(
            [entrant.specification, loss, counts, p_value, against, figure(score.seconds, 2)]
        )
    headings = ["learner", kind, "mistakes", "p-value", "against the best", "seconds"]
    test = "a paired z-test of the losses" if compared.regression else "a sign test"
    told = (
        f"The p-value says how often two equally good learners would differ as much as this one and "
        f"the best do ({test} on the same rounds); above 0.05 the difference is called chance."
    )
    if result.frozen is not None:
        told = (
            "Learners stand by what they lose frozen on the rows ahead, of which there is no test."
        )
        headings.insert(1, "frozen")
        for row, lost in zip(rows, result.frozen.values(), strict=True):
            row.insert(1, figure(lost) if compared.regression else f"{lost:.2%}")
    parts = [
        paragraph(
            f"Every prediction was made before its label was seen. {told} {compared.constant}."
        ),
        table(
            "All learners, best first",
            headings,
            rows,
        ),
    ]
    return Section("What the recommendation rests on", parts)


def _kind(compared: Compared, of_classes: str) -> str:
    """The name of the loss."""
    if not compared.regression:
        return of_classes
    return LOSSES.get(compared.result.loss, f"mean {compared.result.loss} loss")


def _against(verdict: Verdict | None) -> str:
    if verdict is None:
        return "worse"
    return "could be chance" if verdict.could_be_chance else "worse"


def _chance(p_value: float) -> str:
    """A p-value: below 10⁻⁴ only that."""
    return "< 0.0001" if p_value < 1e-4 else figure(p_value, 2)


def _loss_along_the_stream(compared: Compared) -> Section:
    """The average so far, and the loss between its points; the first rounds, all mistakes, left out."""
    kind = _kind(compared, "share of mistakes")
    first = min(FIRST_DRAWN, max(1, compared.result.rounds // 10))
    so_far, between = [], []
    for name, run in list(compared.runs.items())[:CURVES]:
        points = run.curve.points(run.score.average)
        so_far.append(_from_round(first, name, points))
        between.append(_from_round(first, name, losses_between(points)))
    ends = [first, compared.result.rounds]
    baselines = [Series("best constant", ends, [compared.result.constant.loss] * 2)]
    previous = compared.best.previous.loss
    if previous is not None:
        baselines.append(Series("previous label", ends, [previous] * 2))
    several = f"the best {min(CURVES, len(compared.runs))} learners, from round {first:,} on"
    up = Axis(f"{kind} so far", log=compared.regression)
    now = Axis(f"{kind}, recent", log=compared.regression)
    across = Axis("rounds", log=True)
    return Section("Loss along the stream", [
        pictures(
            (draw("Loss along the stream", across, up, [*so_far, *baselines]),
             f"Average loss up to each round: {several}."),
            (draw("Loss between the points", across, now, [*between, *baselines]),
             f"Loss of the rounds since the point before, which shows changes: {several}."),
            large=True,
        )
    ])  # fmt: skip


def _from_round(first: int, name: str, points: list[tuple[int, float]]) -> Series:
    """The points from a round on, as a series."""
    kept = [point for point in points if point[0] >= first]
    return Series(name, [n for n, _ in kept], [loss for _, loss in kept])


def losses_between(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """The mean loss between points of an average so far, where every round counts alike.

    >>> losses_between([(1, 1.0), (2, 0.5), (4, 0.5)])
    [(1, 1.0), (2, 0.0), (4, 0.5)]
    """
    found, rounds, total = [], 0, 0.0
    for n, mean in points:
        found.append((n, max(n * mean - total, 0.0) / (n - rounds)))
        rounds, total = n, n * mean
    return found


def _regret_and_bounds(compared: Compared) -> Section:
    """The theorems' promises for the best learners, at several rounds of the stream."""
    drawn: list[tuple[str, str]] = []
    checkpoints = _checkpoints(compared)
    for name, run in compared.runs.items():
        if len(drawn) < CERTIFIED and isinstance(run.learner.engine, Composed):
            found = _certified_curve(compared, run, checkpoints)
            drawn += [_bound_picture(name, found)] if found else []
    if not drawn:
        return Section(
            "Regret and bounds", [paragraph("No theorem speaks of these learners and this task.")]
        )
    kept = compared.watched.kept
    whose = "all rounds" if kept == compared.result.rounds else f"the first {kept:,} rounds"
    parts = [
        paragraph(
            f"What a theorem promises and what the run achieved, over {whose}, each against the u "
            "that leaves least slack among the best in hindsight. A line that stays below the bound "
            "is a promise kept."
        ),
        pictures(*drawn),
    ]
    return Section("Regret and bounds", parts)


class _Checkpoint(NamedTuple):
    """A round of the stream: the blocks since the last one, and the certificates up to it."""

    end: int
    blocks: list[Block]
    certified: Certified


def _checkpoints(compared: Compared) -> list[_Checkpoint]:
    """Several rounds; what is best in hindsight up to each is sought once for all learners."""
    kept = compared.watched.kept
    ends = np.unique(np.geomspace(min(16, kept), kept, CHECKPOINTS).astype(int)).tolist()
    pieces = list(compared.watched.pieces(ends))
    found = []
    for number, end in enumerate(ends):
        so_far = [block for piece in pieces[: number + 1] for block in piece]
        found.append(
            _Checkpoint(end, pieces[number], Certified(partial(iter, so_far), compared.width))
        )
    return found


def _certified_curve(
    compared: Compared, run: Run, checkpoints: list[_Checkpoint]
) -> list[tuple[int, Certificate]]:
    """Rounds and the certificate there, of one theorem: the tightest at the end."""
    twin = certified(run.learner)
    if run.learner.labels is not None:
        twin.declare(run.learner.labels.known)
    twin.forget_rows()
    found = []
    for checkpoint in checkpoints:
        for block in checkpoint.blocks:
            learn(twin, block, compared.width)
        found.append((checkpoint.end, checkpoint.certified.all(twin)))
    # A certificate that some u attains says nothing beside itself: the others come first.
    last_ones = found[-1][1]
    telling = [c for c in last_ones if c.kind == "upper"] or last_ones
    try:
        last = twin.engine.headline(telling)
    except ValueError:  # no theorem covers the run
        return []
    key = (last.theorem, last.equation)
    return [(end, c) for end, cs in found for c in cs if (c.theorem, c.equation) == key]


def _bound_picture(name: str, found: list[tuple[int, Certificate]]) -> tuple[str, str]:
    rounds = [end for end, _ in found]
    last = found[-1][1]
    series = [
        Series("achieved", rounds, [c.achieved for _, c in found]),
        Series("bound", rounds, [c.bound for _, c in found]),
    ]
    svg = draw(f"Bound of {name}", Axis("rounds", log=True), Axis(last.quantity), series)
    sides = f"{figure(last.achieved)} of {figure(last.bound)}"
    return svg, f"{name}: {last.theorem}, {last.equation}; at the end {sides}."


def _weights(compared: Compared) -> Section:
    learner = compared.best.learner
    watched = compared.watched
    found = evidence(learner, watched.counts, watched.sizes, TOP)
    several = any(one.label is not None for one in found)
    rows = [
        [
            compared.name(one.column),
            *([compared.shown(one.label)] if several else []),
            figure(one.weight),
            figure(one.size),
            f"{one.share:.1%}",
        ]
        for one in found
    ]
    whose = learner.specification
    parts = [
        paragraph(
            f"The weights of {whose} after the last round. A feature's evidence is what it added to "
            "the sizes of the margins, |weight| · Σ|value| over the stream, as a share of all."
        ),
        table(
            "Features with the most evidence",
            ["feature", *(["class"] if several else []), "weight", "usual size", "evidence"],
            rows,
        ),
    ]
    return Section("Weights and their evidence", parts)


def _features(compared: Compared) -> Section:
    ranks, counts = ranked(compared.watched.counts.astype(np.int64))
    svg = draw(
        "How often each feature occurs, by rank",
        Axis("rank of the feature", log=True),
        Axis("rows with the feature", log=True),
        [Series("features", ranks, counts, kind="points")],
    )
    caption = "Text has a long tail of rare features, a straight line here; a table has none."
    return Section("Features", [pictures((svg, caption))])
