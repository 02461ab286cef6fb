"""``fenchel serve``: a folder of models over the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fenchel.cli.build import build

if TYPE_CHECKING:
    from fenchel.learners import Learner


def serve(folder: str, **given: Any) -> None:
    """Run the command."""
    try:
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        what = f"serving needs the package {error.name}"
        raise click.UsageError(f"{what}: pip install 'fenchel[serve]'") from None
    from fenchel.serve.server import run
    from fenchel.serve.settings import Limits, Settings, Snapshots

    files = {key: given[key] and Path(given[key]) for key in ("token_file", "certificate", "key")}
    limits = Limits(patience=given.pop("patience"), log_bytes=given.pop("keep_log_bytes"))
    often = Snapshots(rows=given.pop("snapshot_rows"))
    run(Settings(Path(folder), limits=limits, snapshots=often, **{**given, **files}), learner_for)


def learner_for(text: str, task: str) -> Learner:
    """Build the learner of a specification for a task, or raise ValueError."""
    try:
        return build(text, task)
    except click.BadParameter as error:
        raise ValueError(error.message) from None
