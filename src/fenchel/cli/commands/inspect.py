"""``fenchel inspect``: what a model file says, and the largest weights by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fenchel import models
from fenchel.cli.output import printable
from fenchel.models import ModelRefused
from fenchel.schema import Kind, Schema

LABEL_WIDTH = 12
SHOWN = 8  # columns of a kind


def inspect(
    model: str,
    top: int,
    verify: bool,
    data: str | None = None,
    as_json: bool = False,
    card: bool = False,
) -> None:
    """Run the command. The header needs NumPy alone; weights need the learner."""
    if as_json or card:
        from fenchel.cli.model_card import tell_card, tell_json

        (tell_card if card else tell_json)(model, top, data, verify)
        return
    metadata = models.read_metadata(model)
    if "learner" not in metadata:
        raise ModelRefused(f"{model}: holds no learner; name a file that fenchel saved")
    try:
        _header(model, metadata)
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        what = "its description is none that fenchel writes; do not trust it"
        raise ModelRefused(f"{model}: {what}") from error
    if verify:
        _fact("digest", f"sound, sha256 {models.verify(model)}")
    if top:
        from fenchel.cli.weights import tell_weights

        tell_weights(model, top, data)


def _header(path: str, metadata: dict[str, Any]) -> None:
    _fact("model", f"{path}, {Path(path).stat().st_size:,} bytes")
    _fact("learner", metadata["learner"])
    for key, value in (metadata.get("parameters") or {}).items():
        _fact("", f"{key} = {_readable(value)}")
    _fact("task", f"{metadata.get('task')}{_classes(metadata)}")
    _fact("rounds", f"{metadata.get('rounds', 0):,}")
    schema = metadata.get("schema") or metadata.get("stream") or {}  # format 1 calls it stream
    bits = schema.get("bits") if isinstance(schema, dict) else None
    kind = f"hashed, {bits} bits" if bits else "named" if metadata.get("named") else "numbered"
    _fact("features", f"{metadata.get('columns', 0):,} ({kind})")
    if metadata.get("intercept") is False:
        _fact("intercept", "none")
    for title, value in _schema(metadata.get("schema")):
        _fact(title, value)
    for source, place in (metadata.get("live") or {}).items():
        _fact("live", f"{source}, behind {place['messages']:,} messages")


def _schema(told: Any) -> list[tuple[str, str]]:
    """The raw columns: kinds, with the columns of each, roles, crosses."""
    try:
        schema = Schema.from_json(told)
    except (KeyError, TypeError, ValueError, AttributeError):
        return []  # a file of format 1, or one that loading will refuse
    columns: dict[str, list[str]] = {}
    for name, kind in schema.kinds.items():
        if name not in schema.roles:
            columns.setdefault(_kind(kind), []).append(name)
    found = [(kind, _some(names)) for kind, names in columns.items()]
    roles = {"label": schema.label, "weight": schema.weight, "id": schema.id}
    found += [(role, column) for role, column in roles.items() if column is not None]
    found += [("cross", " × ".join(cross)) for cross in schema.crosses]
    lines = [f"{title}: {value}" for title, value in found]
    return [("columns" if k == 0 else "", line) for k, line in enumerate(lines)]


def _kind(kind: Kind) -> str:
    """The word of a kind, with the options that are not the usual ones."""
    usual = type(kind)().to_json()
    other = [f"{k}={v}" for k, v in kind.to_json().items() if usual.get(k) != v and k != "levels"]
    return f"{kind.word} ({', '.join(other)})" if other else kind.word


def _some(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _classes(metadata: dict[str, Any]) -> str:
    labels = [_plain(label) for label in metadata.get("labels") or [] if label is not None]
    if not labels:
        return ""
    if metadata.get("task") == "binary" and len(labels) == 2:
        return f": {labels[0]} is −1, {labels[1]} is +1"
    return f": {', '.join(labels)}"


def _readable(value: Any) -> str:
    """Write a parameter: a number, a word, a part, or other learners by name."""
    if isinstance(value, list):
        return ", ".join(_readable(item) for item in value)
    if isinstance(value, dict) and "learner" in value:
        inner = ",".join(f"{k}={_readable(v)}" for k, v in value.get("parameters", {}).items())
        return f"{value['learner']}:{inner}" if inner else str(value["learner"])
    if isinstance(value, dict):
        return str(value.get("part", value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _plain(value)


def _plain(label: Any) -> str:
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if whole else str(label)


def _fact(name: str, value: str) -> None:
    click.echo(f"{name:<{LABEL_WIDTH}}{printable(value)}")
