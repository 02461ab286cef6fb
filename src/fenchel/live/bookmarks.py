"""The place a model has reached in each live source: a section of its file, written with the weights."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

from fenchel import models
from fenchel.models import ModelRefused

SECTION = "live"


@dataclass
class Bookmark:
    """The marks behind the messages learned, and how much has gone out."""

    marks: dict[str, Any] = field(default_factory=dict)
    messages: int = 0
    refused: int = 0
    run: str = field(default_factory=lambda: secrets.token_hex(8))  # names what this model sends
    predictions: dict[str, Any] = field(default_factory=dict)
    dead_letters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def restored(cls, told: Any, path: str) -> Bookmark:
        """Take a bookmark out of a model file, or refuse it."""
        made = cls()
        kinds = {name: type(value) for name, value in asdict(made).items()}
        if not isinstance(told, dict) or any(
            type(told.get(name)) is not kind for name, kind in kinds.items()
        ):
            what = "its place in a live source is of the wrong form"
            raise ModelRefused(f"{path}: {what}; train a new model, or restore it from a copy")
        return cls(**{name: told[name] for name in kinds})


def all_of(path: str | PathLike[str]) -> dict[str, Any]:
    """Read the section of a model file: bookmarks by source, as JSON has them."""
    found = models.read_metadata(path).get(SECTION, {})
    return found if isinstance(found, dict) else {}


def section(others: dict[str, Any], key: str, bookmark: Bookmark) -> dict[str, Any]:
    """Make the section of a model file: this source's bookmark beside those of others."""
    return {SECTION: {**others, key: asdict(bookmark)}}
