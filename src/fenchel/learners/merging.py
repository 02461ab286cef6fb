"""Learners that were trained apart become one that has seen all their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fenchel.learners import soundness, storage
from fenchel.learners.learner import Learner
from fenchel.learners.renumbering import Longs, Places
from fenchel.streams import Names


def merge(learners: Iterable[Learner], start: Learner | None = None) -> Learner:
    """Merge learners of one specification into one that has seen the rows of all.

    They began with nothing, or with the ``start`` that all of them went on from. Sums add, maxima are
    taken, weights are averaged by what each has seen: exactly what one machine would have for
    Vovk-Azoury-Warmuth, and close to it elsewhere (``docs/cluster.md`` has the measurements). The experts
    of ``auto`` on products, curves and waves are merged where all began with a start that was settled
    (``settle_block``); else the merged learner has those of the learner with most rounds.
    Names, classes and schemas are united. The learners stay as they are.

    >>> from fenchel import learners
    >>> parts = [learners.vovk_azoury_warmuth(intercept=False) for _ in range(2)]
    >>> parts[0].learn_one({"a": 1.0}, 2.0)
    >>> parts[1].learn_one({"b": 1.0, "a": 1.0}, 3.0)
    >>> merge(parts)
    <vovk_azoury_warmuth:intercept=no, 2 rounds, 2 features>
    """
    if isinstance(learners, Learner):
        raise ValueError("a learner alone is not merged: give several in a list")
    given = list(learners)
    for learner in [*given, *([] if start is None else [start])]:
        if not isinstance(learner, Learner):
            raise ValueError(f"{learner!r:.60} is no learner: give those to be merged in a list")
    if not given:
        raise ValueError("there is no learner to merge: give at least one")
    origin = given[0].fresh() if start is None else start
    _refuse_others(given, origin)
    given.sort(key=lambda learner: learner.engine.seniority, reverse=True)
    merged = given[0].copy() if len(given) == 1 else _as_one(given, origin)
    count = sum(learner.merged.get("learners", 1) for learner in given)
    begun = max(origin.rounds, *(learner.merged.get("start", 0) for learner in given))
    merged.merged = {"learners": count, "start": begun}
    merged.forget_rows()
    return merged


def _as_one(given: Sequence[Learner], origin: Learner) -> Learner:
    """One learner that has seen the rows of all beyond those of their origin."""
    merged = origin.fresh()
    columns = _unite_names(merged, [origin, *given])
    outputs = _unite_labels(merged, [origin, *given])
    _unite_engines(merged, [origin, *given], columns, outputs)
    first, *others = (learner.calibration for learner in (origin, *given))
    if merged.calibration is not None:
        merged.calibration.unite(others, first)
    return merged


def _refuse_others(given: Sequence[Learner], origin: Learner) -> None:
    """Raise for learners of other specifications, with rows that wait, or behind their start."""
    wanted = _made_of(origin)
    for learner in given:
        if _made_of(learner) != wanted:
            raise ValueError(
                f"{learner.specification} and {origin.specification} cannot be merged: give learners "
                "of one specification"
            )
        if learner.rounds < origin.rounds:
            raise ValueError(
                f"{learner!r} did not begin with {origin!r}, which has seen more: leave start out"
            )
        if len(learner.tickets):
            raise ValueError(
                f"{learner!r} has {len(learner.tickets)} rows that wait for their labels: answer them"
            )


def _made_of(learner: Learner) -> dict[str, Any]:
    told = storage.describe(learner)
    told["parameters"] = {k: v for k, v in told["parameters"].items() if k != "classes"}
    return {key: told.get(key) for key in ("learner", "parameters", "task", "intercept", "parts")}


def _unite_names(merged: Learner, learners: Sequence[Learner]) -> list[Longs]:
    """Take up the names and schemas of all; returns where the columns of each are then."""
    kinds = {learner.names is None for learner in learners if learner.columns}
    if len(kinds) > 1:
        raise ValueError("some learners have named features, others numbered ones: merge one kind")
    names: Names | None = None
    schema, columns = learners[0].schema.copy(), []
    for learner in learners:
        mine = None if learner.names is None else learner.names.first_names(learner.columns)
        schema = schema.united(learner.schema, () if names is None else names, mine or ())
        places = np.arange(learner.columns)
        if mine is not None:
            names = Names(mine.bits) if names is None else names
            places = names.take_up(mine)[: learner.columns]
        columns.append(places)
    merged.schema, merged.names = schema, names
    return columns


def _unite_labels(merged: Learner, learners: Sequence[Learner]) -> list[Longs]:
    """Take up the classes of all, those of the first ones first; returns where the outputs of each are."""
    counts = {learner.engine.outputs for learner in learners} - {0}
    if merged.labels is None and len(counts) > 1:
        raise ValueError(f"learners of {sorted(counts)} outputs cannot be merged: give one kind")
    if merged.labels is None:
        return [np.arange(learner.engine.outputs) for learner in learners]
    known = learners[0].labels.known
    for learner in learners[1:]:
        known = _united(known, learner.labels.known, merged.task)
    merged.adopt_labels(known)
    if merged.task == "binary":
        return [np.arange(learner.engine.outputs) for learner in learners]
    place = {label: k for k, label in enumerate(known)}
    return [
        np.array([place[c] for c in learner.classes[: learner.engine.outputs]], np.int64)
        for learner in learners
    ]


def _united(known: list[Any], others: list[Any], task: str) -> list[Any]:
    if task != "binary":
        return [*known, *(label for label in others if label not in known)]
    pair = [its if mine is None else mine for mine, its in zip(known, others, strict=True)]
    if any(its not in (None, mine) for mine, its in zip(pair, others, strict=True)) or (
        pair[0] is not None and pair[0] == pair[1]
    ):
        raise ValueError(
            f"{known} and {others} are two codings of the classes (the negative one first): declare "
            "classes=(negative, positive) before training"
        )
    return pair


def _unite_engines(
    merged: Learner,
    learners: Sequence[Learner],
    columns: Sequence[Longs],
    outputs: Sequence[Longs],
) -> None:
    width = max((int(places.max(initial=-1)) + 1 for places in columns), default=0)
    count = max(len(merged.classes), *(int(places.max(initial=-1)) + 1 for places in outputs))
    if merged.max_features is not None and width > merged.max_features:
        raise ValueError(
            f"together they have {width} features, max_features is {merged.max_features}: allow more"
        )
    merged.engine.declare(count)
    with np.errstate(all="ignore"):  # what overflows is refused by name below
        start, *others = (
            learner.engine.placed(Places(own, width, made, count))
            for learner, own, made in zip(learners, columns, outputs, strict=True)
        )
        merged.engine.unite(others, start)
    soundness.refuse_unsound_state(merged.engine)
