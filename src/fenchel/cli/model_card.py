"""The contents of a model, as one JSON object or as a model card in Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from fenchel import models as files
from fenchel.cli import models
from fenchel.cli.output import announce_compiling, printable, tell
from fenchel.cli.sources import Reading, column_name, open_data
from fenchel.cli.tasks import shown
from fenchel.cli.testing import Tested
from fenchel.cli.weights import decides_by_weights, sizes_of
from fenchel.learners import Learner, Mixture
from fenchel.report.feature_importance import evidence, weight_vectors


def tell_json(path: str, top: int, data: str | None, verify: bool) -> None:
    """Print everything that is known of a model."""
    tell(json.dumps(model_facts(path, top, data, verify), ensure_ascii=False, default=str))


def model_facts(path: str, top: int, data: str | None, verify: bool) -> dict[str, Any]:
    """Collect learner, task, schema, weights, shares, and the scores on ``data`` where it is given."""
    learner = models.load(path)
    announce_compiling(quiet=False)
    found: dict[str, Any] = {
        "model": path,
        "bytes": Path(path).stat().st_size,
        "digest": files.verify(path) if verify else None,
        "learner": learner.specification,
        "task": learner.task,
        "classes": [_plain(label) for label in learner.classes],
        "rounds": learner.rounds,
        "features": learner.columns,
        "intercept": [vector.bias for vector in weight_vectors(learner)],
        "schema": learner.schema.to_json(),
        "weights": _weights(learner, top, data),
        "decides_by_weights": decides_by_weights(learner),
    }
    if isinstance(learner.engine, Mixture):
        found["shares"] = {use: learner.shares(use) for use in ("next_round", "frozen")}
        bound = learner.engine.certify(None, None, None)[0]
        names = ("theorem", "achieved", "bound", "slack", "holds")
        found["certificate"] = {name: getattr(bound, name) for name in names}
    if data is not None:
        found["scores"] = {"data": data, **_scores(learner, data)}
    return found


def _weights(learner: Learner, top: int, data: str | None) -> list[dict[str, Any]]:
    """The features that carried most evidence, or with the largest weights where sizes are not known."""
    ones = np.ones(learner.columns)
    sizes = sizes_of(learner, data) or (ones, ones)
    base = learner.schema.index_base
    return [
        {
            "feature": column_name(learner.names, base, each.column),
            "class": None if each.label is None else _plain(each.label),
            "weight": each.weight,
            "at_usual_size": each.weight * each.size,
            "evidence": each.share,
        }
        for each in (evidence(learner, *sizes, top) if learner.columns else [])
    ]


def _scores(learner: Learner, data: str) -> dict[str, Any]:
    tested = Tested(learner)
    for block in open_data(data, Reading(), learner, frozen=True, labelled=True).stream:
        tested.see(block)
    return {"rounds": tested.rounds, **tested.metrics()}


def _plain(label: Any) -> Any:
    value = label.item() if hasattr(label, "item") else label
    return value if isinstance(value, (bool, int, float)) else printable(value)


def tell_card(path: str, top: int, data: str | None, verify: bool) -> None:
    """Print a model card."""
    facts = model_facts(path, top, data, verify)
    lines = [f"# Model card: {_cell(Path(path).name)}", "", *_about(facts), *_columns(facts)]
    lines += _features(facts)
    if "certificate" in facts:
        bound = facts["certificate"]
        held = "holds" if bound["holds"] else "does not hold"
        lines += ["", "## Certificate", "", f"{bound['theorem']}: achieved {bound['achieved']:.6g}, "
                  f"bound {bound['bound']:.6g}; it {held}."]  # fmt: skip
    if "scores" in facts:
        scores = {k: v for k, v in facts["scores"].items() if k not in ("data", "rounds")}
        heading = (
            f"## Scores on {_cell(facts['scores']['data'])} ({facts['scores']['rounds']:,} rows)"
        )
        rows = [[name.replace("_", " "), f"{value:.6g}"] for name, value in scores.items()]
        lines += ["", heading, "", *_table(["metric", "value"], rows)]
    tell("\n".join(lines))


def _about(facts: dict[str, Any]) -> list[str]:
    classes = ", ".join(shown(c) for c in facts["classes"]) or "none: it predicts numbers"
    rows = [["learner", f"`{facts['learner']}`"], ["task", facts["task"]], ["classes", classes],
            ["rounds learned", f"{facts['rounds']:,}"], ["features", f"{facts['features']:,}"],
            ["file", f"{facts['bytes']:,} bytes"]]  # fmt: skip
    if facts["digest"]:
        rows.append(["sha256", f"`{facts['digest']}`"])
    return _table(["", ""], rows)


def _columns(facts: dict[str, Any]) -> list[str]:
    columns = facts["schema"]["columns"]
    if not columns:
        return []
    rows = [[_cell(name), kind["kind"]] for name, kind in columns.items()]
    crosses = ["", f"Crosses: {', '.join(' × '.join(c) for c in facts['schema']['crosses'])}."]
    more = crosses if facts["schema"]["crosses"] else []
    return ["", "## Columns", "", *_table(["column", "kind"], rows), *more]


def _features(facts: dict[str, Any]) -> list[str]:
    rows = [
        [_cell(each["feature"]), "" if each["class"] is None else _cell(each["class"]),
         f"{each['weight']:+.6g}", f"{100.0 * each['evidence']:.3g}%"]
        for each in facts["weights"]
    ]  # fmt: skip
    if not rows:
        return []
    return [
        "",
        "## Features that matter most",
        "",
        *_table(["feature", "class", "weight", "share"], rows),
    ]


def _table(headings: list[str], rows: list[list[str]]) -> list[str]:
    lines = [headings, ["---"] * len(headings), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(text: Any) -> str:
    return printable(text).replace("|", "\\|")
